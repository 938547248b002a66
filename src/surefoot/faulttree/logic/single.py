"""Diagrams of a single gate, which need no engine: most modules of real trees are of this kind."""

from __future__ import annotations

import numpy as np

from surefoot.faulttree.logic.circuit import Gate
from surefoot.faulttree.logic.diagram import FALSE, TRUE, Diagram
from surefoot.faulttree.logic.part import Problem


def of_one_gate(problem: Problem, columns: dict[int, int]) -> Diagram | None:
    """The diagram of a conjunction or disjunction of leaves, None for anything else."""
    gate = next(iter(problem.gates.values()), None)
    if len(problem.gates) != 1 or gate is None or gate.operator != "and":
        return None
    return _chain(problem, gate, columns)


def _chain(problem: Problem, gate: Gate, columns: dict[int, int]) -> Diagram:
    """One node a leaf: it leads on where its literal holds, and to the end where not."""
    count = len(gate.inputs)
    column, low, high = (np.zeros(count + 2, dtype=np.int64) for _ in range(3))
    go_on, stop = (TRUE, FALSE) if problem.root > 0 else (FALSE, TRUE)
    below = go_on
    for node, literal in enumerate(reversed(gate.inputs), 2):
        holds = (literal > 0) != (abs(literal) in problem.flipped)
        column[node] = columns[abs(literal)]
        low[node], high[node] = (stop, below) if holds else (below, stop)
        below = node
    return Diagram(column, low, high, count + 1)
