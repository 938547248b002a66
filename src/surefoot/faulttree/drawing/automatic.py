"""Large trees: as many gates in full as can be read, those that matter first."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Mapping

from surefoot.faulttree.drawing.graph import Graph
from surefoot.faulttree.drawing.growth import FEWEST, IN_ORDER, Growth
from surefoot.faulttree.drawing.metrics import GAP, Metrics

MOST_GATES = 80
"""More gates than these are drawn in full only where they are highlighted."""


def automatic(
    graph: Graph, sizes: Metrics, *, width: float, always: Collection[int], first: Collection[int], depth: int | None
) -> Growth:
    """All gates in ``always``, then those in ``first``, then others while the width suffices."""
    growth = Growth(graph, FEWEST)
    ones = growth.occurrences

    def shallow(number: int) -> bool:
        return depth is None or ones[number].depth < depth

    def few() -> bool:
        return len(growth.in_full) < MOST_GATES

    growth.grow(lambda number: ones[number].item in always and shallow(number))
    growth.grow(lambda number: ones[number].item in first and shallow(number) and few())
    widths = Widths(growth, sizes)
    growth.grow(lambda number: shallow(number) and few() and widths.take(number, width))
    return growth


class Widths:
    """How wide the drawing is at most, kept up to date while it grows."""

    def __init__(self, growth: Growth, sizes: Metrics) -> None:
        self.growth, self.sizes = growth, sizes
        self.of: dict[int, float] = {}
        for number in reversed(range(len(growth.occurrences))):
            if growth.occurrences[number].inputs:
                self.of[number] = self._width(number, self.of)

    def take(self, number: int, room: float) -> bool:
        """Whether there is room to draw one more gate in full; it is then counted."""
        changed = {number: self._row(number, [], len(self.growth.item(number).inputs))}
        widths = ChainMap(changed, self.of)
        parent = self.growth.occurrences[number].parent
        while parent is not None:
            changed[parent] = self._width(parent, widths)
            parent = self.growth.occurrences[parent].parent
        if changed[0] > room:
            return False
        self.of |= changed
        return True

    def _width(self, number: int, known: Mapping[int, float]) -> float:
        inputs = self.growth.occurrences[number].inputs
        gates = [known[below] for below in inputs if below in known]
        return self._row(number, gates, len(inputs) - len(gates))

    def _row(self, number: int, gates: list[float], leaves: int) -> float:
        """Widths of the inputs side by side."""
        kind = self.growth.item(number).kind
        if leaves > self.growth.few and kind not in IN_ORDER:
            gates, leaves = [*gates, self.sizes.list + self.sizes.box / 2], 0
        columns = len(gates) + leaves
        own = self.sizes.box + (self.sizes.oval if kind == "inhibit" else 0.0)
        return max(own, sum(gates) + leaves * self.sizes.box + (columns - 1) * GAP)
