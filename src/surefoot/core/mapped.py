"""What is known about a number after a map that never falls: mapped distributions and mapped bounds.

A quantile, or a limit, of what rises with a number is the image of that number's quantile or limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core.bound import Bound, BoundFamily, Kind, Side
from surefoot.core.by_quantiles import ByQuantiles
from surefoot.core.counted import CountedRate
from surefoot.core.distributions import Distribution, Empirical, LogNormal, Mixture, Point
from surefoot.core.errors import InvalidInput
from surefoot.core.maps import Scaled, Step, back, forth
from surefoot.core.spread import Gamma
from surefoot.core.validate import FloatArray


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
