"""Risk inside balls by counting failures among uniform points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor
from surefoot.reliability.balls.arrays import Array, Host, Stream
from surefoot.reliability.balls.batches import Sizes, in_batches
from surefoot.reliability.balls.host_margins import HostMargins
from surefoot.reliability.balls.margins import Margins, best_margins
from surefoot.reliability.balls.problem import COUNTED, BallProblem, BallRisks, ball_estimator
from surefoot.reliability.balls.walks import scattered, streams_of
from surefoot.reliability.local import Progress

AT_ONCE = 1000
"""Points in a ball that are drawn together."""


@ball_estimator("monte_carlo", public=False)
@dataclass(frozen=True)
class Counting:
    """Counts failures at ``samples`` uniform points in each ball, for any model."""

    samples: int

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
        work = partial(_counted, samples=self.samples, seed=seed)
        return in_batches(work, problem, chosen, executor=executor, seed=seed, progress=progress)


def _counted(problem: BallProblem, sizes: Sizes, *, samples: int, seed: int) -> BallRisks:
    answers = problem.model.returns == "label" and problem.decide is not None
    margins: Margins = _Answered(problem) if answers else best_margins(problem)
    portion, balls = sizes.at_once(min(samples, AT_ONCE)), np.arange(len(problem.balls))
    with margins.prepared():
        parts = [_failures(margins, balls[i : i + portion], samples, seed) for i in range(0, len(balls), portion)]
    failures, found = np.concatenate(parts), BallRisks.empty(len(balls))
    with np.errstate(divide="ignore"):
        found.log_risk[:] = np.log(failures / samples)
    found.how[:], found.failures[:], found.trials[:], found.calls[:] = COUNTED, failures, samples, samples
    return found


def _failures(margins: Margins, balls: NDArray[np.int64], samples: int, seed: int) -> NDArray[np.int64]:
    streams: list[Stream] = streams_of(margins, seed, balls)
    found = np.zeros(len(balls), np.int64)
    for start in range(0, samples, AT_ONCE):
        points = scattered(margins, balls, streams, min(AT_ONCE, samples - start))
        found += margins.arrays.host((margins(balls, points) >= 0).sum(1))
    return found


class _Answered(HostMargins):
    """Margins of a model that answers with labels: 1 where it fails, else -1."""

    def __init__(self, problem: BallProblem) -> None:
        super().__init__(problem, Host(problem.balls.centres.dtype.type))

    def __call__(self, balls: NDArray[np.int64], points: Array) -> Array:
        assert self.problem.decide is not None
        answers = self.problem.decide(self.problem.balls.as_inputs(points.reshape(-1, points.shape[2])))
        undesired = self.problem.undesired[self.problem.labels[balls]]
        failing = np.take_along_axis(undesired, answers.reshape(points.shape[:2]), axis=1)
        return np.where(failing, 1.0, -1.0)
