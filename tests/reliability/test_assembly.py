"""From cells to one number."""

import numpy as np
import pytest

from surefoot.profile import KDE, Reweighted
from surefoot.reliability import Grid
from surefoot.reliability.cells.result import by_k, weighted_mean
from surefoot.reliability.cells.statements import bootstrap_values, independent_variance, weighted_sum


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    points = rng.beta(2, 3, (400, 2))
    grid = Grid.of((0, 1), 0.1, dimensions=2)
    return points, grid, rng.random(len(grid)) ** 4


def plain_sum(points, grid, risk, weights=None):
    mass = KDE(0.15).fit(points, weights).grid_mass(grid.edges).ravel()
    return mass @ risk / mass.sum()


def test_the_sum_is_the_weighted_mean_of_cell_risks(problem):
    points, grid, risk = problem
    found = weighted_sum(KDE(0.15).fit(points), grid, risk, sampling_variance=0.0, seed=0)
    assert found.value == pytest.approx(plain_sum(points, grid, risk), rel=1e-12)


def test_the_joint_variance_is_the_bootstrap_of_the_whole_sum(problem):
    points, grid, risk = problem
    found = weighted_sum(KDE(0.15).fit(points), grid, risk, sampling_variance=0.0, seed=0)
    rng = np.random.default_rng(1)
    again = [plain_sum(points[rng.integers(0, 400, 400)], grid, risk) for _ in range(600)]
    assert found.sd == pytest.approx(np.std(again), rel=0.1)
    assert np.std(bootstrap_values(found, np.ones(400), draws=4000, seed=0)) == pytest.approx(found.sd, rel=0.06)


def test_cells_taken_for_independent_give_too_small_a_variance(problem):
    points, grid, _ = problem
    risk = (np.arange(len(grid)) < 30).astype(float)
    profile = KDE(0.15).fit(points)
    mass = profile.grid_mass(grid.edges).ravel()
    apart = profile.grid_variance(grid.edges).ravel() / mass.sum() ** 2
    joint = weighted_sum(profile, grid, risk, sampling_variance=0.0, seed=0)
    assert independent_variance(mass / mass.sum(), apart, risk, np.zeros_like(risk)) < joint.variance


def test_independent_variance_is_that_of_products_of_independent_variables():
    rng = np.random.default_rng(0)
    means, sds = np.array([[0.3, 0.1], [0.2, 0.4]]), np.array([[0.05, 0.02], [0.03, 0.1]])
    draws = rng.normal(means, sds, (400_000, 2, 2))
    simulated = (draws[:, 0] * draws[:, 1]).sum(axis=1).var()
    assert independent_variance(means[0], sds[0] ** 2, means[1], sds[1] ** 2) == pytest.approx(simulated, rel=0.01)


def test_uncertain_weights_add_their_variance(problem):
    points, grid, risk = problem
    kde = KDE(0.15).fit(points)
    weights = 0.5 + points[:, 0]
    certain = weighted_sum(Reweighted(kde, weights), grid, risk, sampling_variance=0.0, seed=0)
    doubted = weighted_sum(
        Reweighted(kde, weights, uncertainty=0.3 * weights), grid, risk, sampling_variance=0.0, seed=0
    )
    assert certain.weights_variance == 0
    assert doubted.weights_variance > 0
    assert certain.value == pytest.approx(plain_sum(points, grid, risk, weights))


def test_the_linearised_variance_of_the_hand_case():
    mean, variance = weighted_mean(np.array([1.0, 2, 3, 4]), np.array([0.1, 0.2, 0, 0.4]))
    assert mean == pytest.approx(0.21)
    assert variance == pytest.approx(0.01316)


def test_the_curve_over_k_ends_near_the_sum():
    rng = np.random.default_rng(0)
    weights, risk = rng.random(5000), rng.random(5000) ** 5
    table = by_k(weights, risk, upper_z=1.96, seed=0)
    k, mean, sd, upper = table.rows[-1]
    assert k == 5000
    assert mean == pytest.approx(np.average(risk, weights=weights))
    assert upper == pytest.approx(mean + 1.96 * sd)
    assert [row[0] for row in table.rows] == sorted({row[0] for row in table.rows})
