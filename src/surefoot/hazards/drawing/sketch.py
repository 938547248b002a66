"""A band as marks: boxes of nodes, lines with arrows, the words of flows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from surefoot.drawing import GREY, INK
from surefoot.faulttree.drawing import scene
from surefoot.faulttree.drawing.marks import oval, rectangle
from surefoot.faulttree.drawing.metrics import LEADING, MAIN, NOTE
from surefoot.faulttree.drawing.scene import MACHINE_LEARNING, MUTED, Group, Ink, Mark, Path, Text
from surefoot.hazards.drawing.cells import LOOP, ML_ROW, Cell, Chain
from surefoot.hazards.drawing.graph import Graph
from surefoot.hazards.drawing.placing import Band
from surefoot.hazards.drawing.risks import BADGE, Badge, badge_marks, badge_width
from surefoot.hazards.worksheet.item import Item
from surefoot.hazards.worksheet.matrix import RiskMatrix

BOX = Ink(INK, "#eaf1f8", 1.2)
LEARNED_BOX = Ink(INK, "#f4f0fa", 1.2)
UNDESCRIBED = Ink(GREY, "#ffffff", 1.2, dashed=True)
ELSEWHERE = Ink("#aab2bc", "#ffffff", 1.0)
LINE, BACK = Ink("#66707b", width=1.2), Ink("#66707b", width=1.2, dashed=True)
LEARNED_LINE, LEARNED_BACK = Ink(MACHINE_LEARNING, width=1.7), Ink(MACHINE_LEARNING, width=1.7, dashed=True)
RING = 3.0
HEAD, HALF_HEAD = 7.0, 3.4


@dataclass(frozen=True)
class Sketch:
    """Draws the bands of one graph."""

    graph: Graph
    badges: Mapping[str, Badge]
    matrix: RiskMatrix

    def groups(self, band: Band, x: float, y: float) -> Iterator[Group]:
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
        ink = UNDESCRIBED if undescribed else LEARNED_BOX if item.learned else BOX
        marks: list[Mark] = []
        if item.learned:
            marks.append(rectangle(left - RING, top - RING, cell.width + 2 * RING, cell.height + 2 * RING, scene.RING))
        marks.append(rectangle(left, top, cell.width, cell.height, ink))
        marks += _box_words(cell, item, x, y)
        badge = self.badges.get(item.name)
        if badge:
            right = left + cell.width - badge_width(badge.text) / 2 + 4.0
            marks += badge_marks(badge.text, badge.risk, self.matrix, right, top)
        yield Group(tuple(marks), said(item, badge, undescribed=undescribed))
        yield from self._loops(cell, x, y + cell.height / 2)

    def _line(self, band: Band, number: int, chain: Chain, x: float, y: float) -> Iterator[Mark]:
        learned = self.graph.flows[chain.flow].item.learned
        ink = (LEARNED_BACK if chain.back else LEARNED_LINE) if learned else BACK if chain.back else LINE
        steps = list(pairwise(chain.cells))
        for place, (here, there) in enumerate(steps):
            start = (x + band.right[here], y + band.y[here] + band.ports[number, here, "right"])
            end = (x + band.left[there], y + band.y[there] + band.ports[number, there, "left"])
            ends = (x + self._edge(band, here, 1), x + self._edge(band, there, -1))
            tips = (chain.back and place == 0, not chain.back and place == len(steps) - 1)
            yield from _step(start, end, ends, tips, ink)

    def _edge(self, band: Band, place: int, side: int) -> float:
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
        marks: list[Mark] = [oval(x - cell.width / 2, y - cell.height / 2, cell.width, cell.height, ELSEWHERE)]
        top = y - len(cell.words) * NOTE * LEADING / 2
        marks += _lines(cell.words, x, top, NOTE, MUTED)
        return Group(tuple(marks), f"{item.name}: drawn elsewhere")

    def _loops(self, cell: Cell, x: float, bottom: float) -> Iterator[Group]:
        """Flows of a node to itself: one line below the box, with the words of all of them."""
        if not cell.below:
            return
        left, right, low = x - 30.0, x + 30.0, bottom + LOOP
        own = [flow.item for flow in self.graph.flows if flow.source == flow.target == cell.place]
        ink = LEARNED_LINE if any(item.learned for item in own) else LINE
        line = Path(f"M {right:.1f} {bottom:.1f} V {low:.1f} H {left:.1f} V {bottom + HEAD:.1f}", ink)
        yield Group((line, _head(left, bottom, (0.0, -1.0), ink)))
        top = low + 2.0
        for words, item in zip(cell.below, own, strict=True):
            yield Group(tuple(_flow_lines(words, item.learned, x, top)), said(item, self.badges.get(item.name)))
            top += len(words) * NOTE * LEADING

    def _flow_title(self, chain: Chain) -> str:
        item = self.graph.flows[chain.flow].item
        return said(item, self.badges.get(item.name))


def said(item: Item, badge: Badge | None, *, undescribed: bool = False) -> str:
    """An item in full, for a title that is shown when pointed at."""
    kind = f"flow from {item.source} to {item.target}" if item.kind == "flow" else "node"
    parts = [f"{item.name}: {kind}", "learned" if item.learned else "", "not described" if undescribed else ""]
    if badge:
        rows = f"{badge.rows:,} row{'s' if badge.rows > 1 else ''}"
        parts += [rows, f"worst risk {badge.risk}" if badge.risk else "risk not rated"]
    return ", ".join(filter(None, parts)) + (f". {item.description}" if item.description else "")


def _step(
    start: tuple[float, float], end: tuple[float, float], ends: tuple[float, float], tips: tuple[bool, bool], ink: Ink
) -> Iterator[Mark]:
    """From one cell to the next: straight to the edge of its column, then a curve."""
    (x1, y1), (x2, y2) = start, end
    first, last = ends[0] + (HEAD if tips[0] else 0.0), ends[1] - (HEAD if tips[1] else 0.0)
    x1, x2 = max(x1, first), min(x2, last)
    middle = (x1 + x2) / 2
    curve = f"C {middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
    yield Path(f"M {first:.1f} {y1:.1f} L {x1:.1f} {y1:.1f} {curve} L {last:.1f} {y2:.1f}", ink)
    if tips[0]:
        yield _head(ends[0], y1, (-1.0, 0.0), ink)
    if tips[1]:
        yield _head(ends[1], y2, (1.0, 0.0), ink)


def _head(x: float, y: float, towards: tuple[float, float], ink: Ink) -> Path:
    """An arrow head with its tip at a point."""
    dx, dy = towards
    back_x, back_y = x - HEAD * dx, y - HEAD * dy
    one = f"{back_x - HALF_HEAD * dy:.1f} {back_y + HALF_HEAD * dx:.1f}"
    two = f"{back_x + HALF_HEAD * dy:.1f} {back_y - HALF_HEAD * dx:.1f}"
    return Path(f"M {x:.1f} {y:.1f} L {one} L {two} Z", Ink(ink.stroke, ink.stroke, 0.6))


def _box_words(cell: Cell, item: Item, x: float, y: float) -> Iterator[Mark]:
    rows = len(cell.words) * MAIN * LEADING + (ML_ROW if item.learned else 0.0)
    top = y - rows / 2
    if item.learned:
        yield Text(x, top + NOTE, "ML", NOTE, colour=MACHINE_LEARNING, bold=True)
        top += ML_ROW
    yield from _lines(cell.words, x, top, MAIN, INK)


def _flow_lines(words: tuple[str, ...], learned: bool, x: float, top: float) -> Iterator[Mark]:
    if learned:
        yield Text(x, top + NOTE * LEADING * 0.75, words[0], NOTE, colour=MACHINE_LEARNING, bold=True)
        words, top = words[1:], top + NOTE * LEADING
    yield from _lines(words, x, top, NOTE, INK)


def _lines(words: tuple[str, ...], x: float, top: float, size: float, colour: str) -> Iterator[Mark]:
    for number, line in enumerate(words):
        yield Text(x, top + (number + 0.75) * size * LEADING, line, size, colour=colour)
