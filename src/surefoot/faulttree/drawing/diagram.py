"""From a tree to a picture, with title and legend around it, and to an outline for terminals and screen readers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, TypedDict, Unpack

from surefoot import drawing
from surefoot.core import validate
from surefoot.documents import shortened, visible
from surefoot.drawing.legend import legend
from surefoot.drawing.routing import drawn_once
from surefoot.drawing.scene import Group, Path, Pen, Point, Scene, Text, Theme
from surefoot.drawing.shapes import polyline
from surefoot.drawing.text import BOLD, LEADING, wrapped
from surefoot.faulttree.drawing import blocks as symbols
from surefoot.faulttree.drawing.blocks import Block, Painter, Writer, lay_out, list_groups
from surefoot.faulttree.drawing.selection import (
    DROP,
    FEW,
    FEWEST,
    MOST_GATES,
    MOST_ROWS,
    SYMBOL,
    TITLE,
    Graph,
    Item,
    Part,
    automatic,
    chosen,
    graph,
    highlighted,
    plan,
    sizes_for,
    spoken,
)

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


WIDE = 1600.0
MARGIN = 14.0
GENEROUS = (2.0, 1.7, 1.5, 1.35, 1.2, 1.1, 1.0, 0.9, 0.8, 0.7, 0.6)
"""Widths are estimated while gates are chosen, so several are tried, in units of the room there is."""
NARROWEST = 460.0
"""A drawing is at least so wide that a legend finds room."""


class Options(TypedDict, total=False):
    """What ``picture`` takes beside the tree."""

    highlight: Sequence[str]
    collapse: Iterable[str] | None
    values: Mapping[str, float] | None
    title: str | None
    depth: int | None
    root: str | None
    width: float | None


def draw(tree: FaultTree, *, theme: Theme = "light", **options: Unpack[Options]) -> str:
    """The tree as one ``<svg>`` element, which may also stand inside a page; options as for ``picture``."""
    return drawing.svg(picture(tree, **options), theme=theme)


def save(tree: FaultTree, path: str | FilePath, *, theme: Theme | None = None, **options: Unpack[Options]) -> FilePath:
    """Draw into a file: SVG, PNG or PDF by its ending; options as for ``picture``."""
    drawing.ending_of(path)
    return drawing.save(picture(tree, **options), path, theme=theme)


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
    """The whole picture, to be written by ``surefoot.drawing``.

    A gate that is used several times is drawn once and referred to by a transfer symbol. A gate with many inputs that
    nothing stands below lists them. Events with the attribute ``component`` depend on an ML component and are marked.

    ``highlight`` names events: they are highlighted with every gate that they alone make true on the way to the top.
    With gates among the names, they are a path from the top down, such as a gate and an event below it.

    ``collapse`` names gates to be drawn without what stands below; everything else is then drawn in full. None lets
    the drawing choose what fits ``width`` pixels (1600 unless given); what is highlighted and a way to each ML event
    are always drawn. A drawing that is wider all the same is shown at that width.

    ``values`` are probabilities of events and gates by name, ``title`` is a heading, ``depth`` the most levels of
    gates that are drawn in full, and ``root`` the gate to begin with instead of the top event.
    """
    items = graph(tree, root)
    bright = highlighted(tree, items, tuple(highlight))
    writer = Writer(items, sizes_for(items), values or {})
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
    explained, end = legend(
        symbols.meanings(writer.graph, parts, bright),
        symbols.QUIET,
        left=MARGIN,
        top=bottom + 18.0,
        width=full - 2 * MARGIN,
        sample=symbols.SAMPLE,
    )
    lines = Group(tuple(edges(moved, writer.graph, bright)))
    groups = (*heading, lines, *_groups(moved, writer, bright), *explained)
    shown = full if width is None else min(full, width)
    said = title or f"Fault tree of {spoken(writer.graph.items[0])}"
    return Scene(groups, full, end + MARGIN, said, _description(writer.graph, parts), shown)


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
        Group((Text(width / 2, start + place * TITLE * LEADING, line, symbols.HEADING, "middle"),))
        for place, line in enumerate(lines, start=1)
    ]


def _description(items: Graph, parts: Sequence[Part]) -> str:
    gates = sum(item.is_gate for item in items.items)
    drawn = sum(part.role == "gate" for part in parts)
    return f"{gates} gates over {len(items.items) - gates} events; {drawn} gates are drawn in full."


def edges(blocks: Sequence[Block], graph: Graph, lit: Collection[int]) -> list[Path]:
    """Lines from every gate to the blocks below it."""
    plain: dict[tuple[int, Pen], list[Block]] = {}
    bright: list[Path] = []
    for block in blocks:
        if block.part.parent is None:
            continue
        gate = blocks[block.part.parent]
        dashed = _is_condition(gate, block, graph)
        if _is_lit(gate, block, lit):
            bright.append(_fork(gate, [block], symbols.LIT_CONDITION_LINE if dashed else symbols.LIT_LINE))
        else:
            plain.setdefault((block.part.parent, symbols.CONDITION_LINE if dashed else symbols.LINE), []).append(block)
    return [_fork(blocks[gate], below, ink) for (gate, ink), below in plain.items()] + bright


def _fork(gate: Block, below: Sequence[Block], pen: Pen) -> Path:
    """One line down, one across, one down to each; behind the symbol it starts at its middle."""
    bend, start = below[0].y - DROP / 2, (gate.x, gate.symbol + SYMBOL / 2)
    ways: list[list[Point]] = [[start, (gate.x, bend), (block.x, bend), (block.x, block.y)] for block in below]
    return Path(" ".join(polyline(points, corner=0.0) for _, points in drawn_once(ways)), pen)


def _is_lit(gate: Block, below: Block, lit: Collection[int]) -> bool:
    items = [row.item for row in below.part.rows] or [below.part.item]
    return gate.part.item in lit and any(item in lit for item in items)


def _is_condition(gate: Block, below: Block, graph: Graph) -> bool:
    item = graph.items[gate.part.item]
    return item.kind == "inhibit" and gate.part.condition is None and below.part.item == item.inputs[-1]


# A tree as indented text, for terminals and for those who do not see the drawing.

INDENT = "  "
MOST_LEVELS = 40
"""Deeper lines begin with the number of their level, so that a deep tree does not become an endlessly wide text."""
MOST_CHARACTERS = 200
SYMBOLS = {"atleast": "at least {minimum} of {inputs}", "cardinality": "{minimum} to {maximum} of {inputs}"}
WORDS = {"pand": "priority and", "undeveloped": "event without a known probability", "house": "house event"}


def outline(tree: FaultTree, depth: int | None = None) -> str:
    """One line for every input, indented below its gate; a shared gate is written out where it is met first.

    ``depth`` is the number of levels of gates that are written out.
    """
    if depth is not None:
        validate.count(depth, where="outline", name="depth", at_least=1)
    return "".join(f"{line}\n" for line in _lines(graph(tree), depth))


def _lines(items: Graph, depth: int | None) -> Iterator[str]:
    written: set[int] = set()
    waiting = [(0, 0)]
    while waiting:
        place, level = waiting.pop()
        item = items.items[place]
        note = _note(item, again=place in written, deep=depth is not None and level >= depth)
        yield f"{_indent(level)}{_called(item)}{_kind(item)}{note}"
        if item.is_gate and not note:
            written.add(place)
            waiting += [(below, level + 1) for below in reversed(item.inputs)]


def _note(item: Item, *, again: bool, deep: bool) -> str:
    if not item.is_gate or not (again or deep):
        return ""
    return ", see above" if again else ", not written out"


def _indent(level: int) -> str:
    return INDENT * level if level <= MOST_LEVELS else f"{INDENT * MOST_LEVELS}[level {level}] "


def _called(item: Item) -> str:
    text = f"{item.name}: {item.label}" if item.label and item.label != item.name else item.name
    return shortened(visible(text), MOST_CHARACTERS)


def _kind(item: Item) -> str:
    """The kind in brackets, left out for an ordinary event."""
    formula = item.formula
    word = WORDS.get(item.kind, item.kind)
    if formula is not None and item.kind in SYMBOLS:
        word = SYMBOLS[item.kind].format(minimum=formula.minimum, maximum=formula.maximum, inputs=len(formula.inputs))
    elif item.kind in ("house", "constant"):
        word = f"{word}, {'true' if item.state else 'false'}"
    said = [] if item.kind == "event" else [word]
    said += [f"ML component {shortened(visible(item.component), MOST_CHARACTERS)}"] if item.component else []
    return f"{' ' if item.name else ''}[{', '.join(said)}]" if said else ""
