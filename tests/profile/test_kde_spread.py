"""The closed-form variance is the limit of the bootstrap."""

import numpy as np
import pytest
from scipy import stats

from surefoot.profile import KDE

KERNELS = ("gaussian", "exponential", "epanechnikov", "tophat")
POINTS = np.random.default_rng(2).beta(0.8, 1.2, size=(70, 2))
QUERIES = np.random.default_rng(3).random((8, 2))
WEIGHTS = np.random.default_rng(4).random(70) + 0.1
BOUNDARIES = [None, "renormalise", "reflect"]
DRAWS = 6000


def profile_of(boundary, weights=None, kernel="gaussian"):
    domain = None if boundary is None else (0, 1)
    return KDE(0.25, kernel, boundary=boundary, domain=domain).fit(POINTS, weights=weights)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["equal", "weighted"])
def test_the_closed_form_is_its_algebra(kernel, weights):
    profile = profile_of(None, weights, kernel)
    each = np.stack([KDE(0.25, kernel).fit(p[None]).density(QUERIES) for p in POINTS]) * profile.weights[:, None]
    np.testing.assert_allclose(profile.density(QUERIES), each.mean(axis=0), rtol=1e-12)
    expected = ((each - each.mean(axis=0)) ** 2).sum(axis=0) / 70**2
    np.testing.assert_allclose(profile.variance(QUERIES), expected, rtol=1e-10)
    np.testing.assert_allclose(profile.variance(QUERIES, size=35), 2 * expected, rtol=1e-10)


@pytest.mark.parametrize("size", [None, 35])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["equal", "weighted"])
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_resampling_converges_to_the_closed_form(boundary, weights, size):
    profile = profile_of(boundary, weights)
    drawn = profile.bootstrap_variance(QUERIES, DRAWS, 1, size)
    np.testing.assert_allclose(drawn, profile.variance(QUERIES, size=size), rtol=0.12)


def test_resampling_is_unbiased_for_the_closed_form():
    profile = profile_of(None)
    closed = profile.variance(QUERIES)
    ratios = np.mean([profile.bootstrap_variance(QUERIES, 1000, seed) / closed for seed in range(20)], axis=0)
    np.testing.assert_allclose(ratios, 1, atol=4 * np.sqrt(2 / 20_000) * 1.3)


def test_many_points_and_queries_are_worked_on_in_parts():
    points, queries = np.random.default_rng(5).normal(size=(2_100, 1)), np.linspace(-2, 2, 300)[:, None]
    profile = KDE(0.5).fit(points)
    each = stats.norm.pdf(queries, points[:, 0], 0.5)
    np.testing.assert_allclose(profile.variance(queries), each.var(axis=1) / 2_100, rtol=1e-9)
    whole = profile.bootstrap_variance(queries, 50, 1)
    np.testing.assert_allclose(profile.bootstrap_variance(queries[280:], 50, 1), whole[280:], rtol=1e-9)
    times = np.random.default_rng(1).multinomial(2_100, np.full(2_100, 1 / 2_100), size=50)
    np.testing.assert_allclose(whole, (times @ each.T / 2_100).var(axis=0, ddof=1), rtol=1e-9)


def test_the_variance_of_a_flat_density_keeps_its_digits():
    wide = KDE(1e4).fit(POINTS)
    each = np.array([KDE(1e4).fit(p[None]).score_samples(QUERIES) for p in POINTS])
    relative = np.expm1(each - each[0])
    expected = np.exp(2 * each[0]) * relative.var(axis=0) / 70
    np.testing.assert_allclose(wide.variance(QUERIES), expected, rtol=1e-4)


def test_the_variance_is_that_of_fresh_samples():
    """Densities of many samples from one distribution vary as the closed form says."""
    rng, queries = np.random.default_rng(8), np.array([[0.0], [1.0]])
    fits = [KDE(0.5).fit(rng.normal(size=(200, 1))) for _ in range(600)]
    between = np.var([fit.density(queries) for fit in fits], axis=0)
    within = np.mean([fit.variance(queries) for fit in fits], axis=0)
    np.testing.assert_allclose(within, between, rtol=0.25)
