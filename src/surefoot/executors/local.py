"""Executors on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from surefoot.core import validate
from surefoot.executors.tasks import Progress, Result, Task, run_task, seeds


@dataclass(frozen=True)
class Serial:
    """One task after another in this process."""

    def map(
        self,
        function: Callable[[Task, np.random.Generator], Result],
        tasks: Sequence[Task],
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> list[Result]:
        """Results in the order of the tasks; see ``surefoot.core.Executor``."""
        results = []
        for done, (task, own_seed) in enumerate(zip(tasks, seeds(seed, len(tasks)), strict=True), start=1):
            results.append(run_task(function, task, own_seed))
            if progress:
                progress(done, len(tasks))
        return results


@dataclass(frozen=True)
class Processes:
    """Local worker processes by joblib; by default one a core."""

    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None:
            validate.count(self.workers, where="Processes", name="workers", at_least=1)

    def map(
        self,
        function: Callable[[Task, np.random.Generator], Result],
        tasks: Sequence[Task],
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> list[Result]:
        """Results in the order of the tasks; see ``surefoot.core.Executor``."""
        from joblib import Parallel, delayed

        calls = (
            delayed(run_task)(function, task, own_seed)
            for task, own_seed in zip(tasks, seeds(seed, len(tasks)), strict=True)
        )
        results = []
        for result in Parallel(n_jobs=self.workers or -1, return_as="generator")(calls):
            results.append(result)
            if progress:
                progress(len(results), len(tasks))
        return results
