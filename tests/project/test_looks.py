"""Each distinct use of a test set is counted; later bounds say so and offer the corrected level."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.project.looks import corrected_level
from tests.project.conftest import DEFINITION


def looks_of(small):
    return sf.run(sf.load(small.file)).looks[0].count


def test_the_same_assessment_again_is_no_new_look(small):
    assert [looks_of(small), looks_of(small)] == [1, 1]


def test_another_model_parameter_or_target_is_a_new_look(small):
    assert looks_of(small) == 1
    small.set_model(bias=0.1)
    assert looks_of(small) == 2
    evidence = deepcopy(DEFINITION["evidence"])
    evidence["counted"]["level"] = 0.9
    small.set_definition(evidence=evidence)
    assert looks_of(small) == 3
    targets = deepcopy(DEFINITION["targets"])
    targets["risk"]["at_most"] = 0.3
    small.set_definition(evidence=evidence, targets=targets)
    assert looks_of(small) == 4


def test_words_do_not_make_a_look(small):
    looks_of(small)
    small.set_definition(system={"name": "Other words"})
    assert looks_of(small) == 1


def test_another_test_set_starts_anew(small):
    looks_of(small)
    small.set_data(seed=1)
    assert looks_of(small) == 1


def test_a_bound_after_repeated_looks_says_so_and_offers_the_corrected_level(small):
    first = sf.run(sf.load(small.file)).answers[0]
    assert (first.looks, first.corrected) == (1, None)
    small.set_model(bias=0.1)
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
