"""How many trials a target needs, before any is run, and how probably they show it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from surefoot.bounds.counts import MOST_TRIALS
from surefoot.bounds.inversion import MOST, shared_limits
from surefoot.bounds.stratified import Strata, checked_shares
from surefoot.core import FrozenDict, InvalidInput, Target, Undefined, validate
from surefoot.core.validate import FloatArray

NEAR = 64
"""Numbers of failures that are looked at one by one, where rounding decides."""


def trials_needed(target: float | Target, *, level: float | None = None, failures: int = 0) -> int:
    """Smallest number of trials that shows a target at a level when at most ``failures`` of them fail.

    The Clopper-Pearson upper bound of ``failures`` out of that many trials is at or below the target.
    A ``Target`` brings its own level, and the strict side of its own uncertainty; ``at_least`` is
    read as a probability of success.

    >>> trials_needed(1e-3, level=0.95)
    2995
    >>> trials_needed(1e-3, level=0.95, failures=2)
    6294
    """
    where = "trials_needed"
    asked = _Asked.of(target, level, where=where)
    return _exact_trials(asked, validate.count(failures, where=where, name="failures"))


@dataclass(frozen=True)
class Demonstration:
    """A test to be run anew: it shows its target when at most ``failures`` of its ``trials`` fail.

    ``power`` is the probability of that where each trial fails with probability ``rate``.
    """

    trials: int
    failures: int
    rate: float
    power: float

    @classmethod
    def of(cls, trials: int, failures: int, rate: float) -> Demonstration:
        """With the power that it has."""
        return cls(trials, failures, rate, at_most(failures, trials, rate))

    def power_at(self, rate: float) -> float:
        """The probability that the test shows its target, were this the rate of failures."""
        return at_most(self.failures, self.trials, validate.probability(rate, where="power_at", name="rate"))


def demonstration(
    target: float | Target, *, rate: float, power: float = 0.8, trials: int | None = None, level: float | None = None
) -> Demonstration:
    """The smallest test that shows a target with probability ``power`` where trials fail with probability ``rate``.

    With ``trials`` the test of that size instead, with the power that it has.
    Its number of trials is fixed beforehand, and the Clopper-Pearson bound decides at the end: whatever ``rate`` was
    assumed, a component at or above the target passes with probability at most 1 - level. Tests that were run before
    do not count. In acceptance sampling this is the single plan through two points, the producer's and the consumer's.

    Hahn and Meeker (1991), "Statistical Intervals", chapter 9; on why power does not simply rise with the number of
    trials Chernick and Liu (2002), The American Statistician 56(2).

    >>> found = demonstration(0.01, rate=0.005, level=0.95)
    >>> found.trials, found.failures, round(found.power, 3)
    (1941, 12, 0.819)
    >>> found = demonstration(0.01, rate=0.005, trials=500, level=0.95)
    >>> found.failures, round(found.power, 3)
    (1, 0.287)
    """
    where = "demonstration"
    asked = _Asked.of(target, level, where=where)
    assumed = validate.probability(rate, where=where, name="rate")
    if trials is not None:
        return _of_size(asked, validate.count(trials, where=where, name="trials", at_least=1), assumed)
    wanted = validate.fraction(power, where=where, name="power")
    return smallest_demonstration(asked.shown, rate=assumed, limit=asked.target, power=wanted)


def _of_size(asked: _Asked, trials: int, rate: float) -> Demonstration:
    if not asked.shown(0, trials):
        raise Undefined(
            "so few trials do not show the target even without a failure",
            where="demonstration",
            found=f"{trials:,} trials",
            remedy=f"Plan {_exact_trials(asked, 0):,} at least.",
        )
    failures = smallest(lambda count: not asked.shown(count, trials), above=0) - 1
    return Demonstration.of(trials, failures, rate)


@dataclass(frozen=True)
class TrialPlan:
    """Trials by stratum."""

    trials: Mapping[str, int]
    target: float
    level: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "trials", FrozenDict(self.trials))

    @property
    def total(self) -> int:
        """Trials of all strata together."""
        return sum(self.trials.values())


def trials_needed_by_stratum(
    target: float | Target,
    shares: Mapping[str, float],
    *,
    level: float | None = None,
    failures: int = 0,
    each: bool = False,
) -> TrialPlan:
    """Trials by stratum that show a target of the risk in operation.

    ``shares`` are the strata's shares of operation, ``failures`` the failures to be tolerated, wherever
    they fall. Trials are shared in proportion to operation, the cheapest way for ``stratified``, whose upper
    bound of the plan is at or below the target. With ``each=True`` every stratum shows the target
    by itself, and all of them together at the level.
    """
    where = "trials_needed_by_stratum"
    asked = _Asked.of(target, level, where=where)
    if not isinstance(shares, Mapping):
        raise InvalidInput(
            "shares must map the name of each stratum to its share",
            where=where,
            found=repr(shares),
            remedy="Use {'day': 0.7, 'night': 0.3}.",
        )
    weights = checked_shares(list(shares.values()), where=where)
    allowed = validate.count(failures, where=where, name="failures")
    if each or weights.size == 1:
        shared = _Asked(asked.target, 1 - (1 - asked.level) / weights.size)
        counts = np.full(weights.size, _exact_trials(shared, allowed))
    else:
        total = smallest(lambda n: _shows(asked, _proportional(n, weights), weights, allowed), above=allowed)
        counts = _proportional(total, weights)
    return TrialPlan(dict(zip(shares, counts.astype(int).tolist(), strict=True)), asked.target, asked.level)


@dataclass(frozen=True)
class _Asked:
    target: float
    level: float

    @classmethod
    def of(cls, target: float | Target, level: float | None, *, where: str) -> _Asked:
        if not isinstance(target, Target):
            if level is None:
                raise InvalidInput("a target given as a number needs a level", where=where, remedy="Use level=0.95.")
            return cls(validate.fraction(target, where=where, name="target"), validate.level(level, where=where))
        if "confidence" not in target.kinds:
            raise InvalidInput(
                "trials are planned for a confidence bound, which this target does not count",
                where=where,
                found=f"kinds {', '.join(target.kinds)}",
                remedy="Give the target as a number, or add 'confidence' to its kinds.",
            )
        wanted = target if level is None else replace(target, level=validate.level(level, where=where))
        limit = wanted.cautious_limit(wanted.alpha)
        risk = limit if target.at_most is not None else 1 - limit
        return cls(validate.fraction(risk, where=where, name="target"), 1 - wanted.alpha)

    def shown(self, failures: int, trials: int) -> bool:
        """Whether the Clopper-Pearson upper bound is at or below the target."""
        if failures == 0:
            return trials * math.log1p(-self.target) <= math.log1p(-self.level)
        return at_most(failures, trials, self.target) <= 1 - self.level


def _exact_trials(asked: _Asked, failures: int) -> int:
    return smallest(lambda n: asked.shown(failures, n), above=failures)


def observed_rate(failures: int, trials: int) -> float:
    """The rate to plan with: the observed one, or without a failure the one that exceeds the truth as often as not."""
    return failures / trials if failures else -math.expm1(math.log(0.5) / trials)


def at_most(failures: int, trials: int, rate: float) -> float:
    """Probability of at most that many failures."""
    return 1.0 if failures >= trials else float(special.betaincc(failures + 1, trials - failures, rate))


def smallest_demonstration(
    shown: Callable[[int, int], bool], *, rate: float, limit: float, power: float
) -> Demonstration:
    """The smallest test with this power, for a bound of which ``shown`` says what failures and trials show.

    The power rises and falls with the number of trials. For each number of failures the smallest test has the
    most power, and this power rises with that number but for the rounding of trials to whole ones; with one trial
    fewer than needed it is no less than without the rounding, so that no smaller test was overlooked.
    """
    if rate >= limit:
        raise Undefined(
            "no number of trials shows the target where failures are as frequent as it allows, or more so",
            found=f"rate {rate:g}, target {limit:g}",
            remedy="Plan for a smaller rate.",
        )

    def test(failures: int) -> Demonstration:
        trials = smallest(lambda n: shown(failures, n), above=failures)
        return Demonstration.of(trials, failures, rate)

    def nearly(failures: int) -> bool:
        return at_most(failures, test(failures).trials - 1, rate) >= power

    first = smallest(lambda count: nearly(count - 1), above=0) - 1
    near = (test(failures) for failures in range(first, first + NEAR))
    found = next((each for each in near if each.power >= power), None)
    return found or test(smallest(lambda failures: test(failures).power >= power, above=first + NEAR - 1))


def smallest(enough: Callable[[int], bool], *, above: int) -> int:
    """Smallest number above ``above`` that is enough, where every larger one is too; ``Undefined`` if none is."""
    low, high = above, above + 1
    while high > MOST_TRIALS or not enough(high):
        if high >= MOST_TRIALS:
            found = f"more than {MOST_TRIALS:g}"
            raise Undefined("no feasible number of trials", found=found, remedy="Weaken the target.")
        low, high = high, min(2 * high, MOST_TRIALS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _proportional(total: int, shares: FloatArray) -> FloatArray:
    return np.ceil(total * shares * (1 - 1e-12))


def _shows(asked: _Asked, trials: FloatArray, shares: FloatArray, failures: int) -> bool:
    """Whether these trials show the target wherever the failures fall."""
    if trials.sum() < failures:
        return False
    strata = Strata(_worst_placement(trials, shares, failures, 1 - asked.level), trials, shares)
    return strata.bound("upper").limit_at(asked.level) <= asked.target


def _worst_placement(trials: FloatArray, shares: FloatArray, failures: int, alpha: float) -> FloatArray:
    """Failures where they widen the limit most.

    It grows with the limit by sharing alpha or, for more than ``MOST`` strata, with the weighted count.
    """
    placed, left = np.zeros(trials.size), failures
    while left:
        some = np.minimum(max(failures // 200, 1), np.minimum(trials - placed, left))
        limits = (shared_limits(counts, trials, alpha / trials.size) for counts in (placed + some, placed))
        gain = shares * np.subtract(*limits) if trials.size <= MOST else shares / trials
        stratum = np.where(some > 0, gain / np.maximum(some, 1), -1).argmax()
        placed[stratum] += some[stratum]
        left -= int(some[stratum])
    return placed
