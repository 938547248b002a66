import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import returns

errors, severity = returns.errors, returns.severity

SIGNS = {"stop": {"30": 10.0, "20": 8.0}, "30": {"stop": 1.0, "20": 0.0}, "20": {"stop": 1.0, "30": 5.0}}
TRUE = ["stop", "stop", "20", "30"]
ANSWERED = ["30", "stop", "30", "20"]


def test_each_pair_of_classes_has_its_severity():
    returns = severity(ANSWERED, TRUE, SIGNS).under([0, 0, 0, 0])
    np.testing.assert_allclose(returns.residuals, [1.0, 0.0, 0.5, 0.0])


def test_an_alarm_removes_the_hazard_and_costs_where_the_answer_was_right():
    returns = severity(ANSWERED, TRUE, SIGNS).under([1, 1, 1, 1])
    np.testing.assert_allclose(returns.gains, [1.0, 0.0, 0.5, 0.0])
    assert returns.residuals.tolist() == [0, 0, 0, 0]
    assert returns.costs.tolist() == [0, 1, 0, 0]


def test_an_alarm_can_have_a_hazard_of_its_own():
    returns = severity(ANSWERED, TRUE, SIGNS, alarm_severity=2).under([1, 1, 1, 1])
    np.testing.assert_allclose(returns.gains, [0.8, -0.2, 0.3, -0.2])
    by_class = severity(ANSWERED, TRUE, SIGNS, alarm_severity={"stop": 0, "20": 20, "30": 0})
    np.testing.assert_allclose(by_class.under([1, 1, 1, 1]).gains, [0.5, 0, 0.25 - 1, 0])


def test_an_alarm_costs_by_true_class():
    stakes = severity(["a", "b"], ["a", "b"], {"a": {"b": 1}}, mission={"a": 1, "b": 4, "c": 8})
    np.testing.assert_allclose(stakes.under([1, 1]).costs, [1 / 8, 1 / 2])
    free = severity(["a", "b"], ["a", "b"], {"a": {"b": 1}}, mission=0)
    assert free.under([1, 1]).costs.tolist() == [0, 0]


def test_returns_are_in_stated_units_with_a_range():
    stakes = severity(ANSWERED, TRUE, SIGNS, safety_range=(-50, 0), mission=3, mission_range=(0, 20))
    returns = stakes.under([0, 1, 0, 0])
    np.testing.assert_allclose(returns.residuals, [10, 0, 5, 0])
    np.testing.assert_allclose(returns.costs, [0, 3, 0, 0])
    assert stakes.safety_ideal.tolist() == [0] * 4
    with pytest.raises(InvalidInput, match="stated range -5 to 0"):
        severity(ANSWERED, TRUE, SIGNS, safety_range=(-5, 0))


@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_equal_severities_are_errors_and_any_array_is_its_mapping(classes, seed):
    rng = np.random.default_rng(seed)
    predictions, truths = rng.integers(classes, size=(2, 30))
    alarms = rng.integers(2, size=30)
    equal = severity(predictions, truths, 7.0 * (1 - np.eye(classes))).under(alarms)
    plain = errors(predictions, truths).under(alarms)
    for figure in ("gains", "residuals", "costs"):
        np.testing.assert_allclose(getattr(equal, figure), getattr(plain, figure))
    matrix = rng.random((classes, classes)) * (1 - np.eye(classes)) + 0.0
    direct = severity(predictions, truths, matrix).under(alarms)
    np.testing.assert_allclose(direct.hazards, matrix[truths, predictions] / matrix.max())
    mapping = {i: dict(enumerate(row)) for i, row in enumerate(matrix.tolist())}
    np.testing.assert_array_equal(severity(predictions, truths, mapping).under(alarms).gains, direct.gains)


def test_classes_name_the_rows_of_an_array():
    stakes = severity(["b"], ["a"], [[0, 3], [6, 0]], classes=["a", "b"])
    assert stakes.under([0]).residuals.tolist() == [0.5]


def test_severity_refuses_what_it_cannot_use():
    for matrix, options, words in [
        ({"stop": {"30": 1}}, {}, "none for 20 answered 30, 30 answered 20"),
        ({"stop": {"30": -1}}, {}, "at least 0; found -1"),
        ({"stop": {"stop": 1}}, {}, "right answer must have severity 0"),
        ({"stop": {"30": np.nan}}, {}, "severity of stop answered 30 must be one finite number"),
        ({"stop": 3}, {}, "must be a mapping"),
        ({sign: {"20": 0, "30": 0, "stop": 0} for sign in SIGNS}, {}, "above 0"),
        (SIGNS, {"classes": ["stop"]}, "a mapping names its own"),
        (SIGNS, {"mission": {"stop": 1}}, "none for 20, 30"),
        (SIGNS, {"alarm_severity": -1}, "alarm_severity must be at least 0"),
        ([[0, 1]], {}, "classes x classes"),
        ([[0, 1], [1, 0]], {"classes": ["a", "a"]}, "name each row"),
    ]:
        with refused(words, InvalidInput, match=words):
            severity(ANSWERED, TRUE, matrix, **options)
