"""Timing shared by all benchmarks."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits


@dataclass(frozen=True)
class Row:
    """One line of the table: our seconds, and the peer's seconds for the same amount of work."""

    task: str
    seconds: float
    peer: str
    peer_seconds: float
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times faster than the peer."""
        return self.peer_seconds / self.seconds


def peak_megabytes() -> float:
    """Largest resident size of this process; unlike getrusage's it does not count what started the process."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def best_of(function: Callable[[], object], repeats: int = 3) -> float:
    """Shortest wall-clock time of several calls, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


@dataclass(frozen=True)
class Timed:
    """Median seconds of each function, and how often each was called."""

    seconds: tuple[float, ...]
    rounds: int

    def __str__(self) -> str:
        return f"median of {self.rounds}" if self.rounds > 1 else "one run"


def in_turn(*functions: Callable[[], object], rounds: int = 5, enough: float = 60.0) -> Timed:
    """Median wall-clock times of functions that are called in turn, so that all meet the same machine.

    After ``enough`` seconds no further round begins.
    """
    times: list[list[float]] = []
    start = time.perf_counter()
    while not times or (len(times) < rounds and time.perf_counter() - start < enough):
        times.append([best_of(function, repeats=1) for function in functions])
    return Timed(tuple(np.median(times, axis=0).tolist()), len(times))


def process(code: str, *arguments: str | Path) -> tuple[float, float]:
    """Seconds of a Python that runs this code, from its start to its end, and those of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True)
    took, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@contextmanager
def one_core() -> Iterator[None]:
    """Meanwhile one core for everything: one thread for BLAS and OpenMP; threads started meanwhile share the core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        with threadpool_limits(1):
            yield
    finally:
        os.sched_setaffinity(0, cores)


@dataclass(frozen=True)
class Line:
    """What work costs that is too long to be timed whole: once, and for each piece."""

    fixed: float
    each: float
    sizes: tuple[int, ...]
    departure: float
    """Largest departure of a time from the line, relative to it."""

    @classmethod
    def through(cls, work: Callable[[int], object], sizes: Sequence[int]) -> Line:
        """By least squares through the shortest times of some sizes."""
        times = np.array([best_of(lambda size=size: work(size), repeats=2) for size in sizes])  # type: ignore[misc]
        each, fixed = np.polyfit(sizes, times, 1)
        if fixed < 0:
            each, fixed = times @ sizes / np.dot(sizes, sizes), 0.0
        departure = np.max(np.abs(times / (fixed + each * np.array(sizes)) - 1))
        return cls(float(fixed), float(each), tuple(sizes), float(departure))

    def at(self, size: int) -> float:
        """Seconds of so many pieces."""
        return self.fixed + self.each * size

    def __str__(self) -> str:
        timed = ", ".join(f"{size:,}" for size in self.sizes)
        return (
            f"peer not run whole: {self.fixed:.2g} s and {self.each:.3g} s for each, from {timed}, which lie within "
            f"{self.departure:.0%} of that"
        )
