"""Safety gain, residual hazard and availability cost of 1,000,000 rows, with intervals, against plain resampling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Line, Row, best_of, one_core
from surefoot.monitors.evaluation import evaluate
from surefoot.monitors.returns import Returns, Stakes

ROWS, EPISODE, DRAWS = 1_000_000, 50, 4000
PEER_DRAWS = (10, 20, 40)
PEER = "resampled rows, numpy"


def measure() -> list[Row]:
    """Graded returns of independent rows, of episodes, and returns of two values."""
    cases = {
        "graded": _graded(units=None),
        "graded, in episodes of 50": _graded(units=np.arange(ROWS) // EPISODE),
        "two-valued, bootstrap": _errors(),
    }
    return [_row(name, returns) for name, returns in cases.items()]


def _row(name: str, returns: Returns) -> Row:
    method = "bootstrap" if "bootstrap" in name else "auto"
    with one_core():
        seconds = best_of(lambda: evaluate(returns, draws=DRAWS, method=method), repeats=2)
        peer = Line.through(lambda draws: plain_means(returns, draws), PEER_DRAWS)
    note = f"{DRAWS:,} draws; one core; {peer}"
    return Row(f"SG, RH, AC of {ROWS:,} rows, {name}", seconds, PEER, peer.at(DRAWS), note)


def plain_means(returns: Returns, draws: int) -> NDArray[np.float64]:
    """What one would write: draw rows, or the rows of episodes, with replacement, and average."""
    rng, rows = np.random.default_rng(0), returns.rows
    figures = np.column_stack([returns.gains, returns.residuals, returns.costs])
    if returns.units is None:
        return np.array([figures[rng.integers(rows, size=rows)].mean(axis=0) for _ in range(draws)])
    episodes = figures.reshape(-1, EPISODE, 3)
    count = len(episodes)
    return np.array([episodes[rng.integers(count, size=count)].mean(axis=(0, 1)) for _ in range(draws)])


def _graded(units: NDArray[np.int64] | None) -> Returns:
    rng = np.random.default_rng(0)
    quiet, ones = rng.random(ROWS), np.ones(ROWS)
    stakes = Stakes(quiet, np.maximum(quiet, 0.9), ones, ones, rng.random(ROWS), units=units, unit="episode")
    return stakes.under(rng.random(ROWS) < 0.1)


def _errors() -> Returns:
    rng = np.random.default_rng(1)
    right, ones = (rng.random(ROWS) < 0.9).astype(float), np.ones(ROWS)
    return Stakes(right, ones, ones, ones, 1 - right).under(rng.random(ROWS) < 0.1)


if __name__ == "__main__":
    for row in measure():
        print(f"{row.task:60} {row.seconds:8.3f} s  {row.ratio:8,.1f} times {row.peer} ({row.note})")
