"""Decision diagrams as arrays, and the chain of them that a compiled tree is: probability and exact derivatives."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray

IntArray = NDArray[np.int64]
FALSE, TRUE = 0, 1
BLOCK = 4_000_000
"""Values that a thread holds at once while draws are evaluated; with fewer, threads wait for each other."""
MOST_THREADS = 4


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


@dataclass(frozen=True, eq=False)
class Part:
    """A module: its function over events and earlier parts, false where all of them are."""

    diagram: Diagram
    signs: Mapping[int, int]
    """Whether the function rises (+1) or falls (-1) with a column, as its gates show; 0 where they show neither."""

    seconds: float
    """Time that the minimal sets may take."""

    @cached_property
    def minimal(self) -> Diagram:
        """Zero-suppressed diagram of the minimal sets of columns that make the function true."""
        from surefoot.faulttree.logic.engines import Limit, minimal_sets

        return minimal_sets(self.diagram, self.signs, Limit(0, time.monotonic() + self.seconds))


@dataclass(frozen=True, eq=False)
class Compiled:
    """Diagrams of all parts, inputs first; the last one is the top event.

    Column c is event c; from ``len(events)`` on it is the truth of an earlier part.

    See Also
    --------
    FaultTree.compile : Makes it, once for each tree.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.faulttree import FaultTree, Formula
    >>> compiled = FaultTree("top", {"top": Formula("and", ("a", "b"))}, {"a": None, "b": None}).compiled
    >>> compiled.events, compiled.coherent
    (('a', 'b'), True)
    >>> float(compiled.probability(np.array([0.5, 0.1])))
    0.05

    """

    events: tuple[str, ...]
    parts: tuple[Part, ...]
    directions: dict[str, int] = field(repr=False)
    """+1 where the top event rises with an event, -1 where it falls, 0 where its gates show neither."""
    negated: bool = False
    """The top event is the complement of the last part."""

    @property
    def coherent(self) -> bool:
        """Whether the top event rises with every event, as its gates show."""
        return not self.events or (not self.negated and all(sign > 0 for sign in self.directions.values()))

    @property
    def nodes(self) -> int:
        """Nodes of all diagrams."""
        return sum(part.diagram.size for part in self.parts)

    def probability(self, p: FloatArray) -> FloatArray:
        """Probability of the top event for probabilities of shape (events,) or (events, draws)."""
        if p.ndim == 1:
            return self._top(p)
        blocks = list(self._blocks(p.shape[1]))
        if len(blocks) == 1:
            return self._top(p)
        # Threads share the work because numpy lets go of the interpreter.
        with ThreadPoolExecutor(max(1, min(len(blocks), os.cpu_count() or 1, MOST_THREADS))) as threads:
            found = list(threads.map(lambda chosen: self._top(p[:, chosen]), blocks))
        return np.concatenate(found) if found else np.empty(0)

    def gradient(self, p: FloatArray) -> FloatArray:
        """Derivative of the probability by each event's, of the shape of ``p``."""
        if p.ndim == 1:
            return self._gradient(p[:, None])[:, 0]
        blocks = [self._gradient(p[:, chosen]) for chosen in self._blocks(p.shape[1])]
        return np.concatenate(blocks, axis=1) if blocks else np.empty(p.shape)

    def _top(self, p: FloatArray) -> FloatArray:
        columns, others = self._columns(p)
        return others[-1] if self.negated and others is not None else columns[-1]

    def _blocks(self, draws: int) -> Iterator[slice]:
        largest = max((part.diagram.size for part in self.parts), default=1) + len(self.events)
        step = max(BLOCK // max(largest, 1), 16)
        return (slice(start, min(start + step, draws)) for start in range(0, draws, step))

    def _columns(self, p: FloatArray) -> tuple[list[FloatArray], list[FloatArray] | None]:
        """Probability of each event and each part, and in trees with complements also of their complements."""
        columns = list(np.asarray(p, dtype=float))
        others = [1 - column for column in columns] if self.negated or not self.coherent else None
        for part in self.parts:
            true = probability(part.diagram, columns, others)
            if others is not None:
                false = probability(part.diagram, columns, others, of=FALSE)
                others.append(np.broadcast_to(false, p.shape[1:]))
            columns.append(np.broadcast_to(true, p.shape[1:]))
        return columns, others

    def _gradient(self, p: FloatArray) -> FloatArray:
        columns, others = self._columns(p)
        adjoint: list[FloatArray] = [np.zeros(p.shape[1]) for _ in columns]
        adjoint[-1] += -1.0 if self.negated else 1.0
        for index in reversed(range(len(self.parts))):
            weight = adjoint[len(self.events) + index]
            for column, slope in slopes(self.parts[index].diagram, columns, others).items():
                adjoint[column] += weight * slope
        return np.array(adjoint[: len(self.events)]).reshape(p.shape)


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
