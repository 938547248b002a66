"""Inputs that fail, near to data points: what stands behind a risk, to be looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.batches import sizes_for
from surefoot.reliability.balls.margins import best_margins
from surefoot.reliability.balls.memory import halved_on_memory_error
from surefoot.reliability.balls.problem import BallProblem
from surefoot.reliability.balls.splitting import MultilevelSplitting, climb_of

SEARCH = MultilevelSplitting(particles=200, steps=20)


def failing_neighbours(problem: BallProblem, balls: NDArray[np.int64], *, seed: int) -> FloatArray:
    """The failing input nearest to the centre that was met in each ball; NaN where none was.

    A splitting of its own looks for them, so that failures too rare to be met by chance are shown too.
    """
    balls, places = np.unique(np.asarray(balls, np.int64), return_inverse=True)
    at_once = sizes_for(problem).at_once(SEARCH.particles)
    return halved_on_memory_error(lambda size: _met(problem, balls, size, seed), at_once)[places]


def _met(problem: BallProblem, balls: NDArray[np.int64], at_once: int, seed: int) -> FloatArray:
    margins = best_margins(problem)
    found = np.full((len(balls), problem.balls.dimensions), np.nan)
    rows = {int(ball): row for row, ball in enumerate(balls)}
    climb = climb_of(SEARCH, margins, seed)
    with margins.prepared():
        for arrived in climb.arrivals(balls, at_once):
            points = margins.arrays.host(arrived.herd.positions)
            fails = margins.arrays.host(arrived.herd.margins) >= 0
            for ball, inside, failing in zip(arrived.herd.balls, points, fails, strict=True):
                if failing.any():
                    far = np.abs(inside[failing] - problem.balls.centres[ball]).mean(axis=1)
                    found[rows[int(ball)]] = inside[failing][far.argmin()]
    return found
