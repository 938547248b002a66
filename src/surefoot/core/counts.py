"""What counts say about a rate or a share, as one distribution with the exact limits on both sides.

These are confidence distributions, not beliefs: a quantile below the middle is the exact lower limit at that level, one
above it the exact upper limit. The two sides do not meet, since a count says less than a continuous measurement would:
between the two middle values ``cdf`` stays at 0.5 and ``ppf`` jumps; at the level 0.5 itself ``ppf`` is the lower one.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.distributions import Beta, ByQuantiles, Distribution, Gamma, Point
from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray


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
    """The rate of a Poisson process, by the events that were counted in an exposure.

    Parameters
    ----------
    events
        How many were counted.
    exposure
        In how much time, distance or operation.

    References
    ----------
    Garwood (1936), Biometrika 28(3/4).

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.CountedRate(3, 1000.0).ppf([0.025, 0.975]).round(6).tolist()
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
    """The probability of an event, by how often it was counted in how many trials.

    Parameters
    ----------
    events, trials
        What was counted.

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26(4).

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.CountedShare(0, 2995).ppf([0.05, 0.95]).round(6).tolist()
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
