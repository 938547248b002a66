"""The standard symbols (IEC 61025:2006, annex A; NUREG-0492, chapter IV), how they look, and what they mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache

from surefoot.documents import shortened, visible
from surefoot.drawing.legend import MOST_CHARACTERS, ROW, Entry
from surefoot.drawing.scene import Letters, Mark, Path, Pen, Text
from surefoot.drawing.shapes import circle
from surefoot.drawing.text import text_width
from surefoot.faulttree.drawing.graph import Graph, Item
from surefoot.faulttree.drawing.selection import Part, Role
from surefoot.faulttree.drawing.sizes import MAIN, NOTE, SYMBOL, TITLE
from surefoot.faulttree.formula import Formula, Kind

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
