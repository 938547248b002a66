"""Risk inside balls by multilevel splitting, for failures too rare to be counted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor, InvalidInput, validate
from surefoot.reliability.balls.batches import Sizes, in_batches
from surefoot.reliability.balls.climbing import Arrived, Climb
from surefoot.reliability.balls.margins import Margins, best_margins
from surefoot.reliability.balls.problem import COUNTED, BallProblem, BallRisks, ball_estimator
from surefoot.reliability.balls.walks import walk_named
from surefoot.reliability.local import Progress

WHERE = "MultilevelSplitting"
MOVES = ("informed", "reflected")
FLOOR = -140.0


@ball_estimator("splitting")
@dataclass(frozen=True)
class MultilevelSplitting:
    """Failure probability inside balls down to the rarest, level by level (Webb, Rainforth, Teh and Kumar 2019).

    ``particles`` in each ball rise through levels that a share ``rho`` of them reaches, with ``steps`` moves at each.
    Moves are ``"informed"`` by the slope of the margin, or ``"reflected"``: a random walk, which needs several times
    the steps. Frequent failures are counted and need no levels; so are those of a model whose scores do not tell
    which way they lie. Splitting stops at the natural logarithm ``floor``: what is rarer counts as being there.
    """

    particles: int = 1000
    steps: int = 30
    rho: float = 0.1
    moves: str = "informed"
    floor: float = FLOOR

    def __post_init__(self) -> None:
        validate.count(self.particles, where=WHERE, name="particles", at_least=10)
        validate.count(self.steps, where=WHERE, name="steps", at_least=1)
        validate.fraction(self.rho, where=WHERE, name="rho")
        validate.choice(self.moves, MOVES, where=WHERE, name="moves")
        if not self.floor < 0:
            raise InvalidInput("floor must be the logarithm of a probability", where=WHERE, found=repr(self.floor))
        if not 1 <= self.survivors < self.particles:
            raise InvalidInput(
                "rho must leave at least one particle, and not all",
                where=WHERE,
                found=f"rho={self.rho!r} of {self.particles} particles",
            )

    @property
    def survivors(self) -> int:
        """Particles above a level."""
        return math.ceil(self.rho * self.particles)

    def risks(
        self,
        problem: BallProblem,
        chosen: NDArray[np.int64],
        *,
        executor: Executor,
        seed: int,
        progress: Progress | None = None,
    ) -> BallRisks:
        """Risk in the chosen balls; see ``BallEstimator``."""
        climb = partial(climbed, method=self, seed=validate.seed(seed, where=WHERE))
        return in_batches(climb, problem, chosen, executor=executor, seed=seed, progress=progress)


def climbed(problem: BallProblem, sizes: Sizes, *, method: MultilevelSplitting, seed: int) -> BallRisks:
    """Risk in all balls of a problem."""
    margins, count = best_margins(problem), len(problem.balls)
    found = BallRisks.empty(count)
    with margins.prepared():
        for arrived in climb_of(method, margins, seed).arrivals(np.arange(count), sizes.at_once(method.particles)):
            _put(found, arrived.herd.balls, arrived, method)
    return found


def climb_of(method: MultilevelSplitting, margins: Margins, seed: int) -> Climb:
    """The climb of a method."""
    walk = walk_named(method.moves, margins)
    return Climb(walk, method.particles, method.steps, method.survivors, method.floor, seed)


def _put(found: BallRisks, rows: NDArray[np.int64], arrived: Arrived, method: MultilevelSplitting) -> None:
    counted, records = arrived.how == COUNTED, arrived.records
    with np.errstate(divide="ignore"):
        count = np.log(records.failures / method.particles)
    found.log_risk[rows] = np.where(counted, count, records.log_risk)
    found.log_sd[rows] = np.where(counted, 0.0, np.sqrt(records.variance))
    found.how[rows] = arrived.how
    found.failures[rows] = records.failures
    found.trials[rows] = method.particles
    found.calls[rows] = records.calls
