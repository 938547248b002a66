"""Timing shared by all benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


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
