"""Each distinct use of a test set is counted; later bounds say so and offer the corrected level."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.project.looks import corrected_level
from tests.project.conftest import DEFINITION

LIMITS = {"strict": 0.2, "loose": 0.3}


def looks_of(small):
    return sf.run(sf.load(small.file)).looks[0].count


def test_the_same_assessment_again_is_no_new_look(small):
    assert [looks_of(small), looks_of(small)] == [1, 1]


def test_another_model_step_or_target_is_a_new_look(small):
    assert looks_of(small) == 1
    small.set_model(bias=0.3)
    assert looks_of(small) == 2
    evidence = {**deepcopy(DEFINITION["evidence"]), "alarms": {"step": "binomial_bound", "of": "no"}}
    small.set_definition(evidence=evidence)
    assert looks_of(small) == 3
    targets = deepcopy(DEFINITION["targets"])
    targets["risk"]["at_most"] = 0.3
    small.set_definition(evidence=evidence, targets=targets)
    assert looks_of(small) == 4


def test_what_shows_nothing_new_is_no_look(small):
    looks_of(small)
    small.set_definition(system={"name": "Other words"})
    assert looks_of(small) == 1
    source = small.folder / "linear.py"
    source.write_text(source.read_text() + "\n# a comment\n")
    assert looks_of(small) == 1
    evidence = deepcopy(DEFINITION["evidence"])
    evidence["renamed"] = evidence.pop("counted")
    targets = deepcopy(DEFINITION["targets"])
    targets["risk"]["estimate"] = "renamed.failure probability"
    small.set_definition(evidence=evidence, targets=targets)
    assert looks_of(small) == 1


def test_a_run_that_failed_is_no_look(small):
    (small.folder / "linear.py").write_text("def predict(inputs):\n    raise ValueError\n")
    with pytest.raises(sf.DiagnosticsError):
        looks_of(small)
    small.set_model()
    assert looks_of(small) == 1


@pytest.mark.parametrize("how", ["compressed", "shuffled", "other types"])
def test_the_same_rows_in_another_file_are_the_same_test_set(small, how):
    looks_of(small)
    with np.load(small.folder / "test.npz") as data:
        arrays = dict(data)
    if how == "shuffled":
        order = np.random.default_rng(0).permutation(len(arrays["y"]))
        arrays = {name: array[order] for name, array in arrays.items()}
    if how == "other types":
        arrays["y"] = arrays["y"].astype(np.uint8)
    np.savez_compressed(small.folder / "test.npz", **arrays)
    small.set_model(bias=0.3)
    assert looks_of(small) == 2


def test_rows_scored_by_another_model_are_the_same_test_set(tmp_path):
    labels = np.arange(200) % 2
    for bias in (0.0, 0.4):
        scores = np.random.default_rng(1).normal(labels - 0.5 + bias, 0.3)
        evidence = {"counted": {"step": "binomial_bound"}}
        project = sf.Project.of("Scored", data={"scores": scores, "labels": labels}, evidence=evidence)
        result = sf.run(project, store=tmp_path)
    assert result.looks[0].count == 2


def test_another_test_set_starts_anew(small):
    looks_of(small)
    small.set_data(seed=1)
    assert looks_of(small) == 1


def test_a_target_that_was_another_before_says_so(small):
    assert sf.run(sf.load(small.file)).answers[0].previous == ""
    targets = deepcopy(DEFINITION["targets"])
    targets["risk"]["at_most"] = 0.3
    small.set_definition(targets=targets)
    assert sf.run(sf.load(small.file)).answers[0].previous == (
        "Earlier assessments asked for at most 0.2 per demand at level 0.95."
    )


def test_a_bound_without_a_level_has_no_correction(small):
    evidence = {"score": {"step": "normal_score"}}
    targets = {"risk": {"estimate": "score.failure probability", "at_most": 0.9, "kinds": ["expectation"]}}
    for bias in (0.0, 0.3):
        small.set_model(bias=bias)
        small.set_definition(evidence=evidence, targets=targets)
        (answer,) = sf.run(sf.load(small.file)).answers
    assert (answer.looks, answer.corrected_level, answer.corrected) == (2, None, None)
    assert "no correction exists" in str(answer.estimate.caveats)


def test_met_at_this_look_alone(small):
    bound = sf.run(sf.load(small.file))["counted.failure probability"]
    between = (bound.upper(0.95) + bound.upper(0.975)) / 2
    targets = {"risk": {"estimate": "counted.failure probability", "at_most": between}}
    small.set_definition(targets=targets)
    (answer,) = sf.run(sf.load(small.file)).answers
    assert (answer.verdict.status, answer.corrected.status, answer.alone) == ("met", "unproven", True)


def test_a_bound_after_repeated_looks_says_so_and_offers_the_corrected_level(small):
    first = sf.run(sf.load(small.file)).answers[0]
    assert (first.looks, first.corrected) == (1, None)
    small.set_model(bias=0.3)
    second = sf.run(sf.load(small.file))
    risk, hazard = second.answers
    assert "repeated-looks" in {c.code for c in risk.estimate.caveats}
    assert risk.corrected_level == pytest.approx(0.975)
    assert risk.corrected.bound.limit == risk.estimate.upper(0.975)
    assert hazard.looks == 2, "a result that rests on others inherits their looks"
    assert "repeated-looks" not in {c.code for c in second["counted.failure probability"].caveats}


@given(st.floats(0.5, 0.999), st.integers(1, 1000))
def test_all_looks_together_keep_the_level(level, looks):
    assert looks * (1 - corrected_level(level, looks)) == pytest.approx(1 - level)


def test_what_another_target_asks_now_was_not_asked_earlier(small):
    targets = {name: {"estimate": "counted.failure probability", "at_most": limit} for name, limit in LIMITS.items()}
    small.set_definition(targets=targets)
    assert [answer.previous for answer in sf.run(sf.load(small.file)).answers] == ["", ""]
    del targets["loose"]
    small.set_definition(targets=targets)
    assert "at most 0.3" in sf.run(sf.load(small.file)).answers[0].previous
