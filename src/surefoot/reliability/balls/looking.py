"""Looks into balls as designs ask for them, each once."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.problem import BallEstimator, BallProblem, BallRisks
from surefoot.reliability.local import Progress


@dataclass(eq=False)
class Looked:
    """Risks found so far; a ball that comes again is not looked into again."""

    problem: BallProblem
    estimator: BallEstimator
    executor: Executor
    seed: int
    budget: int
    progress: Progress | None
    _numbers: list[NDArray[np.int64]] = field(default_factory=list)
    _risks: list[BallRisks] = field(default_factory=list)
    _draws: int = 0

    def __call__(self, chosen: NDArray[np.int64]) -> FloatArray:
        """Risk of the chosen balls, which may come several times."""
        new = np.setdiff1d(chosen, self.numbers)
        if new.size:
            found = self.estimator.risks(
                self.problem, new, executor=self.executor, seed=self.seed, progress=self._told(new.size, chosen.size)
            )
            self._numbers.append(new)
            self._risks.append(found)
        self._draws += chosen.size
        if self.progress:
            self.progress(self._draws, self.budget)
        return self.risks_of(chosen).risk

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Balls looked into, in the order of looking."""
        return np.concatenate([np.empty(0, np.int64), *self._numbers])

    def risks_of(self, chosen: NDArray[np.int64]) -> BallRisks:
        """What was found in the chosen balls."""
        numbers = self.numbers
        order = np.argsort(numbers)
        return BallRisks.joined(self._risks).take(order[np.searchsorted(numbers[order], chosen)])

    def _told(self, new: int, draws: int) -> Progress | None:
        """Progress counts draws: the new balls of a round are done in proportion."""
        if self.progress is None:
            return None
        told, before, budget = self.progress, self._draws, self.budget
        return lambda done, total: told(before + int(draws * done / max(total, new)), budget)
