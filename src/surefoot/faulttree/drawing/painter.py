"""Blocks as marks: box, words and symbol of a gate or an event, and a list of inputs with a row for each."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from surefoot.drawing.scene import Group, Mark, Path, Pen, Text
from surefoot.drawing.shapes import circle, pill, rectangle
from surefoot.drawing.text import LEADING, text_width
from surefoot.faulttree.drawing import symbols
from surefoot.faulttree.drawing.blocks import Block, Words, Writer
from surefoot.faulttree.drawing.selection import Row
from surefoot.faulttree.drawing.sizes import (
    HALF,
    MAIN,
    ML_TAG,
    NOTE,
    OVAL,
    OVAL_GAP,
    OVAL_SIDE,
    ROW_GAP,
    SYMBOL,
    TEXT_AT,
)
from surefoot.faulttree.drawing.symbols import ML

ROW_SCALE, ROW_AT = 0.38, 15.0
"""Size of a symbol in a list, and how far its middle stands from the line."""


@dataclass(frozen=True)
class Painter:
    """Turns blocks into marks."""

    writer: Writer
    lit: Collection[int]
    transferred: Collection[int]
    """Items that other places refer to by a transfer symbol."""

    def block(self, block: Block) -> Group:
        """A gate, an event, a transfer or a collapsed gate."""
        item = self.writer.graph.items[block.part.item]
        bright = block.part.item in self.lit
        shared = block.part.role == "gate" and block.part.item in self.transferred
        marks = list(_transfer_out(block)) if shared else []
        marks += [self._stem(block, bright), *self._box(block, bright), *self._symbol(block, bright), *_under(block)]
        title = self.writer.spoken_in_full(item)
        if block.part.condition is not None:
            marks += self._condition(block, block.part.condition)
            title += f"; condition {self.writer.spoken_in_full(self.writer.graph.items[block.part.condition])}"
        return Group(tuple(marks), title)

    def _stem(self, block: Block, bright: bool) -> Mark:
        start = block.y + block.box if block.words.main else block.y
        return Path(f"M {block.x:.1f} {start:.1f} V {block.symbol + SYMBOL / 2:.1f}", _line(bright))

    def _box(self, block: Block, bright: bool) -> Iterator[Mark]:
        if not block.words.main:
            return
        half = self.writer.sizes.box / 2
        outline = rectangle(block.x - half, block.y, 2 * half, block.box)
        yield Path(outline, symbols.LIT_BOX if bright else symbols.BOX)
        y = block.y + (block.box - block.words.height) / 2
        for line in block.words.main:
            y += MAIN * LEADING
            yield Text(block.x, y - MAIN * 0.33, line, symbols.SAYS, "middle")
        for line in block.words.notes:
            y += NOTE * LEADING
            yield Text(block.x, y - NOTE * 0.33, line, symbols.QUIET, "middle")

    def _symbol(self, block: Block, bright: bool) -> list[Mark]:
        x, y, item = block.x, block.symbol, self.writer.graph.items[block.part.item]
        if block.part.role == "transfer":
            return [symbols.triangle(x, y, symbols.LIT_SYMBOL if bright else symbols.EVENT)]
        if block.part.role == "collapsed":
            return [symbols.triangle(x, y, symbols.LIT_SYMBOL if bright else symbols.FOLDED)]
        if item.formula is not None:
            inks = (symbols.LIT_SYMBOL, symbols.LIT_DETAIL) if bright else (symbols.GATE, symbols.DETAIL)
            return symbols.gate(item.formula, x, y, *inks)
        tag: list[Mark] = [_ml_letters(x, y + SYMBOL / 2)] if item.component else []
        return symbols.event(item, x, y, symbols.LIT_SYMBOL if bright else symbols.EVENT) + tag

    def _condition(self, block: Block, place: int) -> Iterator[Mark]:
        """The oval beside an inhibit gate."""
        item, bright = self.writer.graph.items[place], place in self.lit
        words, width = self.writer.oval(item), self.writer.sizes.oval
        left, middle = block.x + HALF + OVAL_GAP, block.symbol + SYMBOL / 2
        yield Path(f"M {block.x + HALF - 1:.1f} {middle:.1f} H {left:.1f}", _line(bright))
        ink = symbols.LIT_SYMBOL if bright else symbols.EVENT
        yield Path(pill(left, middle - OVAL / 2, width, OVAL), ink)
        if item.component:
            yield Path(pill(left + 3, middle - OVAL / 2 + 3, width - 6, OVAL - 6), symbols.RING)
            yield _ml_letters(left + OVAL_SIDE, middle)
        lines = [*words.main, *words.under]
        y, x = middle - LEADING * NOTE * len(lines) / 2, left + (width + (ML_TAG if item.component else 0.0)) / 2
        for line in lines:
            y += LEADING * NOTE
            yield Text(x, y - NOTE * 0.33, line, symbols.SMALL, "middle")


def _ml_letters(x: float, y: float) -> Text:
    """The letters inside the ring of an ML event."""
    return Text(x, y + MAIN * 0.35, ML, symbols.LEARNED, "middle")


def _line(bright: bool) -> Pen:
    return symbols.LIT_LINE if bright else symbols.LINE


def _under(block: Block) -> Iterator[Mark]:
    y = block.symbol + SYMBOL + 3.0
    for line in block.words.under:
        y += NOTE * LEADING
        yield Text(block.x, y - NOTE * 0.33, line, symbols.QUIET, "middle")


def _transfer_out(block: Block) -> Iterator[Mark]:
    """A small triangle beside a gate that is drawn here for several places."""
    away = HALF + OVAL_GAP if block.part.condition is None else -HALF - OVAL_GAP
    middle = block.symbol + SYMBOL * 0.6
    yield Path(f"M {block.x:.1f} {middle:.1f} H {block.x + away:.1f}", symbols.LINE)
    yield symbols.triangle(block.x + away, middle - 6, symbols.EVENT, scale=0.3)


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
    return Path(f"M {block.x:.1f} {block.y:.1f} V {end:.1f}", symbols.LIT_LINE if lit else symbols.LINE)


def _branch(block: Block, y: float, *, lit: bool) -> Path:
    return Path(f"M {block.x:.1f} {y:.1f} H {block.x + ROW_AT:.1f}", symbols.LIT_LINE if lit else symbols.LINE)


def _symbol(block: Block, row: Row, middle: float, painter: Painter) -> Iterator[Mark]:
    item, bright = painter.writer.graph.items[row.item], row.item in painter.lit
    x, y = block.x + ROW_AT, middle - ROW_SCALE * SYMBOL / 2
    ink = symbols.LIT_SYMBOL if bright else symbols.EVENT
    if row.role == "collapsed":
        yield symbols.triangle(x, y, symbols.LIT_SYMBOL if bright else symbols.FOLDED, scale=ROW_SCALE)
    elif row.role == "transfer":
        yield symbols.triangle(x, y, ink, scale=ROW_SCALE)
    else:
        yield from symbols.event(item, x, y, ink, scale=ROW_SCALE)
    if item.component:
        yield Path(rectangle(block.x + TEXT_AT - 1.0, middle - 6.0, ML_TAG - 4.0, 12.0), symbols.TAG)
        yield Text(block.x + TEXT_AT + ML_TAG / 2 - 3.0, middle + 3.0, ML, symbols.ON_TAG, "middle")


def _words(words: Words, left: float, middle: float, *, muted: bool) -> Iterator[Mark]:
    y, left = middle - MAIN * LEADING / 2, left + (ML_TAG if words.tagged else 0.0)
    for line in words.main:
        y += MAIN * LEADING
        yield Text(left, y - MAIN * 0.33, line, symbols.QUIET_ROW if muted else symbols.SAYS)
    if words.aside:
        start = left + text_width(f"{words.main[0]}  ", MAIN)
        yield Text(start, middle + MAIN * LEADING / 2 - MAIN * 0.33, words.aside, symbols.QUIET)
    for line in words.notes:
        y += NOTE * LEADING
        yield Text(left, y - NOTE * 0.33, line, symbols.QUIET)


def _more(block: Block, left: float, middle: float) -> Iterator[Mark]:
    """Three dots instead of a symbol."""
    for place in (-4.5, 0.0, 4.5):
        yield Path(circle(block.x + ROW_AT + place, middle, 1.3), symbols.DOT)
    yield from _words(block.rows[-1], left, middle, muted=True)
