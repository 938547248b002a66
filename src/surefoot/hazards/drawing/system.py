"""The system of a worksheet as a picture: nodes in layers from left to right, flows between them.

Where the layers are too many for the width they stand in several bands one below the other, and of a huge system the
part around learned items is drawn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from surefoot.core import validate
from surefoot.documents import shortened, visible
from surefoot.drawing import layer_layout
from surefoot.drawing.files import svg
from surefoot.drawing.layer_layout import GAP, Band, Chain, backward, layers, place_layers
from surefoot.drawing.legend import MOST_CHARACTERS, ROW, Entry, legend
from surefoot.drawing.scene import Group, Letters, Mark, Path, Pen, Point, Scene, Text, Theme
from surefoot.drawing.shapes import arrowhead, pill, rectangle
from surefoot.drawing.text import LEADING, name_lines, text_width
from surefoot.hazards.drawing.risk_matrix import BADGE, MAIN, NOTE, QUIET, Badge, badge_marks, badge_width, badges
from surefoot.hazards.worksheet import Item, RiskMatrix

if TYPE_CHECKING:
    from surefoot.hazards.worksheet import Hazop

BOX, LABEL = 104.0, 78.0
"""Width of a box, room for the words of a flow."""
PADDING, ML_ROW, PORT = 8.0, 12.0, 9.0
BOX_APART, ELSEWHERE_APART = 16.0, 10.0
"""Least distance to a neighbour in the column."""
LOOP = 12.0
"""Height of the line of a flow from a node to itself, above its words."""
Kind = Literal["node", "elsewhere", "flow", "bend"]
MOST_NODES, MOST_FLOWS = 60, 150
SKETCH_BOX, LEARNED_BOX = Pen("box", "ink", "symbol"), Pen("box learned", "ink", "learned-tint")
UNDESCRIBED, ELSEWHERE = (
    Pen("undescribed", "muted", "paper", dashed=True),
    Pen("elsewhere", "line-strong", "paper", 1.0),
)
LINE, BACK = Pen("line", "muted"), Pen("line back", "muted", dashed=True)
LEARNED_LINE = Pen("line learned", "learned", width=1.7)
LEARNED_BACK = Pen("line learned back", "learned", width=1.7, dashed=True)
HEAD_PEN, LEARNED_HEAD = Pen("head", "muted", "muted", 0.6), Pen("head learned", "learned", "learned", 0.6)
RING_PEN = Pen("ring", "learned", width=2.2)
SAYS, SMALL = Letters("says", MAIN), Letters("small", NOTE)
LEARNED = Letters("learned", NOTE, "learned", bold=True)
RING = 3.0
HEAD, HALF_HEAD = 7.0, 3.4
SMALLEST = 0.75
"""How far a picture may be shrunk to the width that is asked for before it is broken into bands."""
MARGIN, BETWEEN, BELOW = 14.0 + RING, 30.0, 16.0
NARROWEST, GRID = 420.0, 672.0
"""Least room across, and room for nodes side by side."""
SAMPLE = 27.0
"""Room for a sign in the legend."""


def draw_system(hazop: Hazop, *, width: float = 960.0, counts: bool = True, theme: Theme = "light") -> str:
    """Nodes and flows of a worksheet as one ``<svg>`` element.

    Parameters
    ----------
    hazop, width, counts
        As for ``system_scene``.
    theme
        ``light`` or ``dark``.

    Returns
    -------
    str
        SVG without ids and styles.

    Examples
    --------
    >>> from surefoot.hazards import start
    >>> draw_system(start("vehicle"))[:4]
    '<svg'

    """
    return svg(system_scene(hazop, width=width, counts=counts), theme=theme)


def system_scene(hazop: Hazop, *, width: float = 960.0, counts: bool = True) -> Scene:
    """Nodes and flows of a worksheet; of very many nodes those nearest to learned ones.

    Parameters
    ----------
    hazop
        The worksheet.
    width
        The most it may take, in CSS pixels.
    counts
        Whether the number of rows stands beside each item, in the colour of their worst risk.

    Returns
    -------
    Scene
        For ``surefoot.drawing.save`` to write.

    Examples
    --------
    >>> from surefoot.hazards import start
    >>> system_scene(start("vehicle")).title
    'Nodes and flows of vehicle'

    """
    return next(part_scenes(hazop, width=width, counts=counts))


def part_scenes(
    hazop: Hazop, *, width: float = 960.0, counts: bool = True, tallest: float = float("inf")
) -> Iterator[Scene]:
    """The same in several pictures, so that none is higher than ``tallest`` unless a single band is."""
    validate.positive(width, where="draw_system", name="width")
    sketch = Sketch(graph(hazop), badges(hazop) if counts else {}, hazop.matrix)
    joined, alone = split_nodes(sketch.graph)
    found = bands(sketch.graph, joined, sketch.badges, width / SMALLEST - 2 * MARGIN)
    room = max([NARROWEST, *(band.width for band in found), *([min(width - 2 * MARGIN, GRID)] if alone else [])])
    blocks = [*_blocks(sketch, found, alone, room)]
    shrunk = min(1.0, width / (room + 2 * MARGIN))
    for part in _parts(blocks, tallest / shrunk):
        yield _scene(hazop, sketch.graph, part, room + 2 * MARGIN, width)


@dataclass(frozen=True)
class Sketch:
    """Draws the bands of one graph."""

    graph: Graph
    badges: Mapping[str, Badge]
    matrix: RiskMatrix

    def groups(self, band: Band[Cell], x: float, y: float) -> Iterator[Group]:
        """Everything of a band whose left upper corner is at a point; lines first, so that boxes cover them."""
        for number, chain in enumerate(band.chains):
            item = self.graph.flows[chain.link].item
            yield Group(tuple(self._line(band, number, chain, x, y)), said(item, self.badges.get(item.name)))
        for place, cell in enumerate(band.cells):
            middle = (x + band.x[place], y + band.y[place])
            if cell.kind == "node":
                yield from self.box(cell, *middle)
            elif cell.kind == "flow":
                item = self.graph.flows[cell.place].item
                yield Group(tuple(self._words(cell, item, *middle)), said(item, self.badges.get(item.name)))
            elif cell.kind == "elsewhere":
                yield self._elsewhere(cell, *middle)

    def box(self, cell: Cell, x: float, y: float) -> Iterator[Group]:
        """A node around a point, and its flows to itself below."""
        item = self.graph.nodes[cell.place]
        left, top = x - cell.width / 2, y - cell.height / 2
        undescribed = item.name in self.graph.undescribed
        pen = UNDESCRIBED if undescribed else LEARNED_BOX if item.learned else SKETCH_BOX
        marks: list[Mark] = []
        if item.learned:
            ring = rectangle(left - RING, top - RING, cell.width + 2 * RING, cell.height + 2 * RING)
            marks.append(Path(ring, RING_PEN))
        marks.append(Path(rectangle(left, top, cell.width, cell.height), pen))
        marks += _box_words(cell, item, x, y)
        badge = self.badges.get(item.name)
        if badge:
            right = left + cell.width - badge_width(badge.text) / 2 + 4.0
            marks += badge_marks(badge.text, badge.risk, self.matrix, right, top)
        yield Group(tuple(marks), said(item, badge, undescribed=undescribed))
        yield from self._loops(cell, x, y + cell.height / 2)

    def _line(self, band: Band[Cell], number: int, chain: Chain, x: float, y: float) -> Iterator[Mark]:
        learned = self.graph.flows[chain.link].item.learned
        pen = (LEARNED_BACK if chain.back else LEARNED_LINE) if learned else BACK if chain.back else LINE
        steps = list(pairwise(chain.cells))
        for place, (here, there) in enumerate(steps):
            start = (x + band.right[here], y + band.y[here] + band.ports[number, here, "right"])
            end = (x + band.left[there], y + band.y[there] + band.ports[number, there, "left"])
            ends = (x + self._edge(band, here, 1), x + self._edge(band, there, -1))
            tips = (chain.back and place == 0, not chain.back and place == len(steps) - 1)
            yield from _step(start, end, ends, tips, pen)

    def _edge(self, band: Band[Cell], place: int, side: int) -> float:
        """Where a line leaves a cell: at the edge of its words, box or ring."""
        cell = band.cells[place]
        ring = RING + 1.0 if cell.kind == "node" and self.graph.nodes[cell.place].learned else 0.0
        return band.x[place] + side * (cell.width / 2 + ring)

    def _words(self, cell: Cell, item: Item, x: float, y: float) -> Iterator[Mark]:
        badge = self.badges.get(item.name)
        words = len(cell.words) * NOTE * LEADING
        top = y - cell.height / 2
        yield from _flow_lines(cell.words, item.learned, x, top)
        if badge:
            yield from badge_marks(badge.text, badge.risk, self.matrix, x, top + words + 3.0 + BADGE / 2)

    def _elsewhere(self, cell: Cell, x: float, y: float) -> Group:
        item = self.graph.nodes[cell.place]
        outline = pill(x - cell.width / 2, y - cell.height / 2, cell.width, cell.height)
        marks: list[Mark] = [Path(outline, ELSEWHERE)]
        top = y - len(cell.words) * NOTE * LEADING / 2
        marks += _lines(cell.words, x, top, QUIET)
        return Group(tuple(marks), f"{item.name}: drawn elsewhere")

    def _loops(self, cell: Cell, x: float, bottom: float) -> Iterator[Group]:
        """Flows of a node to itself: one line below the box, with the words of all of them."""
        if not cell.below:
            return
        left, right, low = x - 30.0, x + 30.0, bottom + LOOP
        own = [flow.item for flow in self.graph.flows if flow.source == flow.target == cell.place]
        pen = LEARNED_LINE if any(item.learned for item in own) else LINE
        line = Path(f"M {right:.1f} {bottom:.1f} V {low:.1f} H {left:.1f} V {bottom + HEAD:.1f}", pen)
        yield Group((line, _head((left, low), (left, bottom), pen)))
        top = low + 2.0
        for words, item in zip(cell.below, own, strict=True):
            yield Group(tuple(_flow_lines(words, item.learned, x, top)), said(item, self.badges.get(item.name)))
            top += len(words) * NOTE * LEADING


def graph(hazop: Hazop) -> Graph:
    """All nodes and flows, or the most important of too many."""
    flows = [item for item in hazop.items if item.kind == "flow"]
    nodes = {item.name: item for item in hazop.items if item.kind == "node"}
    ends = dict.fromkeys(end for item in flows for end in (item.source, item.target))
    undescribed = frozenset(name for name in ends if name not in nodes)
    nodes |= {name: Item(name) for name in ends if name not in nodes}
    chosen = _chosen(nodes, flows) if len(nodes) > MOST_NODES else list(nodes)
    place = {name: number for number, name in enumerate(chosen)}
    between = [item for item in flows if item.source in place and item.target in place]
    return Graph(
        tuple(nodes[name] for name in chosen),
        tuple(Flow(item, place[item.source], place[item.target]) for item in between[:MOST_FLOWS]),
        undescribed.intersection(place),
        len(nodes),
        len(flows),
    )


@dataclass(frozen=True)
class Graph:
    """What is drawn, and how much there is in all; ``undescribed`` are ends of flows that no node describes."""

    nodes: tuple[Item, ...]
    flows: tuple[Flow, ...]
    undescribed: frozenset[str]
    all_nodes: int
    all_flows: int

    @property
    def complete(self) -> bool:
        """Whether everything is drawn."""
        return len(self.nodes) == self.all_nodes and len(self.flows) == self.all_flows


@dataclass(frozen=True)
class Flow:
    """A flow between two places of ``Graph.nodes``."""

    item: Item
    source: int
    target: int


def _chosen(nodes: dict[str, Item], flows: list[Item]) -> list[str]:
    """The nodes nearest to learned ones, or to the first, in their own order."""
    beside: dict[str, list[str]] = {name: [] for name in nodes}
    for flow in flows:
        beside[flow.source].append(flow.target)
        beside[flow.target].append(flow.source)
    learned = {end for flow in flows if flow.learned for end in (flow.source, flow.target)}
    starts = [name for name, node in nodes.items() if node.learned or name in learned]
    reached = _nearest((*starts, *nodes), beside)
    return [name for name in nodes if name in reached]


def _nearest(starts: Iterable[str], beside: dict[str, list[str]]) -> set[str]:
    reached: set[str] = set()
    for start in starts:
        waiting = deque([start])
        while waiting and len(reached) < MOST_NODES:
            name = waiting.popleft()
            if name not in reached:
                reached.add(name)
                waiting.extend(beside[name])
    return reached


@dataclass(frozen=True, kw_only=True)
class Cell(layer_layout.Cell):
    """Something in a column; ``place`` counts nodes or flows of the graph. ``below`` are flows of a node to itself."""

    kind: Kind
    place: int
    words: tuple[str, ...] = ()
    below: tuple[tuple[str, ...], ...] = ()


def said(item: Item, badge: Badge | None, *, undescribed: bool = False) -> str:
    """An item in full, for a title that is shown when pointed at."""
    kind = f"flow from {item.source} to {item.target}" if item.kind == "flow" else "node"
    parts = [f"{item.name}: {kind}", "learned" if item.learned else "", "not described" if undescribed else ""]
    if badge:
        rows = f"{badge.rows:,} row{'s' if badge.rows > 1 else ''}"
        parts += [rows, f"worst risk {badge.risk}" if badge.risk else "risk not rated"]
    return ", ".join(filter(None, parts)) + (f". {item.description}" if item.description else "")


def _box_words(cell: Cell, item: Item, x: float, y: float) -> Iterator[Mark]:
    rows = len(cell.words) * MAIN * LEADING + (ML_ROW if item.learned else 0.0)
    top = y - rows / 2
    if item.learned:
        yield Text(x, top + NOTE, "ML", LEARNED, "middle")
        top += ML_ROW
    yield from _lines(cell.words, x, top, SAYS)


def _lines(words: tuple[str, ...], x: float, top: float, letters: Letters) -> Iterator[Mark]:
    for number, line in enumerate(words):
        yield Text(x, top + (number + 0.75) * letters.size * LEADING, line, letters, "middle")


def _step(start: Point, end: Point, ends: tuple[float, float], tips: tuple[bool, bool], pen: Pen) -> Iterator[Mark]:
    """From one cell to the next: straight to the edge of its column, then a curve."""
    (x1, y1), (x2, y2) = start, end
    first, last = ends[0] + (HEAD if tips[0] else 0.0), ends[1] - (HEAD if tips[1] else 0.0)
    x1, x2 = max(x1, first), min(x2, last)
    middle = (x1 + x2) / 2
    curve = f"C {middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
    yield Path(f"M {first:.1f} {y1:.1f} L {x1:.1f} {y1:.1f} {curve} L {last:.1f} {y2:.1f}", pen)
    if tips[0]:
        yield _head((ends[0] + HEAD, y1), (ends[0], y1), pen)
    if tips[1]:
        yield _head((ends[1] - HEAD, y2), (ends[1], y2), pen)


def _head(before: Point, end: Point, pen: Pen) -> Path:
    """An arrowhead with its tip at the end of a line."""
    steps, _ = arrowhead(before, end, long=HEAD, half=HALF_HEAD)
    return Path(steps, LEARNED_HEAD if pen.stroke == "learned" else HEAD_PEN)


def _flow_lines(words: tuple[str, ...], learned: bool, x: float, top: float) -> Iterator[Mark]:
    if learned:
        yield Text(x, top + NOTE * LEADING * 0.75, words[0], LEARNED, "middle")
        words, top = words[1:], top + NOTE * LEADING
    yield from _lines(words, x, top, SMALL)


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
                self._add(box_cell(self.graph, node, 2 * self.layer[node], ports.get(node, 0)))
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
            self._flow(place, column) if column == named else self._add(Cell(kind="bend", place=place, column=column))
            for column in range(first, last)
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


def _blocks(sketch: Sketch, found: list[Band[Cell]], alone: list[int], room: float) -> Iterator[_Block]:
    system = sketch.graph
    if not system.complete:
        yield _note(_part(system))
    if not system.nodes:
        yield _note("There are no nodes and flows yet.")
    for band in found:
        yield _Block(band.height, partial(_band, sketch, band), BETWEEN)
    if alone and found:
        yield _note("without flows to other nodes:", BETWEEN)
    columns = max(1, int((room + GAP) / (BOX + GAP)))
    for start in range(0, len(alone), columns):
        yield _side_by_side(sketch, alone[start : start + columns])
    entries = list(meanings(sketch, found))
    if entries:
        explained = partial(legend, entries, QUIET, left=MARGIN, width=room, sample=SAMPLE)
        yield _Block(max(explained(top=0.0)[1], ROW), lambda y: explained(top=y)[0], BELOW, clings=True)


@dataclass(frozen=True)
class _Block:
    """Something that takes the whole width, drawn below a height."""

    height: float
    draw: Callable[[float], list[Group]]
    above: float = 0.0
    """Room to what stands above it."""
    clings: bool = False
    """Whether it stays with what stands above it."""


def _note(text: str, above: float = 0.0) -> _Block:
    """A line of small words."""
    line = NOTE * LEADING
    return _Block(line, lambda y: [Group((Text(MARGIN, y + NOTE, text, QUIET),))], above)


def _part(system: Graph) -> str:
    nodes = f"{len(system.nodes):,} of {system.all_nodes:,} nodes"
    flows = f"{len(system.flows):,} of {system.all_flows:,} flows"
    return f"{nodes} and {flows} are drawn: those nearest to learned items."


def _band(sketch: Sketch, band: Band[Cell], y: float) -> list[Group]:
    return list(sketch.groups(band, MARGIN, y))


def _side_by_side(sketch: Sketch, nodes: list[int]) -> _Block:
    row = [box_cell(sketch.graph, node, 0, 0) for node in nodes]

    def draw(y: float) -> list[Group]:
        places = ((cell, MARGIN + place * (BOX + GAP) + BOX / 2) for place, cell in enumerate(row))
        return [group for cell, x in places for group in sketch.box(cell, x, y + cell.height / 2)]

    return _Block(max((cell.height + cell.room) / 2 for cell in row), draw, BELOW)


def meanings(sketch: Sketch, bands: Sequence[Band[Cell]]) -> Iterator[Entry]:
    """One entry for each kind of sign."""
    graph = sketch.graph
    items = [*graph.nodes, *(flow.item for flow in graph.flows)]
    if any(item.learned for item in items):
        ring, box = Path(rectangle(0, 4, 22, 16), RING_PEN), Path(rectangle(3, 7, 16, 10), LEARNED_BOX)
        yield Entry((ring, box), "ML: comes from machine learning")
    if any(chain.back for band in bands for chain in band.chains):
        yield Entry((Path("M 0 12 L 22 12", BACK),), "leads back")
    if any(cell.kind == "elsewhere" for band in bands for cell in band.cells):
        yield Entry((Path(pill(0, 6, 22, 12), ELSEWHERE),), "is drawn elsewhere")
    if graph.undescribed:
        yield Entry((Path(rectangle(0, 5, 22, 14), UNDESCRIBED),), "named by a flow, not described")
    shown = {sketch.badges[item.name].risk for item in items if item.name in sketch.badges}
    yield from (_risk(sketch.matrix, risk) for risk in (*sketch.matrix.order, "") if risk in shown)


def _risk(matrix: RiskMatrix, risk: str) -> Entry:
    text = f"n rows, worst risk {risk}" if risk else "n rows, risk not rated"
    return Entry(tuple(badge_marks("n", risk, matrix, 11.0, 12.0)), shortened(visible(text), MOST_CHARACTERS))


def _parts(blocks: list[_Block], tallest: float) -> Iterator[list[_Block]]:
    part, height = list[_Block](), 2 * MARGIN
    for block in blocks:
        if part and not block.clings and height + block.above + block.height > tallest:
            yield part
            part, height = [], 2 * MARGIN
        part.append(block)
        height += block.above + block.height
    yield part


def _scene(hazop: Hazop, system: Graph, part: list[_Block], full: float, width: float) -> Scene:
    y, groups = MARGIN, list[Group]()
    for place, block in enumerate(part):
        y += block.above if place else 0.0
        groups += block.draw(y)
        y += block.height
    said = f"{system.all_nodes:,} nodes and {system.all_flows:,} flows."
    return Scene(tuple(groups), full, y + MARGIN, f"Nodes and flows of {hazop.name}", said, min(full, width))


def draw_parts(
    hazop: Hazop, *, width: float = 960.0, counts: bool = True, tallest: float = float("inf")
) -> Iterator[str]:
    """Nodes and flows of a worksheet in several pictures.

    Parameters
    ----------
    hazop, width, counts
        As for ``system_scene``.
    tallest
        The most height of a picture, unless a single band is higher.

    Returns
    -------
    Iterator of str
        One ``<svg>`` element each.

    Examples
    --------
    >>> from surefoot.hazards import start
    >>> len(list(draw_parts(start("vehicle"))))
    1

    """
    yield from map(svg, part_scenes(hazop, width=width, counts=counts, tallest=tallest))
