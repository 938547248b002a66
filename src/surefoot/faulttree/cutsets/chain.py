"""Families of sets as arrays: the diagrams of all parts in one, and passes over them from the bottom up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.faulttree.logic.diagram import FALSE, TRUE, Diagram, IntArray


class HasMinimal(Protocol):
    """A part of a compiled tree, as far as its minimal sets go."""

    @property
    def minimal(self) -> Diagram: ...


class HasParts(Protocol):
    """A compiled tree, as far as its minimal sets go."""

    @property
    def events(self) -> tuple[str, ...]: ...
    @property
    def parts(self) -> Sequence[HasMinimal]: ...
    @property
    def negated(self) -> bool: ...


@dataclass(frozen=True, eq=False)
class Chain:
    """A family of sets of labels, given by zero-suppressed diagrams that build on each other.

    Columns from ``len(labels)`` on stand for the families that begin at ``roots``: a set with such a column stands
    for all sets with the column replaced by a set of that family. The last root is the whole family. All diagrams
    share the nodes 0 and 1; children stand before their parents.
    """

    labels: tuple[Any, ...]
    column: IntArray
    low: IntArray
    high: IntArray
    roots: tuple[int, ...]
    levels: tuple[tuple[int, slice], ...]

    @classmethod
    def of(cls, labels: Sequence[Hashable], diagrams: Sequence[Diagram]) -> Chain:
        """Put the nodes of the diagrams one after the other."""
        offsets = np.cumsum([0, *(diagram.size for diagram in diagrams)])[:-1].tolist()
        shifted = list(zip(diagrams, offsets, strict=True))
        terminals = np.array([FALSE, TRUE])
        return cls(
            tuple(labels),
            np.concatenate([np.array([-1, -1]), *(d.column[2:] for d in diagrams)]),
            np.concatenate([terminals, *(_moved(d.low[2:], by) for d, by in shifted)]),
            np.concatenate([terminals, *(_moved(d.high[2:], by) for d, by in shifted)]),
            tuple(int(_moved(np.array(d.root), by)) for d, by in shifted),
            tuple((c, slice(s.start + by, s.stop + by)) for d, by in shifted for c, s in d.levels),
        )

    @classmethod
    def of_minimal_sets(cls, compiled: HasParts) -> Chain:
        """The minimal cut sets of a compiled tree.

        All parts are false when no event happens; the complement of the last one is true then, and the empty set its
        only minimal one.
        """
        if compiled.negated:
            nothing = np.zeros(2, dtype=np.int64)
            return cls.of(compiled.events, [Diagram(nothing, nothing, nothing, TRUE)])
        return cls.of(compiled.events, [part.minimal for part in compiled.parts])

    @property
    def root(self) -> int:
        """The node at which the whole family begins."""
        return self.roots[-1]

    @property
    def size(self) -> int:
        """Inner nodes of all diagrams."""
        return len(self.column) - 2

    @cached_property
    def entry(self) -> tuple[int, ...]:
        """For each column the root of the family it stands for, 0 for a label."""
        return (FALSE,) * len(self.labels) + self.roots

    def fold(
        self,
        weights: Any,
        *,
        plus: Callable[[Any, Any], Any],
        times: Callable[[Any, Any], Any],
        none: Any,
        unit: Any,
        dtype: Any = np.float64,
    ) -> NDArray[Any]:
        """The value of each node in a semiring: ``low plus (weight of its column times high)``.

        ``weights`` holds one entry a label; what a family is worth is the value at its root. ``none`` is the value
        of the empty family, ``unit`` that of the family that holds only the empty set. Entries may be rows.
        """
        shape = np.shape(weights)[1:] if dtype is not object else ()
        value = np.empty((len(self.column), *shape), dtype)
        value[FALSE], value[TRUE] = none, unit
        for column, nodes in self.levels:
            root = self.entry[column]
            weight = value[root] if root else weights[column]
            value[nodes] = plus(value[self.low[nodes]], times(weight, value[self.high[nodes]]))
        return value


def _moved(nodes: IntArray, by: int) -> IntArray:
    return np.where(nodes > TRUE, nodes + by, nodes)
