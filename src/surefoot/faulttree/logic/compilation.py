"""From a tree to its diagrams: modules and an order of variables for each; or a certified interval.

The tree is built twice, from functions that lie below and from functions that lie above those of its gates; whenever
a diagram grows too large, the part of it that matters least is given up to the safe side. Both probabilities are
exact for what was built, so the true one lies between them. From above, the bounds of a gate's inputs often say more
than its own diagram, because what was given up below is then weighed by what must happen beside it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.faulttree.logic import decision_diagram
from surefoot.faulttree.logic.circuit import FIRST as CIRCUIT_FIRST
from surefoot.faulttree.logic.circuit import (
    TRUE,
    Circuit,
    Gate,
    Order,
    Problem,
    leaf_signs,
    lower,
    modules,
    polarities,
    pulled,
    simplified,
    true_without_events,
    walks,
)
from surefoot.faulttree.logic.decision_diagram import FALSE, Compiled, Diagram, Part
from surefoot.faulttree.logic.decision_diagram import TRUE as DIAGRAM_TRUE
from surefoot.faulttree.logic.engines import BeyondBudget, Budget, Builder, Engine, Limit, OverLimit, OxiddEngine
from surefoot.faulttree.quantities import probabilities

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree as Tree


EXACT_SHARE = 0.5
"""Share of the time that is spent on an exact answer; the rest narrows the interval where there is none."""


def compiled_or_enclosed(tree: Tree, budget: Budget) -> Compiled:
    """The diagrams of a tree; raises ``BeyondBudget`` with a certified interval where they are too large."""
    limit, circuit = budget.limit(), circuit_of(tree.expanded)
    exact = time.monotonic() + EXACT_SHARE * budget.seconds
    try:
        within = replace(limit, deadline=exact)
        return compile_circuit(circuit, limit=within, minimal_seconds=budget.minimal_seconds)
    except OverLimit:
        low, high = interval(tree.expanded, circuit, limit)
        raise BeyondBudget(low=low, high=high) from None


def circuit_of(tree: Tree) -> Circuit:
    """The simplified circuit of a tree without groups."""
    return simplified(lower(tree.top, tree.gates, tree.events, tree.houses))


def compile_tree(
    tree: Tree, *, budget: Budget | None = None, engine: Engine | None = None, in_modules: bool = True
) -> Compiled:
    """The diagrams of a tree without groups; raises ``OverLimit`` where they would exceed the budget."""
    budget = budget or Budget()
    return compile_circuit(circuit_of(tree), limit=budget.limit(), engine=engine, in_modules=in_modules)


def compile_circuit(
    circuit: Circuit,
    *,
    limit: Limit,
    engine: Engine | None = None,
    in_modules: bool = True,
    minimal_seconds: float = Budget().minimal_seconds,
) -> Compiled:
    """The diagrams of a circuit, module by module."""
    if abs(circuit.top) == TRUE:
        return Compiled((), (Part(decision_diagram.constant(False), {}, 1.0),), {}, negated=circuit.top == TRUE)
    engine = engine or OxiddEngine()
    roots = _roots(circuit, in_modules=in_modules)
    apart = frozenset(roots)
    flipped = true_without_events(circuit) & apart
    used = _used_events(circuit)
    events = tuple(circuit.events[number - CIRCUIT_FIRST] for number in used)
    columns = {number: column for column, number in enumerate(used)}
    parts: list[Part] = []
    for root in roots:
        problem = Problem.of(circuit, -root if root in flipped else root, apart, flipped)
        diagram = solved(problem, columns, engine, limit)
        signs = {columns[leaf]: sign for leaf, sign in leaf_signs(problem).items()}
        parts.append(Part(diagram, signs, minimal_seconds))
        columns[root] = len(events) + len(parts) - 1
    top_signs = polarities(circuit)
    directions = {name: top_signs[number] for name, number in zip(events, used, strict=True)}
    return Compiled(events, tuple(parts), directions, negated=(circuit.top < 0) != (abs(circuit.top) in flipped))


def _roots(circuit: Circuit, *, in_modules: bool) -> list[int]:
    """Gates that are solved on their own, inputs first; a single variable counts as the top gate."""
    top = abs(circuit.top)
    if not in_modules or top not in circuit.gates:
        return [top]
    return modules(circuit)


def _used_events(circuit: Circuit) -> list[int]:
    gates = list(circuit.reachable())
    inputs = {abs(literal) for number in gates for literal in circuit.gates[number].inputs}
    return sorted(number for number in inputs | {abs(circuit.top)} if number not in circuit.gates)


# Orders tried one after the other under growing limits, until one gives a diagram.

WALK, PULLED = "walk", "pulled"
FIRST, FIRST_WITH_PARITY = 1 << 16, 1 << 18
"""Nodes for the first walk, which is enough for most trees; FORCE is of little use where there is parity."""
SCREEN = 1 << 15
"""Nodes with which orders by FORCE show how far they come."""
SCREENED = 3
ROUNDS = (
    (1 << 16, (PULLED,)),
    (1 << 19, (PULLED, WALK, PULLED)),
    (1 << 22, (WALK, PULLED, PULLED)),
    (1 << 24, (WALK, WALK, PULLED)),
    (1 << 26, (WALK, PULLED, WALK)),
)
"""Nodes allowed, and the orders tried with them: walks and orders by FORCE, the best of each first."""
SECONDS_PER_NODE = 3e-7
"""A round that could not be finished before the deadline is not begun."""
BURST = 16
"""An order that got out of hand is tried again with so many times the nodes."""


def solved(problem: Problem, columns: dict[int, int], engine: Engine, limit: Limit) -> Diagram:
    """The diagram by the first order that keeps within the limit of a round; raises ``OverLimit``."""
    simple = of_one_gate(problem, columns)
    return _Race(problem, columns, engine, limit).winner() if simple is None else simple


@dataclass(eq=False)
class _Race:
    problem: Problem
    columns: dict[int, int]
    engine: Engine
    limit: Limit
    progress: dict[Order, int] = field(default_factory=dict)
    """Gates that an order had built when it was stopped."""
    burst: dict[Order, int] = field(default_factory=dict)
    """Orders with an operation that got out of hand, and the nodes they were allowed: a few more would go that way."""

    def winner(self) -> Diagram:
        parity = any(gate.operator == "xor" for gate in self.problem.gates.values())
        first = FIRST_WITH_PARITY if parity else FIRST
        found = self._try(next(walks(self.problem)), first)
        if found is None and self.limit.nodes > first:
            found = self._screened() or self._rounds()
        if found is None:
            raise OverLimit("no order of variables gave a diagram within the node budget and the time limit")
        return found

    def _screened(self) -> Diagram | None:
        """Let orders by FORCE show how far they come; the furthest first, the least span among equals."""
        orders = pulled(self.problem)[:SCREENED]
        for order in orders:
            found = self._try(order, SCREEN)
            if found is not None:
                return found
        self.by_kind = {
            WALK: list(dict.fromkeys(walks(self.problem))),
            PULLED: sorted(orders, key=lambda order: -self.progress[order]),
        }
        return None

    def _rounds(self) -> Diagram | None:
        for nodes, kinds in ROUNDS:
            allowed = min(nodes, self.limit.nodes)
            for order in self._chosen(kinds, allowed):
                if time.monotonic() + allowed * SECONDS_PER_NODE > self.limit.deadline:
                    return None
                found = self._try(order, allowed)
                if found is not None:
                    return found
            if nodes >= self.limit.nodes:
                break
        return None

    def _chosen(self, kinds: tuple[str, ...], nodes: int) -> Iterator[Order]:
        """The best order of each kind, then the second best."""
        left = {kind: iter(orders) for kind, orders in self.by_kind.items()}
        chosen = (next(left[kind], None) for kind in kinds)
        return (order for order in chosen if order is not None and nodes > BURST * self.burst.get(order, 0))

    def _try(self, order: Order, nodes: int) -> Diagram | None:
        self.limit.check_time()
        within = replace(self.limit, nodes=min(nodes, self.limit.nodes))
        try:
            return self.engine.build(self.problem, order, within, tuple(self.columns[leaf] for leaf in order))
        except OverLimit as over:
            self.progress[order] = over.built
            if over.burst:
                self.burst[order] = within.nodes
            return None


# Diagrams of a single gate, which need no engine: most modules of real trees are of this kind.

MOST_NODES = 1 << 12
"""Of a count or a parity; larger ones are left to the engine, which has a budget."""


def of_one_gate(problem: Problem, columns: dict[int, int]) -> Diagram | None:
    """The diagram of a conjunction, disjunction, parity or count of leaves, None for anything else."""
    if len(problem.gates) != 1:
        return None
    (gate,) = problem.gates.values()
    if gate.operator == "and":
        return _chain(problem, gate, columns)
    inputs = len(gate.inputs)
    nodes = 2 * inputs if gate.operator == "xor" else gate.least * (inputs - gate.least + 1)
    return _counted(problem, gate, columns) if nodes <= MOST_NODES else None


def _chain(problem: Problem, gate: Gate, columns: dict[int, int]) -> Diagram:
    """One node a leaf: it leads on where its literal holds, and to the end where not."""
    count = len(gate.inputs)
    column, low, high = (np.zeros(count + 2, dtype=np.int64) for _ in range(3))
    go_on, stop = (DIAGRAM_TRUE, FALSE) if problem.root > 0 else (FALSE, DIAGRAM_TRUE)
    below = go_on
    for node, literal in enumerate(reversed(gate.inputs), 2):
        column[node] = columns[abs(literal)]
        low[node], high[node] = (stop, below) if _holds(problem, literal) else (below, stop)
        below = node
    return Diagram(column, low, high, count + 1)


def _counted(problem: Problem, gate: Gate, columns: dict[int, int]) -> Diagram:
    """One node for each number of true literals above a leaf that leaves the end open."""
    no, yes = (FALSE, DIAGRAM_TRUE) if problem.root > 0 else (DIAGRAM_TRUE, FALSE)
    odd, inputs = gate.operator == "xor", len(gate.inputs)
    # Where each number of true literals leads: for a parity 0, 1 and 2, which is 0 again.
    leads = [no, yes, no] if odd else [no] * gate.least + [yes]
    rows = [(0, 0, 0), (0, 0, 0)]
    for level, literal in zip(reversed(range(inputs)), reversed(gate.inputs), strict=True):
        fewest = 0 if odd else max(0, gate.least - inputs + level)
        for count in range(fewest, min(level + 1, len(leads) - 1)):
            children = leads[count], leads[count + 1]
            low, high = children if _holds(problem, literal) else children[::-1]
            rows.append((columns[abs(literal)], low, high))
            leads[count] = len(rows) - 1
        leads[-1] = leads[0] if odd else yes
    column, low, high = np.array(rows, dtype=np.int64).T.copy()
    return Diagram(column, low, high, len(rows) - 1)


def _holds(problem: Problem, literal: int) -> bool:
    """Whether the literal is true where its column is."""
    return (literal > 0) != (abs(literal) in problem.flipped)


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


def interval(tree: Tree, circuit: Circuit, limit: Limit) -> tuple[float, float]:
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
    columns = {CIRCUIT_FIRST + index: known[name] for index, name in enumerate(circuit.events)}
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
