"""What every executor does the same, so that the place a task runs leaves no trace in its result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any, TypeVar, final

import numpy as np

from surefoot.core import InvalidInput

Task = TypeVar("Task")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]
SeededTask = tuple[Any, np.random.SeedSequence]


class OrderedExecutor(ABC):
    """Seeds the tasks, keeps their order and counts progress; a subclass says where they run."""

    @final
    def map(
        self,
        function: Callable[[Task, np.random.Generator], Result],
        tasks: Sequence[Task],
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> list[Result]:
        """Results in the order of the tasks; see ``surefoot.core.Executor``."""
        results: list[Result] = []
        with closing(self._results(function, list(zip(tasks, _seeds(seed, len(tasks)), strict=True)))) as running:
            for result in running:
                results.append(result)
                if progress:
                    progress(len(results), len(tasks))
        return results

    @abstractmethod
    def _results(self, function: Callable[[Any, np.random.Generator], Any], tasks: list[SeededTask]) -> Generator[Any]:
        """``run_task(function, *task)`` of each task, in order; nothing runs before the first is asked for."""


def run_task(
    function: Callable[[Task, np.random.Generator], Result], task: Task, seed: np.random.SeedSequence
) -> Result:
    """Call the function with its own generator and one BLAS thread.

    Sums of matrix products depend on the number of threads in their last bits, and worker processes
    have other thread counts than the main one.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        return function(task, np.random.default_rng(seed))


def _seeds(seed: int, count: int) -> list[np.random.SeedSequence]:
    """One independent seed a task, depending on the task's position only."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInput("seed must be a whole number of at least 0", where="executor", found=repr(seed))
    return np.random.SeedSequence(int(seed)).spawn(count)
