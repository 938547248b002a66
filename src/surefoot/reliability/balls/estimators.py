"""Estimators for cells and boxes, as estimators of the risk inside balls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor, InvalidInput
from surefoot.reliability.balls.counting import Counting
from surefoot.reliability.balls.problem import BallEstimator, BallProblem, BallRisks, ball_estimator
from surefoot.reliability.balls.splitting import MultilevelSplitting
from surefoot.reliability.interval import Interval
from surefoot.reliability.local import Progress
from surefoot.reliability.monte_carlo import MonteCarlo
from surefoot.reliability.safe_boxes import proved_safe, readable

POINTS = 1000
FAILURES = 1000
"""Expected among the points of all balls, they make the error of counting a few hundredths of the mean."""
NEGLIGIBLE, RAREST = 1e-3, 1e-15


@ball_estimator("interval", public=False)
@dataclass(frozen=True)
class Proving:
    """Proves balls safe where bounds of the scores allow it, and asks another estimator about the others."""

    otherwise: BallEstimator
    method: str = "linear"

    def risks(
        self,
        problem: BallProblem,
        chosen: NDArray[np.int64],
        *,
        executor: Executor,
        seed: int,
        progress: Progress | None = None,
    ) -> BallRisks:
        """Risk in the chosen balls: none where proved, else as ``otherwise`` finds."""
        safe = _safe(problem, chosen, self.method)
        found, left = BallRisks.empty(len(chosen)), np.flatnonzero(~safe)
        if left.size:
            rest = self.otherwise.risks(problem, chosen[left], executor=executor, seed=seed, progress=progress)
            found.put(left, rest)
        return found


def usual_estimator(foreseen: float, balls: int, problem: BallProblem) -> BallEstimator:
    """Proves what can be proved, and counts failures where enough of them are to be met for the mean.

    Where they are not, it splits, as far down as adds to the mean.
    """
    enough = foreseen * balls * POINTS >= FAILURES
    if enough or problem.model.returns == "label":
        found: BallEstimator = Counting(POINTS)
    else:
        found = MultilevelSplitting(POINTS, floor=math.log(max(foreseen * NEGLIGIBLE, RAREST)))
    return Proving(found) if readable(problem.model, problem.balls.shape) else found


def as_ball_estimator(estimator: Any) -> BallEstimator:
    """An estimator of balls, whatever it was made for."""
    if isinstance(estimator, BallEstimator) and not isinstance(estimator, type):
        return estimator
    if isinstance(estimator, MonteCarlo):
        return Counting(estimator.samples)
    if isinstance(estimator, Interval):
        return Proving(as_ball_estimator(estimator.otherwise), estimator.method)
    raise InvalidInput(
        "estimator must be one that looks into balls",
        where="assess_balls",
        found=repr(estimator),
        remedy="Use MultilevelSplitting(), MonteCarlo() or Interval().",
    )


def _safe(problem: BallProblem, chosen: NDArray[np.int64], method: str) -> NDArray[np.bool_]:
    lower, upper = problem.balls.corners(chosen)
    labels = problem.labels[chosen]
    columns = list(problem.columns) or list(range(problem.undesired.shape[1]))
    undesired = np.zeros((len(chosen), problem.undesired.shape[1]), bool)
    undesired[:, columns] = problem.undesired[labels]
    return proved_safe(
        problem.model, problem.balls.shape, lower, upper, undesired, np.asarray(columns)[labels], method=method
    )
