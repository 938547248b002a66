"""Sampling inside cells: a black-box forest against a loop of predictions, and growth to millions of cells.

Run as a program with a number of cells along a side, it prints the seconds and megabytes that these take.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np

from benchmarks.harness import Line, Row, one_core, peak_megabytes
from surefoot.core import MissingData
from surefoot.core.validate import FloatArray
from surefoot.datasets.storage import locate_file
from surefoot.executors import Serial
from surefoot.reliability.cells.table import Grid
from surefoot.reliability.local_risk import VOTE, Classifier, LocalProblem, LocalRisk
from surefoot.reliability.monte_carlo import MonteCarlo

SIDE = 250
SAMPLES = 10_000
TIMED_CELLS = (500, 1_000, 2_000)
MANY_SIDE = 2000
BANDWIDTH = 0.2
SEED = 1


def measure() -> list[Row]:
    """All rows."""
    return [_forest_in_cells(), _many_cells()]


@dataclass(frozen=True)
class Example:
    """The running example of RAM: points of the unit square, and a forest of ten trees."""

    points: FloatArray
    labels: np.ndarray
    forest: object
    source: str

    @classmethod
    def of(cls) -> Example:
        """The published points, or as many that look alike."""
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.model_selection import train_test_split

        points, labels, source = _points()
        train, _, train_labels, _ = train_test_split(points, labels, test_size=0.2, random_state=1)
        forest = RandomForestClassifier(10, random_state=5).fit(train, train_labels)
        return cls(points, labels, forest, source)

    def problem(self) -> LocalProblem:
        """Cells of the unit square, weighted by a Gaussian kernel density at their centres, labels by vote."""
        boxes = Grid.of((0, 1), 1 / SIDE, dimensions=2)
        classifier, _ = Classifier.of(self.forest, self.points, self.labels)
        votes = np.full(len(boxes), VOTE)
        return LocalProblem(classifier, self.forest, 2, boxes, votes, ~np.eye(2, dtype=bool), self._weights())

    def _weights(self) -> FloatArray:
        centres = (np.arange(SIDE) + 0.5) / SIDE
        kernels = [np.exp(-(((centres[:, None] - column) / BANDWIDTH) ** 2) / 2) for column in self.points.T]
        density = kernels[0] @ kernels[1].T
        return np.asarray((density / density.sum()).ravel())

    def true_shares(self, problem: LocalProblem) -> FloatArray:
        """Shares of answers in each cell, by asking once in every rectangle between two thresholds of any tree."""
        grid = np.linspace(0, 1, SIDE + 1)
        cuts = [np.unique(np.concatenate([self._thresholds(feature), grid])) for feature in (0, 1)]
        middles, widths = [(c[1:] + c[:-1]) / 2 for c in cuts], [np.diff(c) for c in cuts]
        places = np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1).reshape(-1, 2)
        areas = problem.decide(places).reshape(len(widths[0]), -1) * np.outer(*widths)
        for axis, cut in enumerate(cuts):
            areas = np.add.reduceat(areas, np.searchsorted(cut, grid[:-1]), axis=axis)
        ones = np.clip(areas.ravel() * SIDE**2, 0, 1)
        return np.column_stack([1 - ones, ones])

    def _thresholds(self, feature: int) -> FloatArray:
        trees = [tree.tree_ for tree in self.forest.estimators_]  # type: ignore[attr-defined]
        found = np.concatenate([tree.threshold[tree.feature == feature] for tree in trees])
        return found[(found > 0) & (found < 1)]


def _points() -> tuple[FloatArray, np.ndarray, str]:
    from sklearn.datasets import make_moons

    try:
        with np.load(locate_file("siemens_2d", "running_example.npz")) as held:
            return held["x"], held["y"], "running example"
    except MissingData:
        points, labels = make_moons(5000, noise=0.12, random_state=SEED)
        low, high = points.min(axis=0), points.max(axis=0)
        return (points - low) / (high - low), labels, "generated points"


def _forest_in_cells() -> Row:
    example = Example.of()
    problem = example.problem()
    with one_core():
        loop = Line.through(lambda cells: _loop(example, problem, cells), TIMED_CELLS)
        start = time.perf_counter()
        found = MonteCarlo(SAMPLES).estimate(problem, executor=Serial(), seed=SEED)
        seconds = time.perf_counter() - start
    ours, peers = _standard_errors(problem, found, example.true_shares(problem))
    note = f"standard error of E {ours:.2g}, of the loop {peers:.2g}; {example.source}; one core; {loop}"
    cells = len(problem.boxes)
    return Row(f"MonteCarlo, {cells:,} cells", seconds, f"loop of predict, {SAMPLES:,} a cell", loop.at(cells), note)


def _loop(example: Example, problem: LocalProblem, cells: int) -> None:
    """A plain loop over some cells."""
    rng = np.random.default_rng(SEED)
    lower, upper = problem.boxes.corners(rng.choice(len(problem.boxes), cells, replace=False))
    for low, high in zip(lower, upper, strict=True):
        answers = example.forest.predict(rng.uniform(low, high, (SAMPLES, 2)))  # type: ignore[attr-defined]
        np.bincount(answers.astype(int), minlength=2)


def _standard_errors(problem: LocalProblem, found: LocalRisk, shares: FloatArray) -> tuple[float, float]:
    """True standard errors of the weighted risk: of what was drawn, and of the same number in every cell."""
    exact = LocalRisk(shares, found.labels, found.trials, found.how)
    risk = exact.risk(problem.undesired)
    variance = problem.weights**2 * risk * (1 - risk)
    return float(np.sqrt((variance / found.trials).sum())), float(np.sqrt(variance.sum() / SAMPLES))


def _many_cells() -> Row:
    quarter, many = _apart(MANY_SIDE // 2), _apart(MANY_SIDE)
    note = f"peak {many[1]:.0f} MB, {quarter[1]:.0f} MB for a quarter; a curved boundary as model"
    return Row(f"MonteCarlo, {MANY_SIDE**2:,} cells", many[0], "4 times the work of a quarter", 4 * quarter[0], note)


def _apart(side: int) -> tuple[float, float]:
    """Seconds and peak megabytes in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.monte_carlo", str(side)]
    seconds, megabytes = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), float(megabytes)


def _curve(points: FloatArray) -> np.ndarray:
    return (points[:, 1] > 0.5 + 0.3 * np.sin(6 * points[:, 0])).astype(np.int64)


def main() -> None:
    """Sample in the cells of a square."""
    boxes = Grid.of((0, 1), 1 / int(sys.argv[1]), dimensions=2)
    weights = np.full(len(boxes), 1 / len(boxes))
    problem = LocalProblem(_curve, None, 2, boxes, np.full(len(boxes), VOTE), ~np.eye(2, dtype=bool), weights)
    start = time.perf_counter()
    MonteCarlo(SAMPLES).estimate(problem, executor=Serial(), seed=SEED)
    print(time.perf_counter() - start, peak_megabytes())


if __name__ == "__main__":
    main()
