"""Exact where the budget allows it, else a certified interval."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from surefoot.faulttree.logic.budget import BeyondBudget, Budget
from surefoot.faulttree.logic.compilation import circuit_of, compile_circuit
from surefoot.faulttree.logic.enclosing import enclosure
from surefoot.faulttree.logic.engines import OverLimit
from surefoot.faulttree.quantities import probabilities

if TYPE_CHECKING:
    from surefoot.faulttree.logic import Compiled
    from surefoot.faulttree.logic.circuit import Circuit
    from surefoot.faulttree.logic.engines.base import Limit
    from surefoot.faulttree.model import FaultTree

EXACT_SHARE = 0.5
"""Share of the time that is spent on an exact answer; the rest narrows the interval where there is none."""


def compiled_or_enclosed(tree: FaultTree, budget: Budget) -> Compiled:
    """The diagrams of a tree; raises ``BeyondBudget`` with a certified interval where they are too large."""
    limit, circuit = budget.limit(), circuit_of(tree.expanded)
    exact = time.monotonic() + EXACT_SHARE * budget.seconds
    try:
        within = replace(limit, deadline=exact)
        return compile_circuit(circuit, limit=within, minimal_seconds=budget.minimal_seconds)
    except OverLimit:
        low, high = _interval(tree.expanded, circuit, limit)
        raise BeyondBudget(low=low, high=high) from None


def _interval(tree: FaultTree, circuit: Circuit, limit: Limit) -> tuple[float, float]:
    """Nothing is known of the top event where nothing is known of one of its events."""
    if any(tree.events[name] is None for name in circuit.events):
        return 0.0, 1.0
    known = probabilities(tree, events=circuit.events)
    return enclosure(circuit, {name: float(value) for name, value in known.items()}, limit)
