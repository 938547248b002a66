"""An executor on a Dask cluster, which reruns the tasks of a worker that dies."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from surefoot.core.extras import require
from surefoot.executors.tasks import OrderedExecutor, SeededTask, run_task

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Options of glibc's mallopt."""
KEPT_BYTES, KEPT_ARRAY_BYTES = 1 << 28, 1 << 25


@dataclass(frozen=True)
class Dask(OrderedExecutor):
    """Workers of a Dask cluster, given by the scheduler's address (``tcp://host:8786``) or a client."""

    cluster: Any

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        distributed = require("distributed", extra="dask", purpose="Running on a Dask cluster")
        by_address = isinstance(self.cluster, str)
        with distributed.Client(self.cluster) if by_address else nullcontext(self.cluster) as client:
            futures = [client.submit(_run, function, task, seed, pure=False) for task, seed in tasks]
            for future in futures:
                yield future.result()


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
