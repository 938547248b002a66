"""The standard symbols (IEC 61025:2006, annex A; NUREG-0492, chapter IV), each below a point."""

from __future__ import annotations

from functools import cache

from surefoot.drawing import text_width
from surefoot.faulttree.drawing.graph import Item
from surefoot.faulttree.drawing.metrics import SYMBOL
from surefoot.faulttree.drawing.scene import RING, Circle, Ink, Mark, Path, Text
from surefoot.faulttree.formula import Formula

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
LETTERS = 10.0


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


def gate(formula: Formula, x: float, y: float, ink: Ink, detail: Ink, *, scale: float = 1.0) -> list[Mark]:
    """The symbol of a gate."""
    kind = formula.kind
    if kind == "not":
        return [Circle(x, y + scale * SYMBOL / 2, scale * NOT_RADIUS, ink), *_letters("NOT", x, y, scale, room=18.0)]
    top = 2 * BUBBLE if kind in NEGATED else 0.0
    bottom = SYMBOL - ARC if kind in WITH_ARC else SYMBOL
    marks: list[Mark] = [Path(placed(BODIES[kind], x, y, scale=scale, top=top, bottom=bottom), ink)]
    if kind in NEGATED:
        marks.append(Circle(x, y + scale * BUBBLE, scale * BUBBLE, ink))
    if kind in WITH_ARC:
        marks.append(Path(placed(SECOND_ARC, x, y, scale=scale), detail))
    if kind == "pand":
        marks.append(Path(placed(ORDER_LINE, x, y, scale=scale), detail))
    return marks + _letters(_says(formula), x, y + 3.0 * scale, scale)


def event(item: Item, x: float, y: float, ink: Ink, *, scale: float = 1.0) -> list[Mark]:
    """A circle, a diamond where nothing is known of it, or a house; an ML event stands within a ring."""
    if not item.component:
        return [_event(item.kind, x, y, ink, scale)]
    inside = y + scale * SYMBOL * (1 - INNER) / 2
    return [_event(item.kind, x, y, RING, scale), _event(item.kind, x, inside, ink, scale * INNER)]


def triangle(x: float, y: float, ink: Ink, *, scale: float = 1.0) -> Mark:
    """A transfer, or a gate that is not drawn in full."""
    return Path(placed(TRIANGLE, x, y, scale=scale), ink)


def _event(kind: str, x: float, y: float, ink: Ink, scale: float) -> Mark:
    if kind == "event":
        return Circle(x, y + scale * SYMBOL / 2, scale * EVENT_RADIUS, ink)
    return Path(placed(DIAMOND if kind == "undeveloped" else HOUSE, x, y, scale=scale), ink)


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
    size = scale * min(LETTERS, room / text_width(text, 1.0))
    return [Text(x, y + scale * SYMBOL / 2 + size * 0.35, text, size, bold=True)]
