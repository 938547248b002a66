"""Diagrams of a single gate, which need no engine: most modules of real trees are of this kind."""

from __future__ import annotations

import numpy as np

from surefoot.faulttree.logic.circuit import Gate
from surefoot.faulttree.logic.diagram import FALSE, TRUE, Diagram
from surefoot.faulttree.logic.part import Problem

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
    go_on, stop = (TRUE, FALSE) if problem.root > 0 else (FALSE, TRUE)
    below = go_on
    for node, literal in enumerate(reversed(gate.inputs), 2):
        column[node] = columns[abs(literal)]
        low[node], high[node] = (stop, below) if _holds(problem, literal) else (below, stop)
        below = node
    return Diagram(column, low, high, count + 1)


def _counted(problem: Problem, gate: Gate, columns: dict[int, int]) -> Diagram:
    """One node for each number of true literals above a leaf that leaves the end open."""
    no, yes = (FALSE, TRUE) if problem.root > 0 else (TRUE, FALSE)
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
