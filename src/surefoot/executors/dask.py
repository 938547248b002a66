"""An executor on a Dask cluster, which reruns the tasks of a worker that dies."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from surefoot.core.extras import require
from surefoot.executors.tasks import OrderedExecutor, SeededTask, run_task


@dataclass(frozen=True)
class Dask(OrderedExecutor):
    """Workers of a Dask cluster, given by the scheduler's address (``tcp://host:8786``) or a client."""

    cluster: Any

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        distributed = require("distributed", extra="dask", purpose="Running on a Dask cluster")
        by_address = isinstance(self.cluster, str)
        with distributed.Client(self.cluster) if by_address else nullcontext(self.cluster) as client:
            futures = [client.submit(run_task, function, task, seed, pure=False) for task, seed in tasks]
            for future in futures:
                yield future.result()
