"""Operating conditions become assumptions, checked where they name a column."""

import pytest

import surefoot as sf


def statuses(small, **conditions):
    small.set_definition(conditions=conditions)
    estimate = sf.run(sf.load(small.file))["counted.failure probability"]
    return {a.id: a for a in estimate.assumptions}


def test_conditions_are_assumptions_of_every_estimate(small):
    found = statuses(
        small,
        assumptions=[
            {"id": "same-camera", "text": "The same camera."},
            {"id": "adult", "text": "Adults.", "column": "age", "at_least": 18},
            {"id": "old", "text": "Old.", "column": "age", "at_least": 60, "at_most": 95},
        ],
        odd={"age": list(range(18, 90)), "weather": ["rain", "sun"]},
    )
    assert found["same-camera"].status == "unchecked"
    assert found["adult"].status == "supported"
    assert found["old"].status == "contradicted"
    assert 0.5 < found["old"].check.effect < 0.8
    assert found["inside-operating-conditions"].status == "supported"


def test_a_contradicted_condition_blocks_the_verdict(small):
    conditions = {"assumptions": [{"id": "old", "text": "Old.", "column": "age", "at_least": 60}]}
    small.set_definition(conditions=conditions)
    verdict = sf.run(sf.load(small.file)).verdicts["risk"]
    assert verdict.status == "unproven"
    assert "contradicted: old" in verdict.text


def test_values_outside_the_table_contradict(small):
    found = statuses(small, odd={"age": [20, 30]})
    assert found["inside-operating-conditions"].status == "contradicted"


def test_a_condition_on_an_unknown_column_is_an_error(small):
    small.set_definition(conditions={"assumptions": [{"id": "x", "text": "X.", "column": "agee", "at_most": 1}]})
    with pytest.raises(sf.DiagnosticsError, match=r"did you mean 'age'|Did you mean 'age'"):
        sf.run(sf.load(small.file))
