"""Densities against scikit-learn, scipy and long arithmetic."""

import importlib.util
import math
import subprocess
import sys

import mpmath
import numpy as np
import pytest
from scipy.stats import gaussian_kde
from sklearn.neighbors import KernelDensity
from threadpoolctl import threadpool_limits

from surefoot.profile import KDE

KERNELS = ("gaussian", "exponential", "epanechnikov", "tophat")
WORTH_COMPILING = 1 << 22
"""Pairs of points and queries from which on the compiled loop is used."""
MATRIX = np.array([[0.3, 0.1, 0.0], [0.1, 0.2, -0.05], [0.0, -0.05, 0.4]])
needs_numba = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")


def data(count, dimensions, seed):
    return np.random.default_rng(seed).normal(size=(count, dimensions))


def compiled_scores(profile, queries):
    """Scores of so many copies of the queries that they go through the compiled loop, where numba is installed."""
    copies = WORTH_COMPILING // (len(profile.points) * len(queries)) + 1
    return profile.score_samples(np.tile(queries, (copies, 1)))[: len(queries)]


def scores(profile, queries):
    """By numpy alone: few queries are not worth compiling for."""
    assert len(profile.points) * len(queries) < WORTH_COMPILING
    return profile.score_samples(queries)


ENGINES = [scores, pytest.param(compiled_scores, marks=needs_numba)]


@pytest.mark.parametrize("dimensions", [1, 2, 5])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_scalar_bandwidth_gives_the_density_of_scikit_learn(kernel, dimensions):
    points, queries = data(400, dimensions, 1), data(100, dimensions, 2)
    peer = KernelDensity(bandwidth=0.7, kernel=kernel, rtol=1e-13, atol=0).fit(points)
    ours = KDE(0.7, kernel).fit(points).density(queries)
    np.testing.assert_allclose(ours, np.exp(peer.score_samples(queries)), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_are_those_of_scikit_learn(kernel):
    points, queries, weights = data(300, 2, 1), data(50, 2, 2), np.random.default_rng(3).random(300)
    peer = KernelDensity(bandwidth=0.5, kernel=kernel).fit(points, sample_weight=weights)
    ours = KDE(0.5, kernel).fit(points, weights=weights)
    assert ours.weights.mean() == pytest.approx(1)
    np.testing.assert_allclose(ours.density(queries), np.exp(peer.score_samples(queries)), rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
@pytest.mark.parametrize("weights", [None, np.random.default_rng(3).random(300)], ids=["equal", "weighted"])
def test_rules_of_thumb_give_the_density_of_scipy(rule, weights):
    points = data(300, 3, 1) @ np.array([[1, 0.5, 0], [0, 1, 0.2], [0, 0, 3]])
    queries = data(50, 3, 2)
    peer = gaussian_kde(points.T, bw_method=rule, weights=weights)
    ours = KDE(rule).fit(points, weights=weights)
    np.testing.assert_allclose(ours.bandwidth_, peer.covariance, rtol=1e-10)
    np.testing.assert_allclose(ours.density(queries), peer(queries.T), rtol=1e-10)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_matrix_or_vector_is_a_scalar_after_whitening(kernel):
    points, queries = data(200, 3, 1), data(40, 3, 2)
    factor = np.linalg.cholesky(MATRIX)
    white = KDE(1.0, kernel).fit(points).density(queries)
    full = KDE(MATRIX, kernel).fit(points @ factor.T).density(queries @ factor.T)
    np.testing.assert_allclose(full * np.sqrt(np.linalg.det(MATRIX)), white, rtol=1e-10)
    scales = np.array([0.1, 1.0, 20.0])
    vector = KDE(scales, kernel).fit(points * scales).density(queries * scales)
    np.testing.assert_allclose(vector * scales.prod(), white, rtol=1e-10)
    diagonal = KDE(np.diag(scales**2), kernel).fit(points * scales).density(queries * scales)
    np.testing.assert_allclose(diagonal, vector, rtol=1e-12)


@needs_numba
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dimensions", [1, 2, 8])
def test_compiled_and_plain_evaluation_agree(kernel, dimensions):
    points, queries = data(1500, dimensions, 1), data(137, dimensions, 2)
    weights = np.random.default_rng(3).random(1500) * (np.arange(1500) % 5 > 0)
    profile = KDE(0.3 * dimensions**0.5, kernel).fit(points, weights=weights)
    np.testing.assert_allclose(
        np.exp(compiled_scores(profile, queries)), np.exp(scores(profile, queries)), rtol=1e-12, atol=1e-300
    )


@needs_numba
def test_neither_threads_nor_order_change_a_bit():
    profile, queries = KDE(0.4).fit(data(3000, 4, 1)), data(1500, 4, 2)
    many = profile.score_samples(queries)
    with threadpool_limits(1, user_api="blas"):
        np.testing.assert_array_equal(profile.score_samples(queries), many)
    np.testing.assert_array_equal(profile.score_samples(queries[::-1])[::-1], many)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_far_queries_keep_all_digits(engine, kernel):
    points, query = data(700, 2, 1), np.array([[300.0, -5000.0]])
    found = engine(KDE(0.5, kernel).fit(points), query)[0]
    mpmath.mp.dps = 40
    squares = [sum((mpmath.mpf(a) - mpmath.mpf(b)) ** 2 for a, b in zip(p, query[0], strict=True)) * 4 for p in points]
    exact = mpmath.log(sum(mpmath.exp(-s / 2 if kernel == "gaussian" else -mpmath.sqrt(s)) for s in squares) / 700)
    height = 4 / (2 * mpmath.pi)  # Both kernels integrate to 2 pi in two dimensions.
    assert found == pytest.approx(float(exact + mpmath.log(height)), rel=1e-14)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_near_point_after_a_far_block_raises_the_top(engine):
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(3000, 1)) * 1e-3 + 100, [[0.0]], [[130.0]]])
    queries = np.array([[0.0], [50.0], [129.0], [60.0]])
    sums = [mpmath.fsum(mpmath.exp(-((q - p) ** 2) / 2) for p in points[:, 0]) for q in queries[:, 0]]
    exact = np.array([mpmath.log(each / (3002 * mpmath.sqrt(2 * mpmath.pi))) for each in sums]).astype(float)
    np.testing.assert_allclose(engine(KDE(1.0).fit(points), queries), exact, rtol=1e-13)


def test_the_error_of_the_density_is_below_1e_10():
    points, queries = data(3000, 20, 1) * 3, data(40, 20, 2)
    for offset in (0.0, 1e6):
        found = KDE(1.2).fit(points + offset).density(queries + offset)
        moved, asked = points + offset, queries + offset
        squares = ((asked[:, None] - moved) ** 2).sum(axis=2)
        exact = np.exp(-squares / 2 / 1.44).mean(axis=1) / (2 * np.pi * 1.44) ** 10
        np.testing.assert_allclose(found, exact, rtol=1e-10)


def test_a_wide_range_of_data_falls_back_to_differences():
    points = data(500, 20, 1) * 1e5
    squares = ((points[:5, None] + 0.1 - points) ** 2).sum(axis=2)
    exact = np.exp(-squares / 2).mean(axis=1) / (2 * np.pi) ** 10
    np.testing.assert_allclose(KDE(1.0).fit(points).density(points[:5] + 0.1), exact, rtol=1e-8)


def test_compact_kernels_are_zero_beyond_their_reach():
    profile = KDE(0.5, "tophat").fit([[0.0, 0.0]])
    assert profile.score_samples([[0.51, 0.0]])[0] == -math.inf
    assert profile.density([[0.3, 0.3]])[0] == pytest.approx(4 / math.pi)


@needs_numba
def test_a_function_without_a_place_for_its_cache_is_compiled_all_the_same():
    from surefoot.profile.kde.numba_loops import IN_ORDER, compiled

    names = {}
    exec("def double(x):\n    return 2 * x", names)
    assert compiled(IN_ORDER)(names["double"])(2.5) == 5.0


def test_a_numba_that_cannot_be_imported_is_done_without():
    code = """
import sys
sys.modules["numba"] = None
import numpy as np
from surefoot.profile import KDE
points = np.linspace(0, 1, 4200)[:, None]
print(KDE(0.4).fit(points).score_samples(points[:1000]).sum().hex())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    points = np.linspace(0, 1, 4200)[:, None]
    found = KDE(0.4).fit(points).score_samples(points[:1000]).sum()
    assert float.fromhex(done.stdout) == pytest.approx(found, rel=1e-12)


def test_no_queries_give_no_densities():
    assert KDE(0.4).fit(data(10, 2, 1)).score_samples(np.empty((0, 2))).shape == (0,)
