import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, recall_score
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import returns

errors, threats = returns.errors, returns.threats

rows = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, high), min_size=n, max_size=n) for high in (3, 3, 1)))
)


@given(rows)
@settings(max_examples=25, deadline=None)
def test_errors_are_recall_miss_rate_and_false_positive_rate(drawn):
    predictions, truths, alarms = map(np.array, drawn)
    returns = errors(predictions, truths).under(alarms)
    wrong = predictions != truths
    tn, fp, fn, tp = confusion_matrix(wrong, alarms == 1, labels=[False, True]).ravel()
    assert returns.gains.sum() == tp
    assert returns.residuals.sum() == fn
    assert returns.costs.sum() == fp
    if wrong.any():
        recall = recall_score(wrong, alarms == 1)
        assert returns.gains.mean() / wrong.mean() == pytest.approx(recall)
        assert returns.residuals.mean() / wrong.mean() == pytest.approx(1 - recall)
    if not wrong.all():
        assert returns.costs.mean() / (~wrong).mean() == pytest.approx(fp / (fp + tn))


@given(rows)
@settings(max_examples=15, deadline=None)
def test_gain_and_residual_sum_to_the_hazard_of_the_model_alone(drawn):
    predictions, truths, alarms = map(np.array, drawn)
    by_error, by_threat = errors(predictions, truths).under(alarms), threats(truths == 0).under(alarms)
    np.testing.assert_array_equal(by_error.gains + by_error.residuals, predictions != truths)
    np.testing.assert_array_equal(by_threat.gains + by_threat.residuals, truths == 0)


def test_a_threat_does_not_look_at_the_answer():
    returns = threats([1, 1, 0, 0]).under([1, 0, 1, 0])
    assert returns.gains.tolist() == [1, 0, 0, 0]
    assert returns.residuals.tolist() == [0, 1, 0, 0]
    assert returns.costs.tolist() == [0, 0, 1, 0]
    assert returns.safety_ideal.tolist() == [1, 1, 1, 1]


def test_classes_may_be_text():
    stakes = errors(["stop", "limit 30"], np.array(["stop", "stop"], dtype=object))
    assert stakes.hazardous.tolist() == [False, True]


def test_rows_keep_what_they_stand_for():
    stakes = errors([1, 1], [1, 0], units=np.array(["a", "a"]), weights=[1, 3], unit="drive")
    assert (stakes.unit_count, stakes.unit, stakes.name) == (1, "drive", "errors")
    assert stakes.weights.tolist() == [1, 3]
    assert threats([True]).name == "threats"


def test_errors_refuse_what_cannot_be_compared():
    for predictions, truths, words in [
        ([], [], "non-empty"),
        ([1, 2], [1], "same length"),
        ([[0.2, 0.8]], [1], "not a score for each class"),
        ([1.0, np.nan], [1, 1], "free of NaN"),
        (["1", "2"], [1, 2], "both be text or both be numbers"),
        ([1, "2"], [1, 2], "all numbers or all text"),
        ([None, None], [1, 2], "all numbers or all text"),
    ]:
        with refused((predictions, truths, words), InvalidInput, match=words):
            errors(predictions, truths)


def test_threats_refuse_what_is_no_flag():
    for flags, words in [([], "at least 1"), ([0.5], "true or false"), ([np.nan], "finite"), ([[1, 0]], "dimension")]:
        with refused((flags, words), InvalidInput, match=words):
            threats(flags)


def test_a_range_cannot_be_stated_for_returns_of_0_and_1():
    with pytest.raises(TypeError, match="safety_range"):
        errors([1], [1], safety_range=(-1, 1))
