"""Probability of a diagram and its derivatives, for many sets of probabilities at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.faulttree.logic.diagram import FALSE, TRUE, Diagram

Columns = Sequence[FloatArray] | Sequence[np.float64]
"""Of each column, its probability: one number, or one a draw."""


def probability(diagram: Diagram, columns: Columns, others: Columns | None = None, *, of: int = TRUE) -> FloatArray:
    """Probability that the function is true, when column c is true with probability ``columns[c]``, independently.

    ``others`` are the probabilities that columns are false. They are needed where 1 minus the other would not be
    exact enough: beside a complement of something close to certain. With ``of=FALSE``, the function is false.
    """
    return node_values(diagram, columns, others, of=of)[diagram.root]


def node_values(diagram: Diagram, columns: Columns, others: Columns | None = None, *, of: int = TRUE) -> FloatArray:
    """Probability that the function below each node is true, or, with ``of=FALSE``, false."""
    values = np.zeros((len(diagram.column), *_shape(diagram, columns)))
    values[of] = 1
    for column, nodes in diagram.levels:
        below = values.take(diagram.low[nodes], axis=0)
        below *= _complement(columns, others, column)
        above = values.take(diagram.high[nodes], axis=0)
        above *= columns[column]
        np.add(below, above, out=values[nodes])
    return values


def reach(diagram: Diagram, columns: Columns, others: Columns | None = None) -> FloatArray:
    """Probability of coming through each node on the way from the root."""
    found = np.zeros((len(diagram.column), *_shape(diagram, columns)))
    found[diagram.root] = 1
    for column, nodes in reversed(diagram.levels):
        reached = found[nodes]
        np.add.at(found, diagram.high[nodes], reached * columns[column])
        np.add.at(found, diagram.low[nodes], reached * _complement(columns, others, column))
    return found


def slopes(diagram: Diagram, columns: Columns, others: Columns | None = None) -> dict[int, FloatArray]:
    """Derivative of the probability by that of each column of the diagram; columns hold one value a draw."""
    values, reached = node_values(diagram, columns, others), reach(diagram, columns, others)
    rise = values[diagram.high] - values[diagram.low]
    if others is not None:
        # The difference of two numbers close to 1 is better taken between their complements.
        false = node_values(diagram, columns, others, of=FALSE)
        likely = values[diagram.high] + values[diagram.low] > 1
        rise = np.where(likely, false[diagram.low] - false[diagram.high], rise)
    return {column: (reached[nodes] * rise[nodes]).sum(axis=0) for column, nodes in diagram.levels}


def _complement(columns: Columns, others: Columns | None, column: int) -> FloatArray | np.float64:
    return 1 - columns[column] if others is None else others[column]


def _shape(diagram: Diagram, columns: Columns) -> tuple[int, ...]:
    return np.shape(columns[diagram.levels[0][0]]) if diagram.levels else ()
