"""Points drawn inside boxes and the model's answers there, counted in batches of bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor, InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.reliability.local import Boxes, LocalProblem, Progress
from surefoot.reliability.within import Within

IntArray = NDArray[np.int64]
Portion = tuple[IntArray, IntArray]
"""Numbers of boxes, and how many points each gets."""
CALL_ROWS = 1 << 18
CALL_VALUES = 1 << 23
"""What one call of the model is given at most: rows, and numbers in all rows."""
MOST_VERTICES = 8
WHERE = "MonteCarlo"


@dataclass(frozen=True, eq=False)
class Counter:
    """Counts answers at points inside boxes; small enough to be sent to other processes with every task."""

    decide: Callable[[FloatArray], IntArray]
    within: Within
    boxes: Boxes
    classes: int

    @classmethod
    def of(cls, problem: LocalProblem) -> Counter:
        """The part of the problem that drawing needs."""
        return cls(problem.decide, problem.within, problem.boxes, problem.classes)

    def __call__(self, portion: Portion, rng: np.random.Generator) -> NDArray[np.int32]:
        """How often each class is answered in each box of a portion."""
        boxes, trials = portion
        lower, upper = self.boxes.corners(boxes)
        points = np.empty((int(trials.sum()), self.boxes.dimensions))
        owners = np.empty(len(points), np.int64)
        done = 0
        for count in np.unique(trials):
            places = np.flatnonzero(trials == count)
            end = done + len(places) * int(count)
            points[done:end] = self.drawn(lower[places], upper[places], int(count), rng)
            owners[done:end] = np.repeat(places, count)
            done = end
        return tallied(owners, self.answers(points), len(boxes), self.classes)

    def drawn(self, lower: FloatArray, upper: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        """Points inside boxes, one row each, box after box."""
        points = np.asarray(self.within.draw(lower, upper, count, rng))
        if points.shape != (len(lower), count, lower.shape[1]):
            raise InvalidInput(
                "the distribution inside boxes must give points of shape (boxes, count, dimensions)",
                where=WHERE,
                found=f"{points.shape} for {(len(lower), count, lower.shape[1])} of {self.within!r}",
            )
        return points.reshape(-1, lower.shape[1])

    def answers(self, points: FloatArray) -> IntArray:
        """The model's answers, one known class a row."""
        answers = np.asarray(self.decide(points))
        if answers.shape != (len(points),) or answers.dtype.kind not in "biu":
            raise self._refused(f"an array of type {answers.dtype} and shape {answers.shape} for {len(points)} rows")
        if answers.size and not 0 <= answers.min() <= answers.max() < self.classes:
            raise self._refused(f"class {answers.min()} to {answers.max()}")
        return answers

    def _refused(self, found: str) -> InvalidInput:
        remedy = "Give a function from rows of inputs to class numbers."
        text = f"the model must answer one class number from 0 to {self.classes - 1} for each row"
        return InvalidInput(text, where=WHERE, found=found, remedy=remedy)


@dataclass(frozen=True, eq=False)
class Scout:
    """A first look into boxes: a few points inside, and the vertices.

    A boundary that cuts off less of a box than a few points can find still parts its vertices, wherever it is
    nearly flat. That is a hint where to look, and no part of any estimate.
    """

    counter: Counter
    points: int

    def __call__(self, boxes: slice, rng: np.random.Generator) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Counts of answers inside each box, and whether a vertex differs from the most frequent one."""
        lower, upper = self.counter.boxes.corners(boxes)
        inside = self.counter.drawn(lower, upper, self.points, rng)
        ends = vertices(lower, upper, rng).reshape(-1, lower.shape[1])
        answers = self.counter.answers(np.concatenate([inside, ends]))
        owners = np.repeat(np.arange(len(lower)), self.points)
        counts = tallied(owners, answers[: len(inside)], len(lower), self.counter.classes)
        at_ends = answers[len(inside) :].reshape(len(lower), -1)
        return counts, (at_ends != counts.argmax(axis=1)[:, None]).any(axis=1)


def vertices(lower: FloatArray, upper: FloatArray, rng: np.random.Generator) -> FloatArray:
    """The vertices of each box, or some drawn at random where there are more than a few."""
    dimensions = lower.shape[1]
    if 2**dimensions <= MOST_VERTICES:
        high = np.indices((2,) * dimensions).reshape(dimensions, -1).T[None]
    else:
        high = rng.integers(2, size=(len(lower), MOST_VERTICES, dimensions))
    return np.where(high, upper[:, None], lower[:, None])


def tallied(owners: IntArray, answers: IntArray, boxes: int, classes: int) -> NDArray[np.int32]:
    """How often each class is answered in each box."""
    counts = np.bincount(owners * classes + answers, minlength=boxes * classes)
    return counts.reshape(boxes, classes).astype(np.int32)


def count_answers(
    counter: Counter,
    boxes: IntArray,
    trials: IntArray,
    *,
    executor: Executor,
    seed: int,
    progress: Progress | None = None,
) -> NDArray[np.int32]:
    """Answers at ``trials`` points inside each of the boxes, by class."""
    counts = np.zeros((len(boxes), counter.classes), np.int32)
    portions = list(_portions(trials, rows_of(counter.boxes)))
    tasks = [(boxes[part], share) for part, share in portions]
    for (part, _), found in zip(portions, executor.map(counter, tasks, seed=seed, progress=progress), strict=True):
        counts[part] += found
    return counts


def rows_of(boxes: Boxes) -> int:
    """Rows of one call of the model."""
    return max(1, min(CALL_ROWS, CALL_VALUES // boxes.dimensions))


def _portions(trials: IntArray, rows: int) -> Iterator[tuple[slice, IntArray]]:
    """Which boxes, and how many points of each, make up each call; a box may take part in several."""
    ends = np.cumsum(trials)
    for start in range(0, int(trials.sum()), rows):
        first = int(np.searchsorted(ends, start, side="right"))
        last = int(np.searchsorted(ends, start + rows, side="left"))
        part = slice(first, min(last + 1, len(trials)))
        yield part, np.minimum(ends[part], start + rows) - np.maximum(ends[part] - trials[part], start)
