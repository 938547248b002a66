"""A certified interval of the probability where the exact diagram is too large.

The tree is built twice, from functions that lie below and from functions that lie above those of its gates; whenever
a diagram grows too large, the part of it that matters least is given up to the safe side. Both probabilities are
exact for what was built, so the true one lies between them. From above, the bounds of a gate's inputs often say more
than its own diagram, because what was given up below is then weighed by what must happen beside it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

import numpy as np

from surefoot.faulttree.logic import evaluation
from surefoot.faulttree.logic.circuit import FIRST, TRUE, Circuit
from surefoot.faulttree.logic.engines import Limit, OverLimit, OxiddEngine
from surefoot.faulttree.logic.modules import modules
from surefoot.faulttree.logic.orders import walks
from surefoot.faulttree.logic.part import Problem
from surefoot.faulttree.logic.polarity import true_without_events
from surefoot.faulttree.logic.portfolio import solved
from surefoot.faulttree.logic.truncating import from_above, from_below

SIZES = (100, 500, 2_000, 8_000, 32_000, 128_000)
"""Nodes that a function may have before it is truncated; larger ones give narrower intervals and take longer."""
MODULE_NODES = 1 << 16
SPACE = 1 << 22
"""Nodes of one manager."""
ROUNDING = 1e-15
"""Relative error of the arithmetic for each input of a gate."""
UNDERFLOW = 1e-300
"""What products of very small probabilities may lose."""
LIKELY = 0.5
"""Modules above it stay a part of the whole: the complement of a rounded number close to 1 is not exact."""

Interval = tuple[float, float]


def enclosure(circuit: Circuit, known: Mapping[str, float], limit: Limit) -> Interval:
    """An interval that contains the probability of the top event, as narrow as the deadline of the limit allows."""
    if abs(circuit.top) == TRUE:
        return (1.0, 1.0) if circuit.top == TRUE else (0.0, 0.0)
    problem, columns = _problem(circuit, known)
    order = next(walks(problem))
    low, high, most = 0.0, 1.0, dict[int, float]()
    rounding = ROUNDING * (1 + circuit.size)
    for size in SIZES[:1] + tuple(size for size in SIZES[1:] if size <= limit.nodes):
        # The first pass is short, and is finished whatever the time: some interval is better than none.
        within = Limit(SPACE, math.inf if size == SIZES[0] else limit.deadline)
        try:
            low = max(low, from_below(problem, order, columns, size, within) * (1 - rounding) - UNDERFLOW)
            high = min(high, from_above(problem, order, columns, size, within, most) * (1 + rounding) + UNDERFLOW)
        except OverLimit:
            break
        if high - low <= 4 * (rounding * high + UNDERFLOW) or time.monotonic() > limit.deadline:
            break
    return low, high


def _problem(circuit: Circuit, known: Mapping[str, float]) -> tuple[Problem, dict[int, float]]:
    """The top event over events and those modules that can be solved exactly, with the probabilities of both."""
    roots = modules(circuit) if abs(circuit.top) in circuit.gates else []
    flipped = true_without_events(circuit) & set(roots)
    columns = {FIRST + index: known[name] for index, name in enumerate(circuit.events)}
    exact: list[int] = []
    for root in roots[:-1]:
        part = Problem.of(circuit, -root if root in flipped else root, exact, flipped)
        place = {leaf: index for index, leaf in enumerate(part.leaves)}
        try:
            diagram = solved(part, place, OxiddEngine(), Limit(MODULE_NODES))
        except OverLimit:
            continue
        probability = float(evaluation.probability(diagram, [np.float64(columns[leaf]) for leaf in part.leaves]))
        if probability <= LIKELY:
            columns[root] = probability
            exact.append(root)
    return Problem.of(circuit, circuit.top, exact, flipped & set(exact)), columns
