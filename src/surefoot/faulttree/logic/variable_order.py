"""Orders of variables, which decide the size of a diagram.

Walks from the top visit the inputs of a gate by some preference, such as shared gates first. FORCE (Aloul, Markov and
Sakallah 2003) pulls what stands in one gate together; the sum of spans, how far the inputs of each gate are apart,
tells its good orders from its bad ones before a diagram is built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.faulttree.logic.modules import Problem

Order = tuple[int, ...]
Preference = Callable[[int], Any]

FORCE_ROUNDS = 60
PATIENCE = 8
"""Rounds without a better span after which FORCE stops."""
RANDOM_STARTS = 2


def walks(problem: Problem) -> Iterator[Order]:
    """Orders in which walks from the top meet the leaves, the most promising preference first."""
    return (_walk(problem, preference) for preference in _preferences(problem))


def pulled(problem: Problem) -> list[Order]:
    """Orders by FORCE from all walks and from random orders, the least span first."""
    hypergraph = _Hypergraph(problem)
    rng = np.random.default_rng(0)
    starts = [*walks(problem), *(tuple(rng.permutation(problem.leaves).tolist()) for _ in range(RANDOM_STARTS))]
    return sorted({hypergraph.force(order) for order in starts}, key=lambda order: (hypergraph.span(order), order))


def _preferences(problem: Problem) -> tuple[Preference, ...]:
    parents, weight, depth = problem.parents, dict.fromkeys(problem.leaves, 1), dict.fromkeys(problem.leaves, 0)
    for number, gate in problem.gates.items():
        inputs = [abs(literal) for literal in gate.inputs]
        weight[number] = sum(weight[item] for item in inputs)
        depth[number] = 1 + max(depth[item] for item in inputs)
    return (
        lambda n: (n not in problem.gates, -parents[n], n),
        lambda n: (-depth[n], -parents[n], n),
        lambda n: (weight[n], -parents[n], n),
        lambda n: (-parents[n], weight[n], n),
        lambda n: (-weight[n], -parents[n], n),
        lambda n: (-parents[n], n),
        lambda n: n,
        lambda n: (n in problem.gates, -parents[n], n),
    )


def _walk(problem: Problem, preference: Preference) -> Order:
    found: dict[int, None] = {}
    entered: set[int] = set()
    stack = [abs(problem.root)]
    while stack:
        number = stack.pop()
        if number not in problem.gates:
            found[number] = None
        elif number not in entered:
            entered.add(number)
            inputs = (abs(literal) for literal in problem.gates[number].inputs)
            stack.extend(sorted(inputs, key=preference, reverse=True))
    return tuple(found)


class _Hypergraph:
    """Each gate with its inputs is an edge."""

    def __init__(self, problem: Problem) -> None:
        self.leaves = problem.leaves
        numbers = [*problem.leaves, *problem.gates]
        place = {number: index for index, number in enumerate(numbers)}
        pins = [
            (edge, place[member])
            for edge, (number, gate) in enumerate(problem.gates.items())
            for member in (number, *(abs(literal) for literal in gate.inputs))
        ]
        self.place, self.gates = place, problem.gates
        self.edge, self.pin = np.array(pins, dtype=np.int64).T
        self.starts = np.flatnonzero(np.diff(self.edge, prepend=-1))
        self.members = np.bincount(self.edge)
        self.edges_of = np.bincount(self.pin)

    def span(self, order: Order) -> float:
        """Sum over the gates of the distance between the first and the last that it joins."""
        return self._span(_ranks(self._positions(order)))

    def force(self, order: Order) -> Order:
        """The best order met while everything moves to the middle of its gates."""
        position = self._positions(order)
        best, least, found = position, np.inf, 0
        for round_ in range(FORCE_ROUNDS):
            rank = _ranks(position)
            span = self._span(rank)
            if span < least:
                best, least, found = rank, span, round_
            elif round_ - found >= PATIENCE:
                break
            centre = np.bincount(self.edge, rank[self.pin]) / self.members
            position = np.bincount(self.pin, centre[self.edge]) / self.edges_of
        leaves = np.argsort(best[: len(self.leaves)], kind="stable")
        return tuple(self.leaves[index] for index in leaves.tolist())

    def _span(self, rank: FloatArray) -> float:
        pins = rank[self.pin]
        return float((np.maximum.reduceat(pins, self.starts) - np.minimum.reduceat(pins, self.starts)).sum())

    def _positions(self, order: Order) -> FloatArray:
        position = np.zeros(len(self.place))
        for index, leaf in enumerate(order):
            position[self.place[leaf]] = index
        for number, gate in self.gates.items():
            inputs = [position[self.place[abs(literal)]] for literal in gate.inputs]
            position[self.place[number]] = sum(inputs) / len(inputs)
        return position


def _ranks(position: FloatArray) -> FloatArray:
    rank = np.empty(len(position))
    order: IntArray = np.argsort(position, kind="stable")
    rank[order] = np.arange(len(position))
    return rank


# Decision diagrams as arrays: what every calculation after compilation works on.

IntArray = NDArray[np.int64]

FALSE, TRUE = 0, 1


@dataclass(frozen=True, eq=False)
class Diagram:
    """A reduced, ordered decision diagram.

    Node 0 is the constant false and node 1 true; every other node has the ``column`` it asks about and its ``low``
    and ``high`` children. Nodes of one column stand together, the deepest column first, so that children stand
    before their parents. In a diagram of a Boolean function a column that is not asked may be either; in a diagram of
    a family of sets (zero-suppressed) it is absent.
    """

    column: IntArray
    low: IntArray
    high: IntArray
    root: int

    @property
    def size(self) -> int:
        """Inner nodes."""
        return len(self.column) - 2

    @cached_property
    def levels(self) -> tuple[tuple[int, slice], ...]:
        """Columns from the bottom up, each with the slice of its nodes."""
        if self.size <= 0:
            return ()
        cuts = np.flatnonzero(np.diff(self.column[2:])) + 3
        starts, ends = [2, *cuts.tolist()], [*cuts.tolist(), len(self.column)]
        return tuple((int(self.column[a]), slice(a, b)) for a, b in zip(starts, ends, strict=True))


def constant(value: bool) -> Diagram:
    """The diagram without nodes."""
    nothing = np.zeros(2, dtype=np.int64)
    return Diagram(nothing, nothing, nothing, TRUE if value else FALSE)


# Probability of a diagram and its derivatives, for many sets of probabilities at once.

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
