"""Masses of boxes against adaptive quadrature and scipy's normal distribution."""

import numpy as np
import pytest
from scipy import integrate
from scipy.special import gamma
from scipy.stats import multivariate_normal

from surefoot.profile import KDE

KERNELS = ("gaussian", "exponential", "epanechnikov", "tophat")
TWO = np.array([[0.09, 0.05], [0.05, 0.16]])
THREE = np.array([[0.09, 0.03, 0.02], [0.03, 0.16, -0.05], [0.02, -0.05, 0.2]])
STEEP = np.array([[1.0, 0.999], [0.999, 1.0]])
BOXES = [((-0.5, -0.2), (0.1, 0.3)), ((-0.1, -0.05), (0.3, 0.9)), ((0.2, -0.9), (0.24, 0.9))]
SHAPES = {"scalar": 0.3, "vector": (0.3, 0.2), "matrix": TWO}
POINTS = np.array([[0.0, 0.1], [0.3, -0.2], [0.05, 0.0]])


def radial(kernel, white):
    """The density of a kernel at a place in bandwidths, by its formula."""
    dimensions, distance = len(white), float(np.sqrt(white @ white))
    ball = np.pi ** (dimensions / 2) / gamma(dimensions / 2 + 1)
    return {
        "gaussian": np.exp(-(distance**2) / 2) / (2 * np.pi) ** (dimensions / 2),
        "exponential": np.exp(-distance) / (ball * gamma(dimensions + 1)),
        "epanechnikov": max(1 - distance**2, 0) * (dimensions + 2) / 2 / ball,
        "tophat": (distance < 1) / ball,
    }[kernel]


def box_mass(kernel, bandwidth, lower, upper):
    """Masses of boxes around a point."""
    return KDE(bandwidth, kernel).fit(np.zeros((1, np.shape(lower)[1]))).cell_mass(lower, upper)


@pytest.mark.parametrize("kernel", KERNELS)
def test_one_dimension_is_exact(kernel):
    for low, high in ((-0.2, 0.5), (0.1, 0.3), (-3.0, -0.4), (0.69, 0.71)):
        found = box_mass(kernel, 0.7, [[low]], [[high]])[0]
        exact = integrate.quad(
            lambda x: radial(kernel, np.array([x / 0.7])) / 0.7,
            low,
            high,
            points=[p for p in (-0.7, 0.0, 0.7) if low < p < high] or None,
            epsabs=1e-14,
        )[0]
        assert found == pytest.approx(exact, abs=1e-13), (low, high)


@pytest.mark.parametrize("bandwidth", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_two_dimensions_equal_adaptive_quadrature(kernel, bandwidth):
    for corners in BOXES:
        equals_quadrature(kernel, bandwidth, corners)


def equals_quadrature(kernel, bandwidth, corners):
    factor = np.linalg.cholesky(bandwidth) if np.ndim(bandwidth) == 2 else np.diag(np.broadcast_to(bandwidth, 2))
    (low, bottom), (high, top) = corners
    kinks = np.linspace(low, high, 9)[1:-1].tolist()
    inverse, height = np.linalg.inv(factor), 1 / np.linalg.det(factor)

    def inner(x):
        """The kernel along a line; the ends of its support are where x^T H^-1 x = 1."""
        a, b = inverse.T @ inverse @ np.array([x, 0.0]), inverse.T @ inverse @ np.array([0.0, 1.0])
        disc = max(b[0] ** 2 * x**2 - b[1] * (a[0] * x - 1), 0.0)
        ends = [(-b[0] * x - s * np.sqrt(disc)) / b[1] for s in (1, -1)] + [-b[0] * x / b[1]]
        points = sorted(e for e in ends if bottom < e < top) or None
        line = integrate.quad(
            lambda y: radial(kernel, inverse @ np.array([x, y])), bottom, top, points=points, epsabs=1e-11
        )
        return line[0]

    exact, error = integrate.quad(inner, low, high, points=kinks, epsabs=1e-8, limit=100)
    found = box_mass(kernel, bandwidth, [[low, bottom]], [[high, top]])[0]
    assert found == pytest.approx(exact * height, abs=max(3e-8, 10 * error * height)), corners


@pytest.mark.parametrize("matrix", [TWO, THREE, STEEP], ids=["two", "three", "steep"])
def test_a_full_gaussian_equals_scipys_normal_distribution(matrix):
    rng = np.random.default_rng(1)
    lower = rng.normal(size=(6, len(matrix))) * 0.5
    upper = lower + rng.random(lower.shape) * 2
    found = box_mass("gaussian", matrix, lower, upper)
    normal = multivariate_normal(np.zeros(len(matrix)), matrix, maxpts=200_000, abseps=1e-7, releps=1e-7)
    expected = [normal.cdf(high, lower_limit=low) for low, high in zip(lower, upper, strict=True)]
    np.testing.assert_allclose(found, expected, atol=2e-6 if len(matrix) == 3 else 1e-10)


def test_orthant_probabilities_have_their_closed_form():
    """P(x > 0, y > 0, z > 0) = 1/8 + (arcsin r12 + arcsin r13 + arcsin r23) / (4 pi) (Sheppard 1899)."""
    scales = np.sqrt(np.diag(THREE))
    r = THREE / np.outer(scales, scales)
    exact = 1 / 8 + (np.arcsin(r[0, 1]) + np.arcsin(r[0, 2]) + np.arcsin(r[1, 2])) / (4 * np.pi)
    found = box_mass("gaussian", THREE, np.zeros((1, 3)), np.full((1, 3), 1e9))
    assert found[0] == pytest.approx(exact, abs=1e-13)
    flat = box_mass("gaussian", STEEP, np.zeros((1, 2)), np.full((1, 2), 1e9))
    assert flat[0] == pytest.approx(1 / 4 + np.arcsin(0.999) / (2 * np.pi), abs=1e-12)


@pytest.mark.parametrize("matrix", [0.5, THREE], ids=["scalar", "matrix"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_whole_space_has_mass_one_and_parts_add_up(kernel, matrix):
    whole = box_mass(kernel, matrix, np.full((1, 3), -60.0), np.full((1, 3), 60.0))
    assert whole[0] == pytest.approx(1, abs=1e-12)
    low, high, cuts = np.full(3, -0.35), np.array([0.3, 0.4, 0.5]), (0, 0.7, 1)
    parts = 0.0
    for place in np.ndindex(2, 2, 2):
        ends = [np.array([[low[k] + (high - low)[k] * cuts[i + s] for k, i in enumerate(place)]]) for s in (0, 1)]
        parts += box_mass(kernel, matrix, *ends)[0]
    assert parts == pytest.approx(box_mass(kernel, matrix, low[None], high[None])[0], abs=1e-11)


@pytest.mark.parametrize("power", [0, 2], ids=["tophat", "epanechnikov"])
def test_a_cap_of_the_ball_has_its_closed_form(power):
    kernel, height = "tophat" if power == 0 else "epanechnikov", 0.35
    found = box_mass(kernel, 1.0, np.array([[-9.0, -9.0, height]]), np.full((1, 3), 9.0))[0]
    slices = integrate.quad(
        lambda z: np.pi * (1 - z**2) if power == 0 else np.pi * (1 - z**2) ** 2 / 2, height, 1, epsabs=1e-14
    )[0]
    assert found == pytest.approx(radial(kernel, np.zeros(3)) * slices, abs=1e-11)


@pytest.mark.parametrize("dimensions", [2, 3, 8])
def test_small_boxes_of_the_exponential_kernel_have_its_density(dimensions):
    """Masses come from a mixture of Gaussians, densities from the formula."""
    half = 1e-3
    for radius in (0.3, 1.0, 4.0, 9.0):
        centre = np.full((1, dimensions), radius / np.sqrt(dimensions))
        found = box_mass("exponential", 1.0, centre - half, centre + half)[0] / (2 * half) ** dimensions
        assert found == pytest.approx(radial("exponential", centre[0]), rel=1e-5), radius


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_mass_of_a_profile_is_the_weighted_mean_over_its_points(kernel):
    weights = np.array([1.0, 2.0, 0.5])
    profile = KDE(0.3, kernel).fit(POINTS, weights=weights)
    lower, upper = np.array([b[0] for b in BOXES]), np.array([b[1] for b in BOXES])
    each = [box_mass(kernel, 0.3, lower - p, upper - p) for p in POINTS]
    np.testing.assert_allclose(profile.cell_mass(lower, upper), weights @ each / weights.sum(), rtol=1e-12)


def test_small_cells_approach_the_density_at_the_centre_times_the_volume():
    profile = KDE(TWO).fit(POINTS)
    centre, half = np.array([[0.1, 0.05]]), 1e-4
    assert profile.cell_mass(centre - half, centre + half) / (4 * half**2) == pytest.approx(
        profile.density(centre), rel=1e-6
    )


def test_infinite_sides_are_allowed():
    profile = KDE(0.4).fit(POINTS)
    assert profile.cell_mass([[-np.inf, -np.inf]], [[np.inf, np.inf]])[0] == pytest.approx(1, abs=1e-14)


def test_eight_features_with_a_scale_each_are_a_product():
    points = np.random.default_rng(1).normal(size=(50, 8))
    profile = KDE(0.5).fit(points)
    found = profile.cell_mass(np.full((1, 8), -0.5), np.full((1, 8), 1.0))[0]
    normal = multivariate_normal.cdf
    exact = np.mean([np.prod([normal(1.0, x, 0.25) - normal(-0.5, x, 0.25) for x in p]) for p in points])
    assert found == pytest.approx(exact, rel=1e-11)
