"""Blocks of a drawing: the words in them, how large they are, where they stand, and the marks that show them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate

from surefoot.documents import shortened, significant, visible
from surefoot.drawing.legend import MOST_CHARACTERS, ROW, Entry
from surefoot.drawing.scene import Group, Letters, Mark, Path, Pen, Text
from surefoot.drawing.shapes import circle, pill, rectangle
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
    ROW_GAP,
    STEM,
    SYMBOL,
    TEXT_AT,
    TITLE,
    TRUNK,
    Graph,
    Item,
    Part,
    Role,
    Row,
    Sizes,
    spoken,
)
from surefoot.faulttree.drawing.selection import ROW as SELECTION_ROW
from surefoot.faulttree.formula import Formula, Kind

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
        yield Path(outline, LIT_BOX if bright else BOX)
        y = block.y + (block.box - block.words.height) / 2
        for line in block.words.main:
            y += MAIN * LEADING
            yield Text(block.x, y - MAIN * 0.33, line, SAYS, "middle")
        for line in block.words.notes:
            y += NOTE * LEADING
            yield Text(block.x, y - NOTE * 0.33, line, QUIET, "middle")

    def _symbol(self, block: Block, bright: bool) -> list[Mark]:
        x, y, item = block.x, block.symbol, self.writer.graph.items[block.part.item]
        if block.part.role == "transfer":
            return [triangle(x, y, LIT_SYMBOL if bright else EVENT)]
        if block.part.role == "collapsed":
            return [triangle(x, y, LIT_SYMBOL if bright else FOLDED)]
        if item.formula is not None:
            inks = (LIT_SYMBOL, LIT_DETAIL) if bright else (GATE, DETAIL)
            return gate(item.formula, x, y, *inks)
        tag: list[Mark] = [_ml_letters(x, y + SYMBOL / 2)] if item.component else []
        return event(item, x, y, LIT_SYMBOL if bright else EVENT) + tag

    def _condition(self, block: Block, place: int) -> Iterator[Mark]:
        """The oval beside an inhibit gate."""
        item, bright = self.writer.graph.items[place], place in self.lit
        words, width = self.writer.oval(item), self.writer.sizes.oval
        left, middle = block.x + HALF + OVAL_GAP, block.symbol + SYMBOL / 2
        yield Path(f"M {block.x + HALF - 1:.1f} {middle:.1f} H {left:.1f}", _line(bright))
        ink = LIT_SYMBOL if bright else EVENT
        yield Path(pill(left, middle - OVAL / 2, width, OVAL), ink)
        if item.component:
            yield Path(pill(left + 3, middle - OVAL / 2 + 3, width - 6, OVAL - 6), RING)
            yield _ml_letters(left + OVAL_SIDE, middle)
        lines = [*words.main, *words.under]
        y, x = middle - LEADING * NOTE * len(lines) / 2, left + (width + (ML_TAG if item.component else 0.0)) / 2
        for line in lines:
            y += LEADING * NOTE
            yield Text(x, y - NOTE * 0.33, line, SMALL, "middle")


def _ml_letters(x: float, y: float) -> Text:
    """The letters inside the ring of an ML event."""
    return Text(x, y + MAIN * 0.35, ML, LEARNED, "middle")


def _line(bright: bool) -> Pen:
    return LIT_LINE if bright else LINE


def _under(block: Block) -> Iterator[Mark]:
    y = block.symbol + SYMBOL + 3.0
    for line in block.words.under:
        y += NOTE * LEADING
        yield Text(block.x, y - NOTE * 0.33, line, QUIET, "middle")


def _transfer_out(block: Block) -> Iterator[Mark]:
    """A small triangle beside a gate that is drawn here for several places."""
    away = HALF + OVAL_GAP if block.part.condition is None else -HALF - OVAL_GAP
    middle = block.symbol + SYMBOL * 0.6
    yield Path(f"M {block.x:.1f} {middle:.1f} H {block.x + away:.1f}", LINE)
    yield triangle(block.x + away, middle - 6, EVENT, scale=0.3)


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
    return Path(f"M {block.x:.1f} {block.y:.1f} V {end:.1f}", LIT_LINE if lit else LINE)


def _branch(block: Block, y: float, *, lit: bool) -> Path:
    return Path(f"M {block.x:.1f} {y:.1f} H {block.x + ROW_AT:.1f}", LIT_LINE if lit else LINE)


def _symbol(block: Block, row: Row, middle: float, painter: Painter) -> Iterator[Mark]:
    item, bright = painter.writer.graph.items[row.item], row.item in painter.lit
    x, y = block.x + ROW_AT, middle - ROW_SCALE * SYMBOL / 2
    ink = LIT_SYMBOL if bright else EVENT
    if row.role == "collapsed":
        yield triangle(x, y, LIT_SYMBOL if bright else FOLDED, scale=ROW_SCALE)
    elif row.role == "transfer":
        yield triangle(x, y, ink, scale=ROW_SCALE)
    else:
        yield from event(item, x, y, ink, scale=ROW_SCALE)
    if item.component:
        yield Path(rectangle(block.x + TEXT_AT - 1.0, middle - 6.0, ML_TAG - 4.0, 12.0), TAG)
        yield Text(block.x + TEXT_AT + ML_TAG / 2 - 3.0, middle + 3.0, ML, ON_TAG, "middle")


def _words(words: Words, left: float, middle: float, *, muted: bool) -> Iterator[Mark]:
    y, left = middle - MAIN * LEADING / 2, left + (ML_TAG if words.tagged else 0.0)
    for line in words.main:
        y += MAIN * LEADING
        yield Text(left, y - MAIN * 0.33, line, QUIET_ROW if muted else SAYS)
    if words.aside:
        start = left + text_width(f"{words.main[0]}  ", MAIN)
        yield Text(start, middle + MAIN * LEADING / 2 - MAIN * 0.33, words.aside, QUIET)
    for line in words.notes:
        y += NOTE * LEADING
        yield Text(left, y - NOTE * 0.33, line, QUIET)


def _more(block: Block, left: float, middle: float) -> Iterator[Mark]:
    """Three dots instead of a symbol."""
    for place in (-4.5, 0.0, 4.5):
        yield Path(circle(block.x + ROW_AT + place, middle, 1.3), DOT)
    yield from _words(block.rows[-1], left, middle, muted=True)


# The standard symbols (IEC 61025:2006, annex A; NUREG-0492, chapter IV), how they look, and what they mean.

LINE, LIT_LINE = Pen("line", "muted", width=1.1), Pen("line lit", "highlight", width=2.4)
CONDITION_LINE, LIT_CONDITION_LINE = (
    replace(LINE, name="condition", dashed=True),
    replace(LIT_LINE, name="condition lit", dashed=True),
)
BOX, LIT_BOX = Pen("box", "line-strong", "paper", 1.0), Pen("box lit", "highlight", "highlight-faint", 1.8)
GATE, EVENT = Pen("gate", "ink", "symbol", 1.3), Pen("event", "ink", "paper", 1.3)
FOLDED, LIT_SYMBOL = Pen("folded", "muted", "line"), Pen("symbol lit", "highlight", "highlight-tint", 2.2)
RING, TAG = Pen("ring", "learned", width=2.2), Pen("tag", "learned", "learned", 1.0)
DETAIL, LIT_DETAIL = Pen("detail", "ink", width=1.3), Pen("detail lit", "highlight", width=1.8)
DOT = Pen("dot", "muted", "muted", 0.5)
HEADING, SAYS = Letters("heading", TITLE, bold=True), Letters("says", MAIN)
SMALL, QUIET, QUIET_ROW = Letters("small", NOTE), Letters("note", NOTE, "muted"), Letters("quiet", MAIN, "muted")
LEARNED, ON_TAG = Letters("learned", MAIN, "learned", bold=True), Letters("on-tag", 8.5, "paper", bold=True)
ML = "ML"

AND = "M -19 36 L -19 18 C -19 -6 19 -6 19 18 L 19 36 Z"
OR = "M -19 36 C -18 20 -11 6 0 0 C 11 6 18 20 19 36 C 8 29 -8 29 -19 36 Z"
HEXAGON = "M 0 0 L 18 9 L 18 27 L 0 36 L -18 27 L -18 9 Z"
DIAMOND = "M 0 0 L 21 18 L 0 36 L -21 18 Z"
HOUSE = "M 0 0 L 17 13 L 17 36 L -17 36 L -17 13 Z"
TRIANGLE = "M 0 2 L 20 36 L -20 36 Z"
RECTANGLE = "M -19 4 L 19 4 L 19 32 L -19 32 Z"
SECOND_ARC = "M -19 36 C -8 29 8 29 19 36"
ORDER_LINE = "M -19 30 L 19 30"
THROUGH = "M 0 0 L 0 36"
BODIES = {
    "and": AND,
    "pand": AND,
    "nand": AND,
    "or": OR,
    "nor": OR,
    "xor": OR,
    "iff": OR,
    "atleast": OR,
    "cardinality": OR,
    "inhibit": HEXAGON,
    "imply": RECTANGLE,
    "pass": THROUGH,
}
NEGATED, WITH_ARC = ("nand", "nor", "iff"), ("xor", "iff")
BUBBLE, ARC = 4.0, 5.0
NOT_RADIUS, EVENT_RADIUS = 13.0, 17.0
INNER = 0.76
"""Size of an ML event within its ring."""
LETTERS = Letters("count", 10.0, bold=True)
SAMPLE, SCALE = 27.0, 0.5
"""Room for a symbol in the legend, and its size there."""
GATES: dict[Kind, str] = {
    "and": "AND: all inputs",
    "or": "OR: at least one input",
    "xor": "XOR: an odd number of inputs",
    "not": "NOT: the input does not happen",
    "nand": "NAND: not all inputs",
    "nor": "NOR: no input",
    "iff": "IFF: both inputs or neither",
    "imply": "IMPLY: if the first, then the second",
    "atleast": "k/n: at least k of n inputs",
    "cardinality": "k–m/n: from k to m of n inputs",
    "inhibit": "INHIBIT: all inputs, under the condition beside",
    "pand": "priority AND: all inputs, from left to right",
}
EVENTS = {
    "event": "basic event",
    "undeveloped": "event without a known probability",
    "house": "house event: set to true or false",
    "constant": "constant",
}
_AT = (11.0, (ROW - SCALE * SYMBOL) / 2)


def placed(pattern: str, x: float, y: float, *, scale: float = 1.0, top: float = 0.0, bottom: float = SYMBOL) -> str:
    """A pattern of pairs below a point, between two heights."""
    squeezed = scale * (bottom - top) / SYMBOL
    start = y + scale * top
    return " ".join(
        step if isinstance(step, str) else f"{x + scale * step[0]:.1f} {start + squeezed * step[1]:.1f}"
        for step in _steps(pattern)
    )


@cache
def _steps(pattern: str) -> tuple[str | tuple[float, float], ...]:
    words = iter(pattern.split())
    return tuple(word if word.isalpha() else (float(word), float(next(words))) for word in words)


def gate(formula: Formula, x: float, y: float, pen: Pen, detail: Pen, *, scale: float = 1.0) -> list[Mark]:
    """The symbol of a gate."""
    kind = formula.kind
    if kind == "not":
        return [
            Path(circle(x, y + scale * SYMBOL / 2, scale * NOT_RADIUS), pen),
            *_letters("NOT", x, y, scale, room=18.0),
        ]
    top = 2 * BUBBLE if kind in NEGATED else 0.0
    bottom = SYMBOL - ARC if kind in WITH_ARC else SYMBOL
    marks: list[Mark] = [Path(placed(BODIES[kind], x, y, scale=scale, top=top, bottom=bottom), pen)]
    if kind in NEGATED:
        marks.append(Path(circle(x, y + scale * BUBBLE, scale * BUBBLE), pen))
    if kind in WITH_ARC:
        marks.append(Path(placed(SECOND_ARC, x, y, scale=scale), detail))
    if kind == "pand":
        marks.append(Path(placed(ORDER_LINE, x, y, scale=scale), detail))
    return marks + _letters(_says(formula), x, y + 3.0 * scale, scale)


def event(item: Item, x: float, y: float, pen: Pen, *, scale: float = 1.0) -> list[Mark]:
    """A circle, a diamond where nothing is known of it, or a house; an ML event stands within a ring."""
    if not item.component:
        return [_event(item.kind, x, y, pen, scale)]
    inside = y + scale * SYMBOL * (1 - INNER) / 2
    return [_event(item.kind, x, y, RING, scale), _event(item.kind, x, inside, pen, scale * INNER)]


def triangle(x: float, y: float, pen: Pen, *, scale: float = 1.0) -> Mark:
    """A transfer, or a gate that is not drawn in full."""
    return Path(placed(TRIANGLE, x, y, scale=scale), pen)


def _event(kind: str, x: float, y: float, pen: Pen, scale: float) -> Mark:
    if kind == "event":
        return Path(circle(x, y + scale * SYMBOL / 2, scale * EVENT_RADIUS), pen)
    return Path(placed(DIAMOND if kind == "undeveloped" else HOUSE, x, y, scale=scale), pen)


def _says(formula: Formula) -> str:
    """What is written inside the symbol."""
    count = len(formula.inputs)
    if formula.kind == "atleast":
        return f"{formula.minimum}/{count}"
    if formula.kind == "cardinality":
        return f"{formula.minimum}–{formula.maximum}/{count}"
    return "⇒" if formula.kind == "imply" else ""


def _letters(text: str, x: float, y: float, scale: float, *, room: float = 24.0) -> list[Mark]:
    """Letters in the middle, as large as there is room for."""
    if not text:
        return []
    size = scale * min(LETTERS.size, room / text_width(text, 1.0))
    return [Text(x, y + scale * SYMBOL / 2 + size * 0.35, text, replace(LETTERS, size=size), "middle")]


def meanings(graph: Graph, parts: Sequence[Part], lit: Collection[int]) -> list[Entry]:
    """One entry for each kind of symbol in the drawing."""
    places: list[tuple[int, Role]] = [(part.item, part.role) for part in parts if part.role != "list"]
    places += [(row.item, row.role) for part in parts for row in part.rows]
    places += [(part.condition, "leaf") for part in parts if part.condition is not None]
    items = [graph.items[item] for item, role in places if role in ("gate", "leaf")]
    kinds, roles = {item.kind for item in items}, {role for _, role in places}
    return [
        *(_gate(kind, text) for kind, text in GATES.items() if kind in kinds),
        *(_event_entry(Item(kind), text) for kind, text in EVENTS.items() if kind in kinds),
        *_machine_learning(items),
        *_triangles(roles),
        *([Entry((Path("M 2 12 L 20 12", LIT_LINE),), "highlighted")] if lit else []),
    ]


def _gate(kind: Kind, text: str) -> Entry:
    formula = Formula(kind, ("a", "b", "c", "d"), minimum=2, maximum=3)
    return Entry(tuple(gate(formula, *_AT, GATE, DETAIL, scale=SCALE)), text)


def _event_entry(item: Item, text: str) -> Entry:
    return Entry(tuple(event(item, *_AT, EVENT, scale=SCALE)), text)


def _machine_learning(items: Sequence[Item]) -> Iterator[Entry]:
    names = list(dict.fromkeys(visible(item.component) for item in items if item.component))
    if names:
        text = f"ML: depends on a machine-learning component ({', '.join(names)})"
        yield _event_entry(Item("event", component="ML"), shortened(text, MOST_CHARACTERS))


def _triangles(roles: Collection[str]) -> Iterator[Entry]:
    if "transfer" in roles:
        yield Entry((triangle(*_AT, EVENT, scale=SCALE),), "transfer: the gate stands elsewhere")
    if "collapsed" in roles:
        yield Entry((triangle(*_AT, FOLDED, scale=SCALE),), "what stands below is not drawn")


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
        main = name_lines(_called(item), SELECTION_ROW, MAIN, most=MOST_ROW_LINES)
        below = self._size(row.item) if row.role == "collapsed" else ""
        name = item.name if _has_both(item) else ""
        said = SEPARATOR.join(filter(None, (name, below, *_state(item), *self._value(item))))
        if said and not name and len(main) == 1 and text_width(f"{main[0]}  {said}", MAIN) <= SELECTION_ROW:
            return Words(tuple(main), aside=said, tagged=bool(item.component))
        return Words(tuple(main), tuple(name_lines(said, SELECTION_ROW, NOTE, most=2)), tagged=bool(item.component))

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
