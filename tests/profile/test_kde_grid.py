"""Masses, variances and contributions on grids against one box after another."""

import itertools
import tracemalloc

import numpy as np
import pytest

from surefoot.profile import KDE

KERNELS = ("gaussian", "exponential", "epanechnikov", "tophat")
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
    edges, alone = EDGES[dimensions], KDE(bandwidth, kernel).fit(np.zeros((1, dimensions)))
    scale = np.sqrt(np.diag(bandwidth)) if np.ndim(bandwidth) == 2 else np.array(bandwidth)
    reach = {"gaussian": 9, "exponential": 60}.get(kernel, 1) * scale
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
                found[(slice(None), *place)] += alone.cell_mass(low, high)
            else:
                found[(slice(None), *place)] += alone.density((low + high) / 2) * (high - low).prod(axis=1)
    return found


@quick_cases
def test_all_three_equal_brute_force(kernel, bandwidth, dimensions, boundary):
    for rule in ("exact", "centre"):
        equals_brute_force(kernel, bandwidth, dimensions, boundary, rule)


def equals_brute_force(kernel, bandwidth, dimensions, boundary, rule):
    masses = kernel_masses(kernel, bandwidth, dimensions, rule, boundary)
    profile, edges = profile_of(kernel, bandwidth, dimensions, boundary), EDGES[dimensions]
    weighted = masses * WEIGHTS.reshape(-1, *[1] * dimensions)
    mean = weighted.mean(axis=0)
    np.testing.assert_allclose(profile.grid_mass(edges, rule=rule), mean, rtol=1e-8, atol=1e-11, err_msg=rule)
    variance = ((weighted - mean) ** 2).mean(axis=0)
    np.testing.assert_allclose(
        profile.grid_variance(edges, rule=rule), variance / 9, rtol=1e-8, atol=1e-11, err_msg=rule
    )
    np.testing.assert_allclose(
        profile.grid_variance(edges, rule=rule, size=4), variance / 4, rtol=1e-8, atol=1e-11, err_msg=rule
    )
    values = np.random.default_rng(3).normal(size=mean.shape)
    parts = (masses * values).reshape(9, -1).sum(axis=1)
    np.testing.assert_allclose(
        profile.contributions(edges, values, rule=rule), parts, rtol=1e-8, atol=1e-11, err_msg=rule
    )


@rules
def test_contributions_and_masses_are_two_views_of_one_sum(rule):
    for name, (kernel, bandwidth, dimensions) in zip(IDS, CASES, strict=True):
        profile, edges = profile_of(kernel, bandwidth, dimensions), EDGES[dimensions]
        mass = profile.grid_mass(edges, rule=rule)
        values = np.random.default_rng(3).random(mass.shape)
        parts = profile.contributions(edges, values, rule=rule)
        assert (values * mass).sum() == pytest.approx((profile.weights * parts).mean(), rel=1e-10), name


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


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("rule", ["exact", "centre"])
def test_many_points_and_cells_are_the_sum_of_few(kernel, rule):
    """More of both than are worked on at once; sums over halves of points and of cells are those of all."""
    sides = 12 if (kernel, rule) == ("exponential", "exact") else 25
    points, edges = np.random.default_rng(2).random((2_200, 2)), [np.linspace(0, 1, sides + n) for n in (0, 1)]
    whole, *halves = (KDE(0.2, kernel).fit(part) for part in (points, points[:1_100], points[1_100:]))
    mass, variance = whole.grid_mass(edges, rule=rule), whole.grid_variance(edges, rule=rule)
    means = [half.grid_mass(edges, rule=rule) for half in halves]
    np.testing.assert_allclose(mass, np.mean(means, axis=0), rtol=1e-9)
    squares = [1_100 * half.grid_variance(edges, rule=rule) + mean**2 for half, mean in zip(halves, means, strict=True)]
    np.testing.assert_allclose(2_200 * variance + mass**2, np.mean(squares, axis=0), rtol=1e-9)
    few = [edges[0][:3], edges[1][:4]]
    np.testing.assert_allclose(variance[:2, :3], whole.grid_variance(few, rule=rule), rtol=1e-8)


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
