"""Which gates are drawn in full: grown from the top, level by level, each gate at most once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from surefoot.faulttree.drawing.graph import Graph, Item

FEW, FEWEST = 3, 1
"""More inputs than these that nothing stands below are written as a list, if there is room and if there is not."""
IN_ORDER = ("pand", "imply", "inhibit")
"""Gates whose inputs keep their places."""


@dataclass(slots=True)
class Occurrence:
    """An item at one of the places where it stands; it has inputs where it is drawn in full."""

    item: int
    depth: int
    parent: int | None
    inputs: list[int] = field(default_factory=list)


class Growth:
    """Occurrences of items; an input has a higher number than its gate."""

    def __init__(self, graph: Graph, few: int = FEW) -> None:
        self.graph, self.few = graph, few
        self.occurrences = [Occurrence(0, 0, None)]
        self.in_full: set[int] = set()
        self._expand(0)

    def grow(self, wanted: Callable[[int], bool]) -> None:
        """Draw all wanted occurrences in full, the upper ones first."""
        open_ones = [(one.depth, number) for number, one in enumerate(self.occurrences) if not one.inputs]
        heapify(open_ones)
        while open_ones:
            depth, number = heappop(open_ones)
            if self._may_expand(number) and wanted(number):
                for below in self._expand(number):
                    heappush(open_ones, (depth + 1, below))

    def item(self, number: int) -> Item:
        """What stands at an occurrence."""
        return self.graph.items[self.occurrences[number].item]

    def condition(self, number: int) -> int | None:
        """The input that stands in an oval beside an inhibit gate, if it is no gate itself."""
        item = self.item(number)
        last = item.inputs[-1] if item.inputs else 0
        return last if item.kind == "inhibit" and not self.graph.items[last].is_gate else None

    def below(self, number: int) -> list[int]:
        """Inputs that stand below the gate: all but the condition in its oval."""
        inputs = self.occurrences[number].inputs
        return inputs[:-1] if inputs and self.condition(number) is not None else inputs

    def listed(self, number: int) -> list[int]:
        """Inputs that are written as a list."""
        leaves = [below for below in self.below(number) if not self.occurrences[below].inputs]
        return leaves if len(leaves) > self.few and self.item(number).kind not in IN_ORDER else []

    def _expand(self, number: int) -> list[int]:
        gate = self.occurrences[number]
        start = len(self.occurrences)
        self.occurrences += [Occurrence(item, gate.depth + 1, number) for item in self.graph.items[gate.item].inputs]
        gate.inputs = list(range(start, len(self.occurrences)))
        self.in_full.add(gate.item)
        return gate.inputs

    def _may_expand(self, number: int) -> bool:
        item = self.occurrences[number].item
        return bool(self.graph.items[item].inputs) and item not in self.in_full


def chosen(graph: Graph, collapse: Collection[int], depth: int | None, few: int = FEW) -> Growth:
    """Everything in full but the gates named and those too deep."""
    growth = Growth(graph, few)
    ones = growth.occurrences
    growth.grow(lambda number: ones[number].item not in collapse and (depth is None or ones[number].depth < depth))
    return growth
