"""Probability of a diagram and its derivatives, for many sets of probabilities at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.faulttree.logic.diagram import TRUE, Diagram

Columns = Sequence[FloatArray] | Sequence[np.float64]
"""Of each column, its probability: one number, or one a draw."""


def probability(diagram: Diagram, columns: Columns) -> FloatArray:
    """Probability that the function is true, when column c is true with probability ``columns[c]``, independently."""
    return node_values(diagram, columns)[diagram.root]


def node_values(diagram: Diagram, columns: Columns) -> FloatArray:
    """Probability of the function below each node."""
    values = np.zeros((len(diagram.column), *_shape(diagram, columns)))
    values[TRUE] = 1
    for column, nodes in diagram.levels:
        p = columns[column]
        below = values.take(diagram.low[nodes], axis=0)
        below *= 1 - p
        above = values.take(diagram.high[nodes], axis=0)
        above *= p
        np.add(below, above, out=values[nodes])
    return values


def reach(diagram: Diagram, columns: Columns) -> FloatArray:
    """Probability of coming through each node on the way from the root."""
    found = np.zeros((len(diagram.column), *_shape(diagram, columns)))
    found[diagram.root] = 1
    for column, nodes in reversed(diagram.levels):
        p, reached = columns[column], found[nodes]
        np.add.at(found, diagram.high[nodes], reached * p)
        np.add.at(found, diagram.low[nodes], reached * (1 - p))
    return found


def slopes(diagram: Diagram, columns: Columns) -> dict[int, FloatArray]:
    """Derivative of the probability by that of each column of the diagram; columns hold one value a draw."""
    values, reached = node_values(diagram, columns), reach(diagram, columns)
    return {
        column: (reached[nodes] * (values[diagram.high[nodes]] - values[diagram.low[nodes]])).sum(axis=0)
        for column, nodes in diagram.levels
    }


def _shape(diagram: Diagram, columns: Columns) -> tuple[int, ...]:
    return np.shape(columns[diagram.levels[0][0]]) if diagram.levels else ()
