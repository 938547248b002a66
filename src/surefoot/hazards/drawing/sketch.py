"""A band as marks: boxes of nodes, lines with arrows, the words of flows, and what the signs mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from surefoot.documents import shortened, visible
from surefoot.drawing.layer_layout import Band, Chain
from surefoot.drawing.legend import MOST_CHARACTERS, Entry
from surefoot.drawing.scene import Group, Letters, Mark, Path, Pen, Point, Text
from surefoot.drawing.shapes import arrowhead, pill, rectangle
from surefoot.drawing.text import LEADING
from surefoot.hazards.drawing.cells import LOOP, ML_ROW, Cell
from surefoot.hazards.drawing.graph import Graph
from surefoot.hazards.drawing.risk_matrix import BADGE, MAIN, NOTE, QUIET, Badge, badge_marks, badge_width
from surefoot.hazards.worksheet.item import Item
from surefoot.hazards.worksheet.matrix import RiskMatrix

BOX, LEARNED_BOX = Pen("box", "ink", "symbol"), Pen("box learned", "ink", "learned-tint")
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


@dataclass(frozen=True)
class Sketch:
    """Draws the bands of one graph."""

    graph: Graph
    badges: Mapping[str, Badge]
    matrix: RiskMatrix

    def groups(self, band: Band[Cell], x: float, y: float) -> Iterator[Group]:
        """Everything of a band whose left upper corner is at a point; lines first, so that boxes cover them."""
        for number, chain in enumerate(band.chains):
            yield Group(tuple(self._line(band, number, chain, x, y)), self._flow_title(chain))
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
        pen = UNDESCRIBED if undescribed else LEARNED_BOX if item.learned else BOX
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

    def _flow_title(self, chain: Chain) -> str:
        item = self.graph.flows[chain.link].item
        return said(item, self.badges.get(item.name))


def said(item: Item, badge: Badge | None, *, undescribed: bool = False) -> str:
    """An item in full, for a title that is shown when pointed at."""
    kind = f"flow from {item.source} to {item.target}" if item.kind == "flow" else "node"
    parts = [f"{item.name}: {kind}", "learned" if item.learned else "", "not described" if undescribed else ""]
    if badge:
        rows = f"{badge.rows:,} row{'s' if badge.rows > 1 else ''}"
        parts += [rows, f"worst risk {badge.risk}" if badge.risk else "risk not rated"]
    return ", ".join(filter(None, parts)) + (f". {item.description}" if item.description else "")


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


def _box_words(cell: Cell, item: Item, x: float, y: float) -> Iterator[Mark]:
    rows = len(cell.words) * MAIN * LEADING + (ML_ROW if item.learned else 0.0)
    top = y - rows / 2
    if item.learned:
        yield Text(x, top + NOTE, "ML", LEARNED, "middle")
        top += ML_ROW
    yield from _lines(cell.words, x, top, SAYS)


def _flow_lines(words: tuple[str, ...], learned: bool, x: float, top: float) -> Iterator[Mark]:
    if learned:
        yield Text(x, top + NOTE * LEADING * 0.75, words[0], LEARNED, "middle")
        words, top = words[1:], top + NOTE * LEADING
    yield from _lines(words, x, top, SMALL)


def _lines(words: tuple[str, ...], x: float, top: float, letters: Letters) -> Iterator[Mark]:
    for number, line in enumerate(words):
        yield Text(x, top + (number + 0.75) * letters.size * LEADING, line, letters, "middle")


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
