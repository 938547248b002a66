"""Executors on this machine."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from surefoot.core import validate
from surefoot.executors.tasks import OrderedExecutor, SeededTask, run_task


@dataclass(frozen=True)
class Serial(OrderedExecutor):
    """One task after another in this process."""

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        return (run_task(function, task, seed) for task, seed in tasks)


@dataclass(frozen=True)
class Processes(OrderedExecutor):
    """Local worker processes by joblib; by default one a core."""

    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None:
            validate.count(self.workers, where="Processes", name="workers", at_least=1)

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        from joblib import Parallel, delayed

        pool = Parallel(n_jobs=self.workers or -1, return_as="generator")
        with _grown_workers_replaced():
            with _interrupts_held_back():
                results: Generator[Any] = pool(delayed(run_task)(function, task, seed) for task, seed in tasks)
            try:
                for result in results:  # noqa: UP028, `yield from` would close the results before `_stop` does
                    yield result
            finally:
                _stop(results)


def _stop(results: Generator[Any]) -> None:
    """End workers that nobody waits for any more; joblib warns that it does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        results.close()


@contextmanager
def _grown_workers_replaced() -> Iterator[None]:
    """Let joblib replace a worker that has grown, as one does that loads torch, without a word.

    It warns from the thread that hands out tasks: where warnings are errors, that thread would die and nothing end.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        yield


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Workers that start meanwhile never see Ctrl-C; this process sees it afterwards, and ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
