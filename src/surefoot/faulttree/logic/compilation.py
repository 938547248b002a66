"""From a tree to its diagrams: lowering, simplification, modules, and an order of variables for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefoot.faulttree.logic.budget import Budget
from surefoot.faulttree.logic.circuit import FIRST, TRUE, Circuit
from surefoot.faulttree.logic.compiled import Compiled, Part
from surefoot.faulttree.logic.engines import Engine, Limit, OxiddEngine
from surefoot.faulttree.logic.lowering import lower
from surefoot.faulttree.logic.modules import modules
from surefoot.faulttree.logic.part import Problem
from surefoot.faulttree.logic.polarity import leaf_signs, polarities, true_without_events
from surefoot.faulttree.logic.portfolio import solved
from surefoot.faulttree.logic.simplify import simplified
from surefoot.faulttree.logic.trivial import constant

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree as Tree


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
        return constant(value=circuit.top == TRUE)
    engine = engine or OxiddEngine()
    roots = _roots(circuit, in_modules=in_modules)
    apart = frozenset(roots)
    flipped = true_without_events(circuit) & apart
    used = _used_events(circuit)
    events = tuple(circuit.events[number - FIRST] for number in used)
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
