"""Diagrams made smaller by giving up what hardly ever happens, always to the same side."""

from __future__ import annotations

import numpy as np

from surefoot.faulttree.logic import evaluation
from surefoot.faulttree.logic.diagram import FALSE, TRUE, Diagram


def truncated(diagram: Diagram, columns: evaluation.Columns, *, most: int, below: bool) -> Diagram:
    """A function below (or above) the given one with at most ``most`` nodes, but always the root.

    A node is given up where the states that reach it and are true (false) below it have little probability: all of
    them become false (true). The children of the nodes that stay are the ones given up or staying.
    """
    if diagram.size <= most:
        return diagram
    values = evaluation.node_values(diagram, columns)
    reach = evaluation.reach(diagram, columns)
    mass = reach * (values if below else 1 - values)
    always = [FALSE, TRUE, diagram.root]
    mass[always] = np.inf
    keep = np.zeros(len(mass), dtype=bool)
    keep[np.argpartition(mass, -most)[-most:]] = True
    keep[always] = True
    low, high = diagram.low.copy(), diagram.high.copy()
    gone = FALSE if below else TRUE
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
