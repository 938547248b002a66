"""Timing shared by all benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


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


def best_of(function: Callable[[], object], repeats: int = 3) -> float:
    """Shortest wall-clock time of several calls, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)
