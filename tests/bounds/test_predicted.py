"""Failure probability from predictions that held-out labels correct."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from surefoot.bounds import clopper_pearson, difference, predicted_failures
from surefoot.bounds.predicted import prediction_helps
from surefoot.bounds.predicted_strata import PredictedStrataBound, Prediction
from surefoot.core import Estimate, InvalidInput

LEVELS = (0.95, 0.975)


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
    found = difference(failed, predicted, operational, level=0.95)
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
    counts = {"flagged": 60, "seen": 3000, "tested_flagged": 10, "tested_others": 490}
    choices = {
        prediction_helps(Prediction(failed_flagged=k, failed_others=j, **counts))
        for k, j in product((0, 5, 10), (0, 40))
    }
    assert len(choices) == 1


def test_limits_agree_with_draws_of_the_three_distributions():
    counts = (40, 2200, 3, 4, 1, 196)
    rng = np.random.default_rng(0)
    parts = {
        "upper": (stats.beta(40.5, 2160.5), stats.beta(3.5, 1.5), stats.beta(2, 195)),
        "lower": (stats.beta(40, 2161), stats.beta(3, 2), stats.beta(1, 196)),
    }
    for side, distributions in parts.items():
        s, p1, p0 = (d.rvs(400_000, random_state=rng) for d in distributions)
        risks = s * p1 + (1 - s) * p0
        limit = PredictedStrataBound(*counts, side, "confidence").limit_at(0.95)
        assert limit == pytest.approx(np.quantile(risks, 0.95 if side == "upper" else 0.05), rel=0.01)


def test_untested_flagged_inputs_count_as_failures():
    upper = PredictedStrataBound(100, 1000, 0, 0, 0, 200, "upper", "confidence").limit_at(0.95)
    lower = PredictedStrataBound(100, 1000, 0, 0, 0, 200, "lower", "confidence").limit_at(0.95)
    assert upper > 0.1
    assert lower == pytest.approx(0, abs=1e-12)
    assert Prediction(100, 1000, 0, 0, 0, 200).risk == pytest.approx(0.1)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("share", "flagged_rate", "other_rate", "tests"),
    [
        (0.02, 0.9, 0.001, 300),
        (0.05, 0.3, 0.005, 400),
        (0.02, 0.05, 0.02, 300),
        (0.1, 0.02, 0.0, 300),
        (0.3, 0.1, 0.01, 300),
        (0.03, 1.0, 0.0, 200),
    ],
)
def test_the_upper_limit_covers_at_its_level(share, flagged_rate, other_rate, tests, level):
    """Exact over the outcomes of the tests, given typical numbers of flagged inputs; no simulation noise."""
    truth = share * flagged_rate + (1 - share) * other_rate
    flagged = round(share * tests)
    seen = tests * 10
    missed = 0.0
    for k in range(flagged + 1):
        chance = stats.binom.pmf(k, flagged, flagged_rate)
        if chance < 1e-9:
            continue
        # Limits grow with failures, so those that miss are the smallest counts of other failures.
        for j in range(tests - flagged + 1):
            bound = PredictedStrataBound(share * seen, seen, k, flagged, j, tests - flagged, "upper", "confidence")
            if bound.limit_at(level) >= truth:
                break
            missed += chance * stats.binom.pmf(j, tests - flagged, other_rate)
    assert missed <= 1 - level


@pytest.mark.parametrize(("failed", "side", "end"), [(False, "lower", 0.0), (True, "upper", 1.0)])
def test_limits_reach_the_ends(failed, side, end):
    flagged = np.arange(200) < 20
    found = predicted_failures(np.full(200, failed), flagged, np.arange(5000) < 500, level=0.95, always=True)
    assert found.value == end
    assert (found.lower if side == "lower" else found.upper)(0.95) == end


@pytest.mark.parametrize(("tests", "share"), [(10, 0.1), (10, 0.3), (50, 0.05), (200, 0.1)])
def test_the_lower_limit_covers_at_its_level(tests, share):
    """Exact over outcomes, for several pairs of rates."""
    flagged, seen = max(1, round(share * tests)), 10**6
    for flagged_rate, other_rate in product((0.001, 0.3, 0.9, 0.999), (0.0, 0.01, 0.2)):
        truth = share * flagged_rate + (1 - share) * other_rate
        missed = 0.0
        for k in range(flagged + 1):
            for j in range(tests - flagged + 1):
                chance = stats.binom.pmf(k, flagged, flagged_rate) * stats.binom.pmf(j, tests - flagged, other_rate)
                if chance > 1e-5:
                    counts = (share * seen, seen, k, flagged, j, tests - flagged)
                    missed += chance * (PredictedStrataBound(*counts, "lower", "confidence").limit_at(0.95) > truth)
        assert missed <= 0.05


def test_a_prediction_that_most_inputs_fail_is_not_used():
    found = predicted_failures(np.zeros(10), np.ones(10), np.ones(5000), level=0.95)
    assert not found.details["prediction_used"]
    assert found.upper(0.95) == clopper_pearson(0, 10, level=0.95).upper(0.95)


def test_bounds_survive_a_round_trip():
    rng = np.random.default_rng(3)
    failed, predicted, operational = drawn(rng, share=0.05, flagged_rate=0.8, other_rate=0.01, tests=300, further=3000)
    for found in (
        predicted_failures(failed, predicted, operational, level=0.95, always=True),
        difference(failed, predicted, operational, level=0.95),
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
