"""Distributions of which only the quantiles are known: mean and variance by integration."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.core import validate
from surefoot.core.distributions import Beta, Distribution, Gamma, Point
from surefoot.core.errors import InvalidInput, Undefined
from surefoot.core.validate import FloatArray


class ByQuantiles(Distribution):
    """A distribution whose mean and variance follow from ``ppf``, to about six digits."""

    @cached_property
    def _moments(self) -> tuple[float, float]:
        return _moments(self.ppf)

    @property
    def mean(self) -> float:
        return self._moments[0]

    @property
    def variance(self) -> float:
        return self._moments[1]


def _moments(ppf: Callable[[FloatArray], FloatArray]) -> tuple[float, float]:
    """Mean and variance of a quantile function that is smooth on either side of the middle.

    By double exponential integration (Takahasi and Mori 1974), dense at both ends and at the middle.
    """
    t = np.linspace(-3.6, 3.6, 289)
    share = special.expit(np.pi * np.sinh(t))
    weight = np.pi * np.cosh(t) * share * special.expit(-np.pi * np.sinh(t))
    levels, weights = np.concatenate([share / 2, 1 - share / 2]), np.concatenate([weight, weight])
    inside = levels < 1
    values, weights = ppf(levels[inside]), weights[inside] / weights[inside].sum()
    if not np.isfinite(values).all():
        raise Undefined("the mean is not finite", where="distribution", remedy="Ask for a quantile instead.")
    mean = float(weights @ values)
    return mean, float(weights @ (values - mean) ** 2)


# What counts say about a rate or a share: CountedRate, CountedShare, with exact limits on both sides.
#
# These are confidence distributions, not beliefs: a quantile below the middle is the exact lower limit at that level,
# one
# above it the exact upper limit. The two sides do not meet, since a count says less than a continuous measurement
# would:
# between the two middle values ``cdf`` stays at 0.5 and ``ppf`` jumps; at the level 0.5 itself ``ppf`` is the lower
# one.


class Counted(ByQuantiles):
    """Two distributions, one for the limits below the middle and one for those above."""

    @property
    @abstractmethod
    def below(self) -> Distribution:
        """Its quantiles are the exact lower limits."""

    @property
    @abstractmethod
    def above(self) -> Distribution:
        """Its quantiles are the exact upper limits."""

    @cached_property
    def _middle(self) -> tuple[float, float]:
        return float(self.below.ppf(0.5)), float(self.above.ppf(0.5))

    def cdf(self, x: ArrayLike) -> FloatArray:
        return np.where(
            np.asarray(x, dtype=float) < self._middle[1],
            np.minimum(self.below.cdf(x), 0.5),
            self.above.cdf(x),
        )

    def ppf(self, q: ArrayLike) -> FloatArray:
        return np.where(np.asarray(q, dtype=float) <= 0.5, self.below.ppf(q), self.above.ppf(q))[()]

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        return self.ppf(rng.random(size))


@dataclass(frozen=True)
class CountedRate(Counted, tag="counted-rate"):
    """The rate of a Poisson process in which so many events were counted in so much exposure (Garwood 1936).

    >>> CountedRate(3, 1000.0).ppf([0.025, 0.975]).round(6).tolist()
    [0.000619, 0.008767]
    """

    events: int
    exposure: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "events", validate.count(self.events, where="CountedRate", name="events"))
        exposure = validate.positive(self.exposure, where="CountedRate", name="exposure")
        object.__setattr__(self, "exposure", exposure)

    @cached_property
    def below(self) -> Distribution:
        return Gamma(self.events, 1 / self.exposure) if self.events else Point(0.0)

    @cached_property
    def above(self) -> Distribution:
        return Gamma(self.events + 1, 1 / self.exposure)


@dataclass(frozen=True)
class CountedShare(Counted, tag="counted-share"):
    """The probability of an event that was counted so often in so many trials (Clopper and Pearson 1934).

    >>> CountedShare(0, 2995).ppf([0.05, 0.95]).round(6).tolist()
    [0.0, 0.001]
    """

    events: int
    trials: int

    def __post_init__(self) -> None:
        events = validate.count(self.events, where="CountedShare", name="events")
        trials = validate.count(self.trials, where="CountedShare", name="trials", at_least=1)
        if events > trials:
            raise InvalidInput("more events than trials", where="CountedShare", found=f"{events} of {trials}")
        object.__setattr__(self, "events", events)
        object.__setattr__(self, "trials", trials)

    @cached_property
    def below(self) -> Distribution:
        return Beta(self.events, self.trials - self.events + 1)

    @cached_property
    def above(self) -> Distribution:
        return Beta(self.events + 1, self.trials - self.events)
