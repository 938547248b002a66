"""A certified interval of the probability where the exact diagram is too large.

The tree is built twice, from functions that lie below and from functions that lie above those of its gates; whenever
a diagram grows too large, the part of it that matters least is given up to the safe side. Both probabilities are
exact for what was built, so the true one lies between them. From above, the bounds of a gate's inputs often say more
than its own diagram, because what was given up below is then weighed by what must happen beside it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.faulttree.logic import decision_diagram
from surefoot.faulttree.logic.circuit import FIRST, TRUE, Circuit, Gate
from surefoot.faulttree.logic.compilation import solved
from surefoot.faulttree.logic.decision_diagram import FALSE, Diagram
from surefoot.faulttree.logic.decision_diagram import TRUE as DIAGRAM_TRUE
from surefoot.faulttree.logic.engines import Builder, Limit, OverLimit, OxiddEngine
from surefoot.faulttree.logic.modules import Order, Problem, modules, true_without_events, walks
from surefoot.faulttree.quantities import probabilities

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


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


def interval(tree: FaultTree, circuit: Circuit, limit: Limit) -> tuple[float, float]:
    """Nothing is known of the top event where nothing is known of one of its events."""
    if any(tree.events[name] is None for name in circuit.events):
        return 0.0, 1.0
    known = probabilities(tree, events=circuit.events)
    return enclosure(circuit, {name: float(value) for name, value in known.items()}, limit)


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
        probability = float(decision_diagram.probability(diagram, [np.float64(columns[leaf]) for leaf in part.leaves]))
        if probability <= LIKELY:
            columns[root] = probability
            exact.append(root)
    return Problem.of(circuit, circuit.top, exact, flipped & set(exact)), columns


# Functions below and above those of the gates, each kept small by truncation, and what they bound.

BATCH = 200_000
"""Nodes whose probabilities are found at once."""


def from_below(problem: Problem, order: Order, columns: Mapping[int, float], size: int, limit: Limit) -> float:
    """Probability of a function that is nowhere above the root's."""
    builder = _Truncating(problem, order, columns, size, limit, below=True)
    return builder.probabilities([builder.root()])[0]


def from_above(
    problem: Problem, order: Order, columns: Mapping[int, float], size: int, limit: Limit, most: dict[int, float]
) -> float:
    """The least bound of the root's probability that its own diagram or the bounds of its inputs give.

    ``most`` holds the best bound yet of each gate's literal, and is improved.
    """
    builder = _Bounding(problem, order, columns, size, limit)
    root = builder.root()
    if not problem.gates:
        return builder.probabilities([root])[0]
    builder.improve(most)
    return most[problem.root]


class _Truncating(Builder):
    """Builds with conjunctions and disjunctions only, so that a function on one side of each part is on that side."""

    def __init__(
        self, problem: Problem, order: Order, columns: Mapping[int, float], size: int, limit: Limit, *, below: bool
    ) -> None:
        self.manager = OxiddEngine(collect=True).operations(len(order), limit)
        super().__init__(problem, order, self.manager, limit)
        self.levels = tuple(range(len(order)))
        self.columns = [np.float64(columns[leaf]) for leaf in order]
        self.size, self.below = size, below

    def probabilities(self, functions: list[Any]) -> list[float]:
        """Of several functions."""
        diagrams = self.manager.diagrams(functions, self.levels)
        large = [diagram for diagram in diagrams if diagram.size > 0]
        values = decision_diagram.node_values(large[0], self.columns) if large else np.array([0.0, 1.0])
        return [float(values[diagram.root]) for diagram in diagrams]

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
            odd, even = self._either(odd, no, even, yes), self._either(even, no, odd, yes)
        return odd if literal > 0 else even

    def _either(self, f: Any, with_f: Any, g: Any, with_g: Any) -> Any:
        """One function with its condition, or the other with its own."""
        first = self._applied(self.operations.conjunction, f, with_f)
        return self._applied(self.operations.disjunction, first, self._applied(self.operations.conjunction, g, with_g))

    def _joined(self, operation: Callable[[Any, Any], Any], parts: list[int]) -> Any:
        return reduce(lambda f, g: self._applied(operation, f, g), (self._value(part) for part in parts))

    def _count(self, least: int, parts: list[int]) -> Any:
        reached = [self.operations.constant(True)] + [self.operations.constant(False)] * least
        for part in parts:
            condition = self._value(part)
            for count in range(least, 0, -1):
                one_more = self._applied(self.operations.conjunction, condition, reached[count - 1])
                reached[count] = self._applied(self.operations.disjunction, one_more, reached[count])
        return reached[least]

    def _applied(self, operation: Callable[[Any, Any], Any], f: Any, g: Any) -> Any:
        """The operation, its result truncated; where there is no room for it, its inputs are truncated first."""
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
        return self._imported(truncated(diagram, self.columns, most=max(most // 2, 2), below=self.below))

    def _imported(self, diagram: Diagram) -> Any:
        found = [self.operations.constant(False), self.operations.constant(True)]
        for level, nodes in diagram.levels:
            variable = self.operations.variable(level)
            pairs = zip(diagram.low[nodes].tolist(), diagram.high[nodes].tolist(), strict=True)
            found.extend(self.operations.choice(variable, found[high], found[low]) for low, high in pairs)
        return found[diagram.root]


class _Bounding(_Truncating):
    """Builds from above, and notes the probability of every gate's function."""

    def __init__(self, problem: Problem, order: Order, columns: Mapping[int, float], size: int, limit: Limit) -> None:
        super().__init__(problem, order, columns, size, limit, below=False)
        self.found_at: dict[int, float] = {}
        self.waiting: dict[int, Any] = {}
        self.waiting_nodes = 0
        self.support = {leaf: 1 << level for leaf, level in self.level.items()}
        for number, gate in problem.gates.items():
            self.support[number] = reduce(or_, (self.support[abs(part)] for part in gate.inputs))

    def improve(self, most: dict[int, float]) -> None:
        """Lower the bounds of all literals that were built."""
        self._evaluate_waiting()
        for literal, own in self.found_at.items():
            by_parts = self._from_parts(literal, self.problem.gates[abs(literal)], most)
            most[literal] = min(most.get(literal, 1.0), own, by_parts)

    def _gate(self, literal: int, gate: Gate) -> Any:
        found = super()._gate(literal, gate)
        self.waiting[literal] = found
        self.waiting_nodes += found.node_count()
        if self.waiting_nodes > BATCH:
            self._evaluate_waiting()
        return found

    def _evaluate_waiting(self) -> None:
        if self.waiting:
            probabilities = self.probabilities(list(self.waiting.values()))
            self.found_at.update(zip(self.waiting, probabilities, strict=True))
        self.waiting, self.waiting_nodes = {}, 0

    def _from_parts(self, literal: int, gate: Gate, most: Mapping[int, float]) -> float:
        """Sum of a disjunction; product of a conjunction over groups of parts that share no leaf."""
        if gate.operator != "and":
            return 1.0
        bounds = [(self.support[abs(part)], self._bound(part, most)) for part in self._parts(literal)]
        if literal < 0:
            return min(1.0, math.fsum(bound for _, bound in bounds))
        return math.prod(least for _, least in _apart(bounds))

    def _bound(self, literal: int, most: Mapping[int, float]) -> float:
        level = self.level.get(abs(literal))
        if level is None:
            return most[literal]
        p = float(self.columns[level])
        return p if (literal > 0) != (abs(literal) in self.problem.flipped) else 1 - p


def _apart(bounds: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    """Groups that share no leaf, each with the least bound in it."""
    groups: list[tuple[int, float]] = []
    for leaves, least in bounds:
        joined = [group for group in groups if group[0] & leaves]
        groups = [group for group in groups if not group[0] & leaves]
        support = reduce(or_, (group[0] for group in joined), leaves)
        groups.append((support, min([least, *(group[1] for group in joined)])))
    return groups


# Diagrams made smaller by giving up what hardly ever happens, always to the same side.


def truncated(diagram: Diagram, columns: decision_diagram.Columns, *, most: int, below: bool) -> Diagram:
    """A function below (or above) the given one with at most ``most`` nodes, but always the root.

    A node is given up where the states that reach it and are true (false) below it have little probability: all of
    them become false (true). The children of the nodes that stay are the ones given up or staying.
    """
    if diagram.size <= most:
        return diagram
    values = decision_diagram.node_values(diagram, columns)
    reach = decision_diagram.reach(diagram, columns)
    mass = reach * (values if below else 1 - values)
    always = [FALSE, DIAGRAM_TRUE, diagram.root]
    mass[always] = np.inf
    keep = np.zeros(len(mass), dtype=bool)
    keep[np.argpartition(mass, -most)[-most:]] = True
    keep[always] = True
    low, high = diagram.low.copy(), diagram.high.copy()
    gone = FALSE if below else DIAGRAM_TRUE
    low[~keep[low]] = gone
    high[~keep[high]] = gone
    return _kept(Diagram(diagram.column, low, high, diagram.root), keep)


def _kept(diagram: Diagram, keep: np.typing.NDArray[np.bool_]) -> Diagram:
    number = np.cumsum(keep) - 1
    return Diagram(
        diagram.column[keep],
        number[diagram.low[keep]],
        number[diagram.high[keep]],
        int(number[diagram.root]),
    )
