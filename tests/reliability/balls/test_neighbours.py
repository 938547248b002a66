"""Failing inputs near to the centres of balls."""

import numpy as np
import pytest
import torch
from tests.reliability.balls.ball_problems import network, problem_of, repeated, with_risk

from surefoot.adapters import as_model
from surefoot.reliability import BallProblem, Balls, failing_neighbours
from surefoot.testing import linear_world

SLOPE = np.linspace(-1, 1, 12)


def linear(inputs):
    """Right while the slope of the picture is below a limit."""
    height = inputs.reshape(len(inputs), -1) @ SLOPE
    return np.column_stack([np.full(len(inputs), 0.5), height])


@pytest.fixture
def problem():
    centres = np.full((4, 12), 0.5) + np.outer([0.0, 0.03, 0.1, -1.0], SLOPE)[:, :] * 0.4
    balls = Balls(np.clip(centres, 0, 1), 0.15, (3, 4))
    return BallProblem(as_model(linear), balls, np.zeros(4, int), ~np.eye(2, dtype=bool))


def assert_inside(found, problem, chosen):
    low, high = problem.balls.corners(np.asarray(chosen))
    assert (found >= low).all()
    assert (found <= high).all()


def test_neighbours_fail_inside_their_balls(problem):
    chosen = np.array([2, 0])
    found = failing_neighbours(problem, chosen, seed=0)
    assert (problem.balls.centres[chosen] @ SLOPE < 0.5).all()
    assert_inside(found, problem, chosen)
    assert (found @ SLOPE >= 0.5).all()


def test_a_ball_without_failures_has_none(problem):
    assert SLOPE @ problem.balls.corners(np.array([3]))[1][0] < 0.5
    assert np.isnan(failing_neighbours(problem, np.array([3, 1]), seed=0)[0]).all()


def test_where_the_centre_fails_the_neighbour_is_another_input():
    balls = Balls(np.clip(0.5 + 0.6 * SLOPE[None], 0, 1), 0.1, (12,))
    assert balls.centres[0] @ SLOPE > 0.5
    problem = BallProblem(as_model(linear), balls, np.zeros(1, int), ~np.eye(2, dtype=bool))
    found = failing_neighbours(problem, np.array([0]), seed=0)[0]
    assert np.abs(found - balls.centres[0]).max() > 0.02
    assert found @ SLOPE >= 0.5


def test_a_ball_asked_for_twice_is_answered_twice(problem):
    found = failing_neighbours(problem, np.array([0, 2, 0]), seed=0)
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found[0], found[2])


def test_failures_too_rare_for_chance_are_met_in_single_precision():
    box = linear_world(40, 1e-12, seed=1, single=True)
    problem = repeated(box, 3, "single")
    found = failing_neighbours(problem, np.arange(3), seed=1)
    assert_inside(found, problem, np.arange(3))
    with torch.no_grad():
        scores = box.module()(torch.as_tensor(found, dtype=torch.float32))
    assert (scores[:, 1] >= scores[:, 0]).all()
    assert (scores[:, 1] - scores[:, 0] < 0.1).all()


@pytest.mark.parametrize("radius", [0.2, 0.01])
def test_neighbours_of_a_network_are_failures_of_the_undesired_kind(radius):
    undesired = np.zeros((3, 3), bool)
    undesired[0, 2] = True
    module, centre = network(5, 12, 3, seed=4), np.array([0.0, 1.0, 0.5, 0.3, 0.9], np.float32)
    with_risk(module, centre, radius, 1e-3, undesired=undesired, label=0, seed=1)
    problem = problem_of(module, np.tile(centre, (2, 1)), radius, undesired=undesired)
    found = failing_neighbours(problem, np.arange(2), seed=0)
    assert_inside(found, problem, np.arange(2))
    with torch.no_grad():
        assert module(torch.as_tensor(found, dtype=torch.float32)).argmax(1).tolist() == [2, 2]


def test_the_same_seed_meets_the_same_neighbours(problem):
    first, again, other = (failing_neighbours(problem, np.array([0, 2]), seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
