"""What every executor does with one task, so that the place it runs leaves no trace in the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from surefoot.core import InvalidInput

Task = TypeVar("Task")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]


def seeds(seed: int, count: int) -> list[np.random.SeedSequence]:
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
