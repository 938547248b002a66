"""Risk inside boxes by sampling, for any model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor, validate
from surefoot.reliability.allocation import Looked, allocated, unclear
from surefoot.reliability.counting import (
    MOST_VERTICES,
    WHERE,
    Counter,
    Scout,
    count_answers,
    rows_of,
)
from surefoot.reliability.local import SAMPLED, VOTE, LocalProblem, LocalRisk, Progress, cell_estimator

GROWTH = 4
"""An unclear vote is repeated with so many times the points."""
LOOKING = 0.4
"""Share of the work that progress ascribes to the first look."""


@cell_estimator("monte_carlo")
@dataclass(frozen=True)
class MonteCarlo:
    """Draws points inside boxes and counts the answers.

    ``"equal"`` draws ``samples`` points in each box, and where the label is unknown their most frequent answer is taken
    for it, as RAM does. ``"sequential"`` reaches the standard error of the weighted risk that this would give, with
    less work: a first look of ``pilot`` points in each box settles the votes (more points where they are close) and
    says how many points each box deserves. These are drawn afresh, and only they enter the estimate.

    ``resolution`` is the share of the sum of all weights below which precision is not sought.
    """

    samples: int = 10_000
    allocation: Literal["sequential", "equal"] = "sequential"
    pilot: int = 32
    resolution: float = 1e-6

    def __post_init__(self) -> None:
        validate.count(self.samples, where=WHERE, name="samples", at_least=2)
        validate.count(self.pilot, where=WHERE, name="pilot", at_least=2)
        validate.choice(self.allocation, ("sequential", "equal"), where=WHERE, name="allocation")
        validate.fraction(self.resolution, where=WHERE, name="resolution")

    def estimate(
        self, problem: LocalProblem, *, executor: Executor, seed: int, progress: Progress | None = None
    ) -> LocalRisk:
        """Shares of answers in all boxes of the problem; see ``LocalEstimator``."""
        run = _Run(self, problem, executor, validate.seed(seed, where=WHERE), progress)
        return run.equal() if self.allocation == "equal" else run.sequential()


@dataclass(frozen=True, eq=False)
class _Run:
    """One estimation; each of its stages has its own seed."""

    method: MonteCarlo
    problem: LocalProblem
    executor: Executor
    seed: int
    progress: Progress | None

    def equal(self) -> LocalRisk:
        """The same number of points everywhere."""
        everywhere = np.full(len(self.problem.boxes), self.method.samples)
        counts = self._count(np.arange(len(everywhere)), everywhere, stage=0, progress=self._told(0.0))
        return _risk(counts, LocalRisk.voted(self.problem.labels, counts), everywhere)

    def sequential(self) -> LocalRisk:
        """A first look, then the points that it calls for."""
        problem, method = self.problem, self.method
        counts, suspect = self._first_look()
        self._settle_votes(counts)
        labels = LocalRisk.voted(problem.labels, counts)
        failures = np.einsum("ij,ij->i", counts, problem.undesired[labels], dtype=np.int64)
        looked = Looked(failures, counts.sum(axis=1, dtype=np.int64), suspect)
        del counts
        trials = allocated(looked, problem.weights, samples=method.samples, resolution=method.resolution)
        found = self._count(np.arange(len(trials)), trials, stage=1, progress=self._told(LOOKING))
        return _risk(found, labels, trials)

    def _first_look(self) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Counts of answers by class in each box, and whether a vertex answers differently."""
        pilot = min(self.method.pilot, self.method.samples)
        scout = Scout(Counter.of(self.problem), pilot)
        parts = list(self.problem.slices(max(1, rows_of(self.problem.boxes) // (pilot + MOST_VERTICES))))
        told = self._told(0.0, LOOKING)
        found = self.executor.map(scout, parts, seed=self._stage_seed(2), progress=told)
        counts = np.concatenate([np.empty((0, self.problem.classes), np.int32), *(part[0] for part in found)])
        return counts, np.concatenate([np.empty(0, bool), *(part[1] for part in found)])

    def _settle_votes(self, counts: NDArray[np.int32]) -> None:
        """More points, added to the counts, where the first answers are too close to tell which leads."""
        open_votes = np.flatnonzero((self.problem.labels == VOTE) & unclear(counts))
        stage = 3
        while open_votes.size:
            before = int(counts[open_votes[0]].sum())
            after = min(GROWTH * before, self.method.samples)
            if after <= before:
                return
            more = np.full(len(open_votes), after - before)
            counts[open_votes] += self._count(open_votes, more, stage=stage)
            open_votes = open_votes[unclear(counts[open_votes])]
            stage += 1

    def _count(
        self, boxes: NDArray[np.int64], trials: NDArray[np.int64], *, stage: int, progress: Progress | None = None
    ) -> NDArray[np.int32]:
        seed = self._stage_seed(stage)
        counter = Counter.of(self.problem)
        return count_answers(counter, boxes, trials, executor=self.executor, seed=seed, progress=progress)

    def _stage_seed(self, stage: int) -> int:
        return int(np.random.SeedSequence([self.seed, stage]).generate_state(1, np.uint64)[0])

    def _told(self, start: float, end: float = 1.0) -> Progress | None:
        """Progress of one stage, which is the part from start to end of the whole."""
        if self.progress is None:
            return None
        return partial(_tell, self.progress, len(self.problem.boxes), start, end)


def _tell(progress: Progress, boxes: int, start: float, end: float, done: int, total: int) -> None:
    progress(round(boxes * (start + (end - start) * done / total)), boxes)


def _risk(counts: NDArray[np.int32], labels: NDArray[np.int64], trials: NDArray[np.int64]) -> LocalRisk:
    how = np.full(len(trials), SAMPLED, np.uint8)
    return LocalRisk(counts / trials[:, None], labels, trials, how)
