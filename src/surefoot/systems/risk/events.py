"""Modules as basic events whose dependence was measured: each given what those before it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.bounds.groups import INDEPENDENT_GROUPS
from surefoot.bounds.statement import FIXED_SIZE, REPRESENTATIVE, approximate
from surefoot.core import Empirical, Estimate, InvalidInput, Provenance, QuantileBound, digest, validate
from surefoot.core.canonical import array_digest
from surefoot.core.estimate import PER_DEMAND
from surefoot.faulttree import FaultTree, Formula
from surefoot.faulttree.quantities import Measured as MeasuredEvent
from surefoot.systems.data.conditions import Condition
from surefoot.systems.risk.probabilities import STAND_IN, STATED_MIX
from surefoot.systems.risk.sample import Sample

WHERE = "system_tree"
Gate = Literal["or", "and"]
Events = Mapping[str, Mapping[Condition, NDArray[np.bool_]]]
"""For each event and condition, the items in which it happened."""


def chained(
    events: Events,
    weights: Mapping[Condition, float],
    *,
    gate: Gate = "or",
    units: NDArray[np.int64] | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> dict[str, Estimate]:
    """Each event's probability, given the events before it.

    For "or": given that none of those before happened; for "and": given that all did. An "or" or "and" gate over them,
    which multiplies as if they were independent, then gives exactly the share of items that was measured, whatever the
    events have to do with each other. Where those before leave no item, events are left out: the gate has its value
    without them. Conditions count by their weights; items, or ``units`` of them, are resampled, the same ones for all
    events, so that ``draws`` and ``seed`` must be those of later propagations. To what is drawn, half a unit is added
    for each event and for none of them, which lets no probability be surely 0: where units are few, the mean of the
    draws lies above what was measured.
    """
    validate.choice(gate, ("or", "and"), where=WHERE, name="gate")
    validate.level(level, where=WHERE)
    met = _met(weights)
    rows = _rows(events, met)
    count = len(next(iter(rows.values()))) // len(met)
    weighed = np.repeat(list(met.values()), count)
    if units is not None and len(units) != count:
        raise InvalidInput("units must name one unit an item", where=WHERE, found=f"{len(units)} for {count} items")
    own = np.tile(np.arange(count) if units is None else np.asarray(units), len(met))
    stops = _stops(rows, gate)
    data = {name: array_digest(row) for name, row in rows.items()}
    data |= {"units": array_digest(own), "weights": array_digest(weighed)}
    common = digest({"data": data, "events": list(rows), "gate": gate, "draws": [draws, seed]})
    sample = Sample(np.array([*stops.values()]), weighed, own, draws, seed, common)
    found = {
        name: _estimate(name, sample, place, gate, level, Provenance(WHERE, {"draws": draws}, (common,), data, seed))
        for place, name in enumerate(stops)
    }
    rests_on = (STATED_MIX,) if all(condition.clean for condition in met) else (STATED_MIX, STAND_IN)
    return {name: replace(each, assumptions=(*each.assumptions, *rests_on)) for name, each in found.items()}


def _stops(rows: Mapping[str, NDArray[np.bool_]], gate: Gate) -> dict[str, NDArray[np.bool_]]:
    """Where each event is the one that settles the gate: the first to happen ("or"), the first not to ("and")."""
    left, found = np.ones(len(next(iter(rows.values()))), bool), {}
    for name, happened in rows.items():
        if not left.any():
            break
        found[name] = left & (happened if gate == "or" else ~happened)
        left = left & ~found[name]
    return found


def _estimate(name: str, sample: Sample, place: int, gate: Gate, level: float, made: Provenance) -> Estimate:
    value, drawn = sample.settled(place)
    if gate == "and":
        value, drawn = 1 - value, 1 - drawn
    dist = Empirical(tuple(np.clip(drawn, 0.0, 1.0).tolist()), f"{sample.seed}/{sample.draws}")
    return Estimate(
        name,
        value,
        PER_DEMAND,
        name,
        (QuantileBound(dist, "upper", "heuristic"), QuantileBound(dist, "lower", "heuristic")),
        dist,
        assumptions=(INDEPENDENT_GROUPS, FIXED_SIZE, REPRESENTATIVE),
        caveats=(approximate("Resampling", "Collect more independent units."),),
        details={"level": level, "n": sample.rows, "groups": sample.count},
        provenance=made,
    )


def system_tree(
    events: Events,
    weights: Mapping[Condition, float],
    *,
    gate: Gate = "or",
    top: str = "system fails",
    name: str = "system",
    units: NDArray[np.int64] | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> FaultTree:
    """A fault tree whose basic events are those of ``chained``.

    "or": causes of a failure, each enough by itself. "and": redundant modules, all of which must fail.
    """
    found = chained(events, weights, gate=gate, units=units, level=level, draws=draws, seed=seed)
    labels = {top: f"{top}: {'one of its causes' if gate == 'or' else 'all modules together'}, dependence as measured"}
    quantities = {name: MeasuredEvent(estimate) for name, estimate in found.items()}
    return FaultTree(top, {top: Formula(gate, tuple(found))}, quantities, name=name, labels=labels)


def _met(weights: Mapping[Condition, float]) -> dict[Condition, float]:
    """Conditions that occur."""
    if not weights or not all(np.isfinite(weight) and weight >= 0 for weight in weights.values()):
        found = ", ".join(f"{condition.label}: {weight}" for condition, weight in weights.items()) or "none"
        raise InvalidInput("weights must be numbers of at least 0", where=WHERE, found=found)
    met = {condition: float(weight) for condition, weight in weights.items() if weight}
    if not met:
        raise InvalidInput("one weight must be above 0", where=WHERE, found="all 0")
    return met


def _rows(events: Events, met: Mapping[Condition, float]) -> dict[str, NDArray[np.bool_]]:
    """Of each event, whether it happened to each item of one condition after another."""
    if not events:
        raise InvalidInput("needs at least one event", where=WHERE)
    for name, by_condition in events.items():
        missing = [condition.label for condition in met if condition not in by_condition]
        if missing:
            raise InvalidInput(f"{name!r} was not seen in a condition", where=WHERE, found=", ".join(missing))
    lengths = {len(events[name][condition]) for name in events for condition in met}
    if len(lengths) != 1:
        raise InvalidInput("events must be of the same items", where=WHERE, found=f"{sorted(lengths)} items")
    return {
        name: np.concatenate([np.asarray(by_condition[condition], bool) for condition in met])
        for name, by_condition in events.items()
    }
