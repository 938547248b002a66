"""From a tree to a picture: what is drawn, where it stands, title and legend around it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from surefoot.core import validate
from surefoot.drawing import wrapped
from surefoot.faulttree.drawing.automatic import MOST_GATES, automatic
from surefoot.faulttree.drawing.block import Block
from surefoot.faulttree.drawing.edges import edges
from surefoot.faulttree.drawing.graph import Graph, graph
from surefoot.faulttree.drawing.growth import FEW, FEWEST, chosen
from surefoot.faulttree.drawing.layout import lay_out
from surefoot.faulttree.drawing.legend import entries, legend
from surefoot.faulttree.drawing.lit import lit
from surefoot.faulttree.drawing.marks import Painter
from surefoot.faulttree.drawing.metrics import LEADING, TITLE, metrics, spoken
from surefoot.faulttree.drawing.plan import MOST_ROWS, Part, plan
from surefoot.faulttree.drawing.rows import list_groups
from surefoot.faulttree.drawing.scene import Group, Scene, Text
from surefoot.faulttree.drawing.words import Writer

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree

WIDE = 1600.0
MARGIN = 14.0
BOLD = 1.08
"""How much wider bold letters are."""
GENEROUS = (2.0, 1.7, 1.5, 1.35, 1.2, 1.1, 1.0, 0.9, 0.8, 0.7, 0.6)
"""Widths are estimated while gates are chosen, so several are tried, in units of the room there is."""
NARROWEST = 460.0
"""A drawing is at least so wide that a legend finds room."""


def picture(
    tree: FaultTree,
    *,
    highlight: Sequence[str] = (),
    collapse: Iterable[str] | None = None,
    values: Mapping[str, float] | None = None,
    title: str | None = None,
    depth: int | None = None,
    root: str | None = None,
    width: float | None = None,
) -> Scene:
    """The whole picture; see ``draw`` for the options."""
    items = graph(tree, root)
    bright = lit(tree, items, tuple(highlight))
    writer = Writer(items, metrics(items), values or {})
    blocks = _blocks(tree, writer, bright, collapse, depth, width or WIDE)
    return _scene(blocks, writer, bright, title, width)


def _blocks(
    tree: FaultTree,
    writer: Writer,
    bright: Collection[int],
    collapse: Iterable[str] | None,
    depth: int | None,
    width: float,
) -> list[Block]:
    items = writer.graph
    if depth is not None:
        validate.count(depth, where="draw", name="depth", at_least=1)
    if collapse is None:
        return _fitting(writer, bright, depth, width - 2 * MARGIN)
    names = [validate.choice(name, tree.gates, where="collapse", name="gate") for name in collapse]
    growth = chosen(items, {items.index[name] for name in names if name in items.index}, depth)
    return lay_out(plan(growth, keep=(), most_rows=None), writer)


def _fitting(writer: Writer, bright: Collection[int], depth: int | None, room: float) -> list[Block]:
    """All gates if they fit, with short lists or with many; else as many as do."""
    items = writer.graph
    marked = [place for place, item in enumerate(items.items) if item.component]
    keep, first = {*bright, *marked}, items.ways(marked)
    if sum(item.is_gate for item in items.items) <= MOST_GATES:
        for few in (FEW, FEWEST):
            blocks = lay_out(plan(chosen(items, (), depth, few), keep=keep, most_rows=MOST_ROWS), writer)
            if max(block.right for block in blocks) <= room:
                return blocks
    for generous in GENEROUS:
        growth = automatic(items, writer.sizes, width=generous * room, always=bright, first=first, depth=depth)
        blocks = lay_out(plan(growth, keep=keep, most_rows=MOST_ROWS), writer)
        if max(block.right for block in blocks) <= room:
            break
    return blocks


def _scene(
    blocks: list[Block], writer: Writer, bright: Collection[int], title: str | None, width: float | None
) -> Scene:
    drawn = max(block.right for block in blocks)
    full = max(drawn, NARROWEST) + 2 * MARGIN
    heading = _heading(title, full)
    top = MARGIN + len(heading) * TITLE * LEADING + (8.0 if heading else 0.0)
    moved = [replace(block, x=block.x + (full - drawn) / 2, y=block.y + top) for block in blocks]
    bottom = max(block.bottom for block in moved)
    parts = [block.part for block in moved]
    explained, end = legend(entries(writer.graph, parts, bright), MARGIN, bottom + 18.0, full - 2 * MARGIN)
    lines = Group(tuple(edges(moved, writer.graph, bright)))
    groups = (*heading, lines, *_groups(moved, writer, bright), *explained)
    shown = full if width is None else min(full, width)
    return Scene(groups, full, end + MARGIN, _said(writer.graph, title), _description(writer.graph, parts), shown)


def _groups(blocks: Sequence[Block], writer: Writer, bright: Collection[int]) -> list[Group]:
    parts = [block.part for block in blocks]
    transferred = {part.item for part in parts if part.role == "transfer"}
    transferred |= {row.item for part in parts for row in part.rows if row.role == "transfer"}
    painter = Painter(writer, bright, transferred)
    groups: list[Group] = []
    for block in blocks:
        groups += list_groups(block, painter) if block.part.role == "list" else [painter.block(block)]
    return groups


def _heading(title: str | None, width: float) -> list[Group]:
    lines = wrapped(title or "", width - 2 * MARGIN, BOLD * TITLE, most=2)
    start = MARGIN - TITLE * 0.33
    return [
        Group((Text(width / 2, start + place * TITLE * LEADING, line, TITLE, bold=True),))
        for place, line in enumerate(lines, start=1)
    ]


def _said(items: Graph, title: str | None) -> str:
    return title or f"Fault tree of {spoken(items.items[0])}"


def _description(items: Graph, parts: Sequence[Part]) -> str:
    gates = sum(item.is_gate for item in items.items)
    drawn = sum(part.role == "gate" for part in parts)
    return f"{gates} gates over {len(items.items) - gates} events; {drawn} gates are drawn in full."
