"""Balls handed to an executor in batches, each as large as memory allows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor
from surefoot.reliability.balls.margins import torch_module
from surefoot.reliability.balls.memory import halved_on_memory_error
from surefoot.reliability.balls.problem import BallPart, BallProblem, BallRisks
from surefoot.reliability.local import Progress

IN_MEMORY = 8
"""Balls in a batch that a process works on: what a lost worker costs."""
ON_DEVICE = 2048
CACHED_VALUES = 1 << 22
"""Features of all particles that are worked on at once in memory."""
DEVICE_SHARE = 0.5
BYTES_A_VALUE = 24


@dataclass(frozen=True)
class Sizes:
    """How many values of particles fit at once."""

    values: int
    dimensions: int

    def at_once(self, particles: int) -> int:
        """Balls that are worked on at once."""
        return max(1, self.values // (particles * self.dimensions))


class Work(Protocol):
    """Finds the risk in all balls of a problem."""

    def __call__(self, problem: BallProblem, sizes: Sizes) -> BallRisks: ...


def in_batches(
    work: Work,
    problem: BallProblem,
    chosen: NDArray[np.int64],
    *,
    executor: Executor,
    seed: int,
    progress: Progress | None,
) -> BallRisks:
    """Risk in the chosen balls; one in which no answer is undesired is safe without a look."""
    chosen, places = np.unique(np.asarray(chosen, np.int64), return_inverse=True)
    open_rows = np.flatnonzero(problem.undesired[problem.labels[chosen]].any(axis=1))
    size = IN_MEMORY if _device(problem) is None else ON_DEVICE
    batches = [problem.part(chosen[open_rows[i : i + size]]) for i in range(0, len(open_rows), size)]
    told = progress and partial(_told, progress, size, len(chosen))
    found = BallRisks.empty(len(chosen))
    parts = executor.map(partial(_worked, work=work, shell=problem.shell()), batches, seed=seed, progress=told)
    if parts:
        found.put(open_rows, BallRisks.joined(parts))
    return found.take(places)


def _told(progress: Progress, size: int, count: int, done: int, _total: int) -> None:
    progress(min(done * size, count), count)


def _worked(part: BallPart, _rng: np.random.Generator, *, work: Work, shell: BallProblem) -> BallRisks:
    """The balls have random numbers of their own."""
    problem = shell.of(part)
    most = sizes_for(problem)
    return halved_on_memory_error(lambda values: work(problem, replace(most, values=values)), most.values)


def sizes_for(problem: BallProblem) -> Sizes:
    """What fits where the model is."""
    device, dimensions = _device(problem), problem.balls.dimensions
    if device is None:
        return Sizes(CACHED_VALUES, dimensions)
    import torch

    free, _ = torch.cuda.mem_get_info(device)
    return Sizes(max(1, int(DEVICE_SHARE * free / BYTES_A_VALUE)), dimensions)


def _device(problem: BallProblem) -> Any:
    """The GPU that holds the model, if one does."""
    module = torch_module(problem.model)
    weight = None if module is None else next(module.parameters()).device
    return weight if weight is not None and weight.type == "cuda" else None
