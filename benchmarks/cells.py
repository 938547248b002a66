"""Whole assessments in cells: the running example, millions of cells, many points, and two Dask workers.

Run as a program with cells along a side, points and an estimator, it prints the seconds and megabytes that these take.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import numpy as np

from benchmarks.harness import Row, peak_megabytes
from surefoot.core import Executor
from surefoot.core.validate import FloatArray
from surefoot.executors import Dask, Serial
from surefoot.profile import KDE
from surefoot.reliability import ExactTrees, LocalEstimator, MonteCarlo, Reliability, assess_cells

SEED = 3
TRAINED = 4000
TREES = 10
BANDWIDTH = 0.2
SLOW_TREES, SLOW_SIDE, SLOW_SAMPLES = 60, 120, 4500


def measure() -> list[Row]:
    """All rows."""
    return [*_growth(), _dask()]


def world(points: int, trees: int) -> tuple[Any, FloatArray, np.ndarray]:
    """A forest, and points of the unit square labelled by a curve."""
    from sklearn.ensemble import RandomForestClassifier

    rng = np.random.default_rng(SEED)
    inputs = rng.beta(2, 2, (points, 2))
    labels = (inputs[:, 1] > 0.5 + 0.3 * np.sin(6 * inputs[:, 0])).astype(int)
    return RandomForestClassifier(trees, random_state=SEED).fit(inputs[:TRAINED], labels[:TRAINED]), inputs, labels


def assessed(side: int, points: int, estimator: LocalEstimator, executor: Executor, trees: int = TREES) -> Reliability:
    """One assessment with all its checks; the last fifth of the points is held out."""
    model, inputs, labels = world(points, trees)
    return assess_cells(
        model,
        inputs,
        labels,
        side=1 / side,
        domain=(0, 1),
        profile=KDE(BANDWIDTH),
        estimator=estimator,
        holdout=(inputs[-points // 5 :], labels[-points // 5 :]),
        executor=executor,
        seed=SEED,
    )


def _growth() -> list[Row]:
    small, quarter, many = (_apart(side, 5000) for side in (250, 1000, 2000))
    few, dense = _apart(500, 12_500), _apart(500, 50_000)
    return [
        Row(
            "assess_cells, 4,000,000 cells",
            many[0],
            "4 times the work of a quarter",
            4 * quarter[0],
            f"peak {many[1]:.0f} MB; 62,500 cells take {small[0]:.2g} s and {small[1]:.0f} MB",
        ),
        Row(
            "assess_cells, 500 x 500 cells, 50,000 points",
            dense[0],
            "4 times the work of a quarter",
            4 * few[0],
            f"peak {dense[1]:.0f} MB, {few[1]:.0f} MB for a quarter",
        ),
    ]


def _apart(side: int, points: int) -> tuple[float, float]:
    """Seconds and peak megabytes in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.cells", str(side), str(points)]
    seconds, megabytes = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), float(megabytes)


def _dask() -> Row:
    """Sampling a slow forest: one process against two workers with one BLAS thread each."""
    from distributed import Client, LocalCluster

    serial, alone = _timed(Serial())
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        together, shared = _timed(Dask(client))
    same = alone.pmi.digest == shared.pmi.digest and alone.by_cells.digest == shared.by_cells.digest
    note = f"digests {'equal' if same else 'DIFFER'}"
    return Row("MonteCarlo of a slow forest, two Dask workers", together, "one process", serial, note)


def _timed(executor: Executor) -> tuple[float, Reliability]:
    start = time.perf_counter()
    found = assessed(SLOW_SIDE, 5000, MonteCarlo(SLOW_SAMPLES, allocation="equal"), executor, SLOW_TREES)
    return time.perf_counter() - start, found


def main() -> None:
    """Assess, and say what it took."""
    side, points = map(int, sys.argv[1:])
    start = time.perf_counter()
    assessed(side, points, ExactTrees(), Serial())
    print(time.perf_counter() - start, peak_megabytes())


if __name__ == "__main__":
    main()
