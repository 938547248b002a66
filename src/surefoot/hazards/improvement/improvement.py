"""``Improvement``: what one event, or the events that are one thing, could do for the top event."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from surefoot.core import InvalidInput, validate
from surefoot.faulttree.allocation.costs import CostOf
from surefoot.faulttree.model import FaultTree
from surefoot.hazards.improvement.gains import BETTER, Gain
from surefoot.hazards.improvement.question import component_of

Costs = Mapping[str, float | CostOf]


@dataclass(frozen=True)
class Improvement:
    """Bounds of the top event if this one alone changed, and how far the bound would fall (its gain).

    ``events`` are several where they rest on one estimate or parameter; ``good`` is the best probability of them, 0
    or, where the top event falls with them, 1. ``today`` and ``own_bound`` are the
    probability of the first as it is, and the bound of it that enters the top event's. ``if_perfect``, ``if_better``
    (ten times) and ``if_known`` (at its mean, without uncertainty) are upper bounds of the top event. ``needed`` is the
    known probability that alone would be enough, ``factor`` how many times better it would have to be, its uncertainty
    in proportion; both None where even a perfect one is not enough or nobody knows which way is better, and ``factor``
    alone where it would be enough only without any uncertainty of its own. ``cost`` is that of ten times better,
    ``cost_alone`` that of ``factor``.
    """

    events: tuple[str, ...]
    component: str
    good: float
    today: float
    own_bound: float
    bound: float
    if_perfect: float
    if_better: float
    if_known: float
    needed: float | None
    factor: float | None
    cost: float | None = None
    cost_alone: float | None = None

    @property
    def name(self) -> str:
        """Its events in one line."""
        return ", ".join(self.events)

    @property
    def gain_perfect(self) -> float:
        """How far the bound falls if it is perfect."""
        return self.bound - self.if_perfect

    @property
    def gain_better(self) -> float:
        """How far the bound falls if it is ten times better."""
        return self.bound - self.if_better

    @property
    def gain_known(self) -> float:
        """How much of the bound is due to not knowing it; below 0 where its mean lies beyond its usual values."""
        return self.bound - self.if_known

    @property
    def cost_per_gain(self) -> float | None:
        """The cost of ten times better for each unit of its gain."""
        if self.cost is None:
            return None
        return self.cost / self.gain_better if self.gain_better > 0 else math.inf


def improvement(tree: FaultTree, gain: Gain, today: float, bound: float, costs: Costs) -> Improvement:
    """The gain in words that a table can show, with its costs."""
    events = gain.lever.events
    share = gain.share
    factor = None if share is None else math.inf if share == 0 else max(1.0, 1 / share)
    priced = [costs[event] for event in events if event in costs]
    return Improvement(
        events,
        next(filter(None, (component_of(tree, event) for event in events)), ""),
        gain.good,
        today,
        gain.own_bound,
        bound,
        gain.perfect,
        gain.better,
        gain.known,
        gain.needed,
        factor,
        cost=_total(priced, gain.good, today, 1 / BETTER),
        cost_alone=None if factor is None else _total(priced, gain.good, today, factor),
    )


def _total(priced: list[float | CostOf], good: float, today: float, factor: float) -> float | None:
    then = good + (today - good) / factor
    return sum(_cost(each, today, then, factor) for each in priced) if priced else None


def _cost(each: float | CostOf, today: float, then: float, factor: float) -> float:
    """A number is the cost of each factor of ten; a function gives the cost of a probability."""
    return float(each(then)) - float(each(today)) if callable(each) else each * math.log10(factor)


def checked_costs(costs: Costs | None, tree: FaultTree, *, where: str) -> Costs:
    """Costs of events that exist, each at least 0 or a function."""
    for name, cost in (costs or {}).items():
        validate.choice(name, tree.expanded.events, where=where, name="event in costs")
        if not callable(cost) and validate.number(cost, where=where, name=f"cost of {name!r}") < 0:
            raise InvalidInput(f"the cost of {name!r} must be at least 0", where=where, found=f"{cost:g}")
    return costs or {}


def ranked(found: list[Improvement]) -> tuple[Improvement, ...]:
    """Where costs are stated the least cost for its gain first; the others by what ten times better gains."""

    def place(each: Improvement) -> tuple[bool, float, float, str]:
        per_gain = each.cost_per_gain
        first = -each.gain_better if per_gain is None else per_gain
        return per_gain is None, first, -each.gain_perfect, each.name

    return tuple(sorted(found, key=place))
