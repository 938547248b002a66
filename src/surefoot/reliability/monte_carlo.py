"""Risk inside boxes by sampling, for any model, with most points where they are worth most."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor, InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.reliability.local_risk import (
    SAMPLED,
    VOTE,
    Boxes,
    LocalProblem,
    LocalRisk,
    Progress,
    Within,
    cell_estimator,
)

WHERE = "MonteCarlo"
GROWTH = 4
"""An unclear vote is repeated with so many times the points."""
LOOKING = 0.4
"""Share of the work that progress ascribes to the first look."""
IntArray = NDArray[np.int64]
Portion = tuple[IntArray, IntArray]
"""Numbers of boxes, and how many points each gets."""


@cell_estimator("monte_carlo")
@dataclass(frozen=True)
class MonteCarlo:
    """Draws points inside cells or balls and counts the answers there; for any model.

    Parameters
    ----------
    samples
        Points in each cell or ball; for ``"sequential"`` the number whose precision is to be reached.
    allocation
        ``"equal"`` draws as many points in each cell, and where the label is unknown their most frequent answer is
        taken for it, as RAM does. ``"sequential"`` reaches the standard error of the weighted risk that this would
        give, with less work: a first look settles the votes (more points where they are close) and says how many
        points each cell deserves. These are drawn afresh, and only they enter the estimate.
    pilot
        Points of that first look in each cell.
    resolution
        Share of the sum of all weights below which precision is not sought.

    References
    ----------
    RAM section 4.2, step 3; Neyman (1934), Journal of the Royal Statistical Society 97(4).

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> inputs = np.random.default_rng(0).random((200, 1))
    >>> def model(inputs):
    ...     return (inputs[:, 0] > 0.52).astype(int)
    >>> found = sf.reliability.assess_cells(
    ...     model, inputs, (inputs[:, 0] > 0.5).astype(int), side=0.05, domain=(0, 1), profile=sf.profile.KDE(0.1),
    ...     estimator=sf.reliability.MonteCarlo(1000))
    >>> round(found.by_cells.value, 2)
    0.02

    """

    samples: int = 10_000
    allocation: Literal["sequential", "equal"] = "sequential"
    pilot: int = 32
    resolution: float = 1e-6

    def __post_init__(self) -> None:
        validate.count(self.samples, where=WHERE, name="samples", at_least=2)
        validate.count(self.pilot, where=WHERE, name="pilot", at_least=2)
        validate.choice(self.allocation, ("sequential", "equal"), where=WHERE, name="allocation")
        validate.fraction(self.resolution, where=WHERE, name="resolution")

    def estimate(
        self, problem: LocalProblem, *, executor: Executor, seed: int, progress: Progress | None = None
    ) -> LocalRisk:
        """Shares of answers in all boxes of the problem; see ``LocalEstimator``."""
        run = _Run(self, problem, executor, validate.seed(seed, where=WHERE), progress)
        return run.equal() if self.allocation == "equal" else run.sequential()


@dataclass(frozen=True, eq=False)
class _Run:
    """One estimation; each of its stages has its own seed."""

    method: MonteCarlo
    problem: LocalProblem
    executor: Executor
    seed: int
    progress: Progress | None

    def equal(self) -> LocalRisk:
        """The same number of points everywhere."""
        everywhere = np.full(len(self.problem.boxes), self.method.samples)
        counts = self._count(np.arange(len(everywhere)), everywhere, stage=0, progress=self._told(0.0))
        return _risk(counts, LocalRisk.voted(self.problem.labels, counts), everywhere)

    def sequential(self) -> LocalRisk:
        """A first look, then the points that it calls for."""
        problem, method = self.problem, self.method
        counts, suspect = self._first_look()
        self._settle_votes(counts)
        labels = LocalRisk.voted(problem.labels, counts)
        failures = np.einsum("ij,ij->i", counts, problem.undesired[labels], dtype=np.int64)
        looked = FirstLook(failures, counts.sum(axis=1, dtype=np.int64), suspect)
        del counts
        trials = allocated(looked, problem.weights, samples=method.samples, resolution=method.resolution)
        found = self._count(np.arange(len(trials)), trials, stage=1, progress=self._told(LOOKING))
        return _risk(found, labels, trials)

    def _first_look(self) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Counts of answers by class in each box, and whether a vertex answers differently."""
        pilot = min(self.method.pilot, self.method.samples)
        scout = Scout(Counter.of(self.problem), pilot)
        parts = list(self.problem.slices(max(1, rows_of(self.problem.boxes) // (pilot + MOST_VERTICES))))
        told = self._told(0.0, LOOKING)
        found = self.executor.map(scout, parts, seed=self._stage_seed(2), progress=told)
        counts = np.concatenate([np.empty((0, self.problem.classes), np.int32), *(part[0] for part in found)])
        return counts, np.concatenate([np.empty(0, bool), *(part[1] for part in found)])

    def _settle_votes(self, counts: NDArray[np.int32]) -> None:
        """More points, added to the counts, where the first answers are too close to tell which leads."""
        open_votes = np.flatnonzero((self.problem.labels == VOTE) & unclear(counts))
        stage = 3
        while open_votes.size:
            before = int(counts[open_votes[0]].sum())
            after = min(GROWTH * before, self.method.samples)
            if after <= before:
                return
            more = np.full(len(open_votes), after - before)
            counts[open_votes] += self._count(open_votes, more, stage=stage)
            open_votes = open_votes[unclear(counts[open_votes])]
            stage += 1

    def _count(
        self, boxes: NDArray[np.int64], trials: NDArray[np.int64], *, stage: int, progress: Progress | None = None
    ) -> NDArray[np.int32]:
        seed = self._stage_seed(stage)
        counter = Counter.of(self.problem)
        return count_answers(counter, boxes, trials, executor=self.executor, seed=seed, progress=progress)

    def _stage_seed(self, stage: int) -> int:
        return int(np.random.SeedSequence([self.seed, stage]).generate_state(1, np.uint64)[0])

    def _told(self, start: float, end: float = 1.0) -> Progress | None:
        """Progress of one stage, which is the part from start to end of the whole."""
        if self.progress is None:
            return None
        return partial(_tell, self.progress, len(self.problem.boxes), start, end)


def _tell(progress: Progress, boxes: int, start: float, end: float, done: int, total: int) -> None:
    progress(round(boxes * (start + (end - start) * done / total)), boxes)


def _risk(counts: NDArray[np.int32], labels: NDArray[np.int64], trials: NDArray[np.int64]) -> LocalRisk:
    how = np.full(len(trials), SAMPLED, np.uint8)
    return LocalRisk(counts / trials[:, None], labels, trials, how)


# How many points each box deserves, judged by a few that were drawn before.
#
# What is decided here depends on earlier points only, never on those that enter the estimate. Given the earlier ones,
# the estimate is a stratified sample of fixed sizes: unbiased, and covered by the bounds of ``sampling_bound``.

FEWEST = 8
"""Points of a box that seems settled and weighs nothing."""
MARGIN = 0.75
"""The variance is aimed this much lower, because it is only guessed."""
MOST = 4
"""A box gets at most so many times the points of an equal allocation."""
STEP = 1.1
"""Numbers of points are rounded up to powers of this, so that many boxes share one."""
CLEAR = 3.0
"""A vote is clear when the lead is this many standard deviations of a tie."""


@dataclass(frozen=True, eq=False)
class FirstLook:
    """What a first look found: failures among points of each box, and whether its vertices looked different."""

    failures: NDArray[np.int64]
    points: NDArray[np.int64]
    suspect: NDArray[np.bool_]

    @property
    def rarer(self) -> NDArray[np.int64]:
        """Points of the rarer outcome, failure or not."""
        return np.minimum(self.failures, self.points - self.failures)

    @property
    def variance(self) -> FloatArray:
        """Unbiased estimate of p (1 - p) in each box."""
        return self.failures * (self.points - self.failures) / (self.points * (self.points - 1.0))


def allocated(looked: FirstLook, weights: FloatArray, *, samples: int, resolution: float) -> NDArray[np.int64]:
    """Points of each box for the standard error of the weighted risk that ``samples`` in every box would reach.

    Neyman (1934): numbers in proportion to weight times standard deviation need the fewest points. No standard error
    below ``resolution`` is aimed at, a share of the sum of weights, and no box gets so few points that one failure
    there would move the result by more than half the standard error, or the resolution, unless ``samples`` would.
    """
    smallest = resolution * float(weights.sum())
    error = max(math.sqrt(float(weights**2 @ looked.variance) / samples), smallest)
    if error == 0:
        return np.full(len(weights), FEWEST)
    spread = weights * np.sqrt(guessed_variance(looked, weights))
    wanted = spread * (spread.sum() / (MARGIN * error**2))
    least = np.maximum(weights / max(error / 2, smallest), FEWEST)
    return _rounded_up(np.maximum(np.minimum(wanted, MOST * samples), np.minimum(least, samples)))


def guessed_variance(looked: FirstLook, weights: FloatArray) -> FloatArray:
    """A guess of p (1 - p) for each box.

    Where both outcomes were seen it is the mean under Jeffreys' posterior. Where one was seen, it is the mean over all
    such boxes by the argument of Good (1953): the sum of p over boxes without a failure among m points is about
    the number of boxes with exactly one, over m + 1. Boxes whose vertices differ are guessed apart.
    """
    a, b = looked.failures + 0.5, looked.points - looked.failures + 0.5
    guess = a * b / ((a + b) * (a + b + 1))
    rarer, squares = looked.rarer, weights**2
    for group in (looked.suspect, ~looked.suspect):
        never, once = group & (rarer == 0), group & (rarer == 1)
        total = float(squares[never].sum())
        seen = float((squares[once] / (looked.points[once] + 1)).sum())
        guess[never] = min(seen / total, 0.25) if total > 0 else 0.0
    return np.asarray(guess)


def unclear(counts: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether the most frequent answer of each row may well be another one, by the counts of the first two."""
    if counts.shape[1] < 2:
        return np.zeros(len(counts), bool)
    mixed = np.flatnonzero(np.count_nonzero(counts, axis=1) > 1)
    second, first = np.partition(counts[mixed], -2, axis=1)[:, -2:].T.astype(float)
    result = np.zeros(len(counts), bool)
    result[mixed] = first - second < CLEAR * np.sqrt(first + second)
    return result


def _rounded_up(numbers: FloatArray) -> NDArray[np.int64]:
    powers = np.ceil(np.log(numbers) / math.log(STEP))
    return np.ceil(STEP**powers).astype(np.int64)


# Points drawn inside boxes and the model's answers there, counted in batches of bounded memory.

CALL_ROWS = 1 << 18
CALL_VALUES = 1 << 23
"""What one call of the model is given at most: rows, and numbers in all rows."""
MOST_VERTICES = 8


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
