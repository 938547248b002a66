"""Balls, and what estimators answer about them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, lognorm

from surefoot.reliability import BallRisks, Balls

BELOW, COUNTED, PROVED, SPLIT = BallRisks.BELOW, BallRisks.COUNTED, BallRisks.PROVED, BallRisks.SPLIT


def risks(how, *, log_risk=0.0, log_sd=0.0, failures=0, trials=0, calls=0):
    wholes = [np.array([value], np.int64) for value in (failures, trials, calls)]
    return BallRisks(np.array([log_risk]), np.array([log_sd]), np.array([how], np.uint8), *wholes)


def counted(failures, trials):
    with np.errstate(divide="ignore"):
        log_risk = float(np.log(failures / trials))
    return risks(COUNTED, log_risk=log_risk, failures=failures, trials=trials, calls=trials)


@given(st.integers(1, 2000), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_counts_have_the_exact_interval(trials, data, level):
    failures = data.draw(st.integers(0, trials))
    low, high = counted(failures, trials).interval(level)
    exact = binomtest(failures, trials).proportion_ci(level, method="exact")
    np.testing.assert_allclose([low[0], high[0]], [exact.low, exact.high], rtol=1e-7, atol=1e-12)


@given(st.floats(-300, -3), st.floats(0.01, 1.5), st.sampled_from([0.8, 0.95, 0.99]))
def test_splitting_has_a_lognormal_interval_around_an_unbiased_estimate(log_risk, log_sd, level):
    low, high = risks(SPLIT, log_risk=log_risk, log_sd=log_sd).interval(level)
    # Were the truth exp(m), estimates lognormal with mean exp(m) would have the median exp(m - sd**2 / 2).
    expected = np.array(lognorm(log_sd, scale=np.exp(log_risk + log_sd**2 / 2)).interval(level))
    np.testing.assert_allclose([low[0], high[0]], np.minimum(expected, 1), rtol=1e-9)


def test_the_variance_of_splitting_is_that_of_a_lognormal():
    found = risks(SPLIT, log_risk=-9.0, log_sd=0.7)
    spread = lognorm(0.7).std() / lognorm(0.7).mean()
    np.testing.assert_allclose(found.variance, (np.exp(-9.0) * spread) ** 2)


def test_counts_never_have_variance_zero():
    for failures in [0, 1, 40, 99, 100]:
        found = counted(failures, 100)
        assert 0 < found.variance[0] <= 0.25 / 100, failures
        assert found.risk[0] == pytest.approx(failures / 100), failures


def test_below_the_floor_the_interval_starts_at_zero():
    low, high = risks(BELOW, log_risk=-50.0, log_sd=0.5).interval()
    assert low[0] == 0
    assert high[0] > np.exp(-50)


def test_what_is_proved_is_certain():
    for log_risk, risk in [(-np.inf, 0.0), (0.0, 1.0)]:
        found = risks(PROVED, log_risk=log_risk)
        assert (found.interval()[0][0], found.interval()[1][0], found.variance[0]) == (risk, risk, 0), risk


def test_an_interval_never_leaves_zero_to_one():
    for how in [PROVED, COUNTED, SPLIT, BELOW]:
        low, high = risks(how, log_risk=-0.1, log_sd=2.0, failures=9, trials=10).interval(0.999)
        assert 0 <= low[0] <= high[0] <= 1, how


def test_rows_can_be_taken_joined_and_filled_in():
    rows = [counted(3, 10), risks(SPLIT, log_risk=-30.0, log_sd=0.3, calls=500), risks(BELOW, log_risk=-99.0)]
    joined = BallRisks.joined(rows)
    assert len(joined) == 3
    assert joined.take(np.array([2, 0])).log_risk.tolist() == [-99.0, np.log(0.3)]
    filled = BallRisks.empty(4)
    assert filled.risk.tolist() == [0, 0, 0, 0]
    filled.put(np.array([3, 1]), joined.take(np.array([0, 1])))
    assert filled.how.tolist() == [PROVED, SPLIT, PROVED, COUNTED]
    assert filled.calls.tolist() == [0, 500, 0, 10]


def test_balls_are_cut_to_the_range():
    balls = Balls(np.array([[0.0, 0.5, 0.95]], np.float32), 0.1, (1, 3))
    lower, upper = balls.corners(np.array([0]))
    np.testing.assert_allclose(lower, [[0, 0.4, 0.85]], atol=1e-7)
    np.testing.assert_allclose(upper, [[0.1, 0.6, 1]], atol=1e-7)
    assert lower.dtype == float
    assert balls.as_inputs(balls.centres).shape == (1, 1, 3)


def test_the_range_may_be_another_one():
    balls = Balls(np.array([[-1.0, 250.0]]), 10.0, (2,), low=-5, high=255)
    assert [corner.tolist() for corner in balls.corners(slice(None))] == [[[-5, 240]], [[9, 255]]]
