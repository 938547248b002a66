"""Operating conditions become assumptions, checked where they name a column."""

from copy import deepcopy

import numpy as np
import pytest

import surefoot as sf
from tests.project.conftest import DEFINITION


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
    assert verdict.status == "not shown"
    assert "contradicted: old" in verdict.text


def test_values_outside_the_table_contradict(small):
    found = statuses(small, odd={"age": [20, 30]})
    assert found["inside-operating-conditions"].status == "contradicted"


def test_a_condition_on_an_unknown_column_is_an_error(small):
    small.set_definition(conditions={"assumptions": [{"id": "x", "text": "X.", "column": "agee", "at_most": 1}]})
    with pytest.raises(sf.DiagnosticsError, match=r"did you mean 'age'|Did you mean 'age'"):
        sf.run(sf.load(small.file))


def test_values_are_compared_exactly_and_across_file_formats(small):
    with np.load(small.folder / "test.npz") as data:
        arrays = {**data, "device": np.where(np.arange(len(data["y"])) % 2, 2024001, 2024003)}
    np.savez(small.folder / "test.npz", **arrays)
    components = deepcopy(DEFINITION["components"])
    components["linear"]["data"]["test"]["attributes"] = ["device"]

    def status(*values):
        condition = {"id": "device", "text": "Known devices.", "column": "device", "one_of": list(values)}
        small.set_definition(components=components, conditions={"assumptions": [condition]})
        assumptions = sf.run(sf.load(small.file))["counted.failure probability"].assumptions
        return next(a.status for a in assumptions if a.id == "device")

    assert status(2024001) == "contradicted"
    assert status(2024001, 2024003) == status("2024001", 2024003.0) == "supported"
