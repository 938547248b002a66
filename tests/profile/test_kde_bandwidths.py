"""Bandwidths chosen by leave-one-out likelihood."""

import numpy as np
import pytest
from sklearn.neighbors import KernelDensity

from surefoot.core import Undefined
from surefoot.profile import KDE
from surefoot.profile import crossvalidation as cv
from surefoot.profile.kernels import KERNELS, kernel_named


def data(count, dimensions, seed):
    return np.random.default_rng(seed).normal(size=(count, dimensions))


def left_out(points, factor, kernel):
    """Mean leave-one-out log-likelihood by scikit-learn, fitted anew without each point."""
    logs = [
        KernelDensity(bandwidth=factor, kernel=kernel)
        .fit(np.delete(points, i, axis=0))
        .score_samples(points[i : i + 1])
        for i in range(len(points))
    ]
    return np.mean(logs)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_likelihood_of_all_factors_is_that_of_refitting(kernel):
    points = data(40, 2, 1)
    likelihood = cv._Likelihood(points, np.ones(40), kernel_named(kernel))
    factors = 4.0 * 2.0 ** (-0.5 * np.arange(3))
    expected = [left_out(points, factor, kernel) for factor in factors]
    np.testing.assert_allclose(likelihood(factors), expected, rtol=1e-9)


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_small_factors_do_not_underflow(kernel):
    points = data(40, 2, 1)
    scores = cv._Likelihood(points, np.ones(40), kernel_named(kernel))(4.0 * 2.0 ** (-0.5 * np.arange(31)))
    assert np.isfinite(scores).all()
    alone = cv._Likelihood(points, np.ones(40), kernel_named(kernel))(np.array([4.0 * 2.0**-15]))
    assert scores[-1] == pytest.approx(alone[0], rel=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_chosen_factor_beats_its_neighbours(kernel):
    points = data(80, 2, 1)
    chosen = cv.best_factor(points, np.ones(80), kernel_named(kernel))
    best = left_out(points, chosen, kernel)
    assert all(best >= left_out(points, chosen * other, kernel) for other in (0.5, 0.8, 1.25, 2))


def test_scales_follow_the_features():
    points = data(300, 2, 1)
    profile = KDE("cross-validation").fit(points * [1, 1000])
    assert profile.bandwidth_.shape == (2,)
    np.testing.assert_allclose(
        profile.bandwidth_ / [1, 1000], KDE("cross-validation").fit(points).bandwidth_, rtol=1e-9
    )


def test_integer_weights_are_as_good_as_copies():
    points, counts = data(60, 1, 1), np.random.default_rng(2).integers(1, 4, 60)
    weighted = cv.best_factor(points, counts / counts.mean(), kernel_named("gaussian"))
    copied = cv.best_factor(np.repeat(points, counts, axis=0), np.ones(counts.sum()), kernel_named("gaussian"))
    assert weighted == pytest.approx(copied, rel=2e-3)


def test_copies_do_not_draw_the_bandwidth_to_zero():
    points = data(200, 2, 1)
    alone = KDE("cross-validation").fit(points).bandwidth_
    doubled = KDE("cross-validation").fit(np.repeat(points, 2, axis=0)).bandwidth_
    np.testing.assert_allclose(doubled, alone, rtol=0.01)


def test_a_sample_of_many_points_gives_nearly_the_same(monkeypatch):
    points = data(600, 2, 1)
    whole = KDE("cross-validation").fit(points).bandwidth_
    monkeypatch.setattr(cv, "LARGEST_SAMPLE", 300)
    part = KDE("cross-validation").fit(points).bandwidth_
    np.testing.assert_array_equal(part, KDE("cross-validation").fit(points).bandwidth_)
    np.testing.assert_allclose(part, whole, rtol=0.15)
    assert (part != whole).all()


def test_near_copies_are_reported_not_followed():
    points = data(30, 1, 1)
    near = np.concatenate([points, points * (1 + 1e-12)])
    with pytest.raises(Undefined, match=r"no best bandwidth.*near-copies"):
        KDE("cross-validation").fit(near)
