"""Bandwidths chosen by leave-one-out likelihood."""

import numpy as np
import pytest
from sklearn.neighbors import KernelDensity

from surefoot.core import Undefined
from surefoot.profile import KDE

KERNELS = ("gaussian", "exponential", "epanechnikov", "tophat")


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


def chosen(points, kernel="gaussian", weights=None):
    return KDE("cross-validation", kernel).fit(points, weights=weights).bandwidth_


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_chosen_bandwidth_beats_its_neighbours(kernel):
    near = (0.98, 1.02) if kernel in ("gaussian", "exponential") else (0.94, 1.06)
    points = data(80, 2, 1)
    points = points / chosen(points, kernel)
    best = left_out(points, 1.0, kernel)
    for other in (0.5, 0.8, *near, 1.25, 2):
        assert best >= left_out(points, other, kernel), other


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_small_bandwidths_do_not_underflow(kernel):
    """Pairs a thousandth apart: almost all factors tried leave nothing of the other points."""
    points = np.concatenate([data(20, 2, 1), data(20, 2, 1) + 1e-3 * data(20, 2, 2)])
    bandwidth = chosen(points, kernel)
    assert (bandwidth < 0.01).all()
    best = left_out(points / bandwidth, 1.0, kernel)
    for other in (0.5, 0.9, 1.1, 2):
        assert best >= left_out(points / bandwidth, other, kernel), other


def test_scales_follow_the_features():
    points = data(300, 2, 1)
    profile = KDE("cross-validation").fit(points * [1, 1000])
    assert profile.bandwidth_.shape == (2,)
    np.testing.assert_allclose(
        profile.bandwidth_ / [1, 1000], KDE("cross-validation").fit(points).bandwidth_, rtol=1e-9
    )


def test_integer_weights_are_as_good_as_copies():
    points, counts = data(60, 1, 1), np.random.default_rng(2).integers(1, 4, 60)
    np.testing.assert_allclose(chosen(points, weights=counts), chosen(np.repeat(points, counts, axis=0)), rtol=5e-3)


def test_copies_do_not_draw_the_bandwidth_to_zero():
    points = data(200, 2, 1)
    alone = KDE("cross-validation").fit(points).bandwidth_
    doubled = KDE("cross-validation").fit(np.repeat(points, 2, axis=0)).bandwidth_
    np.testing.assert_allclose(doubled, alone, rtol=0.01)


def test_a_sample_of_many_points_gives_nearly_the_same():
    points = data(3_400, 1, 1)
    few, many = chosen(points[:3_000]), chosen(points)
    np.testing.assert_allclose(many, few * (30 / 34) ** (1 / 5), rtol=0.1)


def test_near_copies_are_reported_not_followed():
    points = data(30, 1, 1)
    near = np.concatenate([points, points * (1 + 1e-12)])
    with pytest.raises(Undefined, match=r"no best bandwidth.*near-copies"):
        KDE("cross-validation").fit(near)
