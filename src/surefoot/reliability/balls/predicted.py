"""A cheap guess of the risk in every ball, which says where to look; a wrong one costs precision only."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import special

from surefoot.core import Executor
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.margins import margins_of
from surefoot.reliability.balls.problem import BallPart, BallProblem
from surefoot.reliability.within import Uniform

POINTS = 16
LEAST = 1e-12
FAILING_CENTRE = 0.5
ROUNDING = 1e-9
VALUES = 1 << 22
"""Numbers in the points that are held at once."""


def predicted_risk(problem: BallProblem, executor: Executor, seed: int) -> FloatArray:
    """Guessed risk of all balls, from a few uniform points and the centre of each."""
    count = len(problem.balls)
    size = max(1, VALUES // ((POINTS + 1) * problem.balls.dimensions))
    parts = [problem.part(np.arange(start, min(start + size, count))) for start in range(0, count, size)]
    return np.concatenate(executor.map(partial(_guess, problem.shell()), parts, seed=seed))


def _guess(shell: BallProblem, part: BallPart, rng: np.random.Generator) -> FloatArray:
    problem, balls = shell.of(part), np.arange(len(part))
    points = Uniform().draw(*problem.balls.corners(balls), POINTS, rng)
    found = margins_of(problem)(balls, np.concatenate([points, part.centres[:, None, :]], axis=1))
    return risk_of_margins(found[:, :-1], found[:, -1])


def risk_of_margins(inside: FloatArray, centre: FloatArray) -> FloatArray:
    """Chance that a normal margin reaches 0, at least the share of points where it does; high where a centre fails."""
    finite = np.asarray(np.isfinite(inside).all(axis=1))
    known = np.where(finite[:, None], inside, -1.0)
    mean = known.mean(axis=1)
    spread = known.std(axis=1, ddof=1) + ROUNDING * np.abs(mean) + np.finfo(float).tiny
    normal = np.where(finite, special.ndtr(mean / spread), LEAST)
    guess = np.maximum(normal, (inside >= 0).mean(axis=1))
    return np.clip(np.maximum(guess, np.where(centre >= 0, FAILING_CENTRE, 0.0)), LEAST, 1.0)
