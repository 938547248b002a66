"""Exact limits of counts against scipy.stats, published values, and their coverage by enumeration."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from surefoot.core import CountedRate, CountedShare, Distribution, Gamma, InvalidInput

RATES = [CountedRate(0, 10.0), CountedRate(1, 1.0), CountedRate(3, 1000.0), CountedRate(500, 2e-3)]
SHARES = [CountedShare(0, 20), CountedShare(20, 20), CountedShare(3, 50), CountedShare(1, 1), CountedShare(40, 10**6)]
ALL = RATES + SHARES
LEVELS = np.array([1e-9, 0.025, 0.3, 0.7, 0.975, 1 - 1e-9])


@pytest.mark.parametrize(
    ("events", "low", "high"),
    [(0, 0.0, 3.689), (1, 0.0253, 5.572), (4, 1.090, 10.242), (10, 4.795, 18.390), (30, 20.241, 42.827)],
)
def test_rates_have_the_limits_of_the_chi_squared_tables(events, low, high):
    """95% limits for the mean of a Poisson variable as printed in statistical tables (Garwood 1936)."""
    assert CountedRate(events, 1.0).ppf([0.025, 0.975]) == pytest.approx([low, high], abs=6e-4)


@pytest.mark.parametrize("dist", RATES, ids=repr)
def test_limits_of_a_rate_are_chi_squared_quantiles(dist):
    q = LEVELS[LEVELS > 0.5]
    assert dist.ppf(q) == pytest.approx(stats.chi2(2 * dist.events + 2).ppf(q) / 2 / dist.exposure, rel=1e-9)
    if dist.events:
        lower = stats.chi2(2 * dist.events).ppf(LEVELS[:3]) / 2 / dist.exposure
        assert dist.ppf(LEVELS[:3]) == pytest.approx(lower, rel=1e-9)


@pytest.mark.parametrize("dist", SHARES, ids=repr)
def test_limits_of_a_share_are_those_of_the_exact_binomial_test(dist):
    interval = stats.binomtest(dist.events, dist.trials).proportion_ci(0.95, method="exact")
    assert dist.ppf([0.025, 0.975]) == pytest.approx([interval.low, interval.high], rel=1e-7)


def test_neither_limit_of_a_rate_misses_more_often_than_it_says():
    for mean in (0.1, 0.5, 1.0, 2.7, 13.0, 60.0):
        for alpha in (0.005, 0.025, 0.1, 0.4):
            counts = np.arange(int(mean + 20 * np.sqrt(mean) + 30))
            chance = stats.poisson(mean).pmf(counts)
            limits = np.array([CountedRate(int(k), 1.0).ppf([alpha, 1 - alpha]) for k in counts])
            assert chance[limits[:, 0] > mean].sum() <= alpha, mean
            assert chance[limits[:, 1] < mean].sum() <= alpha, mean


def test_neither_limit_of_a_share_misses_more_often_than_it_says():
    for share in (1e-3, 0.04, 0.5, 0.93):
        for alpha in (0.005, 0.05, 0.4):
            trials = 60
            chance = stats.binom(trials, share).pmf(np.arange(trials + 1))
            limits = np.array([CountedShare(k, trials).ppf([alpha, 1 - alpha]) for k in range(trials + 1)])
            assert chance[limits[:, 0] > share].sum() <= alpha, share
            assert chance[limits[:, 1] < share].sum() <= alpha, share


def test_a_posterior_would_miss_where_the_exact_limit_does_not():
    """With 0.1 events to be expected, one or more come in 9.5% of all cases; Jeffreys' 2.5% limit is then too high."""
    assert Gamma(1.5, 1.0).ppf(0.025) > 0.1 > CountedRate(1, 1.0).ppf(0.025)
    assert stats.poisson(0.1).sf(0) > 0.09


def test_the_quantile_is_the_smallest_value_that_reaches_the_level():
    for dist in ALL:
        for q in (0.1, 0.5, 0.50001, 0.9):
            x = float(dist.ppf(q))
            assert dist.cdf(x) >= q - 1e-9, dist
            assert x == 0 or dist.cdf(x * (1 - 1e-7)) < q + 1e-9, dist


def test_the_level_stays_at_a_half_between_the_two_middle_values():
    for dist in ALL:
        low, high = float(dist.ppf(0.5)), float(dist.ppf(0.5 + 1e-12))
        assert low < high, dist
        assert dist.cdf([low, (low + high) / 2]) == pytest.approx([0.5, 0.5], abs=1e-9), dist


@pytest.mark.parametrize("dist", [CountedRate(3, 1000.0), CountedRate(500, 2e-3), CountedShare(3, 50)], ids=repr)
def test_moments_are_those_of_the_two_halves(dist):
    families = stats.beta(3, 48), stats.beta(4, 47)
    if isinstance(dist, CountedRate):
        families = (stats.gamma(k, scale=1 / dist.exposure) for k in (dist.events, dist.events + 1))
    below, above = families
    middle = below.median(), above.median()
    first, second = (
        below.expect(lambda x, n=n: x**n, ub=middle[0]) + above.expect(lambda x, n=n: x**n, lb=middle[1])
        for n in (1, 2)
    )
    assert dist.mean == pytest.approx(first, rel=1e-6)
    assert dist.variance == pytest.approx(second - first**2, rel=1e-4)


def test_the_mean_is_the_area_beside_the_levels():
    for dist in ALL:
        end = float(dist.ppf(1 - 1e-13))
        area = integrate.quad(
            lambda x, dist=dist: 1 - float(dist.cdf(x)), 0, end, limit=500, points=dist.ppf([0.5, 0.6]).tolist()
        )[0]
        assert dist.mean == pytest.approx(area, rel=1e-5), dist


def test_draws_follow_the_quantiles():
    for dist in ALL:
        draws = dist.sample(np.random.default_rng(4), 10_000)
        assert draws.mean() == pytest.approx(dist.mean, abs=6 * dist.sd / np.sqrt(draws.size)), dist
        assert (draws <= dist.ppf(0.9)).mean() == pytest.approx(float(dist.cdf(dist.ppf(0.9))), abs=0.02), dist


counted = st.builds(CountedRate, st.integers(0, 10**6), st.floats(1e-6, 1e9)) | st.integers(1, 10**6).flatmap(
    lambda trials: st.builds(CountedShare, st.integers(0, trials), st.just(trials))
)


@settings(deadline=None, max_examples=25)
@given(counted, st.floats(1e-6, 0.5), st.floats(1e-6, 0.5))
def test_quantiles_never_fall_and_plain_data_bring_the_distribution_back(dist, a, b):
    levels = np.sort([a, b, 1 - a, 1 - b])
    assert (np.diff(dist.ppf(levels)) >= 0).all()
    assert Distribution.from_dict(json.loads(json.dumps(dist.to_dict()))) == dist


def test_what_cannot_be_is_refused(subtests):
    for make in (
        lambda: CountedRate(-1, 1.0),
        lambda: CountedRate(0.5, 1.0),
        lambda: CountedRate(1, 0.0),
        lambda: CountedRate(1, float("inf")),
        lambda: CountedShare(3, 2),
        lambda: CountedShare(0, 0),
        lambda: CountedShare(1, 2.5),
    ):
        with subtests.test(line=make.__code__.co_firstlineno), pytest.raises(InvalidInput):
            make()
