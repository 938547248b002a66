"""What is asked about balls around data points, and what every estimator of their risk answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

    @property
    def foreseen(self) -> float:
        """How many failures the risks make one expect among the uniform points of all balls."""
        return float((self.trials * self.risk).sum())

    @staticmethod
    def joined(parts: list[BallRisks]) -> BallRisks:
        """All rows of several, in their order."""
        if parts and isinstance(parts[0], StratifiedRisks):
            return parts[0].followed_by(parts[1:])
        names = [field.name for field in fields(BallRisks)]
        return BallRisks(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True, eq=False)
class StratifiedRisks(BallRisks):
    """Risks of balls that were looked into at each discrete value of a variation: their sum by the values' chances.

    Counts of all values are pooled. Stratum j was sampled n_j >= t w_j times, with w_j its chance, so that the mean
    number of failures is at least t times the risk and at most that and N - t W more, with N the sum of the n_j and W
    that of the w_j. The number is less spread than a binomial one of the same mean (Hoeffding 1956, Theorem 4, for
    counts that are one or more away from it), so that limits of Clopper and Pearson hold for the mean. Values at which
    nothing varies any more add what they are known to add. Where some values were counted and others split, both share
    the chance of a miss equally.
    """

    chances: FloatArray
    strata: tuple[BallRisks, ...]

    @classmethod
    def of(cls, chances: FloatArray, strata: Sequence[BallRisks]) -> StratifiedRisks:
        """What was found at each value, one row a ball in each."""
        how = np.array([each.how for each in strata])
        split, below, counted = ((how == kind).any(axis=0) for kind in (SPLIT, BELOW, COUNTED))
        kinds = np.where(split, SPLIT, np.where(below, BELOW, np.where(counted, COUNTED, EXHAUSTED))).astype(np.uint8)
        risk = chances @ np.array([each.risk for each in strata])
        # Where all fail at every value, rounding of the chances says nothing else.
        risk = np.where(np.all([each.log_risk == 0 for each in strata], axis=0), 1.0, np.minimum(risk, 1.0))
        spread = chances**2 @ np.array([np.where(each.how == SPLIT, each.variance, 0.0) for each in strata])
        failures, trials, calls = (
            np.sum([getattr(each, name) for each in strata], axis=0) for name in ("failures", "trials", "calls")
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            log_sd = np.sqrt(np.log1p(np.where(spread > 0, spread / risk**2, 0.0)))
            return cls(np.log(risk), log_sd, kinds, failures, trials, calls, chances, tuple(strata))

    @property
    def foreseen(self) -> float:
        return sum(each.foreseen for each in self.strata)

    @property
    def variance(self) -> FloatArray:
        pooled = self._pooled
        rate = (pooled.failures + 0.5) / (pooled.trials + 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            # The largest that the failures at single values leave possible, which is where all fail alike.
            counted = np.where(pooled.trials > 0, pooled.chance / pooled.sampled * rate * (1 - rate), 0.0)
        return counted + self.risk**2 * np.expm1(self.log_sd**2)

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Two-sided limits: exact for counts, lognormal for splitting, each at half the miss where there are both."""
        pooled, (split_value, split_most) = self._pooled, self._split
        groups = (pooled.trials > 0).astype(float) + (split_most > 0)
        low, high = np.array(self._known), np.array(self._known)
        for count in (1.0, 2.0):
            side = 1 - (1 - level) / 2 / count
            rows = groups == count
            counted, split = pooled.limits(side), self._split_limits(split_value, split_most, side)
            low += np.where(rows, counted[0] + split[0], 0.0)
            high += np.where(rows, counted[1] + split[1], 0.0)
        return np.minimum(low, self.risk), np.clip(high, self.risk, 1.0)

    def take(self, chosen: NDArray[np.int64]) -> StratifiedRisks:
        return StratifiedRisks.of(self.chances, [each.take(chosen) for each in self.strata])

    def followed_by(self, others: Sequence[BallRisks]) -> StratifiedRisks:
        """The rows of these, and then those of others with the same values."""
        every = [self, *(other for other in others if isinstance(other, StratifiedRisks))]
        strata = zip(*(each.strata for each in every), strict=True)
        return StratifiedRisks.of(self.chances, [BallRisks.joined(list(parts)) for parts in strata])

    def _each(self, how: int) -> NDArray[np.bool_]:
        return np.array([each.how == how for each in self.strata])

    @property
    def _known(self) -> FloatArray:
        """What values add at which the risk is known."""
        known = self._each(PROVED) | self._each(EXHAUSTED)
        return np.asarray(self.chances @ np.where(known, [each.risk for each in self.strata], 0.0))

    @property
    def _pooled(self) -> PooledCounts:
        return PooledCounts.of(self.chances, self.strata, self._each(COUNTED))

    @property
    def _split(self) -> tuple[FloatArray, FloatArray]:
        """What split values add, and the most that values at the floor add beside it."""
        risk = np.array([each.risk for each in self.strata])
        split, below = (self.chances @ np.where(self._each(how), risk, 0.0) for how in (SPLIT, BELOW))
        return split, split + below

    def _split_limits(self, value: FloatArray, most: FloatArray, side: float) -> tuple[FloatArray, FloatArray]:
        spread = self.chances**2 @ np.array([np.where(each.how == SPLIT, each.variance, 0.0) for each in self.strata])
        with np.errstate(divide="ignore", invalid="ignore"):
            log_sd = np.sqrt(np.log1p(np.where(spread > 0, spread / value**2, 0.0)))
            middle, reach = np.log(value) + log_sd**2 / 2, special.ndtri(side) * log_sd
        return np.exp(middle - reach), np.exp(middle + reach) + most - value


@dataclass(frozen=True, eq=False)
class PooledCounts:
    """Failures at several values of a variation, and what they say of the sum by the values' chances; a row a ball."""

    failures: NDArray[np.int64]
    trials: NDArray[np.int64]
    chance: FloatArray
    """Of the values that were counted."""
    sampled: FloatArray
    """The most t with t times its chance trials or fewer at each value."""

    @classmethod
    def of(cls, chances: FloatArray, strata: Sequence[BallRisks], counted: NDArray[np.bool_]) -> PooledCounts:
        """Of the values (rows) that were counted in each ball (columns)."""
        failures, trials = (
            np.where(counted, [getattr(each, name) for each in strata], 0) for name in ("failures", "trials")
        )
        sampled = np.where(counted, trials / chances[:, None], np.inf).min(axis=0)
        chance = chances @ counted
        # All of them, of which rounding says nothing else.
        return cls(failures.sum(axis=0), trials.sum(axis=0), np.where(counted.all(axis=0), 1.0, chance), sampled)

    def limits(self, side: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limits of the sum; 0 where nothing was counted."""
        most, n = self.failures, np.maximum(self.trials, 1)
        low, high = box_limits(most, n, level=side)
        low, high = np.minimum(low, np.maximum(most - 1, 0) / n), np.maximum(high, np.minimum(most + 1, n) / n)
        with np.errstate(invalid="ignore"):
            lower = np.maximum(n * low - (n - self.sampled * self.chance), 0.0) / self.sampled
            upper = np.minimum(n * high / self.sampled, self.chance)
        there = self.trials > 0
        return np.where(there, lower, 0.0), np.where(there, upper, 0.0)


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
