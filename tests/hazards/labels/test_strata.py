"""What the model's scores say of its failures, and the strata made from it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core import InvalidInput
from surefoot.hazards import labels

CLASSES = ("cat", "dog", "owl")
SCORES = np.array([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4], [0.2, 0.2, 0.6]])


def test_a_wrong_answer_is_as_probable_as_all_other_classes():
    failing, counting = labels.FailureCriterion(CLASSES).predicted(SCORES)
    assert failing == pytest.approx([0.3, 0.5, 0.4])
    assert counting == pytest.approx([1, 1, 1])


def test_of_one_class_only_its_missed_rows_fail():
    failing, counting = labels.FailureCriterion(CLASSES, of="owl").predicted(SCORES)
    assert failing == pytest.approx([0.1, 0.4, 0.0])
    assert counting == pytest.approx([0.1, 0.4, 0.6])


def test_only_undesired_answers_fail():
    failing, _ = labels.FailureCriterion(CLASSES, undesired={"owl": ["dog"], "cat": ["owl"]}).predicted(SCORES)
    assert failing == pytest.approx([0.2, 0.4, 0.4])


def test_without_probabilities_the_closest_rival_counts():
    assert labels.FailureCriterion(CLASSES).suspicion(SCORES, "score") == pytest.approx([-0.5, -0.1, -0.4])
    assert labels.FailureCriterion(CLASSES, of="owl").suspicion(SCORES, "score") == pytest.approx([-0.6, -0.1, -np.inf])


def test_an_unknown_class_is_refused():
    with pytest.raises(InvalidInput, match="bat"):
        _ = labels.FailureCriterion(CLASSES, undesired={"owl": ["bat"]}).table


def test_doubtful_strata_are_small():
    rule = labels.RiskStrata.of(np.arange(1600.0))
    assert np.bincount(rule.assign(np.arange(1600.0))).tolist() == [100, 300, 1200]
    assert rule.names == ("1 (most doubtful)", "2", "3 (surest)")


def test_equal_rows_are_one_stratum():
    rule = labels.RiskStrata.of(np.zeros(50))
    assert rule.names == ("all",)
    assert set(rule.assign(np.array([-1.0, 0.0, 5.0])).tolist()) == {0}


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_no_stratum_is_empty_and_order_is_kept(values, bins):
    suspicion = np.asarray(values, float)
    rule = labels.RiskStrata.of(suspicion, bins)
    stratum = rule.assign(suspicion)
    assert (np.bincount(stratum, minlength=len(rule.names)) > 0).all()
    assert len(rule.names) <= bins
    order = np.argsort(-suspicion, kind="stable")
    assert (np.diff(stratum[order]) >= 0).all()
