"""Exact cells of the running example's forest against a loop that samples each cell."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Line, Row, best_of, one_core
from surefoot.core.errors import MissingData
from surefoot.datasets import siemens_2d
from surefoot.executors import Serial
from surefoot.reliability.cells.table import Grid
from surefoot.reliability.local_risk import VOTE, Classifier, LocalProblem
from surefoot.reliability.proofs.tree_ensembles import ExactTrees

POINTS = 5_000
SAMPLES = 10_000
PEER_CELLS = (500, 1_000, 2_000)
SIDE, SMALL_SIDE = 1 / 250, 1 / 2_000


def measure() -> list[Row]:
    """Rows for the cells of the paper, and for 64 times as many; all on one core."""
    with one_core():
        return _rows()


def _rows() -> list[Row]:
    inputs, labels, source = _points()
    forest = _forest(inputs, labels)
    classifier, _ = Classifier.of(forest, inputs, labels)
    few, many = _problem(forest, classifier, SIDE), _problem(forest, classifier, SMALL_SIDE)
    ours, peer = best_of(_exact(few)), Line.through(lambda cells: _sampled(forest, few, cells), PEER_CELLS)
    peer_name = f"predict on {SAMPLES:,} samples a cell"
    note = f"{source}; one core; {peer}"
    more, linear = best_of(_exact(many), repeats=1), ours * len(many.boxes) / len(few.boxes)
    return [
        Row(f"ExactTrees, {len(few.boxes):,} cells", ours, peer_name, peer.at(len(few.boxes)), note),
        Row(
            f"ExactTrees, {len(many.boxes):,} cells",
            more,
            f"{len(many.boxes) // len(few.boxes)} times the work of {len(few.boxes):,}",
            linear,
            f"peak {_peak(_exact(many)):.0f} MB of arrays",
        ),
    ]


def _points() -> tuple[NDArray[np.float64], NDArray[np.int64], str]:
    try:
        example = siemens_2d()
        return example.inputs, example.labels, "running example of RAM"
    except MissingData:
        inputs = np.random.default_rng(1).random((POINTS, 2))
        labels = inputs[:, 1] > 0.5 + 0.2 * np.sin(6 * inputs[:, 0]) + 0.02 * np.sin(40 * inputs[:, 0])
        return inputs, labels.astype(np.int64), "generated points"


def _forest(inputs: NDArray[np.float64], labels: NDArray[np.int64]) -> Any:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import train_test_split

    x, _, y, _ = train_test_split(inputs, labels, test_size=0.2, random_state=1)
    return RandomForestClassifier(n_estimators=10, random_state=5).fit(x, y)


def _problem(forest: Any, classifier: Classifier, side: float) -> LocalProblem:
    grid = Grid.of((0, 1), side, dimensions=2)
    votes, weights = np.full(len(grid), VOTE), np.full(len(grid), 1 / len(grid))
    return LocalProblem(classifier, forest, 2, grid, votes, ~np.eye(2, dtype=bool), weights)


def _exact(problem: LocalProblem) -> Callable[[], object]:
    return lambda: ExactTrees().estimate(problem, executor=Serial(), seed=0)


def _sampled(forest: Any, problem: LocalProblem, cells: int) -> None:
    rng = np.random.default_rng(0)
    chosen = rng.choice(len(problem.boxes), cells, replace=False)
    for lower, upper in zip(*problem.boxes.corners(chosen), strict=True):
        np.bincount(forest.predict(rng.uniform(lower, upper, (SAMPLES, 2))), minlength=2)


def _peak(function: Callable[[], object]) -> float:
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


if __name__ == "__main__":
    for row in measure():
        print(f"{row.task:35} {row.seconds:8.3f} s  {row.ratio:8.1f} times {row.peer}  {row.note}")
