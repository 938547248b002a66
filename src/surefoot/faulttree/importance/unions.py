"""Unions of minimal sets as decision diagrams, for all columns of a part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from surefoot.faulttree.logic.diagram import Diagram
from surefoot.faulttree.logic.engines import Engine, Limit, OverLimit, OxiddEngine

MOST_STEPS = 500_000
FEWEST_NODES, MOST_NODES, GROWTH = 1 << 14, 1 << 22, 512
"""Nodes that are set aside: so many times those of the minimal sets, within limits."""


def rests(minimal: Diagram, *, engine: Engine | None = None) -> dict[int, Diagram]:
    """For each column the union of the minimal sets that contain it, without it.

    ``minimal`` is the zero-suppressed diagram of the sets. Raises ``OverLimit`` where the work would take too long.
    """
    if sum(minimal.size - at.start for _, at in minimal.levels) > MOST_STEPS:
        raise OverLimit("the minimal sets of this part take too many steps to join")
    unions = _Unions(minimal, engine or OxiddEngine())
    return {column: unions.without(place) for place, (column, _) in enumerate(minimal.levels)}


class _Unions:
    """The union of the sets below each node of the family."""

    def __init__(self, minimal: Diagram, engine: Engine) -> None:
        self.minimal, self.columns = minimal, [column for column, _ in reversed(minimal.levels)]
        room = min(max(FEWEST_NODES, GROWTH * minimal.size), MOST_NODES)
        self.operations = engine.operations(len(self.columns), Limit(room))
        self.low, self.high = minimal.low.tolist(), minimal.high.tolist()
        self.false = self.operations.constant(False)
        self.below = [self.false, self.operations.constant(True)]
        for variable, nodes in self._levels(0):
            self.below += [self._joined(variable, self.below[self.low[n]], self.below[self.high[n]]) for n in nodes]

    def without(self, place: int) -> Diagram:
        """The union of the sets with the column at this place from the bottom; nodes below it have no such sets."""
        found = {node: self.below[self.high[node]] for node in _nodes(self.minimal.levels[place][1])}
        for variable, nodes in self._levels(place + 1):
            for node in nodes:
                low, high = self.low[node], self.high[node]
                if low in found or high in found:
                    found[node] = self._joined(variable, found.get(low, self.false), found.get(high, self.false))
        return self.operations.diagram(found[self.minimal.root], tuple(self.columns))

    def _levels(self, start: int) -> Iterator[tuple[Any, range]]:
        for place, (_, at) in enumerate(self.minimal.levels[start:], start):
            yield self.operations.variable(len(self.columns) - 1 - place), _nodes(at)

    def _joined(self, variable: Any, low: Any, high: Any) -> Any:
        return self.operations.disjunction(low, self.operations.conjunction(variable, high))


def _nodes(at: slice) -> range:
    return range(at.start, at.stop)
