"""A block as marks: box, words, symbol, and what stands below or beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from surefoot.faulttree.drawing import scene, symbols
from surefoot.faulttree.drawing.block import Block
from surefoot.faulttree.drawing.metrics import HALF, LEADING, MAIN, ML_TAG, NOTE, OVAL, OVAL_GAP, OVAL_SIDE, SYMBOL
from surefoot.faulttree.drawing.scene import MACHINE_LEARNING, MUTED, Group, Ink, Mark, Path, Text
from surefoot.faulttree.drawing.words import Writer

ML = "ML"


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
        yield rectangle(block.x - half, block.y, 2 * half, block.box, scene.LIT_BOX if bright else scene.BOX)
        y = block.y + (block.box - block.words.height) / 2
        for line in block.words.main:
            y += MAIN * LEADING
            yield Text(block.x, y - MAIN * 0.33, line, MAIN)
        for line in block.words.notes:
            y += NOTE * LEADING
            yield Text(block.x, y - NOTE * 0.33, line, NOTE, colour=MUTED)

    def _symbol(self, block: Block, bright: bool) -> list[Mark]:
        x, y, item = block.x, block.symbol, self.writer.graph.items[block.part.item]
        if block.part.role == "transfer":
            return [symbols.triangle(x, y, scene.LIT_SYMBOL if bright else scene.EVENT)]
        if block.part.role == "collapsed":
            return [symbols.triangle(x, y, scene.LIT_SYMBOL if bright else scene.FOLDED)]
        if item.formula is not None:
            inks = (scene.LIT_SYMBOL, scene.LIT_DETAIL) if bright else (scene.GATE, scene.DETAIL)
            return symbols.gate(item.formula, x, y, *inks)
        tag: list[Mark] = [ml_letters(x, y + SYMBOL / 2)] if item.component else []
        return symbols.event(item, x, y, scene.LIT_SYMBOL if bright else scene.EVENT) + tag

    def _condition(self, block: Block, place: int) -> Iterator[Mark]:
        """The oval beside an inhibit gate."""
        item, bright = self.writer.graph.items[place], place in self.lit
        words, width = self.writer.oval(item), self.writer.sizes.oval
        left, middle = block.x + HALF + OVAL_GAP, block.symbol + SYMBOL / 2
        yield Path(f"M {block.x + HALF - 1:.1f} {middle:.1f} H {left:.1f}", _line(bright))
        ink = scene.LIT_SYMBOL if bright else scene.EVENT
        yield oval(left, middle - OVAL / 2, width, OVAL, ink)
        if item.component:
            yield oval(left + 3, middle - OVAL / 2 + 3, width - 6, OVAL - 6, scene.RING)
            yield ml_letters(left + OVAL_SIDE, middle)
        lines = [*words.main, *words.under]
        y, x = middle - LEADING * NOTE * len(lines) / 2, left + (width + (ML_TAG if item.component else 0.0)) / 2
        for line in lines:
            y += LEADING * NOTE
            yield Text(x, y - NOTE * 0.33, line, NOTE)


def ml_letters(x: float, y: float) -> Text:
    """The letters inside the ring of an ML event."""
    return Text(x, y + MAIN * 0.35, ML, MAIN, colour=MACHINE_LEARNING, bold=True)


def rectangle(x: float, y: float, width: float, height: float, ink: Ink) -> Path:
    """A box."""
    return Path(f"M {x:.1f} {y:.1f} H {x + width:.1f} V {y + height:.1f} H {x:.1f} Z", ink)


def oval(x: float, y: float, width: float, height: float, ink: Ink) -> Path:
    """A box with round ends."""
    round_, right, bottom = height / 2, x + width, y + height
    reach = round_ * 0.4477
    return Path(
        f"M {x + round_:.1f} {y:.1f} H {right - round_:.1f} "
        f"C {right - reach:.1f} {y:.1f} {right:.1f} {y + reach:.1f} {right:.1f} {y + round_:.1f} "
        f"C {right:.1f} {bottom - reach:.1f} {right - reach:.1f} {bottom:.1f} {right - round_:.1f} {bottom:.1f} "
        f"H {x + round_:.1f} "
        f"C {x + reach:.1f} {bottom:.1f} {x:.1f} {bottom - reach:.1f} {x:.1f} {y + round_:.1f} "
        f"C {x:.1f} {y + reach:.1f} {x + reach:.1f} {y:.1f} {x + round_:.1f} {y:.1f} Z",
        ink,
    )


def _line(bright: bool) -> Ink:
    return scene.LIT_LINE if bright else scene.LINE


def _under(block: Block) -> Iterator[Mark]:
    y = block.symbol + SYMBOL + 3.0
    for line in block.words.under:
        y += NOTE * LEADING
        yield Text(block.x, y - NOTE * 0.33, line, NOTE, colour=MUTED)


def _transfer_out(block: Block) -> Iterator[Mark]:
    """A small triangle beside a gate that is drawn here for several places."""
    away = HALF + OVAL_GAP if block.part.condition is None else -HALF - OVAL_GAP
    middle = block.symbol + SYMBOL * 0.6
    yield Path(f"M {block.x:.1f} {middle:.1f} H {block.x + away:.1f}", scene.LINE)
    yield symbols.triangle(block.x + away, middle - 6, scene.EVENT, scale=0.3)
