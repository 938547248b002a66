"""What a bound would be had the data been better: the same family from other counts, sizes, means or evidence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

from scipy import special

from surefoot.bounds.families import (
    BentkusBound,
    CentralLimitBound,
    ConservativeBayesBound,
    EmpiricalBernsteinBound,
    HoeffdingBound,
    WilsonBound,
)
from surefoot.bounds.planning import smallest
from surefoot.core import Beta, Bound, BoundFamily, InvalidInput, QuantileBound, Side, Target, Undefined

MeanBound = BentkusBound | HoeffdingBound | EmpiricalBernsteinBound | CentralLimitBound
SHOWN_DIGITS = 4
BISECTIONS = 60


@dataclass(frozen=True)
class Aim:
    """The limit that a bound of one side has to reach at a level, as ``Estimate.meets`` asks for it."""

    limit: float
    side: Side
    level: float

    @classmethod
    def of(cls, target: Target) -> Aim:
        """What shows a target met: half of alpha goes to a limit that is uncertain itself."""
        return cls(target.cautious_limit(target.alpha), target.proving_side, 1 - target.alpha)

    def allows(self, number: float) -> bool:
        """Whether the number lies on the good side of the limit."""
        return number <= self.limit if self.side == "upper" else number >= self.limit

    def limit_of(self, family: BoundFamily) -> float:
        """The member of a family that counts; one that holds on average has no level."""
        if isinstance(family, Bound) and family.kind == "expectation":
            return family.limit
        return family.at(self.level).limit

    def reached(self, family: BoundFamily) -> bool:
        """Whether a bound is good enough."""
        return self.allows(self.limit_of(family))

    @property
    def wrong_side(self) -> str:
        """Where a number that is not allowed lies."""
        return "above" if self.side == "upper" else "below"


def fresh_counts(family: BoundFamily, bad: int, total: int, aim: Aim) -> Callable[[int, int], bool] | None:
    """For a bound of counts: whether so many bad outcomes of so many new tests alone would reach the aim.

    The bad outcome is the one counted for an upper bound, and the other one for a lower bound.
    """
    upper = family.side == "upper"
    if isinstance(family, QuantileBound) and isinstance(family.dist, Beta):
        a, b = (family.dist.a, family.dist.b) if upper else (family.dist.b, family.dist.a)
        prior, limit = (a - bad, b - (total - bad)), aim.limit if upper else 1 - aim.limit
        return lambda k, n: bool(special.betainc(k + prior[0], n - k + prior[1], limit) >= aim.level)
    if isinstance(family, WilsonBound):
        return lambda k, n: aim.reached(replace(family, failures=k if upper else n - k, trials=n))
    if isinstance(family, ConservativeBayesBound):
        return lambda k, n: replace(family, failures=k, trials=n).confidence(aim.limit) >= aim.level
    return None


def mean_of_new(family: MeanBound, n: int, mean: float, deviations: float) -> BoundFamily:
    """The bound from ``n`` losses of the same spread whose mean is so many standard errors worse than ``mean``."""
    worse = mean + (1 if family.side == "upper" else -1) * deviations * _spread(family, mean) / math.sqrt(n)
    if isinstance(family, CentralLimitBound):
        return replace(family, mean=worse, n=n, standard_error=family.standard_error * math.sqrt(family.n / n))
    return replace(family, mean=min(max(worse, 0.0), 1.0) if isinstance(family, BentkusBound) else worse, n=n)


def _spread(family: MeanBound, mean: float) -> float:
    """Standard deviation of a loss; where none was estimated, the largest that the mean allows (Bhatia, Davis 2000)."""
    if isinstance(family, CentralLimitBound):
        return family.standard_error * math.sqrt(family.n)
    if isinstance(family, EmpiricalBernsteinBound):
        return math.sqrt(family.variance)
    width = 1.0 if isinstance(family, BentkusBound) else family.width
    return math.sqrt(max(mean * (width - mean), 0.0))


def with_evidence(family: QuantileBound, prior: Beta, factor: float) -> BoundFamily:
    """The bound with the evidence beyond a prior multiplied, in unchanged proportion."""
    assert isinstance(family.dist, Beta)
    a, b = (p + factor * (x - p) for x, p in ((family.dist.a, prior.a), (family.dist.b, prior.b)))
    return replace(family, dist=Beta(a, b))


def fewest(enough: Callable[[int], bool], *, above: int) -> int | None:
    """Smallest number above ``above`` that is enough, or None where no feasible one is."""
    try:
        return smallest(enough, above=above)
    except (Undefined, InvalidInput):
        return None


def least(enough: Callable[[float], bool], low: float, high: float) -> float | None:
    """Smallest number in (``low``, ``high``] that is enough, rounded up to four digits, where every larger one is."""
    return _edge(enough, good=high, bad=low, rounding=ROUND_CEILING)


def most(enough: Callable[[float], bool], low: float, high: float) -> float | None:
    """Largest number in [``low``, ``high``) that is enough, rounded down to four digits, where every smaller one is."""
    return _edge(enough, good=low, bad=high, rounding=ROUND_FLOOR)


def shown(number: float, rounding: str) -> float:
    """The number as sentences show it, rounded to the cautious side."""
    return float(Context(prec=SHOWN_DIGITS, rounding=rounding).create_decimal(number))


def _edge(enough: Callable[[float], bool], *, good: float, bad: float, rounding: str) -> float | None:
    if not enough(good):
        return None
    for _ in range(BISECTIONS):
        if shown(good, rounding) == shown(bad, rounding):
            break
        middle = (good + bad) / 2
        good, bad = (middle, bad) if enough(middle) else (good, middle)
    return shown(good, rounding)
