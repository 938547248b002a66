"""Failing inputs near to the centres of balls."""

import numpy as np
import pytest

from surefoot.adapters import as_model
from surefoot.reliability.balls.neighbours import failing_neighbours
from surefoot.reliability.balls.problem import BallProblem, Balls

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


def test_neighbours_fail_inside_their_balls(problem):
    chosen = np.array([2, 0])
    found = failing_neighbours(problem, chosen, seed=0)
    low, high = problem.balls.corners(chosen)
    assert (problem.balls.centres[chosen] @ SLOPE < 0.5).all()
    assert (found >= low - 1e-12).all()
    assert (found <= high + 1e-12).all()
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
