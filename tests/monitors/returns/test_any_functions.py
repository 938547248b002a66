import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core import InvalidInput
from surefoot.monitors import Returns, Stakes, evaluate, returns

errors, threats = returns.errors, returns.threats

FIGURES = ("gains", "residuals", "hazards", "costs")


def wrong_and_silent(predictions, alarms, truths, context):
    return np.where((predictions != truths) & ~alarms, 0.0, 1.0)


def right_and_alarmed(predictions, alarms, truths, context):
    return np.where((predictions == truths) & alarms, 0.0, 1.0)


def threat_and_silent(predictions, alarms, truths, context):
    return np.where((context == 1) & ~alarms, 0.0, 1.0)


def usual_and_alarmed(predictions, alarms, truths, context):
    return np.where((context == 0) & alarms, 0.0, 1.0)


@given(st.integers(1, 50), st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_functions_written_out_are_the_ready_ones(rows, seed):
    rng = np.random.default_rng(seed)
    predictions, truths, context = rng.integers(3, size=(3, rows))
    alarms = rng.random(rows) < 0.5
    given_ = {"predictions": predictions, "truths": truths, "context": context == 0}
    for functions, ready in (
        ((wrong_and_silent, right_and_alarmed), errors(predictions, truths)),
        ((threat_and_silent, usual_and_alarmed), threats(context == 0)),
    ):
        own = Returns.of(*functions, alarms=alarms, **given_)
        for figure in FIGURES:
            np.testing.assert_array_equal(getattr(own, figure), getattr(ready.under(alarms), figure))


def test_context_can_make_an_error_matter():
    """An object on the road is a hazard when missed; one on the pavement is half of one."""

    def safety(predictions, alarms, truths, context):
        return 1 - np.where(alarms, 0.0, (predictions != truths) * np.where(context["on road"], 1.0, 0.5))

    stakes = Stakes.of(
        safety,
        lambda predictions, alarms, truths, context: 1.0 - 0.25 * alarms,
        predictions=np.array([0, 0, 1]),
        truths=np.array([1, 1, 1]),
        context={"on road": np.array([True, False, True])},
    )
    returns = stakes.under([False, True, True])
    assert returns.residuals.tolist() == [1, 0, 0]
    assert returns.gains.tolist() == [0, 0.5, 0]
    assert returns.costs.tolist() == [0, 0.25, 0.25]


def test_the_ideal_can_be_stated():
    stakes = Stakes.of(
        wrong_and_silent,
        right_and_alarmed,
        predictions=np.array([0, 1]),
        truths=np.array([1, 1]),
        ideal=lambda truths, context: np.full(len(truths), 0.5),
    )
    assert stakes.under([0, 0]).hazards.tolist() == [0.5, -0.5]


def test_the_ideal_alarms_where_no_answer_is_safe():
    """At night even the true answer is worth nothing, unless an alarm stops the vehicle."""

    def safety(predictions, alarms, truths, context):
        return np.where(alarms, 0.8, np.where(context, 0.0, 1.0))

    night = np.array([True, False])
    stakes = Stakes.of(safety, right_and_alarmed, predictions=night, truths=night, context=night)
    assert stakes.safety_ideal.tolist() == [0.8, 1.0]


@given(st.integers(2, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=12, deadline=None)
def test_gain_and_residual_sum_to_the_hazard_alone_under_any_profile(rows, seed):
    rng = np.random.default_rng(seed)
    quiet, alarm, ideal, running, stopped, weights = rng.random((6, rows))
    returns = Stakes(quiet, alarm, np.maximum(ideal, quiet), running, stopped, weights=weights).under(ideal > 0.5)
    report = evaluate(returns, draws=200)
    assert report.sum_holds
    assert report.hazard_alone.value == pytest.approx(np.average(np.maximum(ideal - quiet, 0), weights=weights))


def test_a_profile_weighs_rows_as_often_as_they_occur():
    predictions, truths, alarms = np.array([0, 1, 0]), np.array([1, 1, 1]), np.array([1, 0, 0])
    counts = np.array([3, 5, 2])
    weighed = errors(predictions, truths).weighted(counts).under(alarms)
    repeated = errors(np.repeat(predictions, counts), np.repeat(truths, counts)).under(np.repeat(alarms, counts))
    for figure in FIGURES:
        expected = getattr(repeated, figure).mean()
        assert np.average(getattr(weighed, figure), weights=weighed.weights) == pytest.approx(expected)


def test_returns_outside_their_range_are_refused():
    with pytest.raises(InvalidInput, match="stated range 0 to 1; found -1 in row 1"):
        Stakes.of(
            lambda predictions, *_: predictions,
            right_and_alarmed,
            predictions=np.array([0, -1]),
            truths=np.array([0, 1]),
        )


def right_or_alarmed(predictions, alarms, truths, context):
    return np.where(alarms | (predictions == truths), 1.0, 0.0)


def unless_alarmed(predictions, alarms, truths, context):
    return np.where(alarms, 0.0, 1.0)


def test_lists_are_compared_row_by_row():
    for kind in [list, tuple, np.array]:
        stakes = Stakes.of(
            right_or_alarmed, unless_alarmed, predictions=kind(["a", "b", "c"]), truths=kind(["a", "b", "d"])
        )
        assert stakes.safety_quiet.tolist() == [1, 1, 0], kind


def test_predictions_that_are_lists_stay_what_they_are():
    def found_all(predictions, alarms, truths, context):
        return np.array([len(p) == len(t) for p, t in zip(predictions, truths, strict=True)]) | alarms

    boxes, truths = [[(0, 0, 1, 1)], []], [[(0, 0, 1, 1)], [(2, 2, 3, 3)]]
    assert Stakes.of(found_all, unless_alarmed, predictions=boxes, truths=truths).safety_quiet.tolist() == [1, 0]


def test_a_function_cannot_change_what_it_is_given():
    def mending(predictions, alarms, truths, context):
        predictions[:] = truths
        return np.ones(len(truths))

    with pytest.raises(ValueError, match="read-only"):
        Stakes.of(mending, unless_alarmed, predictions=np.array([1, 2]), truths=np.array([1, 1]))


def test_predictions_and_truths_have_one_length():
    with pytest.raises(InvalidInput, match="same length"):
        Stakes.of(right_or_alarmed, unless_alarmed, predictions=[1, 2], truths=[1])
