"""Quantiles by order statistics, and failures that a judge told: coverage against known truth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import surefoot as sf
from surefoot.bounds import clopper_pearson, judged, quantile
from surefoot.core import SurefootError

LEVEL = 0.9


@pytest.mark.parametrize(("n", "share"), [(59, 0.95), (200, 0.9), (500, 0.5)])
def test_an_order_statistic_misses_as_often_as_its_binomial_says(n, share):
    rng = np.random.default_rng(n)
    truth = stats.expon.ppf(share)
    found = [quantile(rng.exponential(size=n), share, level=LEVEL) for _ in range(600)]
    above = np.mean([each.upper(LEVEL) >= truth for each in found])
    below = np.mean([each.lower(LEVEL) <= truth for each in found])
    assert min(above, below) >= LEVEL - 3 * np.sqrt(LEVEL * (1 - LEVEL) / 600)


def test_the_rank_is_the_smallest_that_holds():
    n, share = 100, 0.9
    rank = next(k for k in range(1, n + 1) if stats.binom.cdf(k - 1, n, share) >= 0.95)
    assert quantile(np.arange(1, n + 1), share, level=0.95).upper(0.95) == rank


def test_too_few_values_have_no_upper_limit():
    assert 1 - 0.95**58 < 0.95 <= 1 - 0.95**59
    assert quantile(np.arange(59), 0.95, level=0.95).upper(0.95) == 58
    with pytest.raises(SurefootError):
        quantile(np.arange(58), 0.95, level=0.95).upper(0.95)


@pytest.mark.parametrize(("p", "sensitivity", "specificity"), [(0.05, 0.9, 0.98), (0.3, 0.7, 0.8), (0.01, 0.95, 0.999)])
def test_a_judged_bound_covers_the_true_failure_probability(p, sensitivity, specificity):
    rng = np.random.default_rng(8)
    missed_above = missed_below = 0
    for _ in range(400):
        failed = rng.random(600) < p
        said = np.where(failed, rng.random(600) < sensitivity, rng.random(600) >= specificity)
        found = judged(
            int(said.sum()),
            600,
            failures_caught=int(rng.binomial(80, sensitivity)),
            failures_checked=80,
            right_passed=int(rng.binomial(150, specificity)),
            right_checked=150,
            level=LEVEL,
        )
        missed_above += found.upper(LEVEL) < p
        missed_below += found.lower(LEVEL) > p
    assert max(missed_above, missed_below) / 400 <= 1 - LEVEL


@given(st.integers(0, 50), st.integers(0, 20), st.integers(0, 20), st.floats(0.6, 0.99))
def test_a_judge_never_narrows_a_bound(failures, caught, passed, level):
    checks = {"failures_caught": caught, "failures_checked": 20, "right_passed": passed, "right_checked": 20}
    found = judged(failures, 50, **checks, level=level)
    assert 0 <= found.lower(level) <= found.upper(level) <= 1
    if caught == passed == 20:
        assert found.upper(level) >= clopper_pearson(failures, 50, level=level).upper(level) - 1e-12


def test_a_judge_no_better_than_chance_says_nothing():
    found = judged(10, 100, failures_caught=5, failures_checked=10, right_passed=5, right_checked=10, level=LEVEL)
    assert (found.lower(LEVEL), found.upper(LEVEL)) == (0, 1)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("n", [10, 61, 100, 333])
def test_error_bound_takes_the_rank_that_the_binomial_says(n, share):
    errors = np.random.default_rng(n).permutation(np.arange(1.0, n + 1))
    data = {"labels": np.zeros(n), "predictions": errors}
    for level in (0.8, 0.95):
        evidence = {"off": {"step": "error_bound", "share": share, "level": level}}
        project = sf.Project.of("meter", data=data, task="regression", tolerance=1.0, evidence=evidence)
        (found,) = sf.run(project).evidence["off"].estimates
        # The k-th smallest is not below the quantile where fewer than k errors are, and not above it where k are.
        chances = stats.binom(n, share).pmf(np.arange(n + 1))
        high = [k for k in range(1, n + 1) if chances[:k].sum() >= level]
        low = [k for k in range(1, n + 1) if chances[k:].sum() >= level]
        for side, rank in (("upper", min(high, default=None)), ("lower", max(low, default=None))):
            if rank is None:
                with pytest.raises(SurefootError):
                    getattr(found, side)(level)
            else:
                assert getattr(found, side)(level) == rank
