"""A list of inputs as marks: a line down its left side, and a row with a small symbol for each."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.drawing import INK, text_width
from surefoot.faulttree.drawing import scene, symbols
from surefoot.faulttree.drawing.block import Block
from surefoot.faulttree.drawing.marks import ML, Painter, rectangle
from surefoot.faulttree.drawing.metrics import LEADING, MAIN, ML_TAG, NOTE, ROW_GAP, SYMBOL, TEXT_AT
from surefoot.faulttree.drawing.plan import Row
from surefoot.faulttree.drawing.scene import MUTED, TAG, Circle, Group, Mark, Path, Text
from surefoot.faulttree.drawing.words import Words

SMALL = 0.38
AT = 15.0
"""From the line to the middle of the symbol."""


def list_groups(block: Block, painter: Painter) -> Iterator[Group]:
    """The line, then a group for each row."""
    middles = list(_middles(block))
    gate_lit = block.part.item in painter.lit
    bright = [gate_lit and row.item in painter.lit for row in block.part.rows]
    yield Group((_trunk(block, middles[-1], lit=False), *(_branch(block, middle, lit=False) for middle in middles)))
    shining = [middle for middle, one in zip(middles, bright, strict=False) if one]
    if shining:
        branches = (_branch(block, middle, lit=True) for middle in shining)
        yield Group((_trunk(block, shining[-1], lit=True), *branches))
    left = block.x + TEXT_AT
    for row, words, middle in zip(block.part.rows, block.rows, middles, strict=False):
        title = painter.writer.spoken_in_full(painter.writer.graph.items[row.item])
        yield Group((*_symbol(block, row, middle, painter), *_words(words, left, middle, muted=False)), title)
    if block.part.hidden:
        yield Group(tuple(_more(block, left, middles[-1])))


def _middles(block: Block) -> Iterator[float]:
    """The height of each row's first line, where its symbol stands."""
    y = block.y
    for words in block.rows:
        yield y + MAIN * LEADING / 2
        y += words.height + ROW_GAP


def _trunk(block: Block, end: float, *, lit: bool) -> Path:
    return Path(f"M {block.x:.1f} {block.y:.1f} V {end:.1f}", scene.LIT_LINE if lit else scene.LINE)


def _branch(block: Block, y: float, *, lit: bool) -> Path:
    return Path(f"M {block.x:.1f} {y:.1f} H {block.x + AT:.1f}", scene.LIT_LINE if lit else scene.LINE)


def _symbol(block: Block, row: Row, middle: float, painter: Painter) -> Iterator[Mark]:
    item, bright = painter.writer.graph.items[row.item], row.item in painter.lit
    x, y = block.x + AT, middle - SMALL * SYMBOL / 2
    ink = scene.LIT_SYMBOL if bright else scene.EVENT
    if row.role == "collapsed":
        yield symbols.triangle(x, y, scene.LIT_SYMBOL if bright else scene.FOLDED, scale=SMALL)
    elif row.role == "transfer":
        yield symbols.triangle(x, y, ink, scale=SMALL)
    else:
        yield from symbols.event(item, x, y, ink, scale=SMALL)
    if item.component:
        yield rectangle(block.x + TEXT_AT - 1.0, middle - 6.0, ML_TAG - 4.0, 12.0, TAG)
        yield Text(block.x + TEXT_AT + ML_TAG / 2 - 3.0, middle + 3.0, ML, 8.5, colour="#ffffff", bold=True)


def _words(words: Words, left: float, middle: float, *, muted: bool) -> Iterator[Mark]:
    y, left = middle - MAIN * LEADING / 2, left + (ML_TAG if words.tagged else 0.0)
    for line in words.main:
        y += MAIN * LEADING
        yield Text(left, y - MAIN * 0.33, line, MAIN, "start", MUTED if muted else INK)
    if words.aside:
        start = left + text_width(f"{words.main[0]}  ", MAIN)
        yield Text(start, middle + MAIN * LEADING / 2 - MAIN * 0.33, words.aside, NOTE, "start", MUTED)
    for line in words.notes:
        y += NOTE * LEADING
        yield Text(left, y - NOTE * 0.33, line, NOTE, "start", MUTED)


def _more(block: Block, left: float, middle: float) -> Iterator[Mark]:
    """Three dots instead of a symbol."""
    for place in (-4.5, 0.0, 4.5):
        yield Circle(block.x + AT + place, middle, 1.3, scene.Ink(MUTED, MUTED, 0.5))
    yield from _words(block.rows[-1], left, middle, muted=True)
