"""The cells of one band of a drawing, in columns: boxes of nodes, words of flows, and bends where lines pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from surefoot.drawing import text_width
from surefoot.faulttree.drawing.metrics import LEADING, MAIN, NOTE
from surefoot.faulttree.drawing.words import lines
from surefoot.hazards.drawing.graph import Flow, Graph
from surefoot.hazards.drawing.risks import BADGE, Badge
from surefoot.hazards.worksheet.item import Item

BOX, LABEL, GAP = 104.0, 78.0, 19.0
"""Width of a box, room for the words of a flow, room for lines between columns."""
PADDING, ML_ROW, PORT, BEND = 8.0, 12.0, 9.0, 4.0
LOOP = 12.0
"""Height of the line of a flow from a node to itself, above its words."""
Kind = Literal["node", "elsewhere", "flow", "bend"]


@dataclass(frozen=True)
class Cell:
    """Something in a column; ``place`` counts nodes or flows of the graph. ``below`` are flows of a node to itself."""

    kind: Kind
    place: int
    column: int
    words: tuple[str, ...] = ()
    width: float = 0.0
    height: float = BEND
    below: tuple[tuple[str, ...], ...] = ()

    @property
    def room(self) -> float:
        """Height with what hangs below."""
        words = sum(len(each) for each in self.below) * NOTE * LEADING
        return self.height + (2 * (LOOP + words + 4.0) if self.below else 0.0)


@dataclass(frozen=True)
class Chain:
    """A flow as cells from left to right; ``back`` where it leads from right to left."""

    flow: int
    cells: tuple[int, ...]
    back: bool


@dataclass
class Builder:
    """Collects the cells and chains of one band, which holds the layers from ``first`` to ``last``."""

    graph: Graph
    layer: Sequence[int]
    badges: Mapping[str, Badge]
    first: int
    last: int
    cells: list[Cell] = field(default_factory=list)
    chains: list[Chain] = field(default_factory=list)
    known: dict[tuple[Kind, int, int], int] = field(default_factory=dict)

    def build(self, nodes: Sequence[int], back: frozenset[int]) -> Builder:
        """All nodes of the band, and all flows that touch it."""
        ports = self._ports()
        for node in nodes:
            if self.first <= self.layer[node] <= self.last:
                self._node(node, ports.get(node, 0))
        for place, flow in enumerate(self.graph.flows):
            if flow.source != flow.target:
                self._chains(place, flow, place in back)
        return self

    def _ports(self) -> dict[int, int]:
        """The most lines on one side of each node."""
        sides: dict[tuple[int, bool], int] = {}
        for flow in self.graph.flows:
            for node, other in ((flow.source, flow.target), (flow.target, flow.source)):
                side = (node, self.layer[other] > self.layer[node])
                sides[side] = sides.get(side, 0) + 1
        return {node: max(sides.get((node, True), 0), sides.get((node, False), 0)) for node, _ in sides}

    def _node(self, node: int, ports: int) -> None:
        self._add("node", node, 2 * self.layer[node], *box_cell(self.graph, node, ports))

    def _chains(self, place: int, flow: Flow, back: bool) -> None:
        """The whole flow where both ends are in the band, else the part that begins or ends here."""
        start, end = (flow.target, flow.source) if back else (flow.source, flow.target)
        inside = [self.first <= self.layer[node] <= self.last for node in (start, end)]
        if all(inside):
            self._chain(place, self._at(start), self._at(end), back)
        elif inside[0]:
            column = 2 * self.layer[start] + 2
            self._chain(place, self._at(start), self._elsewhere(end, column), back)
        elif inside[1]:
            column = 2 * self.layer[end] - 2
            self._chain(place, self._elsewhere(start, column), self._at(end), back)

    def _chain(self, place: int, start: int, end: int, back: bool) -> None:
        first, last = self.cells[start].column + 1, self.cells[end].column
        named = last - 1 if back else first
        between = [
            self._flow(place, column) if column == named else self._bend(place, column) for column in range(first, last)
        ]
        self.chains.append(Chain(place, (start, *between, end), back))

    def _at(self, node: int) -> int:
        return self.known["node", node, 2 * self.layer[node]]

    def _elsewhere(self, node: int, column: int) -> int:
        words = lines(self.graph.nodes[node].name, BOX - 26.0, NOTE, most=3)
        width = max(text_width(line, NOTE) for line in words) + 22.0
        return self._add("elsewhere", node, column, tuple(words), width, 8.0 + len(words) * NOTE * LEADING)

    def _flow(self, place: int, column: int) -> int:
        item = self.graph.flows[place].item
        words = flow_words(item)
        width = max(text_width(line, NOTE) for line in words) + 6.0
        badge = BADGE + 3.0 if item.name in self.badges else 0.0
        return self._add("flow", place, column, words, width, len(words) * NOTE * LEADING + badge)

    def _bend(self, place: int, column: int) -> int:
        return self._add("bend", place, column)

    def _add(
        self,
        kind: Kind,
        place: int,
        column: int,
        words: tuple[str, ...] = (),
        width: float = 0.0,
        height: float = BEND,
        below: tuple[tuple[str, ...], ...] = (),
    ) -> int:
        key = (kind, place, column)
        if key not in self.known:
            self.known[key] = len(self.cells)
            self.cells.append(Cell(kind, place, column, words, width, height, below))
        return self.known[key]


def box_cell(graph: Graph, node: int, ports: int) -> tuple[tuple[str, ...], float, float, tuple[tuple[str, ...], ...]]:
    """Words, width and height of a box, and the words of what hangs below it."""
    item = graph.nodes[node]
    words = tuple(lines(item.name, BOX - 2 * PADDING, MAIN, most=4))
    height = 2 * PADDING + len(words) * MAIN * LEADING + (ML_ROW if item.learned else 0.0)
    loops = (flow.item for flow in graph.flows if flow.source == flow.target == node)
    return words, BOX, max(height, (ports + 1) * PORT), tuple(map(flow_words, loops))


def flow_words(item: Item) -> tuple[str, ...]:
    """The name of a flow in lines; the first says that it is learned."""
    words = lines(item.name, LABEL, NOTE, most=4)
    return ("ML", *words) if item.learned else tuple(words)
