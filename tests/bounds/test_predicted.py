"""Failure probability from predictions that held-out labels correct."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from surefoot.bounds import clopper_pearson, difference_estimator, predicted_failures
from surefoot.core import BoundFamily, Estimate, InvalidInput

COUNTS = ("flagged", "seen", "failed_flagged", "tested_flagged", "failed_others", "tested_others")


def limit(counts, side, level):
    """The limit of a recorded bound."""
    recorded = {
        "type": "predicted-strata",
        "side": side,
        "kind": "confidence",
        **dict(zip(COUNTS, counts, strict=True)),
    }
    return BoundFamily.from_dict(recorded).limit_at(level)


def drawn(rng, *, share, flagged_rate, other_rate, tests, further):
    predicted, operational = rng.random(tests) < share, rng.random(further) < share
    failed = rng.random(tests) < np.where(predicted, flagged_rate, other_rate)
    return failed, predicted, operational


@pytest.mark.parametrize("seed", range(5))
def test_difference_agrees_with_ppi_python(seed):
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    failed, predicted, operational = drawn(
        np.random.default_rng(seed), share=0.1, flagged_rate=0.7, other_rate=0.02, tests=400, further=3000
    )
    found = difference_estimator(failed, predicted, operational, level=0.95)
    as_floats = [values.astype(float) for values in (failed, predicted, operational)]
    assert found.value == pytest.approx(ppi_mean_pointestimate(*as_floats, lam=1).item())
    _, theirs = ppi_mean_ci(*as_floats, alpha=0.1, lam=1)
    assert found.upper(0.95) == pytest.approx(theirs.item(), rel=2e-3)


def test_without_further_inputs_the_bound_is_the_exact_binomial_one():
    failed = np.arange(1000) < 18
    found = predicted_failures(failed, failed, [], level=0.975)
    exact = clopper_pearson(18, 1000, level=0.975)
    assert not found.details["prediction_used"]
    assert found.upper(0.975) == exact.upper(0.975)
    assert found.lower(0.975) == exact.lower(0.975)
    assert found.value == 0.018


def test_a_good_prediction_tightens_the_bound():
    failed = np.arange(500) < 8
    operational = np.arange(10_000) < 160
    found = predicted_failures(failed, failed, operational, level=0.95)
    assert found.details["prediction_used"]
    assert found.upper(0.95) < 0.8 * clopper_pearson(8, 500, level=0.95).upper(0.95)
    assert found.lower(0.95) > clopper_pearson(8, 500, level=0.95).lower(0.95)


def test_the_choice_does_not_look_at_outcomes():
    predicted, operational = np.arange(500) < 10, np.arange(2500) < 50
    for further, used in ((operational, True), (operational[:60], False)):
        for flagged, others in product((0, 5, 10), (0, 40)):
            failed = (np.arange(500) < flagged) | (np.arange(500) >= 500 - others)
            found = predicted_failures(failed, predicted, further, level=0.95)
            assert found.details["prediction_used"] is used, (flagged, others)


@pytest.mark.parametrize(("side", "tested"), [("upper", (2, 2)), ("lower", (1, 3))])
def test_limits_cover_at_their_level(side, tested):
    """Exact over all outcomes, given which tests are flagged, at shares and rates of all sizes."""
    level, unlabelled, (flagged, others) = 0.8, 2, tested
    shape = unlabelled + 1, flagged + 1, others + 1
    limits = np.empty(shape)
    for k, failed_flagged, failed_others in np.ndindex(shape):
        counts = (k + flagged, unlabelled + flagged + others, failed_flagged, flagged, failed_others, others)
        limits[k, failed_flagged, failed_others] = limit(counts, side, level)
    for share, p1, p0 in product((0, 0.1, 0.3, 0.6, 0.9, 1), (0, 0.1, 0.4, 0.8, 1), (0, 0.05, 0.2, 0.5, 1)):
        binomials = zip((unlabelled, flagged, others), (share, p1, p0), strict=True)
        mass = math.prod(np.ix_(*(stats.binom.pmf(np.arange(n + 1), n, p) for n, p in binomials)))
        risk = share * p1 + (1 - share) * p0
        held = limits >= risk - 1e-12 if side == "upper" else limits <= risk + 1e-12
        assert mass[held].sum() >= level - 1e-9


@pytest.mark.parametrize(
    ("counts", "melded"),
    [
        ((168, 10_500, 8, 8, 0, 492), 0.02173),
        ((60, 4500, 7, 7, 0, 493), 0.01952),
        ((40, 2200, 3, 4, 1, 196), 0.03766),
        ((60, 4500, 5, 7, 1, 493), 0.01979),
    ],
)
def test_the_proof_costs_little(counts, melded):
    """Against melding of confidence distributions (Fay, Proschan and Brittain 2015), whose level is not proved."""
    assert 0.9 * melded < limit(counts, "upper", 0.95) < 1.12 * melded


def test_untested_flagged_inputs_count_as_failures():
    failed, operational = np.zeros(200), np.arange(800) < 100
    found = predicted_failures(failed, failed, operational, level=0.95, always=True)
    assert found.value == pytest.approx(0.1)
    assert 0.1 < found.upper(0.95) < 0.16


@pytest.mark.parametrize(
    "damage", [{"flagged": 20}, {"failed_flagged": 2}, {"failed_others": -1}, {"side": "sideways"}]
)
def test_recorded_bounds_with_bad_counts_are_refused(damage):
    found = predicted_failures([0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 1] * 5, level=0.9, always=True)
    with pytest.raises(InvalidInput):
        BoundFamily.from_dict(found.bounds[0].to_dict() | damage)


@pytest.mark.parametrize(("failed", "side", "end"), [(False, "lower", 0.0), (True, "upper", 1.0)])
def test_limits_reach_the_ends(failed, side, end):
    flagged = np.arange(200) < 20
    found = predicted_failures(np.full(200, failed), flagged, np.arange(5000) < 500, level=0.95, always=True)
    assert found.value == end
    assert (found.lower if side == "lower" else found.upper)(0.95) == end


def test_a_prediction_that_most_inputs_fail_is_not_used():
    found = predicted_failures(np.zeros(10), np.ones(10), np.ones(5000), level=0.95)
    assert not found.details["prediction_used"]
    assert found.upper(0.95) == clopper_pearson(0, 10, level=0.95).upper(0.95)


def test_bounds_survive_a_round_trip():
    rng = np.random.default_rng(3)
    failed, predicted, operational = drawn(rng, share=0.05, flagged_rate=0.8, other_rate=0.01, tests=300, further=3000)
    for found in (
        predicted_failures(failed, predicted, operational, level=0.95, always=True),
        difference_estimator(failed, predicted, operational, level=0.95),
    ):
        again = Estimate.from_dict(found.to_dict())
        assert again.digest == found.digest
        assert again.upper(0.99) == found.upper(0.99)


@pytest.mark.parametrize(
    "arguments",
    [([], [], [1]), ([0.5], [1], [1]), ([1, 0], [1], [0]), ([[1]], [[1]], [0])],
    ids=["empty", "not truth values", "different lengths", "two-dimensional"],
)
def test_bad_input_is_refused(arguments):
    with pytest.raises(InvalidInput):
        predicted_failures(*arguments, level=0.95)
