"""``Exposure``: how often, how long and how many, and the conversions that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import isclose
from typing import Any, overload

import numpy as np

from surefoot.core import (
    Assumption,
    BoundFamily,
    Distribution,
    Estimate,
    InvalidInput,
    Provenance,
    Target,
    bound_after,
    distribution_after,
    union,
    validate,
)
from surefoot.core.maps import Scaled
from surefoot.core.validate import FloatArray
from surefoot.hazards.targets.rules import UNITS, Rule, check_range, rule_between

AGREEMENT = 1e-6
"""Relative difference up to which two ways to the same figure agree."""
FIGURES = {
    "demands_per_hour": ("demand", "hour"),
    "hours_per_mission": ("hour", "mission"),
    "demands_per_mission": ("demand", "mission"),
    "hours_per_year": ("hour", "year"),
    "missions_per_year": ("mission", "year"),
}


@dataclass(frozen=True)
class Exposure:
    """Figures of use, all optional; what follows from those that are stated need not be stated.

    Per demand is the probability that a demand goes wrong, per mission the probability of one or more events in a
    mission, per hour and per year the expected number of events. From missions to years, each mission with an event
    counts once. Figures that contradict each other are refused.

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


def _details(estimate: Estimate) -> dict[str, Any]:
    level = {name: value for name, value in estimate.details.items() if name == "level"}
    return {**level, "converted from": {"unit": estimate.unit, **estimate.details}}


def _survives(family: BoundFamily, rule: Rule) -> bool:
    """What holds on average goes through a scale only."""
    return family.kind != "expectation" or isinstance(rule.step, Scaled)


def _missing(given: str, wanted: str) -> str:
    direct = next((name for name, pair in FIGURES.items() if set(pair) == {given, wanted}), None)
    return direct or "demands_per_hour and hours_per_year, or demands_per_mission and missions_per_year"
