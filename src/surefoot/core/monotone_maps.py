"""Maps of a number that never fall, as data, and what is known about the number after them.

They turn a probability or rate into the same risk per another exposure, or into another unit. A quantile, or a limit,
of what rises with a number is the image of that number's quantile or limit.
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
from surefoot.core.counts import CountedRate
from surefoot.core.distributions import ByQuantiles, Distribution, Empirical, Gamma, LogNormal, Mixture, Point
from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray


class MonotoneMap(Tagged, ABC):
    """A map that never falls; numbers outside what it is defined for count as the nearest one inside.

    See Also
    --------
    Scaled, Shifted, AtLeastOnce, EventWithin, RateOf

    """

    @abstractmethod
    def forward(self, x: ArrayLike) -> FloatArray:
        """The image of ``x``."""

    @abstractmethod
    def backward(self, y: ArrayLike) -> FloatArray:
        """The largest number whose image is at most ``y``; infinite with a sign where all or none are."""


@dataclass(frozen=True)
class Scaled(MonotoneMap, tag="scaled"):
    """A factor times the number, up to a ceiling.

    Parameters
    ----------
    factor
        Above 0.
    ceiling
        What the product is cut to, such as 1 for a probability.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.Scaled(10.0, ceiling=1.0).forward([0.02, 0.5]).tolist()
    [0.2, 1.0]

    """

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
class Shifted(MonotoneMap, tag="shifted"):
    """The number plus an offset.

    Parameters
    ----------
    offset
        What is added.

    Examples
    --------
    >>> import surefoot as sf
    >>> float(sf.core.Shifted(0.5).forward(1.0))
    1.5

    """

    offset: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "offset", validate.number(self.offset, where="Shifted", name="offset"))

    def forward(self, x: ArrayLike) -> FloatArray:
        return np.asarray(np.asarray(x, dtype=float) + self.offset)

    def backward(self, y: ArrayLike) -> FloatArray:
        return np.asarray(np.asarray(y, dtype=float) - self.offset)


@dataclass(frozen=True)
class SquareRoot(MonotoneMap, tag="square-root"):
    """The square root of the number, such as from a mean squared error to its root; below 0 it is 0.

    Examples
    --------
    >>> import surefoot as sf
    >>> float(sf.core.SquareRoot().forward(0.25))
    0.5

    """

    def forward(self, x: ArrayLike) -> FloatArray:
        return np.sqrt(np.maximum(np.asarray(x, dtype=float), 0.0))

    def backward(self, y: ArrayLike) -> FloatArray:
        y = np.asarray(y, dtype=float)
        return np.where(y < 0, -np.inf, y * np.abs(y))


@dataclass(frozen=True)
class AtLeastOnce(MonotoneMap, tag="at-least-once"):
    """From the probability of an event in one trial to that of one or more in several independent ones.

    It is ``1 - (1 - p)**trials``; with ``1 / trials`` it leads back.

    Parameters
    ----------
    trials
        How many, which need not be a whole number.

    Examples
    --------
    >>> import surefoot as sf
    >>> round(float(sf.core.AtLeastOnce(100).forward(0.001)), 6)
    0.095208

    """

    trials: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "trials", validate.positive(self.trials, where="AtLeastOnce", name="trials"))

    def forward(self, x: ArrayLike) -> FloatArray:
        return _complement(np.asarray(x, dtype=float), self.trials)

    def backward(self, y: ArrayLike) -> FloatArray:
        return _within(y, _complement(np.asarray(y, dtype=float), 1 / self.trials), most=1.0)


@dataclass(frozen=True)
class EventWithin(MonotoneMap, tag="within"):
    """From a constant rate to the probability of one or more events within a time: ``1 - exp(-rate * time)``.

    Parameters
    ----------
    time
        In the unit of the rate's exposure.

    Examples
    --------
    >>> import surefoot as sf
    >>> round(float(sf.core.EventWithin(8760.0).forward(1e-5)), 4)
    0.0839

    """

    time: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", validate.positive(self.time, where="EventWithin", name="time"))

    def forward(self, x: ArrayLike) -> FloatArray:
        return -np.expm1(-np.maximum(np.asarray(x, dtype=float), 0.0) * self.time)

    def backward(self, y: ArrayLike) -> FloatArray:
        return _within(y, _log_survival(y) / self.time, most=1.0)


@dataclass(frozen=True)
class RateOf(MonotoneMap, tag="rate-of"):
    """From the probability of one or more events within a time to the constant rate: ``-log(1 - p) / time``.

    Parameters
    ----------
    time
        In the unit that the rate shall be per.

    Examples
    --------
    >>> import surefoot as sf
    >>> f"{float(sf.core.RateOf(8760.0).forward(0.0839)):.2e}"
    '1.00e-05'

    """

    time: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", validate.positive(self.time, where="RateOf", name="time"))

    def forward(self, x: ArrayLike) -> FloatArray:
        return _log_survival(x) / self.time

    def backward(self, y: ArrayLike) -> FloatArray:
        y = np.asarray(y, dtype=float)
        return _within(y, -np.expm1(-np.maximum(y, 0.0) * self.time), most=np.inf)


@dataclass(frozen=True)
class Mapped(ByQuantiles, tag="mapped"):
    """The distribution of what maps, taken one after the other, make of a number.

    Quantiles and levels are exact; mean and variance are found by integration, to about six digits.

    Parameters
    ----------
    base
        The distribution of the number.
    steps
        The maps.

    Examples
    --------
    >>> import surefoot as sf
    >>> yearly = sf.core.Mapped(sf.core.CountedRate(0, 1e6), (sf.core.EventWithin(8760.0),))
    >>> round(float(yearly.ppf(0.95)), 5)
    0.0259

    """

    base: Distribution
    steps: tuple[MonotoneMap, ...]

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
    """The limits of a family, taken through maps; they hold at the levels at which the family's do.

    Parameters
    ----------
    family
        Limits of the number.
    steps
        The maps.

    Examples
    --------
    >>> import surefoot as sf
    >>> family = sf.core.QuantileBound(sf.core.CountedShare(0, 2995), "upper", "confidence")
    >>> round(sf.core.MappedBound(family, (sf.core.AtLeastOnce(10),)).at(0.95).limit, 4)
    0.01

    """

    family: BoundFamily
    steps: tuple[MonotoneMap, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", _checked_steps(self.steps, "MappedBound"))
        if not isinstance(self.family, BoundFamily):
            raise InvalidInput("needs a family of bounds", where="MappedBound", found=repr(self.family))

    @property
    def side(self) -> Side:  # type: ignore[override]
        """That of the family."""
        return self.family.side

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """That of the family."""
        return self.family.kind

    def limit_at(self, level: float) -> float:
        return float(forth(self.family.limit_at(level), self.steps))


@validate.arguments
def distribution_after(dist: Distribution, steps: Iterable[MonotoneMap]) -> Distribution:
    """The distribution of a number after maps, in its own family where it has one that fits.

    Parameters
    ----------
    dist
        The distribution of the number.
    steps
        The maps, in the order in which they are taken.

    Returns
    -------
    Distribution
        Such as a gamma distribution again where one is only scaled; a ``Mapped`` one otherwise.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.distribution_after(sf.core.Gamma(2.0, 3.0), [sf.core.Scaled(10.0)])
    Gamma(shape=2.0, scale=30.0)

    """
    result = dist
    for step in steps:
        result = _one_step(result, step)
    return result


@validate.arguments
def bound_after(family: BoundFamily, steps: Iterable[MonotoneMap]) -> BoundFamily:
    """The bound of a number after maps; a single limit stays a single limit.

    Parameters
    ----------
    family
        The bound of the number.
    steps
        The maps, in the order in which they are taken.

    Returns
    -------
    BoundFamily
        The limits after the maps, of the same side, kind and level.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.bound_after(sf.core.certain(0.2, "upper"), [sf.core.Scaled(2.0)])
    Bound(limit=0.4, side='upper', alpha=0.0, kind='certain')

    """
    taken = tuple(steps)
    if isinstance(family, Bound):
        return replace(family, limit=float(forth(family.limit, taken)))
    return MappedBound(family, taken) if taken else family


def forth(x: ArrayLike, steps: Iterable[MonotoneMap]) -> FloatArray:
    """The image of ``x`` after all steps."""
    result = np.asarray(x, dtype=float)
    for step in steps:
        result = step.forward(result)
    return result


def back(y: ArrayLike, steps: Iterable[MonotoneMap]) -> FloatArray:
    """The largest number whose image after all steps is at most ``y``."""
    result = np.asarray(y, dtype=float)
    for step in reversed(tuple(steps)):
        result = step.backward(result)
    return result


def _one_step(dist: Distribution, step: MonotoneMap) -> Distribution:
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


def _checked_steps(steps: Iterable[MonotoneMap], where: str) -> tuple[MonotoneMap, ...]:
    taken = tuple(steps) if isinstance(steps, Iterable) else ()
    if not taken or not all(isinstance(step, MonotoneMap) for step in taken):
        raise InvalidInput("needs one step or more", where=where, found=repr(steps))
    return taken


def _complement(x: FloatArray, power: float) -> FloatArray:
    return -np.expm1(-power * _log_survival(x))


def _log_survival(p: ArrayLike) -> FloatArray:
    with np.errstate(divide="ignore"):
        return -np.log1p(-np.clip(np.asarray(p, dtype=float), 0.0, 1.0))


def _within(y: ArrayLike, inside: FloatArray, *, most: float) -> FloatArray:
    """``inside``, but infinite where ``y`` is below or beyond every image."""
    y = np.asarray(y, dtype=float)
    return np.where(y < 0, -np.inf, np.where(y >= most, np.inf, inside))
