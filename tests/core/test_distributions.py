"""Distributions against scipy.stats, and invariants over a list of instances."""

import json

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from surefoot.core import Beta, Distribution, Empirical, InvalidInput, LogNormal, Mixture, Normal, Point, Undefined
from tests.core.strategies import distributions

ORACLES = [
    (Beta(3, 98), stats.beta(3, 98)),
    (Beta(0.5, 1000.5), stats.beta(0.5, 1000.5)),
    (Normal(-2, 0.5), stats.norm(-2, 0.5)),
    (LogNormal(-9, 1.2), stats.lognorm(1.2, scale=np.exp(-9))),
]
CONTINUOUS = [d for d, _ in ORACLES] + [Mixture((Beta(2, 50), LogNormal(-4, 0.5), Normal(0.1, 0.01)), (1, 2, 3))]
ALL = [*CONTINUOUS, Point(0.25), Empirical((3.0, 1.0, 2.0)), Mixture((Point(0.0), Beta(2, 8)), (0.5, 0.5))]
QUANTILES = np.array([1e-9, 1e-3, 0.05, 0.5, 0.95, 0.999, 1 - 1e-9])


@pytest.mark.parametrize(("ours", "scipy_dist"), ORACLES, ids=lambda v: repr(v)[:40])
def test_matches_scipy_stats(ours, scipy_dist):
    np.testing.assert_allclose(ours.ppf(QUANTILES), scipy_dist.ppf(QUANTILES), rtol=1e-9)
    x = scipy_dist.ppf(QUANTILES)
    np.testing.assert_allclose(ours.cdf(x), scipy_dist.cdf(x), rtol=1e-9)
    np.testing.assert_allclose([ours.mean, ours.variance], [scipy_dist.mean(), scipy_dist.var()], rtol=1e-12)


@pytest.mark.parametrize("dist", CONTINUOUS, ids=repr)
def test_cdf_after_ppf_is_the_identity(dist):
    np.testing.assert_allclose(dist.cdf(dist.ppf(QUANTILES)), QUANTILES, rtol=1e-6)


def test_ppf_is_the_smallest_value_that_reaches_the_level():
    for dist in ALL:
        for q in (0.2, 0.5, 0.9):
            x = float(dist.ppf(q))
            assert dist.cdf(x) >= q - 1e-9, dist
            assert dist.cdf(x - 1e-6 * max(abs(x), 1e-3)) <= q, dist


def test_draws_have_the_stated_mean_and_variance():
    for dist in ALL:
        draws = dist.sample(np.random.default_rng(1), 200_000)
        assert draws.mean() == pytest.approx(dist.mean, abs=6 * dist.sd / np.sqrt(draws.size) + 1e-12), dist
        assert draws.var() == pytest.approx(dist.variance, rel=0.15, abs=1e-12), dist


@given(distributions)
@settings(deadline=None)
def test_json_round_trip_is_the_identity(dist):
    again = Distribution.from_dict(json.loads(json.dumps(dist.to_dict(), allow_nan=False)))
    assert again == dist
    assert type(again) is type(dist)


@pytest.mark.parametrize(("a", "b"), [(1000, 9092), (9090, 1000), (1000, 10**9 + 1), (1000, 10**10 - 999), (0.5, 1e9)])
def test_beta_quantiles_are_right_where_scipy_is_wrong_by_a_factor(a, b):
    with mpmath.workdps(40):
        for q in (0.05, 0.95):
            x = mpmath.mpf(float(Beta(a, b).ppf(q)))
            level = mpmath.betainc(a, b, 0, x, regularized=True)
            assert float(level) == pytest.approx(q, rel=1e-6)


@settings(deadline=None, max_examples=80)
@given(st.floats(0.5, 1e9), st.floats(0.5, 1e9), st.floats(1e-9, 1 - 1e-9))
def test_beta_quantiles_give_the_level_back(a, b, q):
    x = float(Beta(a, b).ppf(q))
    assert special.betainc(a, b, x * (1 - 1e-8)) <= q * (1 + 1e-8)
    assert special.betainc(a, b, min(x * (1 + 1e-8), 1.0)) >= q * (1 - 1e-8)


def test_beta_with_a_zero_parameter_is_a_point_at_the_end():
    assert Beta(0, 5).ppf(0.9) == 0
    assert Beta(5, 0).ppf(0.1) == 1
    assert Beta(5, 0).cdf(0.999) == 0


def test_lognormal_from_error_factor_puts_the_quantile_there():
    dist = LogNormal.from_error_factor(1e-4, 10, level=0.95)
    np.testing.assert_allclose(dist.ppf([0.5, 0.95]), [1e-4, 1e-3], rtol=1e-12)


def test_jeffreys_posterior_from_counts():
    assert Beta.from_counts(2, 98) == Beta(2.5, 98.5)


def test_bad_parameters_are_refused(subtests):
    for build in (
        lambda: Beta(-1, 2),
        lambda: Beta(0, 0),
        lambda: Beta(float("nan"), 1),
        lambda: Normal(0, 0),
        lambda: Normal(float("inf"), 1),
        lambda: LogNormal(0, -1),
        lambda: LogNormal.from_error_factor(1e-4, 1),
        lambda: LogNormal.from_error_factor(0, 3),
        lambda: LogNormal.from_error_factor(1e-3, 3, level=0.5),
        lambda: Mixture((1,), (1,)),
        lambda: Point(float("inf")),
        lambda: Empirical(()),
        lambda: Empirical((1.0, float("nan"))),
        lambda: Mixture((Point(1),), (0.5, 0.5)),
        lambda: Mixture((Point(1),), (-1,)),
        lambda: Distribution.from_dict({"type": "cauchy"}),
        lambda: Distribution.from_dict({"type": "beta", "a": 1}),
        lambda: Distribution.from_dict({"a": 1}),
    ):
        with subtests.test(line=build.__code__.co_firstlineno), pytest.raises(InvalidInput):
            build()


def test_a_moment_beyond_the_largest_number_is_undefined():
    with pytest.raises(Undefined):
        _ = LogNormal(1000, 1).mean


def test_an_infinite_mixture_quantile_is_undefined():
    with pytest.raises(Undefined):
        Mixture((Normal(0, 1),), (1,)).ppf(1.0)
