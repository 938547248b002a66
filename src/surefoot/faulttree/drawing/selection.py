"""What is drawn of a tree: gates in full, single inputs, lists of inputs; of a large tree as much as can be read.

Gates drawn in full are grown from the top, level by level, each at most once, those that matter first.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Literal

from surefoot.faulttree.drawing.graph import Graph, Item
from surefoot.faulttree.drawing.sizes import GAP, Sizes

FEW, FEWEST = 3, 1
"""More inputs than these that nothing stands below are written as a list, if there is room and if there is not."""
IN_ORDER = ("pand", "imply", "inhibit")
"""Gates whose inputs keep their places."""
MOST_GATES = 80
"""More gates than these are drawn in full only where they are highlighted."""
Role = Literal["gate", "leaf", "transfer", "collapsed", "list"]
MOST_ROWS = 12


@dataclass(frozen=True, slots=True)
class Row:
    """An input in a list."""

    item: int
    role: Role


@dataclass(frozen=True, slots=True)
class Part:
    """A block of the drawing. A list has the item of its gate."""

    item: int
    role: Role
    depth: int
    parent: int | None
    rows: tuple[Row, ...] = ()
    hidden: tuple[int, ...] = ()
    """Inputs that the last row of a list counts instead of naming them."""
    condition: int | None = None
    """The event that stands in an oval beside an inhibit gate."""


def plan(growth: Growth, *, keep: Collection[int], most_rows: int | None) -> list[Part]:
    """Blocks, each after its parent, siblings from left to right; rows in ``keep`` are never left out."""
    roles = _roles(growth)
    parts: list[Part] = []
    waiting: list[tuple[int, int | None, bool]] = [(0, None, False)]
    while waiting:
        number, parent, as_list = waiting.pop()
        one = growth.occurrences[number]
        if as_list:
            rows = [Row(growth.occurrences[row].item, roles[row]) for row in growth.listed(number)]
            parts.append(_list(Part(one.item, "list", one.depth + 1, parent), rows, keep, most_rows))
            continue
        condition = growth.condition(number) if one.inputs else None
        parts.append(Part(one.item, roles[number], one.depth, parent, condition=condition))
        place = len(parts) - 1
        waiting += [(below, place, is_list) for below, is_list in reversed(list(_below(growth, number)))]
    return parts


def _below(growth: Growth, number: int) -> Iterator[tuple[int, bool]]:
    """What stands below a gate; its list goes by the number of the gate and stands where the first row would."""
    listed = growth.listed(number)
    rows = set(listed)
    for below in growth.below(number):
        if below not in rows:
            yield below, False
        elif below == listed[0]:
            yield number, True


def _list(part: Part, rows: Sequence[Row], keep: Collection[int], most: int | None) -> Part:
    shown = _shown(rows, keep, len(rows) if most is None else most)
    kept = tuple(rows[place] for place in sorted(shown))
    hidden = tuple(row.item for place, row in enumerate(rows) if place not in shown)
    return Part(part.item, part.role, part.depth, part.parent, kept, hidden)


def _shown(rows: Sequence[Row], keep: Collection[int], most: int) -> set[int]:
    if len(rows) <= most:
        return set(range(len(rows)))
    needed = [place for place, row in enumerate(rows) if row.item in keep]
    others = [place for place, row in enumerate(rows) if row.item not in keep]
    return {*needed, *others[: max(0, most - 1 - len(needed))]}


def _roles(growth: Growth) -> list[Role]:
    """A gate that is collapsed at several places is collapsed at the first, and a transfer elsewhere."""
    drawn = set(growth.in_full)
    roles: list[Role] = []
    for number, one in enumerate(growth.occurrences):
        if one.inputs:
            roles.append("gate")
        elif not growth.item(number).is_gate:
            roles.append("leaf")
        else:
            roles.append("transfer" if one.item in drawn else "collapsed")
            drawn.add(one.item)
    return roles


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


def automatic(
    graph: Graph, sizes: Sizes, *, width: float, always: Collection[int], first: Collection[int], depth: int | None
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

    def __init__(self, growth: Growth, sizes: Sizes) -> None:
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
