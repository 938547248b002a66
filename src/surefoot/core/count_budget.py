"""How much a weighted total of independent counts allows: limits of an expected total, and what was counted.

With X_i failures in n_i trials of probability p_i and weights c_i in (0, 1] that were fixed before any outcome, the
total T = sum c_i X_i has the mean m = sum c_i n_i p_i. A failure that weighs c is smaller in convex order than one that
happens with c times the probability, and independent failures together are smaller than a Poisson variable N of the
same mean. So for every a > t

    P(T <= t) <= E max(a - T, 0) / (a - t) <= E max(a - N, 0) / (a - t)

(Bentkus 2004, Annals of Probability 32(2), for the step with a; Shaked and Shanthikumar 2007, chapter 3, for the
orders). A mean that makes the right side smaller than alpha is refuted by t. Where every weight is 1 the total is a
whole number, and P(N <= t) itself is the limit (Hoeffding 1956; Anderson and Samuels 1967, for t at most m - 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from surefoot.core.bound import BoundFamily, QuantileBound
from surefoot.core.counted import CountedRate, CountedShare
from surefoot.core.distributions import Beta
from surefoot.core.estimate import Estimate
from surefoot.core.mapped import MappedBound
from surefoot.core.maps import Step, forth
from surefoot.core.validate import FloatArray

LARGEST_WHOLE_ALPHA = 0.3678
"""Below exp(-1) the limit of a whole total lies at least one above it, as Anderson and Samuels ask."""
KNOTS, BISECTIONS, OUTWARD = 96, 90, 1e-12
SHARED_ROWS = "shared rows"
"""Detail of an estimate whose rows, or their number, others of the same tree rest on: its count is not apart."""


@dataclass(frozen=True)
class Count:
    """Events among independent trials, or in an exposure (Poisson), and what is done to the probability or rate."""

    events: int
    exposure: float
    poisson: bool = False
    steps: tuple[Step, ...] = ()

    @property
    def share(self) -> float:
        """What was observed, after the steps."""
        return float(forth(self.events / self.exposure, self.steps))

    def limit(self, alpha: float, side: str) -> float:
        """The exact limit of this count alone (Clopper and Pearson 1934; Garwood 1936), after the steps."""
        exact = CountedRate(self.events, self.exposure) if self.poisson else CountedShare(self.events, self.trials)
        dist = exact.above if side == "upper" else exact.below
        return float(forth(dist.ppf(1 - alpha if side == "upper" else alpha), self.steps))

    @property
    def trials(self) -> int:
        """The number of trials."""
        return int(self.exposure)

    def after_steps(self, rate: FloatArray) -> FloatArray:
        """The quantity that a probability or rate stands for."""
        return forth(rate, self.steps)

    def at_mean(self, expected: FloatArray) -> FloatArray:
        """The quantity where so many events are expected."""
        rate = np.asarray(expected, dtype=float) / self.exposure
        return forth(rate if self.poisson else np.minimum(rate, 1.0), self.steps)

    def at_silence(self, exponent: FloatArray) -> FloatArray:
        """The quantity where no event at all has the probability ``exp(-exponent)``."""
        rate = np.asarray(exponent, dtype=float) / self.exposure
        return forth(rate if self.poisson else -np.expm1(-rate), self.steps)


def count_of(estimate: Estimate) -> Count | None:
    """The count behind an estimate whose bounds are the exact ones of that count, or of its Jeffreys posterior.

    Also where everything failed, and the upper bound of the posterior is 1: what was counted decides nothing here.
    """
    uncertain = [family for family in estimate.bounds if family.kind != "certain"]
    if not uncertain or len({family.kind for family in uncertain}) > 1 or estimate.details.get(SHARED_ROWS):
        return None
    found = _count_behind(uncertain[0])
    if found is None or found.poisson:
        return found
    told = estimate.details.get("failures"), estimate.details.get("trials")
    return found if told == (found.events, found.exposure) else None


def _count_behind(family: BoundFamily) -> Count | None:
    match family:
        case MappedBound(inner, steps):
            base = _count_behind(inner)
            return None if base is None else Count(base.events, base.exposure, base.poisson, (*base.steps, *steps))
        case QuantileBound(CountedRate(events, exposure), kind="confidence"):
            return Count(events, exposure, poisson=True)
        case QuantileBound(CountedShare(events, trials), kind="confidence"):
            return Count(events, float(trials))
        case QuantileBound(Beta(a, b), side="upper", kind="confidence"):
            return _of_beta(a - 1, b)
        case QuantileBound(Beta(a, b), kind="confidence"):
            return _of_beta(a, b - 1)
        case QuantileBound(Beta(a, b), kind="credible"):
            return _of_beta(a - 0.5, b - 0.5)
    return None


def _of_beta(failures: float, passed: float) -> Count | None:
    whole = failures == int(failures) and passed == int(passed)
    return Count(int(failures), failures + passed) if whole and failures >= 0 and failures + passed >= 1 else None


def largest_mean(total: float, alpha: float, *, whole: bool) -> float:
    """The largest expected total that a total as small as ``total`` does not refute at ``alpha``.

    >>> round(largest_mean(0, 0.05, whole=True), 4), round(largest_mean(1, 0.05, whole=True), 4)
    (2.9957, 4.7439)
    """
    if whole and alpha <= LARGEST_WHOLE_ALPHA:
        return float(special.gammainccinv(total + 1, alpha))
    knots = np.floor(total) + _spread(total, alpha)
    return float(_root(lambda mean: _shortfall(knots, mean) / (knots - total), alpha, knots, rising=False).min())


def smallest_mean(total: float, alpha: float, *, whole: bool) -> float:
    """The smallest expected total that a total as large as ``total`` does not refute at ``alpha``; 0 for none.

    >>> round(smallest_mean(5, 0.05, whole=True), 4)
    1.9701
    """
    if total <= 0:
        return 0.0
    exact = float(special.gammaincinv(total, alpha))
    if whole and exact <= total - 1:
        return exact
    knots = np.ceil(total) - _spread(total, alpha)
    knots = knots[knots >= 0]
    excess = lambda mean: (mean - knots + _shortfall(knots, mean)) / (total - knots)  # noqa: E731
    return float(_root(excess, alpha, knots, rising=True).max())


def _spread(total: float, alpha: float) -> FloatArray:
    """Distances 1, 2, ... that reach well beyond the best one, ever sparser."""
    reach = 8 + 4 * np.sqrt((total + 1) * -np.log(alpha)) - 4 * np.log(alpha)
    return np.unique(np.round(np.geomspace(1, reach, KNOTS)))


def _shortfall(knots: FloatArray, mean: FloatArray) -> FloatArray:
    """E max(a - N, 0) for a Poisson variable N."""
    below = special.gammaincc(np.maximum(knots, 1), mean)
    below_less_one = np.where(knots > 1, special.gammaincc(np.maximum(knots - 1, 1), mean), 0.0)
    return np.where(knots > 0, np.maximum(knots * below - mean * below_less_one, 0.0), 0.0)


def _root(function, alpha: float, knots: FloatArray, *, rising: bool) -> FloatArray:  # type: ignore[no-untyped-def]
    """Where each function passes ``alpha``, on the safe side: above for a falling one, below for a rising one."""
    low = np.zeros_like(knots)
    high = np.full_like(knots, 4 * (knots.max() + 2) - 8 * np.log(alpha))
    for _ in range(BISECTIONS):
        middle = low + (high - low) / 2
        beyond = function(middle) >= alpha if rising else function(middle) <= alpha
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    return low * (1 - OUTWARD) if rising else high * (1 + OUTWARD)
