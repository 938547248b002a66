"""From a tree to its diagrams: lowering, simplification, modules, and an order of variables for each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from surefoot.faulttree.logic import decision_diagram
from surefoot.faulttree.logic.circuit import FIRST as CIRCUIT_FIRST
from surefoot.faulttree.logic.circuit import TRUE, Circuit, Gate, lower, simplified
from surefoot.faulttree.logic.decision_diagram import FALSE, Compiled, Diagram, Part
from surefoot.faulttree.logic.decision_diagram import TRUE as DIAGRAM_TRUE
from surefoot.faulttree.logic.engines import BeyondBudget, Budget, Engine, Limit, OverLimit, OxiddEngine
from surefoot.faulttree.logic.modules import (
    Order,
    Problem,
    leaf_signs,
    modules,
    polarities,
    pulled,
    true_without_events,
    walks,
)

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
        from surefoot.faulttree.logic.enclosure import interval

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
