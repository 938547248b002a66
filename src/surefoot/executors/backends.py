"""Where tasks run: in this process, in processes of this machine, or on a Dask cluster.

Seeds, order and progress are the same for all, so that the place a task runs leaves no trace in its result.
"""

from __future__ import annotations

import ctypes
import signal
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, final

import numpy as np

from surefoot.core import InvalidInput, validate
from surefoot.core.errors import require

Task = TypeVar("Task")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]
SeededTask = tuple[Any, np.random.SeedSequence]

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Options of glibc's mallopt."""

KEPT_BYTES, KEPT_ARRAY_BYTES = 1 << 28, 1 << 25


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


@dataclass(frozen=True)
class Serial(OrderedExecutor):
    """One task after another in this process.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.executors.Serial().map(lambda task, rng: task**2, [1, 2, 3], seed=0)
    [1, 4, 9]

    """

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        return (run_task(function, task, seed) for task, seed in tasks)


@dataclass(frozen=True)
class Processes(OrderedExecutor):
    """Local worker processes by joblib.

    Parameters
    ----------
    workers
        How many; one a core where it is left out.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.executors.Processes(workers=4)
    Processes(workers=4)

    """

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
                for result in results:  # noqa: UP028, `yield from` would close the results too early
                    yield result
            finally:
                # Workers that nobody waits for any more are ended; joblib warns that it does.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    results.close()


@dataclass(frozen=True)
class Dask(OrderedExecutor):
    """Workers of a Dask cluster, which reruns the tasks of a worker that dies.

    Parameters
    ----------
    cluster
        The scheduler's address (``tcp://host:8786``), or a client.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.executors.Dask("tcp://host:8786")
    Dask(cluster='tcp://host:8786')

    """

    cluster: Any

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        distributed = require("distributed", extra="dask", purpose="Running on a Dask cluster")
        by_address = isinstance(self.cluster, str)
        with distributed.Client(self.cluster) if by_address else nullcontext(self.cluster) as client:
            futures = [client.submit(_run, function, task, seed, pure=False) for task, seed in tasks]
            for future in futures:
                yield future.result()


def _seeds(seed: int, count: int) -> list[np.random.SeedSequence]:
    """One independent seed a task, depending on the task's position only."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInput("seed must be a whole number of at least 0", where="executor", found=repr(seed))
    return np.random.SeedSequence(int(seed)).spawn(count)


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


def _run(function: Callable[..., Any], task: Any, seed: Any) -> Any:
    _keep_freed_memory()
    return run_task(function, task, seed)


@cache
def _keep_freed_memory() -> None:
    """Let arrays of one task reuse the memory of the last.

    Dask makes its workers give back all freed memory at once, which doubles the time of tasks that allocate much.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL("libc.so.6")
        library.mallopt(TRIM_THRESHOLD, KEPT_BYTES)
        library.mallopt(MMAP_THRESHOLD, KEPT_ARRAY_BYTES)
