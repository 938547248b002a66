"""Modules as basic events whose dependence was measured: each given what those before it did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Estimate, InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.faulttree import FaultTree, Formula
from surefoot.faulttree.quantities import Measured as MeasuredEvent
from surefoot.monitors.outcomes import CALM, CAUGHT, MISSED, SPURIOUS, Outcomes
from surefoot.systems.data.conditions import Condition

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
    events have to do with each other. Conditions count by their weights; items, or ``units`` of them, are resampled.
    """
    validate.choice(gate, ("or", "and"), where=WHERE, name="gate")
    names = list(events)
    if not names:
        raise InvalidInput("needs at least one event", where=WHERE)
    rows = {name: np.concatenate([np.asarray(events[name][c], bool) for c in weights]) for name in names}
    count = len(next(iter(rows.values()))) // len(weights)
    weighed = np.concatenate([np.full(count, weight) for weight in weights.values()])
    own = np.arange(count) if units is None else units
    found: dict[str, Estimate] = {}
    before = np.zeros(len(weighed), bool) if gate == "or" else np.ones(len(weighed), bool)
    for name in names:
        found[name] = _given(name, rows[name], before, gate, weighed, np.tile(own, len(weights)), level, draws, seed)
        before = before | rows[name] if gate == "or" else before & rows[name]
    return found


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


def _given(
    name: str,
    happened: NDArray[np.bool_],
    before: NDArray[np.bool_],
    gate: Gate,
    weights: FloatArray,
    units: NDArray[np.int64],
    level: float,
    draws: int,
    seed: int,
) -> Estimate:
    counted = Outcomes(
        failed=happened, alarms=before, weights=weights, units=units, level=level, draws=draws, seed=seed, scope=name
    )
    # An alarm stands here for what happened before.
    cells, among = ((MISSED,), (MISSED, CALM)) if gate == "or" else ((CAUGHT,), (CAUGHT, SPURIOUS))
    return counted.share(name, cells, among, "the events before it leave no item")
