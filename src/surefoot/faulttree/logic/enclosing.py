"""A certified interval of the probability where the exact diagram is too large.

The tree is built twice, from functions that lie below and from functions that lie above those of its gates; whenever
a diagram grows too large, the part of it that matters least is given up to the safe side. Both probabilities are
exact for what was built, so the true one lies between them. From above, the bounds of a gate's inputs often say more
than its own diagram, because what was given up below is then weighed by what must happen beside it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from surefoot.faulttree.logic import evaluation
from surefoot.faulttree.logic.circuit import FIRST, TRUE, Circuit, Gate
from surefoot.faulttree.logic.engines import Limit, OverLimit, OxiddEngine
from surefoot.faulttree.logic.engines.base import Builder, Operations
from surefoot.faulttree.logic.modules import modules
from surefoot.faulttree.logic.orders import Order, walks
from surefoot.faulttree.logic.part import Problem
from surefoot.faulttree.logic.polarity import true_without_events
from surefoot.faulttree.logic.portfolio import solved
from surefoot.faulttree.logic.truncation import truncated

SIZES = (500, 2_000, 8_000, 32_000, 128_000)
"""Nodes that a function may have before it is truncated; larger ones give narrower intervals and take longer."""
MODULE_NODES = 1 << 18
SPACE = 1 << 22
"""Nodes of one manager."""
ROUNDING = 1e-12

Interval = tuple[float, float]


def enclosure(circuit: Circuit, known: Mapping[str, float], limit: Limit) -> Interval:
    """An interval that contains the probability of the top event, as narrow as the deadline of the limit allows."""
    if abs(circuit.top) == TRUE:
        return (1.0, 1.0) if circuit.top == TRUE else (0.0, 0.0)
    problem, columns = _problem(circuit, known, limit)
    order = next(walks(problem))
    low, high, most = 0.0, 1.0, dict[int, float]()
    for size in SIZES:
        try:
            low = max(low, _from_below(problem, order, columns, size, limit) * (1 - ROUNDING))
            high = min(high, _from_above(problem, order, columns, size, limit, most) * (1 + ROUNDING))
        except OverLimit:
            break
        if high - low <= 4 * ROUNDING * high or time.monotonic() > limit.deadline:
            break
    return low, high


def _problem(circuit: Circuit, known: Mapping[str, float], limit: Limit) -> tuple[Problem, dict[int, float]]:
    """The top event over events and those modules that can be solved exactly, with the probabilities of both."""
    roots = modules(circuit) if abs(circuit.top) in circuit.gates else []
    flipped = true_without_events(circuit) & set(roots)
    columns = {FIRST + index: known[name] for index, name in enumerate(circuit.events)}
    exact: list[int] = []
    for root in roots[:-1]:
        part = Problem.of(circuit, -root if root in flipped else root, exact, flipped)
        place = {leaf: index for index, leaf in enumerate(part.leaves)}
        try:
            diagram = solved(part, place, OxiddEngine(), Limit(MODULE_NODES, limit.deadline))
        except OverLimit:
            continue
        columns[root] = float(evaluation.probability(diagram, [np.float64(columns[leaf]) for leaf in part.leaves]))
        exact.append(root)
    return Problem.of(circuit, circuit.top, exact, flipped & set(exact)), columns


def _from_below(problem: Problem, order: Order, columns: Mapping[int, float], size: int, limit: Limit) -> float:
    within = Limit(SPACE, limit.deadline)
    operations = OxiddEngine().operations(len(order), within)
    builder = _Below(problem, order, operations, within, columns, size)
    return builder.probability(builder.root())


def _from_above(
    problem: Problem, order: Order, columns: Mapping[int, float], size: int, limit: Limit, most: dict[int, float]
) -> float:
    """``most`` holds the best bound yet of each gate, and is improved."""
    within = Limit(SPACE, limit.deadline)
    operations = OxiddEngine().operations(len(order), within)
    builder = _Above(problem, order, operations, within, columns, size)
    builder.most = most
    f = builder.root()
    return most.get(problem.root, 1.0) if problem.gates else builder.probability(f)


class _Truncating(Builder):
    """Builds with conjunctions and disjunctions only, so that a function on one side of each part is on that side."""

    below: bool

    def __init__(
        self,
        problem: Problem,
        order: Order,
        operations: Operations,
        limit: Limit,
        columns: Mapping[int, float],
        size: int,
    ) -> None:
        super().__init__(problem, order, operations, limit)
        self.levels = tuple(range(len(order)))
        self.columns = [np.float64(columns[leaf]) for leaf in order]
        self.size = size

    def probability(self, f: Any) -> float:
        """Probability of what was built."""
        return float(evaluation.probability(self.operations.diagram(f, self.levels), self.columns))

    def _parts(self, literal: int) -> list[int]:
        gate = self.problem.gates.get(abs(literal))
        if gate is not None and gate.operator == "xor":
            return [part for number in gate.inputs for part in (number, -number)]
        return super()._parts(literal)

    def _gate(self, literal: int, gate: Gate) -> Any:
        if gate.operator != "xor":
            return super()._gate(literal, gate)
        odd, even = self.operations.constant(False), self.operations.constant(True)
        for number in gate.inputs:
            yes, no = self._value(number), self._value(-number)
            odd, even = self._either(odd, even, no, yes), self._either(even, odd, no, yes)
        return odd if literal > 0 else even

    def _either(self, f: Any, g: Any, with_f: Any, with_g: Any) -> Any:
        """f and its condition, or g and its condition."""
        first = self._applied(self.operations.conjunction, f, with_f)
        return self._applied(self.operations.disjunction, first, self._applied(self.operations.conjunction, g, with_g))

    def _joined(self, operation: Callable[[Any, Any], Any], parts: list[int]) -> Any:
        found = self._value(parts[0])
        for part in parts[1:]:
            found = self._applied(operation, found, self._value(part))
        return found

    def _count(self, least: int, parts: list[int]) -> Any:
        reached = [self.operations.constant(True)] + [self.operations.constant(False)] * least
        for part in parts:
            condition = self._value(part)
            for count in range(least, 0, -1):
                one_more = self._applied(self.operations.conjunction, condition, reached[count - 1])
                reached[count] = self._applied(self.operations.disjunction, one_more, reached[count])
        return reached[least]

    def _applied(self, operation: Callable[[Any, Any], Any], f: Any, g: Any) -> Any:
        """The operation, its result truncated; where even that has no room, its inputs are truncated first."""
        for most in (self.size, self.size // 10, self.size // 100):
            self.limit.check_time()
            try:
                return self._truncated(operation(f, g), self.size)
            except OverLimit:
                f, g = self._truncated(f, most), self._truncated(g, most)
        return self.operations.constant(not self.below)

    def _truncated(self, f: Any, most: int) -> Any:
        if f.node_count() <= max(most, 2):
            return f
        diagram = self.operations.diagram(f, self.levels)
        smaller = truncated(diagram, self.columns, most=max(most // 2, 2), below=self.below)
        return self._imported(smaller)

    def _imported(self, diagram: Any) -> Any:
        found = [self.operations.constant(False), self.operations.constant(True)]
        for level, nodes in diagram.levels:
            variable = self.operations.variable(level)
            pairs = zip(diagram.low[nodes].tolist(), diagram.high[nodes].tolist(), strict=True)
            found.extend(self.operations.choice(variable, found[high], found[low]) for low, high in pairs)
        return found[diagram.root]


class _Below(_Truncating):
    below = True


class _Above(_Truncating):
    below = False

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.most: dict[int, float] = {}
        self.support = {leaf: 1 << level for leaf, level in self.level.items()}
        for number, gate in self.problem.gates.items():
            self.support[number] = reduce(or_, (self.support[abs(part)] for part in gate.inputs))

    def _gate(self, literal: int, gate: Gate) -> Any:
        found = super()._gate(literal, gate)
        best = self.most.get(literal, 1.0)
        self.most[literal] = min(best, self.probability(found), self._from_parts(literal, gate))
        return found

    def _bound(self, literal: int) -> float:
        level = self.level.get(abs(literal))
        if level is None:
            return self.most[literal]
        p = float(self.columns[level])
        return p if (literal > 0) != (abs(literal) in self.problem.flipped) else 1 - p

    def _from_parts(self, literal: int, gate: Gate) -> float:
        """Sum of a disjunction; product of a conjunction over groups of parts that share no leaf."""
        if gate.operator != "and":
            return 1.0
        parts = self._parts(literal)
        if literal < 0:
            return min(1.0, math.fsum(self._bound(part) for part in parts))
        groups: list[tuple[int, float]] = []
        for part in parts:
            leaves, most = self.support[abs(part)], self._bound(part)
            apart = [group for group in groups if not group[0] & leaves]
            for other, bound in groups:
                if other & leaves:
                    leaves, most = leaves | other, min(most, bound)
            groups = [*apart, (leaves, most)]
        return math.prod(most for _, most in groups)
