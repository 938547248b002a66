"""What is asked about balls around data points, and what every estimator of their risk answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.adapters import LoadedModel
from surefoot.core import Executor
from surefoot.core.registry import Registry
from surefoot.core.validate import FloatArray
from surefoot.corruptions.variation import Variation
from surefoot.reliability.cells.table import box_limits
from surefoot.reliability.local_risk import Progress

PROVED, COUNTED, SPLIT, BELOW, EXHAUSTED = 0, 1, 2, 3, 4
KINDS = ("proved", "counted", "split", "below the floor", "every value tried")


@dataclass(frozen=True, eq=False)
class Balls:
    """Balls of one radius in the maximum norm, cut to the range that inputs can have.

    Parameters
    ----------
    centres
        Rows of features.
    radius
        Of all balls.
    shape
        Of one input as the model takes it.
    low, high
        Range of a feature.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> balls = sf.reliability.Balls(np.array([[0.5, 0.99]]), 0.05, (2,))
    >>> balls.corners(slice(None))
    (array([[0.45, 0.94]]), array([[0.55, 1.  ]]))

    """

    centres: NDArray[np.floating]
    radius: float
    shape: tuple[int, ...]
    low: float = 0.0
    high: float = 1.0

    def __len__(self) -> int:
        return len(self.centres)

    @property
    def dimensions(self) -> int:
        """Number of features."""
        return int(self.centres.shape[1])

    def corners(self, chosen: NDArray[np.int64] | slice) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corners of the chosen balls, one row each."""
        middle = self.centres[chosen].astype(float)
        return np.maximum(middle - self.radius, self.low), np.minimum(middle + self.radius, self.high)

    def as_inputs(self, rows: NDArray[np.floating]) -> NDArray[np.floating]:
        """Rows of features in the shape that the model takes."""
        return rows.reshape(-1, *self.shape)

    @property
    def width(self) -> int:
        """Number of values in an input."""
        return int(self.centres.shape[1])

    def inputs_at(self, ball: int, points: NDArray[np.floating]) -> NDArray[np.floating]:
        """The inputs that points (m, dimensions) of a ball stand for."""
        return self.as_inputs(points)


@dataclass(frozen=True, eq=False)
class VariedBalls(Balls):
    """What a family of natural changes makes of each centre, in place of a box around it.

    A point is a place of the unit cube, one side a parameter of the variation; the radius says nothing.

    Parameters
    ----------
    variation
        The family, with the distribution of its parameters, which are uniform in the cube.

    See Also
    --------
    assess_balls

    """

    variation: Variation = field(kw_only=True)

    @property
    def dimensions(self) -> int:
        """Number of parameters that vary."""
        return self.variation.dimensions

    def corners(self, chosen: NDArray[np.int64] | slice) -> tuple[FloatArray, FloatArray]:
        """Of the unit cube, one row for each chosen ball."""
        shape = len(self.centres[chosen]), self.dimensions
        return np.zeros(shape), np.ones(shape)

    @property
    def unvaried(self) -> Balls:
        """The centres alone."""
        return Balls(self.centres, self.radius, self.shape, self.low, self.high)

    def inputs_at(self, ball: int, points: NDArray[np.floating]) -> NDArray[np.floating]:
        """The centre, varied by the values at each point."""
        inputs = self.as_inputs(np.repeat(self.centres[ball][None], len(points), axis=0))
        return self.variation.varied(inputs, np.asarray(points, float), low=self.low, high=self.high)


@dataclass(frozen=True, eq=False)
class BallProblem:
    """A model, the balls to look into, and what counts as a failure there: what a ``BallEstimator`` is asked.

    Parameters
    ----------
    model
        As ``adapters.as_model`` gives it.
    balls
        Centres and radius.
    labels
        True class of each centre, which is that of its whole ball.
    undesired
        ``undesired[truth, answer]`` says whether that answer is a failure; never on the diagonal.
    columns
        Which column of the model's scores each class has; empty where they come in order.
    decide
        From inputs to the numbers of classes, for models that answer with labels.
    numbers
        What each ball is called where random numbers are dealt; by default its place.

    See Also
    --------
    MultilevelSplitting, failing_neighbours

    """

    model: LoadedModel
    balls: Balls
    labels: NDArray[np.int64]
    """True class of each centre, which is that of its whole ball."""
    undesired: NDArray[np.bool_]
    """``undesired[truth, answer]``: whether that answer is a failure; never on the diagonal."""
    columns: tuple[int, ...] = ()
    """Which column of the model's scores each class has; empty where they come in order."""
    decide: Callable[[NDArray[np.floating]], NDArray[np.int64]] | None = None
    """Class numbers of inputs, for models that answer with labels."""
    numbers: NDArray[np.int64] | None = None
    """What each ball is called where random numbers are dealt; by default its place."""

    def part(self, chosen: NDArray[np.int64]) -> BallPart:
        """Some of the balls, under the names they have."""
        names = chosen if self.numbers is None else self.numbers[chosen]
        return BallPart(self.balls.centres[chosen], self.labels[chosen], names)

    def of(self, part: BallPart) -> BallProblem:
        """The same question about other balls."""
        balls = replace(self.balls, centres=part.centres)
        return replace(self, balls=balls, labels=part.labels, numbers=part.names)

    def shell(self) -> BallProblem:
        """Without its balls: what is sent to other processes beside parts."""
        return self.of(self.part(np.empty(0, np.int64)))


@dataclass(frozen=True, eq=False)
class BallPart:
    """Some balls: what is sent to another process."""

    centres: NDArray[np.floating]
    labels: NDArray[np.int64]
    names: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False)
class BallRisks:
    """Probability of a failure inside each ball, with how well it is known; a row each.

    Parameters
    ----------
    log_risk
        Natural logarithm of the probability.
    log_sd
        Its standard deviation, where the ball was split.
    how
        ``PROVED``: the risk is 0 or 1. ``COUNTED``: by uniform points. ``SPLIT``: by multilevel splitting. ``BELOW``:
        splitting stopped at its floor, and ``log_risk`` is the level it had reached, which the risk is below.
        ``EXHAUSTED``: every value that a variation can take was tried, and the risk is their share that fails.
    failures, trials
        Uniform points that failed, and their number.
    calls
        Forward passes; a gradient counts as two more.

    See Also
    --------
    MultilevelSplitting

    """

    log_risk: FloatArray
    log_sd: FloatArray
    how: NDArray[np.uint8]
    failures: NDArray[np.int64]
    trials: NDArray[np.int64]
    calls: NDArray[np.int64]
    """Forward passes; a gradient counts as two more."""
    PROVED: ClassVar[int] = PROVED
    COUNTED: ClassVar[int] = COUNTED
    SPLIT: ClassVar[int] = SPLIT
    BELOW: ClassVar[int] = BELOW
    EXHAUSTED: ClassVar[int] = EXHAUSTED

    def __len__(self) -> int:
        return len(self.log_risk)

    @property
    def risk(self) -> FloatArray:
        """Failure probabilities; what is below the floor counts as if it were there."""
        return np.exp(self.log_risk)

    @property
    def variance(self) -> FloatArray:
        """Variance of each risk; of counts, at the mean of the Jeffreys posterior, so that no failure is not none."""
        rate = (self.failures + 0.5) / (self.trials + 1.0)
        counted = rate * (1 - rate) / np.maximum(self.trials, 1)
        split = self.risk**2 * np.expm1(self.log_sd**2)
        return np.where(self.how == COUNTED, counted, np.where(self.how == SPLIT, split, 0.0))

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Two-sided limits: exact for counts (Clopper and Pearson 1934), lognormal for splitting."""
        side = (1 + level) / 2
        least, most = box_limits(self.failures, self.trials, level=side)
        # The estimate is unbiased, not its logarithm, which lies lower by half its variance.
        middle, reach = self.log_risk + self.log_sd**2 / 2, special.ndtri(side) * self.log_sd
        counted = self.how == COUNTED
        lower = np.where(counted, least, np.where(self.how == BELOW, 0.0, np.exp(middle - reach)))
        upper = np.where(counted, most, np.minimum(np.exp(middle + reach), 1.0))
        known = (self.how == PROVED) | (self.how == EXHAUSTED)
        return np.where(known, self.risk, lower), np.where(known, self.risk, upper)

    def take(self, chosen: NDArray[np.int64]) -> BallRisks:
        """The chosen rows."""
        return BallRisks(*(getattr(self, field.name)[chosen] for field in fields(self)))

    @staticmethod
    def empty(count: int) -> BallRisks:
        """Rows to be filled in, proved safe until then."""
        reals, wholes = np.full(count, -np.inf), np.zeros(count, np.int64)
        how = np.full(count, PROVED, np.uint8)
        return BallRisks(reals, np.zeros(count), how, wholes, wholes.copy(), wholes.copy())

    def put(self, rows: NDArray[Any], found: BallRisks) -> None:
        """Fill in some rows."""
        for column in fields(self):
            getattr(self, column.name)[rows] = getattr(found, column.name)

    @staticmethod
    def joined(parts: list[BallRisks]) -> BallRisks:
        """All rows of several, in their order."""
        names = [field.name for field in fields(BallRisks)]
        return BallRisks(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@runtime_checkable
class BallEstimator(Protocol):
    """Estimates the risk inside chosen balls; ``repr`` shows its parameters.

    What it finds in a ball depends on the problem, the seed and the ball's number alone: not on the other chosen
    ones, the executor or the order. Progress tells how many of the chosen balls are done.

    See Also
    --------
    MultilevelSplitting, as_ball_estimator

    """

    def risks(
        self,
        problem: BallProblem,
        chosen: NDArray[np.int64],
        *,
        executor: Executor,
        seed: int,
        progress: Progress | None = None,
    ) -> BallRisks:
        """Risk in the chosen balls, a row each."""
        ...


ball_estimator: Registry[Callable[..., BallEstimator]] = Registry(
    "ball estimator", "surefoot.reliability.rare_events", first=("splitting", "estimators")
)
"""Registers a ``BallEstimator`` by the name that project files call it."""
