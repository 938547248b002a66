"""Planning before any test is run: how many trials a target needs, and how a total risk is split into budgets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import cache

import numpy as np
from scipy import special

from surefoot.bounds.operational_risk import Strata, checked_shares
from surefoot.bounds.statement import MOST_TRIALS
from surefoot.bounds.strata_inversion import MOST, shared_limits
from surefoot.core import (
    Assumption,
    Bound,
    BoundFamily,
    Diagnostic,
    Estimate,
    FrozenDict,
    InvalidInput,
    Kind,
    Side,
    Table,
    Target,
    Undefined,
    propagate,
    validate,
)
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray


def trials_needed(target: float | Target, *, level: float | None = None, failures: int = 0) -> int:
    """Smallest number of trials that shows a target at a level when at most ``failures`` of them fail.

    The Clopper-Pearson upper bound of ``failures`` out of that many trials is at or below the target.
    A ``Target`` brings its own level, and the strict side of its own uncertainty; ``at_least`` is
    read as a probability of success.

    Parameters
    ----------
    target
        The largest failure probability, or a ``Target``.
    level
        Confidence with which to show it; a ``Target`` brings its own.
    failures
        How many failures are to be tolerated.

    Returns
    -------
    int
        The number of trials.

    Raises
    ------
    Undefined
        Where no feasible number of trials shows it.

    Examples
    --------
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

    See Also
    --------
    demonstration : Plans one, with an example.

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

    Its number of trials is fixed beforehand, and the Clopper-Pearson bound decides at the end: whatever ``rate`` was
    assumed, a component at or above the target passes with probability at most 1 - level. Tests that were run before
    do not count. In acceptance sampling this is the single plan through two points, the producer's and the consumer's.

    Parameters
    ----------
    target
        The largest failure probability, or a ``Target``.
    rate
        How often trials are assumed to fail.
    power
        Probability with which the test is to show the target then.
    trials
        Plan the test of this size instead, with the power that it has.
    level
        Confidence with which to show the target; a ``Target`` brings its own.

    Returns
    -------
    Demonstration
        Trials, failures that they may have, and power.

    Raises
    ------
    Undefined
        Where no number of trials shows the target.

    References
    ----------
    Hahn and Meeker (1991), "Statistical Intervals", chapter 9; on why power does not simply rise with the number of
    trials Chernick and Liu (2002), The American Statistician 56(2).

    Examples
    --------
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
    return smallest_demonstration(lambda k: _exact_trials(asked, k), rate=assumed, limit=asked.target, power=wanted)


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
    """Trials by stratum.

    See Also
    --------
    trials_needed_by_stratum : Makes one, with an example.

    """

    trials: Mapping[str, int]
    target: float
    level: float

    def __post_init__(self) -> None:
        validate.fields(self)
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
    """Trials by stratum that show a target of the risk in operation, wherever the failures fall.

    Trials are shared in proportion to operation, the cheapest way for ``stratified``, whose upper bound of the plan is
    at or below the target.

    Parameters
    ----------
    target
        The largest risk in operation, or a ``Target``.
    shares
        The strata's shares of operation, by name.
    level
        Confidence with which to show the target; a ``Target`` brings its own.
    failures
        How many failures are to be tolerated.
    each
        Every stratum is to show the target by itself, and all of them together at the level.

    Returns
    -------
    TrialPlan
        Trials by stratum.

    Examples
    --------
    >>> import surefoot as sf
    >>> plan = sf.bounds.trials_needed_by_stratum(0.01, {"day": 0.7, "night": 0.3}, level=0.95)
    >>> dict(plan.trials), plan.total
    ({'day': 210, 'night': 90}, 300)

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


def _proportional(total: int, shares: FloatArray) -> FloatArray:
    return np.ceil(total * shares * (1 - 1e-12))


def _shows(asked: _Asked, trials: FloatArray, shares: FloatArray, failures: int) -> bool:
    """Whether these trials show the target wherever the failures fall."""
    if trials.sum() < failures:
        return False
    worst = _worst_placement(trials, shares, failures, 1 - asked.level)
    return Strata(worst, trials, shares).shows(asked.target, asked.level)


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


# How many trials are enough, and how probably.

NEAR = 64
"""Numbers of failures that are looked at one by one, where rounding decides."""


def observed_rate(failures: int, trials: int) -> float:
    """The rate to plan with: the observed one, or without a failure the one that exceeds the truth as often as not."""
    return failures / trials if failures else -math.expm1(math.log(0.5) / trials)


def at_most(failures: int, trials: int, rate: float) -> float:
    """Probability of at most that many failures."""
    return 1.0 if failures >= trials else float(special.betaincc(failures + 1, trials - failures, rate))


def smallest_demonstration(trials: Callable[[int], int], *, rate: float, limit: float, power: float) -> Demonstration:
    """The smallest test with this power, where ``trials`` are the fewest that show the target with so many failures.

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
        return Demonstration.of(trials(failures), failures, rate)

    def nearly(failures: int) -> bool:
        return at_most(failures, trials(failures) - 1, rate) >= power

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


def fewest(enough: Callable[[int], bool], *, above: int) -> int | None:
    """Smallest number above ``above`` that is enough, or None where no feasible one is."""
    try:
        return smallest(enough, above=above)
    except (Undefined, InvalidInput):
        return None


class NewTests:
    """Sizes of new tests for a bound of counts, of which ``shown`` says what failures and trials show."""

    def __init__(self, shown: Callable[[int, int], bool], limit: float) -> None:
        self.limit = limit
        self._trials = cache(lambda failures: smallest(lambda n: shown(failures, n), above=failures))
        self.without_failure = fewest(lambda n: shown(0, n), above=0)

    def size(self, rate: float, power: float) -> tuple[int, int] | None:
        """Trials and failures of the smallest test with a power; None where no number of trials shows the target."""
        try:
            found = smallest_demonstration(self._trials, rate=rate, limit=self.limit, power=power)
        except Undefined:
            return None
        return found.trials, found.failures


# The limit to be reached, and the number at which a bound reaches it.

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


# A total risk split over its parts, and what has been used of it.

GUARANTEED = ("certain", "confidence", "credible")


def risk_budget(total: float, shares: Mapping[str, float]) -> Budget:
    """Split a total risk over its parts in given shares, which sum to at most 1; the rest is kept as a reserve.

    Parameters
    ----------
    total
        The risk of all parts together.
    shares
        What share of it each part gets, by name.

    Returns
    -------
    Budget
        What each part may use.

    References
    ----------
    Braband and Schaebe (2020), "On safety assessment of artificial intelligence", Dependability 20(4).

    Examples
    --------
    >>> budget = risk_budget(1e-3, {"model": 0.8, "labels": 0.2})
    >>> print(budget.spend({"model": 7e-4, "labels": 1e-4}, level=0.95).met)
    True

    """
    where = "risk_budget"
    total = validate.fraction(total, where=where, name="total")
    fractions = _probabilities(shares, where=where, name="share of")
    if math.fsum(fractions.values()) > 1 + 1e-12:
        raise InvalidInput("shares sum to more than 1", where=where, found=f"{math.fsum(fractions.values()):g}")
    return Budget(total, {name: total * share for name, share in fractions.items()})


@dataclass(frozen=True)
class Budget:
    """A total risk and its parts, which sum to at most the total.

    Parameters
    ----------
    total
        The risk of all parts together.
    parts
        What each part may use, by name.

    See Also
    --------
    risk_budget : Splits a total in given shares, with an example.

    """

    total: float
    parts: Mapping[str, float]

    def __post_init__(self) -> None:
        where = "Budget"
        total = validate.fraction(self.total, where=where, name="total")
        parts = _probabilities(self.parts, where=where, name="part")
        if not parts:
            raise InvalidInput("a budget needs parts", where=where)
        allotted = math.fsum(parts.values())
        if allotted > total * (1 + 1e-12):
            raise InvalidInput("the parts exceed the total", where=where, found=f"{allotted:g} > {total:g}")
        object.__setattr__(self, "total", total)
        object.__setattr__(self, "parts", FrozenDict(parts))

    def spend(self, used: Mapping[str, Estimate | float], *, level: float, mix: bool = False) -> Spending:
        """Compare evidence with the budget.

        Estimates enter with upper bounds whose miss probabilities sum to ``1 - level``, and keep their assumptions and
        caveats; numbers take the unit of the estimates.

        Parameters
        ----------
        used
            An estimate or a known number for each part.
        level
            Confidence that holds for all parts together.
        mix
            Allow confidence and credible bounds together; the result is then heuristic.

        Returns
        -------
        Spending
            What is used and left, by part and in total.

        """
        level = validate.level(level, where="Budget.spend")
        evidence = self._evidence(used)
        upper = {name: _upper_only(e) for name, e in evidence.items()}
        uncertain = sum(any(f.kind != "certain" for f in e.bounds) for e in upper.values())
        share = 1 - (1 - level) / max(uncertain, 1)
        parts = [Spent(name, allotted, upper[name].upper(share)) for name, allotted in self.parts.items()]
        together = propagate(
            _sum, upper, quantity="total risk", direction=dict.fromkeys(upper, 1), level=level, mix=mix
        )
        return Spending(self.total, level, together, tuple(parts))

    def _evidence(self, used: Mapping[str, Estimate | float]) -> dict[str, Estimate]:
        """One estimate a part, all in one unit."""
        where = "Budget.spend"
        if not isinstance(used, Mapping) or set(used) != set(self.parts):
            raise InvalidInput(
                "needs one entry for each part",
                where=where,
                found=sorted(map(str, set(used) ^ set(self.parts))) if isinstance(used, Mapping) else repr(used),
                remedy=f"The parts are {', '.join(self.parts)}.",
            )
        estimates = {name: e for name, e in used.items() if isinstance(e, Estimate)}
        stated = {name: value for name, value in used.items() if not isinstance(value, Estimate)}
        units = {name: e.unit for name, e in estimates.items()}
        if len(set(units.values())) > 1:
            found = ", ".join(f"{name} {unit}" for name, unit in units.items())
            remedy = "Convert the exposure, so that all parts are per the same thing."
            raise InvalidInput("parts with different units do not add up", where=where, found=found, remedy=remedy)
        unit = next(iter(units.values()), PER_DEMAND)
        numbers = _probabilities(stated, where=where, name="part")
        known = {n: Estimate.known(n, value, source="stated in spend", unit=unit) for n, value in numbers.items()}
        return {name: (estimates | known)[name] for name in self.parts}


def _probabilities(values: Mapping[str, float], *, where: str, name: str) -> dict[str, float]:
    if not isinstance(values, Mapping):
        raise InvalidInput(
            "needs a mapping from names to numbers", where=where, found=repr(values), remedy="Use {'model': 0.8, ...}."
        )
    return {key: validate.probability(value, where=where, name=f"{name} {key!r}") for key, value in values.items()}


def _upper_only(estimate: Estimate) -> Estimate:
    """Without a distribution, so that the sum shares alpha and assumes nothing about dependence."""
    return replace(estimate, bounds=tuple(f for f in estimate.bounds if f.side == "upper"), dist=None)


def _sum(**parts: FloatArray) -> FloatArray:
    return np.sum(list(parts.values()), axis=0)


@dataclass(frozen=True)
class Spending:
    """A budget beside what its parts use.

    Each uncertain part is counted at its upper bound; ``level`` holds for all parts together,
    whatever their dependence, because the miss probability is shared among them. ``estimate`` is the
    sum, with everything that the parts rest on.

    See Also
    --------
    Budget.spend : Gives one; ``risk_budget`` has an example.

    """

    total: float
    level: float
    estimate: Estimate
    parts: tuple[Spent, ...]

    @property
    def used(self) -> float:
        """Sum over all parts, an upper bound of the total risk (union bound)."""
        return math.fsum(part.used for part in self.parts)

    @property
    def left(self) -> float:
        """Negative when the total is overspent."""
        return self.total - self.used

    @property
    def kind(self) -> Kind:
        """The kind of bound that ``used`` is."""
        return self.estimate.bound("upper", self.level).kind

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """Everything that the parts assume."""
        return self.estimate.assumptions

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """Every caveat of the parts, and of combining them."""
        return self.estimate.caveats

    @property
    def contradicted(self) -> tuple[str, ...]:
        """Assumptions that the data speak against."""
        return tuple(dict.fromkeys(a.id for a in self.assumptions if a.status == "contradicted"))

    @property
    def met(self) -> bool:
        """Whether the total is kept, by bounds with a guarantee and without a contradicted assumption.

        One part may use what another leaves.
        """
        return self.used <= self.total and self.kind in GUARANTEED and not self.contradicted

    def table(self) -> Table:
        """Allotted, used and left, by part and in total."""
        rows = [(part.part, part.allotted, part.used, part.left) for part in self.parts]
        return Table(("part", "allotted", "used", "left"), (*rows, ("total", self.total, self.used, self.left)))

    def __str__(self) -> str:
        table = self.table()
        width = max(len(row[0]) for row in table.rows)
        lines = [f"{'part':<{width}}  {'allotted':>10}  {'used':>10}  {'left':>10}"]
        lines += [f"{row[0]:<{width}}  " + "  ".join(f"{value:>10.3g}" for value in row[1:]) for row in table.rows]
        verdict = "kept" if self.met else "not shown to be kept"
        against = f"; contradicted: {', '.join(self.contradicted)}" if self.contradicted else ""
        lines.append(f"The total is {verdict} at level {self.level:g} ({self.kind}){against}.")
        return "\n".join([*lines, *map(str, self.caveats)])


@dataclass(frozen=True)
class Spent:
    """One part of a budget: what it was allotted and what its evidence uses.

    See Also
    --------
    Budget.spend : Gives one a part.

    """

    part: str
    allotted: float
    used: float

    @property
    def left(self) -> float:
        """Negative when the part is overspent."""
        return self.allotted - self.used
