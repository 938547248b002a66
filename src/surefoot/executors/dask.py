"""An executor on a Dask cluster, which reruns the tasks of a worker that dies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.core.extras import require
from surefoot.executors.tasks import Progress, Result, Task, run_task, seeds

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Dask:
    """Workers of a Dask cluster, given by the scheduler's address (``tcp://host:8786``) or a client."""

    cluster: Any

    def map(
        self,
        function: Callable[[Task, np.random.Generator], Result],
        tasks: Sequence[Task],
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> list[Result]:
        """Results in the order of the tasks; see ``surefoot.core.Executor``."""
        distributed = require("distributed", extra="dask", purpose="Running on a Dask cluster")
        with self._client(distributed) as client:
            futures = [
                client.submit(run_task, function, task, own_seed, pure=False)
                for task, own_seed in zip(tasks, seeds(seed, len(tasks)), strict=True)
            ]
            for done, _ in enumerate(distributed.as_completed(futures), start=1):
                if progress:
                    progress(done, len(tasks))
            results: list[Result] = client.gather(futures)
            return results

    @contextmanager
    def _client(self, distributed: Any) -> Iterator[Any]:
        if not isinstance(self.cluster, str):
            yield self.cluster
            return
        with distributed.Client(self.cluster) as client:
            yield client
