"""How risk per one exposure becomes risk per another, as steps with their words and assumptions.

Per demand is the probability that a demand goes wrong, per mission the probability of one or more events in a mission,
per hour and per year the expected number of events.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefoot.core import Assumption, AtLeastOnce, InvalidInput, RateOf, Scaled, Step, Within
from surefoot.core.validate import FloatArray
from surefoot.documents import significant

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


@dataclass(frozen=True)
class Rule:
    """One conversion: what to compute, how to say it and what it assumes beyond the exposure itself."""

    step: Step
    text: str
    assumptions: tuple[Assumption, ...] = ()


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


def check_range(numbers: FloatArray, per: str) -> None:
    """Refuse risks that cannot be: probabilities above 1, and anything below 0."""
    outside = (numbers < 0) | (numbers > 1) if per in SHARES else numbers < 0
    if not outside.any():
        return
    limits = "a probability, between 0 and 1" if per in SHARES else "at least 0"
    found = f"{np.extract(outside, numbers)[0]:g} per {per}"
    remedy = "Check the figures of exposure; more than one event at a time cannot be stated as a probability."
    raise InvalidInput(f"risk per {per} must be {limits}", where="exposure", found=found, remedy=remedy)


def _product(given: str, wanted: str, many: float) -> str:
    counted = ", missions with an event" if {given, wanted} == {"mission", "year"} else ""
    return f"times {significant(many)}{counted}"


def _demands_of_a_mission(given: str, many: float) -> Rule:
    demands = many if given == "demand" else 1 / many
    n = significant(demands)
    formula = f"1 - (1 - p)^{n}" if given == "demand" else f"1 - (1 - P)^(1/{n})"
    return Rule(AtLeastOnce(many), f"{n} demands per mission: {formula}", (INDEPENDENT_DEMANDS,))


def _hours_of_a_mission(given: str, many: float) -> Rule:
    hours = many if given == "hour" else 1 / many
    shown = significant(hours)
    if given == "hour":
        return Rule(Within(hours), f"{shown} hours per mission: 1 - exp(-rate × {shown})", (CONSTANT_RATE,))
    return Rule(RateOf(hours), f"{shown} hours per mission: -log(1 - P) / {shown}", (CONSTANT_RATE,))
