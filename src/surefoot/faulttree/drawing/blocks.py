"""Blocks of a drawing: the words in them as lines that fit, how large they are, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from surefoot.documents import significant
from surefoot.drawing.text import LEADING, name_lines, text_width
from surefoot.drawing.tree_layout import Part as Placed
from surefoot.drawing.tree_layout import place_tree
from surefoot.faulttree.drawing.selection import (
    DROP,
    GAP,
    HALF,
    MAIN,
    ML_TAG,
    NOTE,
    OVAL,
    OVAL_GAP,
    OVAL_SIDE,
    PADDING,
    ROW,
    ROW_GAP,
    STEM,
    SYMBOL,
    TEXT_AT,
    TRUNK,
    Graph,
    Item,
    Part,
    Row,
    Sizes,
    spoken,
)

MOST_LINES, MOST_ROW_LINES = 3, 2
SEPARATOR = " · "


@dataclass(frozen=True, slots=True)
class Size:
    """Extent to the left and right of the axis, and downwards."""

    left: float
    right: float
    height: float


@dataclass(frozen=True, slots=True)
class Block:
    """``x`` is the axis, ``y`` the upper end, ``box`` the height of the box that holds the words."""

    part: Part
    words: Words
    rows: tuple[Words, ...]
    size: Size
    x: float
    y: float
    box: float

    @property
    def left(self) -> float:
        """Left end."""
        return self.x - self.size.left

    @property
    def right(self) -> float:
        """Right end."""
        return self.x + self.size.right

    @property
    def bottom(self) -> float:
        """Lower end."""
        return self.y + self.size.height

    @property
    def symbol(self) -> float:
        """Upper end of the symbol."""
        return self.y + self.box + STEM


def lay_out(parts: Sequence[Part], writer: Writer) -> list[Block]:
    """A block for every part, in the same order; the leftmost begins at 0."""
    words = [Words() if part.role == "list" else writer.block(part) for part in parts]
    rows = [tuple(writer.rows(part)) for part in parts]
    boxes = _box_heights(parts, words)
    tops = list(accumulate((box + STEM + SYMBOL + DROP for box in boxes), initial=0.0))
    sizes = [
        _list_size(own) if own else _size(part, said, boxes[part.depth], writer)
        for part, said, own in zip(parts, words, rows, strict=True)
    ]
    across = _across(parts, sizes, tops)
    return [
        Block(part, said, own, size, x, tops[part.depth], boxes[part.depth])
        for part, said, own, size, x in zip(parts, words, rows, sizes, across, strict=True)
    ]


def _box_heights(parts: Sequence[Part], words: Sequence[Words]) -> list[float]:
    """Boxes of one depth are equally high."""
    heights = [0.0] * (1 + max(part.depth for part in parts))
    for part, said in zip(parts, words, strict=True):
        if said.main:
            heights[part.depth] = max(heights[part.depth], said.height + 2 * PADDING)
    return heights


def _size(part: Part, words: Words, box: float, writer: Writer) -> Size:
    half = writer.sizes.box / 2
    height = box + STEM + SYMBOL + words.under_height
    if part.condition is None:
        return Size(half, half, height)
    return Size(half, HALF + OVAL_GAP + writer.sizes.oval, height + (OVAL - SYMBOL) / 2)


def _list_size(rows: Sequence[Words]) -> Size:
    height = sum(row.height for row in rows) + ROW_GAP * (len(rows) - 1)
    return Size(TRUNK, TEXT_AT + max(row.width for row in rows) + PADDING, height)


def _across(parts: Sequence[Part], sizes: Sequence[Size], tops: Sequence[float]) -> list[float]:
    """Axes of the blocks: a gate stands midway above its first and its last input."""
    placed = [Placed(size.left, size.right, size.height, gap=GAP) for size in sizes]
    for place, part in enumerate(parts):
        if part.parent is not None:
            placed[part.parent].below.append(place)
    return place_tree(placed, 0, tops=[tops[part.depth] for part in parts]).axes


@dataclass(frozen=True, slots=True)
class Words:
    """Lines: what it is called, then small ones; ``under`` stand below the symbol, ``aside`` ends the first line."""

    main: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    aside: str = ""
    tagged: bool = False
    """Whether the tag of an ML event stands before the words of a row."""

    @property
    def height(self) -> float:
        """Of the lines above the symbol."""
        return LEADING * (len(self.main) * MAIN + len(self.notes) * NOTE)

    @property
    def under_height(self) -> float:
        """Of the lines below the symbol."""
        return LEADING * NOTE * len(self.under) + (3.0 if self.under else 0.0)

    @property
    def width(self) -> float:
        """Of a row."""
        first = f"{self.main[0]}  {self.aside}" if self.aside else ""
        main = max(text_width(line, MAIN) for line in (first, *self.main))
        notes = max((text_width(line, NOTE) for line in self.notes), default=0.0)
        return max(main, notes) + (ML_TAG if self.tagged else 0.0)


@dataclass(frozen=True)
class Writer:
    """Puts words to blocks."""

    graph: Graph
    sizes: Sizes
    values: Mapping[str, float]

    def block(self, part: Part) -> Words:
        """Words of a block that is no list."""
        item = self.graph.items[part.item]
        room, most = self.sizes.room, 1 if part.role == "transfer" else MOST_LINES
        main = name_lines(spoken(item), room, MAIN, most=most)
        name = name_lines(item.name, room, NOTE, most=1) if _has_both(item) else []
        value = self._value(item)
        if part.role == "gate":
            return Words(tuple(main), (*name, *value))
        below = self._size(part.item).replace(", ", ",\n").split("\n") if part.role == "collapsed" else _state(item)
        return Words(tuple(main), tuple(name), (*below, *value))

    def oval(self, item: Item) -> Words:
        """Words inside the oval of a condition."""
        room = self.sizes.oval - 2 * OVAL_SIDE - (ML_TAG if item.component else 0.0)
        return Words(
            tuple(name_lines(_called(item), room, NOTE, most=2)), under=(*_state(item), *self._value(item))[-1:]
        )

    def rows(self, part: Part) -> Iterator[Words]:
        """Words of all rows of a list."""
        yield from map(self._row, part.rows)
        if part.hidden:
            yield self._more(part)

    def _row(self, row: Row) -> Words:
        """Words of a row."""
        item = self.graph.items[row.item]
        main = name_lines(_called(item), ROW, MAIN, most=MOST_ROW_LINES)
        below = self._size(row.item) if row.role == "collapsed" else ""
        name = item.name if _has_both(item) else ""
        said = SEPARATOR.join(filter(None, (name, below, *_state(item), *self._value(item))))
        if said and not name and len(main) == 1 and text_width(f"{main[0]}  {said}", MAIN) <= ROW:
            return Words(tuple(main), aside=said, tagged=bool(item.component))
        return Words(tuple(main), tuple(name_lines(said, ROW, NOTE, most=2)), tagged=bool(item.component))

    def _more(self, part: Part) -> Words:
        """Words of the last row of a list that leaves some out."""
        gates = sum(self.graph.items[place].is_gate for place in part.hidden)
        counts = [(gates, "gate"), (len(part.hidden) - gates, "event")]
        return Words((" and ".join(f"{count} more {_plural(kind, count)}" for count, kind in counts if count),))

    def spoken_in_full(self, item: Item) -> str:
        """For a title that is shown when pointed at."""
        name = f" ({item.name})" if _has_both(item) else ""
        component = f", depends on the ML component {item.component}" if item.component else ""
        value = "".join(f", probability {text}" for text in self._value(item))
        return f"{_called(item)}{name}: {item.kind}{component}{value}"

    def _value(self, item: Item) -> list[str]:
        value = self.values.get(item.name)
        return [] if value is None else [significant(float(value))]

    def _size(self, item: int) -> str:
        """What stands below a gate that is not drawn in full."""
        below = self.graph.below(self.graph.items[item].inputs)
        gates = sum(self.graph.items[place].is_gate for place in below)
        counts = [(gates, "gate"), (len(below) - gates, "event")]
        return ", ".join(f"{count} {_plural(kind, count)}" for count, kind in counts if count)


def _called(item: Item) -> str:
    return spoken(item) or (f"{item.kind} gate" if item.is_gate else item.kind)


def _has_both(item: Item) -> bool:
    return bool(item.label) and item.label != item.name


def _state(item: Item) -> list[str]:
    return [("true" if item.state else "false")] if item.kind in ("house", "constant") else []


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
