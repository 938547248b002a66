"""What targets are stated from: references that were counted, figures of exposure, and the steps of a derivation.

Per demand is the probability that a demand goes wrong, per mission the probability of one or more events in a mission,
per hour and per year the expected number of events.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import isclose
from typing import Any, overload

import numpy as np

from surefoot.core import (
    Assumption,
    AtLeastOnce,
    BoundFamily,
    CountedRate,
    CountedShare,
    Distribution,
    Estimate,
    EventWithin,
    InvalidInput,
    Kind,
    MonotoneMap,
    Provenance,
    QuantileBound,
    RateOf,
    Table,
    Target,
    bound_after,
    distribution_after,
    union,
    validate,
)
from surefoot.core.monotone_maps import Scaled
from surefoot.core.target import DEFAULT_KINDS
from surefoot.core.validate import FloatArray
from surefoot.documents import counted, percent, significant

AGREEMENT = 1e-6
"""Relative difference up to which two ways to the same figure agree."""
FIGURES = {
    "demands_per_hour": ("demand", "hour"),
    "hours_per_mission": ("hour", "mission"),
    "demands_per_mission": ("demand", "mission"),
    "hours_per_year": ("hour", "year"),
    "missions_per_year": ("mission", "year"),
}
UNITS = ("demand", "hour", "mission", "year")
SHARES = ("demand", "mission")
"""Exposures in which risk is a probability and so at most 1."""
INDEPENDENT_DEMANDS = Assumption(
    "independent-demands",
    "Every mission has the same number of demands, and they go wrong independently of each other.",
)
CONSTANT_RATE = Assumption(
    "constant-rate", "Events come independently of each other, at a constant rate, and missions last equally long."
)
COLUMNS = ("step", "figure", "basis")
TRIALS = ("demand", "mission")
"""Exposures that are counted one by one, so that events are a share of them."""
REFERENCE_CONSTANT_RATE = Assumption(
    "reference-constant-rate", "The events of the reference came independently of each other, at a constant rate."
)
INDEPENDENT_TRIALS = Assumption(
    "reference-independent-trials", "The trials of the reference were independent and had one probability of an event."
)


@dataclass(frozen=True)
class Reference:
    """What was counted on the system that a new one is compared with: so many events in so much exposure.

    Parameters
    ----------
    events
        Events, or per demand and per mission the trials in which the event happened.
    exposure
        An amount, or per demand and per mission a number of trials.
    per
        What the exposure is counted in: hour, year, km, demand, mission.
    name, source
        Which system it was, and where the counts stand.

    Raises
    ------
    InvalidInput
        Where more trials had the event than there were.

    References
    ----------
    Limits of its rate: Garwood (1936), Biometrika 28; Clopper and Pearson (1934), Biometrika 26(4).

    Examples
    --------
    >>> Reference(12, 40_000, per="hour", name="divers", source="dive logs 2015-2020").rate
    0.0003

    """

    events: int
    exposure: float
    per: str = "hour"
    name: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        where = f"reference {self.name}".strip()
        for word in ("per", "name", "source"):
            if not isinstance(getattr(self, word), str):
                raise InvalidInput(f"{word} must be text", where=where, found=repr(getattr(self, word)))
        if not self.per.strip():
            raise InvalidInput("needs the word that the exposure is counted in", where=where, remedy='Say per="hour".')
        object.__setattr__(self, "events", validate.count(self.events, where=where, name="events"))
        exposure = validate.positive(self.exposure, where=where, name="exposure")
        if self.per in TRIALS:
            trials = validate.count(self.exposure, where=where, name=f"exposure in {self.per}s", at_least=1)
            exposure = float(trials)
            if self.events > trials:
                remedy = f"Count each {self.per} with an event once."
                found = f"{self.events} in {trials}"
                raise InvalidInput(f"more events than {self.per}s", where=where, found=found, remedy=remedy)
        object.__setattr__(self, "exposure", exposure)

    @property
    def rate(self) -> float:
        """Events per unit of exposure."""
        return self.events / self.exposure

    @cached_property
    def uncertainty(self) -> CountedRate | CountedShare:
        """What the counts say about the true rate, with exact limits on both sides."""
        if self.per in TRIALS:
            return CountedShare(self.events, int(self.exposure))
        return CountedRate(self.events, self.exposure)

    def estimate(self, quantity: str = "reference") -> Estimate:
        """The rate as an estimate with exact bounds on both sides."""
        exact = self.uncertainty
        source = {"events": self.events, "exposure": self.exposure, "per": self.per, "source": self.source}
        return Estimate(
            quantity,
            self.rate,
            f"per {self.per}",
            self.name,
            bounds=(
                QuantileBound(exact.above, "upper", "confidence"),
                QuantileBound(exact.below, "lower", "confidence"),
            ),
            assumptions=(INDEPENDENT_TRIALS if self.per in TRIALS else REFERENCE_CONSTANT_RATE,),
            details={"events": self.events, "exposure": self.exposure},
            provenance=Provenance("counted reference", source),
        )

    def __add__(self, other: Reference) -> Reference:
        """Both together, as if one rate held in both."""
        if not isinstance(other, Reference):
            return NotImplemented
        if other.per != self.per:
            raise InvalidInput(
                "references per different exposures cannot be added",
                where="reference",
                found=f"per {self.per} and per {other.per}",
                remedy="Count both in the same exposure.",
            )
        said = (self.name, other.name), (self.source, other.source)
        names, sources = (" and ".join(dict.fromkeys(filter(None, each))) for each in said)
        return Reference(self.events + other.events, self.exposure + other.exposure, self.per, names, sources)

    def __str__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        source = f" ({self.source})" if self.source else ""
        return f"{name}{self.counted}{source}"

    @property
    def counted(self) -> str:
        """Events and exposure in words."""
        events = counted(self.events, "event")
        return f"{events} in {significant(self.exposure)} {self.per}{'' if self.exposure == 1 else 's'}"


@dataclass(frozen=True)
class Exposure:
    """Figures of use that convert a risk per one exposure into a risk per another.

    All are optional, and what follows from those that are stated need not be stated. From missions to years, each
    mission with an event counts once.

    Parameters
    ----------
    demands_per_hour, hours_per_mission, demands_per_mission, hours_per_year, missions_per_year
        The figures; those that contradict each other are refused.

    Examples
    --------
    >>> use = Exposure(demands_per_hour=60, hours_per_mission=2)
    >>> use.per("demand", "mission")
    120.0
    >>> round(use.convert(1e-4, "demand", "mission"), 6)
    0.011929

    """

    demands_per_hour: float | None = None
    hours_per_mission: float | None = None
    demands_per_mission: float | None = None
    hours_per_year: float | None = None
    missions_per_year: float | None = None

    def __post_init__(self) -> None:
        for name in FIGURES:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, validate.positive(value, where="exposure", name=name))
        for name, (few, many) in FIGURES.items():
            stated, follows = getattr(self, name), self.per(few, many)
            if stated is not None and follows is not None and not isclose(stated, follows, rel_tol=AGREEMENT):
                raise InvalidInput(
                    "these figures contradict each other",
                    where="exposure",
                    found=f"{self}, from which {name}={follows:g} follows as well",
                    remedy="Leave out the figure that follows from the others.",
                )

    @cached_property
    def _amounts(self) -> dict[str, dict[str, float]]:
        """For each exposure, how many of the others one of it holds; only those that are connected."""
        holds = {unit: {unit: 1.0} for unit in UNITS}
        for name, (few, many) in FIGURES.items():
            stated = getattr(self, name)
            if stated is not None and few not in holds[many]:
                _connect(holds, few, many, stated)
        return holds

    def per(self, counted: str, whole: str) -> float | None:
        """How many of ``counted`` are in one ``whole``, as ``per("demand", "hour")``; None where nothing says so."""
        for unit in (counted, whole):
            validate.choice(unit, UNITS, where="exposure", name="exposure")
        return self._amounts[whole].get(counted)

    def rule(self, given: str, wanted: str) -> Rule:
        """How to convert, in words and as a step."""
        many = self.per(given, wanted)
        if many is None:
            raise InvalidInput(
                f"nothing says how to get from per {given} to per {wanted}",
                where="exposure",
                found=str(self),
                remedy=f"State {_missing(given, wanted)}.",
            )
        return rule_between(given, wanted, many)

    @overload
    def convert(self, value: float, given: str, wanted: str) -> float: ...
    @overload
    def convert(self, value: FloatArray, given: str, wanted: str) -> FloatArray: ...
    def convert(self, value: float | FloatArray, given: str, wanted: str) -> float | FloatArray:
        """A number, or an array of them, per another exposure."""
        numbers = validate.numbers(value, where="exposure", name=f"risk per {given}")
        if given == wanted:
            return value
        check_range(numbers, given)
        step = self.rule(given, wanted).step
        if isinstance(step, Scaled):
            check_range(numbers * step.factor, wanted)
        result = step.forward(numbers)
        if not np.isfinite(result).all():
            raise InvalidInput("an event in every mission has no finite rate", where="exposure", found=f"{value}")
        return result if result.ndim else float(result)

    def distribution(self, dist: Distribution, given: str, wanted: str) -> Distribution:
        """A distribution per another exposure; what would exceed a probability of 1 becomes 1."""
        return dist if given == wanted else distribution_after(dist, [self.rule(given, wanted).step])

    def target(self, target: Target, per: str) -> Target:
        """The same target per another exposure, with its uncertainty; the source says how it was converted."""
        if target.per == per:
            return target
        said = f"per {target.per} to per {per}: {self.rule(target.per, per).text}"
        limit = self.convert(target.limit, target.per, per)
        spread = None if target.uncertainty is None else self.distribution(target.uncertainty, target.per, per)
        return replace(
            target,
            at_most=None if target.at_most is None else limit,
            at_least=None if target.at_least is None else limit,
            per=per,
            source="; ".join(filter(None, [target.source, said])),
            uncertainty=spread,
        )

    def estimate(self, estimate: Estimate, per: str) -> Estimate:
        """The same estimate per another exposure: bounds at every level, and what the conversion assumes.

        What was counted per the former exposure stays in the details by that name, as it says nothing per the new one.
        """
        given = estimate.unit.removeprefix("per ")
        if given == per:
            return estimate
        rule = self.rule(given, per)
        return replace(
            estimate,
            value=self.convert(estimate.value, given, per),
            unit=f"per {per}",
            bounds=tuple(bound_after(family, [rule.step]) for family in estimate.bounds if _survives(family, rule)),
            dist=None if estimate.dist is None else distribution_after(estimate.dist, [rule.step]),
            assumptions=union(estimate.assumptions, [self.as_stated], rule.assumptions),
            details=_details(estimate),
            provenance=self._provenance(estimate, given, per),
        )

    @property
    def as_stated(self) -> Assumption:
        """That the system is used as these figures say."""
        return Assumption("exposure-as-stated", f"The system is used as stated: {self}.")

    def _provenance(self, estimate: Estimate, given: str, wanted: str) -> Provenance:
        before = estimate.provenance
        figures = {"given": given, "wanted": wanted, "figures": self._stated}
        keys = tuple(dict.fromkeys((estimate.key, *before.inputs)))
        return Provenance("exposure", figures, keys, before.data, before.seed)

    @property
    def _stated(self) -> dict[str, float]:
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) is not None}

    def __str__(self) -> str:
        return ", ".join(f"{v:g} {n.replace('_', ' ')}" for n, v in self._stated.items()) or "no figure of exposure"


def _connect(holds: dict[str, dict[str, float]], few: str, many: str, stated: float) -> None:
    """One ``many`` holds ``stated`` of ``few``: whatever is connected to either is then connected to both."""
    small, large = dict(holds[few]), dict(holds[many])
    for a, a_in_few in small.items():
        for b, b_in_many in large.items():
            holds[b][a] = stated * a_in_few / b_in_many
            holds[a][b] = b_in_many / a_in_few / stated


@dataclass(frozen=True)
class Rule:
    """One conversion: what to compute, how to say it and what it assumes beyond the exposure itself."""

    step: MonotoneMap
    text: str
    assumptions: tuple[Assumption, ...] = ()


def _missing(given: str, wanted: str) -> str:
    direct = next((name for name, pair in FIGURES.items() if set(pair) == {given, wanted}), None)
    return direct or "demands_per_hour and hours_per_year, or demands_per_mission and missions_per_year"


def rule_between(given: str, wanted: str, many: float) -> Rule:
    """The rule where one ``wanted`` holds ``many`` of ``given``."""
    pair = {given, wanted}
    if pair == {"demand", "mission"}:
        return _demands_of_a_mission(given, many)
    if pair == {"hour", "mission"}:
        return _hours_of_a_mission(given, many)
    ceiling = 1.0 if wanted in SHARES else float("inf")
    text = f"{significant(many)} {given}s per {wanted}"
    if many < 1:
        text = f"{significant(1 / many)} {wanted}s per {given}"
    return Rule(Scaled(many, ceiling), f"{text}: {_product(given, wanted, many)}")


def _demands_of_a_mission(given: str, many: float) -> Rule:
    demands = many if given == "demand" else 1 / many
    n = significant(demands)
    formula = f"1 - (1 - p)^{n}" if given == "demand" else f"1 - (1 - P)^(1/{n})"
    return Rule(AtLeastOnce(many), f"{n} demands per mission: {formula}", (INDEPENDENT_DEMANDS,))


def _hours_of_a_mission(given: str, many: float) -> Rule:
    hours = many if given == "hour" else 1 / many
    shown = significant(hours)
    if given == "hour":
        return Rule(EventWithin(hours), f"{shown} hours per mission: 1 - exp(-rate × {shown})", (CONSTANT_RATE,))
    return Rule(RateOf(hours), f"{shown} hours per mission: -log(1 - P) / {shown}", (CONSTANT_RATE,))


def _product(given: str, wanted: str, many: float) -> str:
    counted = ", missions with an event" if {given, wanted} == {"mission", "year"} else ""
    return f"times {significant(many)}{counted}"


def check_range(numbers: FloatArray, per: str) -> None:
    """Refuse risks that cannot be: probabilities above 1, and anything below 0."""
    outside = (numbers < 0) | (numbers > 1) if per in SHARES else numbers < 0
    if not outside.any():
        return
    limits = "a probability, between 0 and 1" if per in SHARES else "at least 0"
    found = f"{np.extract(outside, numbers)[0]:g} per {per}"
    remedy = "Check the figures of exposure; more than one event at a time cannot be stated as a probability."
    raise InvalidInput(f"risk per {per} must be {limits}", where="exposure", found=found, remedy=remedy)


def _survives(family: BoundFamily, rule: Rule) -> bool:
    """What holds on average goes through a scale only."""
    return family.kind != "expectation" or isinstance(rule.step, Scaled)


def _details(estimate: Estimate) -> dict[str, Any]:
    level = {name: value for name, value in estimate.details.items() if name == "level"}
    return {**level, "converted from": {"unit": estimate.unit, **estimate.details}}


@dataclass(frozen=True)
class Derivation:
    """A target with the principle and the reference it comes from, and the steps that led to it.

    Parameters
    ----------
    principle
        Its name.
    target
        What came out.
    rows
        For each step what, how much, and on which basis.
    reference
        What was compared with, where something was.

    See Also
    --------
    derive

    """

    principle: str
    target: Target
    rows: tuple[tuple[str, str, str], ...]
    reference: Reference | None = None

    def table(self) -> Table:
        """The steps as a table: what, how much, on which basis; the last rows are the limit and its strict side."""
        return Table(COLUMNS, (*self.rows, *_limit_rows(self.target)))

    def __str__(self) -> str:
        return str(self.table())


def _limit_rows(target: Target) -> list[tuple[str, str, str]]:
    limit = f"{target.relation} {significant(target.limit)} per {target.per}"
    rows = [("limit", limit, "follows from the steps above")]
    if target.uncertainty is None:
        return rows
    cautious = significant(target.cautious_limit(target.alpha), rounding="down" if target.at_most is not None else "up")
    basis = f"the strict side of the reference's own uncertainty at {percent(1 - target.alpha)}: what has to be shown"
    return [*rows, ("cautious limit", f"{target.relation} {cautious} per {target.per}", basis)]


@dataclass(frozen=True)
class Terms:
    """How a target shall be stated: its level, its exposure and the kinds of bounds that may prove it."""

    level: float = 0.95
    per: str | None = None
    exposure: Exposure | None = None
    kinds: tuple[Kind, ...] = DEFAULT_KINDS

    def converted(self, target: Target) -> tuple[Target, list[tuple[str, str, str]]]:
        """The target per what was asked for, and the row that says so."""
        if self.per is None or self.per == target.per:
            return target, []
        exposure = Exposure() if self.exposure is None else self.exposure
        rule = exposure.rule(target.per, self.per)
        result = exposure.target(target, self.per)
        return result, [("conversion", f"per {target.per} to per {self.per}", rule.text)]
