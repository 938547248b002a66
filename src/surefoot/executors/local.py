"""Executors on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from surefoot.core import validate
from surefoot.executors.tasks import OrderedExecutor, SeededTask, run_task


@dataclass(frozen=True)
class Serial(OrderedExecutor):
    """One task after another in this process."""

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Iterator[Any]:
        return (run_task(function, task, seed) for task, seed in tasks)


@dataclass(frozen=True)
class Processes(OrderedExecutor):
    """Local worker processes by joblib; by default one a core."""

    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None:
            validate.count(self.workers, where="Processes", name="workers", at_least=1)

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Iterator[Any]:
        from joblib import Parallel, delayed

        pool = Parallel(n_jobs=self.workers or -1, return_as="generator")
        results: Iterator[Any] = pool(delayed(run_task)(function, task, seed) for task, seed in tasks)
        return results
