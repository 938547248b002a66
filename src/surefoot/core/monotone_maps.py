"""What is known about a number after a map that never falls: mapped distributions and mapped bounds.

A quantile, or a limit, of what rises with a number is the image of that number's quantile or limit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.bound import Bound, BoundFamily, Kind, Side
from surefoot.core.canonical import Tagged
from surefoot.core.counts import ByQuantiles, CountedRate
from surefoot.core.distributions import Distribution, Empirical, Gamma, LogNormal, Mixture, Point
from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray

# Maps of a number that never fall, as data: ``Scaled``, ``Shifted``, ``AtLeastOnce``, ``Within``, ``RateOf``.
#
# They turn a probability or rate into the same risk per another exposure, or into another unit.


class Step(Tagged, ABC):
    """A map that never falls; numbers outside what it is defined for count as the nearest one inside."""

    @abstractmethod
    def forward(self, x: ArrayLike) -> FloatArray:
        """The image of ``x``."""

    @abstractmethod
    def backward(self, y: ArrayLike) -> FloatArray:
        """The largest number whose image is at most ``y``; infinite with a sign where all or none are."""


@dataclass(frozen=True)
class Scaled(Step, tag="scaled"):
    """``factor`` times the number, at most ``ceiling``."""

    factor: float
    ceiling: float = np.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", validate.positive(self.factor, where="Scaled", name="factor"))
        ceiling = validate.numbers(self.ceiling, where="Scaled", name="ceiling", finite=False)
        object.__setattr__(self, "ceiling", float(ceiling))

    def forward(self, x: ArrayLike) -> FloatArray:
        return np.minimum(np.asarray(x, dtype=float) * self.factor, self.ceiling)

    def backward(self, y: ArrayLike) -> FloatArray:
        y = np.asarray(y, dtype=float)
        return np.where(y >= self.ceiling, np.inf, y / self.factor)


@dataclass(frozen=True)
class Shifted(Step, tag="shifted"):
    """The number plus ``offset``."""

    offset: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "offset", validate.number(self.offset, where="Shifted", name="offset"))

    def forward(self, x: ArrayLike) -> FloatArray:
        return np.asarray(np.asarray(x, dtype=float) + self.offset)

    def backward(self, y: ArrayLike) -> FloatArray:
        return np.asarray(np.asarray(y, dtype=float) - self.offset)


@dataclass(frozen=True)
class AtLeastOnce(Step, tag="at-least-once"):
    """From the probability of an event in one trial to that of one or more in ``trials`` independent ones.

    It is ``1 - (1 - p)**trials``; with ``1 / trials`` it leads back.
    """

    trials: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "trials", validate.positive(self.trials, where="AtLeastOnce", name="trials"))

    def forward(self, x: ArrayLike) -> FloatArray:
        return _complement(np.asarray(x, dtype=float), self.trials)

    def backward(self, y: ArrayLike) -> FloatArray:
        return _within(y, _complement(np.asarray(y, dtype=float), 1 / self.trials), most=1.0)


@dataclass(frozen=True)
class Within(Step, tag="within"):
    """From a constant rate to the probability of one or more events within a time: ``1 - exp(-rate * time)``."""

    time: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", validate.positive(self.time, where="Within", name="time"))

    def forward(self, x: ArrayLike) -> FloatArray:
        return -np.expm1(-np.maximum(np.asarray(x, dtype=float), 0.0) * self.time)

    def backward(self, y: ArrayLike) -> FloatArray:
        return _within(y, _log_survival(y) / self.time, most=1.0)


@dataclass(frozen=True)
class RateOf(Step, tag="rate-of"):
    """From the probability of one or more events within a time to the constant rate: ``-log(1 - p) / time``."""

    time: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", validate.positive(self.time, where="RateOf", name="time"))

    def forward(self, x: ArrayLike) -> FloatArray:
        return _log_survival(x) / self.time

    def backward(self, y: ArrayLike) -> FloatArray:
        y = np.asarray(y, dtype=float)
        return _within(y, -np.expm1(-np.maximum(y, 0.0) * self.time), most=np.inf)


def forth(x: ArrayLike, steps: Iterable[Step]) -> FloatArray:
    """The image of ``x`` after all steps."""
    result = np.asarray(x, dtype=float)
    for step in steps:
        result = step.forward(result)
    return result


def back(y: ArrayLike, steps: Iterable[Step]) -> FloatArray:
    """The largest number whose image after all steps is at most ``y``."""
    result = np.asarray(y, dtype=float)
    for step in reversed(tuple(steps)):
        result = step.backward(result)
    return result


def _complement(x: FloatArray, power: float) -> FloatArray:
    return -np.expm1(-power * _log_survival(x))


def _log_survival(p: ArrayLike) -> FloatArray:
    with np.errstate(divide="ignore"):
        return -np.log1p(-np.clip(np.asarray(p, dtype=float), 0.0, 1.0))


def _within(y: ArrayLike, inside: FloatArray, *, most: float) -> FloatArray:
    """``inside``, but infinite where ``y`` is below or beyond every image."""
    y = np.asarray(y, dtype=float)
    return np.where(y < 0, -np.inf, np.where(y >= most, np.inf, inside))


@dataclass(frozen=True)
class Mapped(ByQuantiles, tag="mapped"):
    """The distribution of what steps, taken one after the other, make of a number.

    Quantiles and levels are exact; mean and variance are found by integration, to about six digits.
    """

    base: Distribution
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", _checked_steps(self.steps, "Mapped"))
        if not isinstance(self.base, Distribution):
            raise InvalidInput("needs a distribution", where="Mapped", found=repr(self.base))

    def cdf(self, x: ArrayLike) -> FloatArray:
        return self.base.cdf(back(x, self.steps))

    def ppf(self, q: ArrayLike) -> FloatArray:
        return forth(self.base.ppf(q), self.steps)

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        return forth(self.base.sample(rng, size), self.steps)


@dataclass(frozen=True)
class MappedBound(BoundFamily, tag="mapped-bound"):
    """The limits of a family, taken through steps; they hold at the levels at which the family's do."""

    family: BoundFamily
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", _checked_steps(self.steps, "MappedBound"))
        if not isinstance(self.family, BoundFamily):
            raise InvalidInput("needs a family of bounds", where="MappedBound", found=repr(self.family))

    @property
    def side(self) -> Side:  # type: ignore[override]
        return self.family.side

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        return self.family.kind

    def limit_at(self, level: float) -> float:
        return float(forth(self.family.limit_at(level), self.steps))


def distribution_after(dist: Distribution, steps: Iterable[Step]) -> Distribution:
    """The distribution after the steps, in its own family where it has one that fits."""
    result = dist
    for step in steps:
        result = _one_step(result, step)
    return result


def bound_after(family: BoundFamily, steps: Iterable[Step]) -> BoundFamily:
    """The bound after the steps; a single limit stays a single limit."""
    taken = tuple(steps)
    if isinstance(family, Bound):
        return replace(family, limit=float(forth(family.limit, taken)))
    return MappedBound(family, taken) if taken else family


def _one_step(dist: Distribution, step: Step) -> Distribution:
    match dist:
        case Point(value):
            return Point(float(step.forward(value)))
        case Empirical(draws, stream):
            return Empirical(tuple(step.forward(draws).tolist()), stream)
        case Mixture(parts, weights):
            return Mixture(tuple(_one_step(part, step) for part in parts), weights)
        case Mapped(base, steps):
            return Mapped(base, (*steps, step))
    if isinstance(step, Scaled) and step.ceiling == np.inf:
        return _rescaled(dist, step)
    return Mapped(dist, (step,))


def _rescaled(dist: Distribution, step: Scaled) -> Distribution:
    match dist:
        case Gamma(shape, scale):
            return Gamma(shape, scale * step.factor)
        case LogNormal(mu, sigma):
            return LogNormal(mu + float(np.log(step.factor)), sigma)
        case CountedRate(events, exposure):
            return CountedRate(events, exposure / step.factor)
    return Mapped(dist, (step,))


def _checked_steps(steps: Iterable[Step], where: str) -> tuple[Step, ...]:
    taken = tuple(steps) if isinstance(steps, Iterable) else ()
    if not taken or not all(isinstance(step, Step) for step in taken):
        raise InvalidInput("needs one step or more", where=where, found=repr(steps))
    return taken
