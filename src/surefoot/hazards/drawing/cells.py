"""A graph as bands of cells in columns: boxes of nodes, words of flows, and bends where lines pass.

Layers stand from left to right, in several bands one below the other where they are too many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from surefoot.drawing import layer_layout
from surefoot.drawing.layer_layout import GAP, Band, Chain, backward, layers, place_layers
from surefoot.drawing.text import LEADING, name_lines, text_width
from surefoot.hazards.drawing.graph import Flow, Graph
from surefoot.hazards.drawing.risk_matrix import BADGE, MAIN, NOTE, Badge
from surefoot.hazards.worksheet.item import Item

BOX, LABEL = 104.0, 78.0
"""Width of a box, room for the words of a flow."""
PADDING, ML_ROW, PORT = 8.0, 12.0, 9.0
BOX_APART, ELSEWHERE_APART = 16.0, 10.0
"""Least distance to a neighbour in the column."""
LOOP = 12.0
"""Height of the line of a flow from a node to itself, above its words."""
Kind = Literal["node", "elsewhere", "flow", "bend"]


@dataclass(frozen=True, kw_only=True)
class Cell(layer_layout.Cell):
    """Something in a column; ``place`` counts nodes or flows of the graph. ``below`` are flows of a node to itself."""

    kind: Kind
    place: int
    words: tuple[str, ...] = ()
    below: tuple[tuple[str, ...], ...] = ()


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
        self._add(box_cell(self.graph, node, 2 * self.layer[node], ports))

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
        words = tuple(name_lines(self.graph.nodes[node].name, BOX - 26.0, NOTE, most=3))
        width = max(text_width(line, NOTE) for line in words) + 22.0
        height = 8.0 + len(words) * NOTE * LEADING
        box = Cell(kind="elsewhere", place=node, column=column, words=words, width=width, height=height, soft=False)
        return self._add(replace(box, apart=ELSEWHERE_APART))

    def _flow(self, place: int, column: int) -> int:
        item = self.graph.flows[place].item
        words = flow_words(item)
        width = max(text_width(line, NOTE) for line in words) + 6.0
        height = len(words) * NOTE * LEADING + (BADGE + 3.0 if item.name in self.badges else 0.0)
        return self._add(Cell(kind="flow", place=place, column=column, words=words, width=width, height=height))

    def _bend(self, place: int, column: int) -> int:
        return self._add(Cell(kind="bend", place=place, column=column))

    def _add(self, cell: Cell) -> int:
        key = (cell.kind, cell.place, cell.column)
        if key not in self.known:
            self.known[key] = len(self.cells)
            self.cells.append(cell)
        return self.known[key]


def box_cell(graph: Graph, node: int, column: int, ports: int) -> Cell:
    """The box of a node with room for so many lines at one side, and the words of what hangs below it."""
    item = graph.nodes[node]
    words = tuple(name_lines(item.name, BOX - 2 * PADDING, MAIN, most=4))
    height = 2 * PADDING + len(words) * MAIN * LEADING + (ML_ROW if item.learned else 0.0)
    below = tuple(flow_words(flow.item) for flow in graph.flows if flow.source == flow.target == node)
    lines = sum(map(len, below))
    return Cell(
        kind="node",
        place=node,
        column=column,
        words=words,
        width=BOX,
        height=max(height, (ports + 1) * PORT),
        hanging=LOOP + lines * NOTE * LEADING + 4.0 if below else 0.0,
        below=below,
        apart=BOX_APART,
        soft=False,
    )


def flow_words(item: Item) -> tuple[str, ...]:
    """The name of a flow in lines; the first says that it is learned."""
    words = name_lines(item.name, LABEL, NOTE, most=4)
    return ("ML", *words) if item.learned else tuple(words)


def split_nodes(graph: Graph) -> tuple[list[int], list[int]]:
    """Nodes with flows to others, and nodes without."""
    joined = {end for flow in graph.flows if flow.source != flow.target for end in (flow.source, flow.target)}
    nodes = range(len(graph.nodes))
    return [node for node in nodes if node in joined], [node for node in nodes if node not in joined]


def bands(graph: Graph, joined: list[int], badges: Mapping[str, Badge], room: float) -> list[Band[Cell]]:
    """All in one band where it fits into the room, else in several of about equal length."""
    if not joined:
        return []
    back, layer = _layered(graph, joined)
    count = max(layer[node] for node in joined) + 1
    for split in ([(0, count - 1)], _split(count, room)):
        found = []
        for first, last in split:
            builder = Builder(graph, layer, badges, first, last).build(joined, back)
            found.append(place_layers(builder.cells, builder.chains))
        if found[0].width <= room:
            break
    return found


def _layered(graph: Graph, joined: list[int]) -> tuple[frozenset[int], list[int]]:
    """Flows that lead back, and the layer of each node."""
    pairs = [(flow.source, flow.target) for flow in graph.flows]
    proper = [place for place, (source, target) in enumerate(pairs) if source != target]
    found = backward(len(graph.nodes), [pairs[place] for place in proper])
    back = frozenset(proper[place] for place in found)
    forward = [pairs[place][::-1] if place in back else pairs[place] for place in proper]
    number = {node: place for place, node in enumerate(joined)}
    level = layers(len(joined), [(number[source], number[target]) for source, target in forward])
    return back, [level[number[node]] if node in number else 0 for node in range(len(graph.nodes))]


def _split(count: int, room: float) -> Iterator[tuple[int, int]]:
    """First and last layer of each of several bands, with room for what leads elsewhere."""
    fitting = int((room + LABEL + 2 * GAP) / (BOX + LABEL + 2 * GAP)) - 2
    parts = -(-count // max(1, fitting))
    for part in range(parts):
        yield part * count // parts, (part + 1) * count // parts - 1
