"""Minima of g_N for the 1,010,000 cases of section 3.1 of NRB, against ``scipy.optimize.minimize`` called per case."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from benchmarks.harness import Line, Row, best_of, one_core
from surefoot.bounds import normal_score_minimum

PEER_CASES = (300, 600, 1_200)
BOUNDS = [(1e-12, 1 - 1e-12)] * 2
PEAK_MEMORY = (
    "import resource, benchmarks.normal_score as b;"
    "c = b.Cases.of_the_study();"
    "b.normal_score_minimum(c.ratio, c.n);"
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
)


@dataclass(frozen=True)
class Cases:
    """Observed ratios mean/sd and sample sizes."""

    ratio: NDArray[np.float64]
    n: NDArray[np.float64]

    @classmethod
    def of_the_study(cls, seed: int = 0) -> Cases:
        """One data set for each N, mu and sigma of NRB, section 3.1, drawn by its sufficient statistics."""
        rng, odd = np.random.default_rng(seed), np.arange(1, 200, 2) / 100
        n, mu, sigma = (a.ravel() for a in np.meshgrid(np.arange(100.0, 301, 2), odd, odd, indexing="ij"))
        mean = mu + sigma * rng.normal(size=n.size) / np.sqrt(n)
        return cls(mean / (sigma * np.sqrt(rng.chisquare(n - 1) / (n - 1))), n)


def measure() -> list[Row]:
    """One row: all cases at once, and what the peer needs for each, from random ones."""
    cases = Cases.of_the_study()
    chosen = np.random.default_rng(1).choice(cases.n.size, max(PEER_CASES), replace=False)
    pairs = list(zip(cases.ratio[chosen].tolist(), cases.n[chosen].tolist(), strict=True))
    with one_core():
        seconds = best_of(lambda: normal_score_minimum(cases.ratio, cases.n))
        peer = Line.through(lambda some: [peer_minimum(*pair) for pair in pairs[:some]], PEER_CASES)
    note = f"one core; {peer}; {_memory()}"
    task = f"{cases.n.size:,} x minimum of g_N"
    return [Row(task, seconds, "scipy.optimize.minimize", peer.at(cases.n.size), note)]


def peer_minimum(ratio: float, n: float) -> float:
    """What one would write with scipy: default method, gamma and eta with bounds, the start of Algorithm 1."""
    df = n - 1

    def g(x: NDArray[np.float64]) -> float:
        t, c = -special.stdtrit(df, x[0]), special.chdtri(df, 1 - x[1])
        return special.ndtr((t / np.sqrt(n) - ratio) * np.sqrt(c / df)) + x[0] + x[1]

    return float(optimize.minimize(g, [0.25, 0.25], bounds=BOUNDS).fun)


def _memory() -> str:
    done = subprocess.run([sys.executable, "-c", PEAK_MEMORY], capture_output=True, text=True, check=True)
    # Linux counts in units of 1024 bytes, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return f"peak memory of the whole process {int(done.stdout) * unit / 1e6:.0f} MB"


if __name__ == "__main__":
    for row in measure():
        print(f"{row.task:35} {row.seconds:8.3f} s  {row.ratio:8,.0f} times {row.peer} ({row.note})")
