"""Masses, variances and contributions on grids against one box after another."""

import itertools
import tracemalloc

import numpy as np
import pytest

from surefoot.profile import KDE, dense, pairs, products
from surefoot.profile.bandwidths import Shape
from surefoot.profile.kernels import KERNELS, kernel_named
from surefoot.profile.masses import box_mass

RNG = np.random.default_rng(7)
TWO = np.array([[0.02, 0.012], [0.012, 0.03]])
STEEP = np.array([[0.02, 0.0199], [0.0199, 0.02]])
THREE = np.diag([0.05, 0.03, 0.04]) + 0.01
POINTS = {d: RNG.random((9, d)) for d in (1, 2, 3)}
WEIGHTS = RNG.random(9) + 0.2
WEIGHTS /= WEIGHTS.mean()
EDGES = {
    1: [np.array([0.0, 0.1, 0.35, 0.5, 0.8, 1.0])],
    2: [np.array([0.0, 0.15, 0.5, 0.9]), np.array([0.05, 0.3, 0.45, 0.8, 1.0])],
    3: [np.array([0.0, 0.4, 1.0]), np.array([0.1, 0.5, 0.6, 1.0]), np.array([0.0, 0.7, 1.0])],
}
CASES = [
    *((kernel, 0.2, d) for kernel in KERNELS for d in (1, 2, 3)),
    *((kernel, (0.1, 0.3), 2) for kernel in KERNELS),
    *((kernel, TWO, 2) for kernel in KERNELS),
    ("gaussian", STEEP, 2),
    ("gaussian", -TWO + 2 * np.diag(np.diag(TWO)), 2),
    ("gaussian", THREE, 3),
    ("tophat", THREE, 3),
]
IDS = [f"{kernel}-{np.ndim(bandwidth)}-{d}-{i}" for i, (kernel, bandwidth, d) in enumerate(CASES)]
cases = pytest.mark.parametrize(("kernel", "bandwidth", "dimensions"), CASES, ids=IDS)
rules = pytest.mark.parametrize("rule", ["exact", "centre"])
walls = pytest.mark.parametrize("boundary", [None, "reflect"])
QUICK = [
    (*case, boundary)
    for case, boundary in itertools.product(CASES, [None, "reflect"])
    if boundary is None or (case[2] < 3 and (case[0] != "exponential" or case[2] == 1))
]
quick_cases = pytest.mark.parametrize(
    ("kernel", "bandwidth", "dimensions", "boundary"),
    QUICK,
    ids=[f"{kernel}-{np.ndim(h)}-{d}-{boundary}-{i}" for i, (kernel, h, d, boundary) in enumerate(QUICK)],
)


def profile_of(kernel, bandwidth, dimensions, boundary=None):
    domain = None if boundary is None else (0, 1)
    return KDE(bandwidth, kernel, boundary=boundary, domain=domain).fit(POINTS[dimensions], weights=WEIGHTS)


IMAGES = [(sign, 2 * turn) for sign in (1, -1) for turn in range(-5, 6)]
"""Mirror images of the unit interval, far enough for these bandwidths."""


def kernel_masses(kernel, bandwidth, dimensions, rule, boundary):
    """K_ji one point and one cell after another, shape (points, *cells)."""
    shape, radial, edges = Shape.of(bandwidth, dimensions), kernel_named(kernel), EDGES[dimensions]
    reach = radial.reach(dimensions) * shape.scales
    cells = tuple(len(e) - 1 for e in edges)
    found = np.zeros((len(POINTS[dimensions]), *cells))
    mirrors = itertools.product(IMAGES if boundary else [(1, 0)], repeat=dimensions)
    for mirror in mirrors:
        signs, shifts = (np.array(part) for part in zip(*mirror, strict=True))
        for place in np.ndindex(cells):
            ends = np.array([[edges[k][i], edges[k][i + 1]] for k, i in enumerate(place)]).T * signs + shifts
            low, high = ends.min(axis=0) - POINTS[dimensions], ends.max(axis=0) - POINTS[dimensions]
            if not ((low < reach) & (high > -reach)).all(axis=1).any():
                continue
            if rule == "exact":
                found[(slice(None), *place)] += box_mass(radial, shape, low, high)
            else:
                white = shape.whiten((low + high) / 2)
                height = np.exp(radial.log_norm(dimensions) - shape.log_det)
                values = radial.values((white**2).sum(axis=1)) * height * (high - low).prod(axis=1)
                found[(slice(None), *place)] += values
    return found


@quick_cases
@rules
def test_all_three_equal_brute_force(kernel, bandwidth, dimensions, boundary, rule):
    masses = kernel_masses(kernel, bandwidth, dimensions, rule, boundary)
    profile, edges = profile_of(kernel, bandwidth, dimensions, boundary), EDGES[dimensions]
    weighted = masses * WEIGHTS.reshape(-1, *[1] * dimensions)
    mean = weighted.mean(axis=0)
    np.testing.assert_allclose(profile.grid_mass(edges, rule=rule), mean, rtol=1e-8, atol=1e-11)
    variance = ((weighted - mean) ** 2).mean(axis=0)
    np.testing.assert_allclose(profile.grid_variance(edges, rule=rule), variance / 9, rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(profile.grid_variance(edges, rule=rule, size=4), variance / 4, rtol=1e-8, atol=1e-11)
    values = np.random.default_rng(3).normal(size=mean.shape)
    parts = (masses * values).reshape(9, -1).sum(axis=1)
    np.testing.assert_allclose(profile.contributions(edges, values, rule=rule), parts, rtol=1e-8, atol=1e-11)


@cases
@rules
def test_contributions_and_masses_are_two_views_of_one_sum(kernel, bandwidth, dimensions, rule):
    profile, edges = profile_of(kernel, bandwidth, dimensions), EDGES[dimensions]
    mass = profile.grid_mass(edges, rule=rule)
    values = np.random.default_rng(3).random(mass.shape)
    parts = profile.contributions(edges, values, rule=rule)
    assert (values * mass).sum() == pytest.approx((profile.weights * parts).mean(), rel=1e-10)


@pytest.mark.parametrize("kernel", KERNELS)
@walls
def test_cells_of_a_grid_have_the_mass_of_boxes(kernel, boundary):
    profile, (first, second) = profile_of(kernel, 0.2, 2, boundary), EDGES[2]
    lower = np.array(list(itertools.product(first[:-1], second[:-1])))
    upper = np.array(list(itertools.product(first[1:], second[1:])))
    np.testing.assert_allclose(profile.grid_mass(EDGES[2]).ravel(), profile.cell_mass(lower, upper), atol=1e-11)


@pytest.mark.parametrize("kernel", KERNELS)
def test_reflected_cells_of_the_whole_domain_hold_everything(kernel):
    for dimensions, sides in ((1, 40), (2, 6)):
        profile = profile_of(kernel, 0.2, dimensions, "reflect")
        mass = profile.grid_mass([np.linspace(0, 1, sides + 1)] * dimensions)
        assert mass.sum() == pytest.approx(1, abs=1e-11)


def test_small_blocks_give_the_same(monkeypatch):
    edges = [np.linspace(0, 1, 12)] * 2
    every = list(itertools.product(KERNELS, ["exact", "centre"]))
    whole = [profile_of(kernel, 0.2, 2).grid_variance(edges, rule=rule) for kernel, rule in every]
    for module, name in ((products, "AT_ONCE"), (pairs, "AT_ONCE"), (dense, "CELLS"), (dense, "POINTS")):
        monkeypatch.setattr(module, name, 7)
    for (kernel, rule), variance in zip(every, whole, strict=True):
        parts = profile_of(kernel, 0.2, 2).grid_variance(edges, rule=rule)
        np.testing.assert_allclose(parts, variance, rtol=1e-9, atol=1e-18)


def test_cells_beyond_reflecting_walls_hold_nothing():
    profile = profile_of("gaussian", 0.2, 1, "reflect")
    mass = profile.grid_mass([np.array([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])])
    assert mass[[0, 1, 4]].tolist() == [0, 0, 0]
    assert mass.sum() == pytest.approx(1, abs=1e-12)


def test_masses_far_out_keep_their_digits():
    profile = KDE(1.0).fit([[0.0]])
    mass = profile.grid_mass([np.array([-21.0, -20.0, 20.0, 21.0])])
    assert mass[0] == pytest.approx(2.7536241186061556e-89, rel=1e-12)
    assert mass[2] == mass[0]


@pytest.mark.parametrize(("count", "sides"), [(4000, 500), (300, 2000)])
def test_memory_is_bounded_by_blocks_not_by_points_times_cells(count, sides):
    profile = KDE(0.05).fit(np.random.default_rng(1).random((count, 2)))
    edges = [np.linspace(0, 1, sides + 1)] * 2
    tracemalloc.start()
    try:
        mass = profile.grid_mass(edges)
        variance = profile.grid_variance(edges)
        parts = profile.contributions(edges, np.ones((sides, sides)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert mass.sum() == pytest.approx(parts.mean(), rel=1e-12)
    assert (variance >= 0).all()
    assert peak < 350e6
