"""What the symbols of a drawing mean: only those that stand in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from surefoot.drawing import shortened, text_width, visible
from surefoot.faulttree.drawing import scene, symbols
from surefoot.faulttree.drawing.graph import Graph, Item
from surefoot.faulttree.drawing.metrics import NOTE, SYMBOL
from surefoot.faulttree.drawing.plan import Part, Role
from surefoot.faulttree.drawing.scene import MUTED, Group, Mark, Path, Text
from surefoot.faulttree.formula import Formula, Kind

ROW, SCALE, HALF, TEXT_AT, APART = 24.0, 0.5, 11.0, 27.0, 20.0
MOST_CHARACTERS = 90
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
Draw = Callable[[float, float], Sequence[Mark]]


@dataclass(frozen=True)
class Entry:
    """A symbol, drawn below a point, and its meaning."""

    draw: Draw
    text: str

    @property
    def width(self) -> float:
        """Of symbol and words."""
        return TEXT_AT + text_width(self.text, NOTE)


def legend(entries: Sequence[Entry], left: float, top: float, width: float) -> tuple[list[Group], float]:
    """Entries side by side, in as many lines as they need, and the lower end."""
    groups: list[Group] = []
    x, y = left, top
    for entry in entries:
        if x > left and x + entry.width > left + width:
            x, y = left, y + ROW
        words = Text(x + TEXT_AT, y + ROW / 2 + NOTE * 0.35, entry.text, NOTE, "start", MUTED)
        groups.append(Group((*entry.draw(x + HALF, y + (ROW - SCALE * SYMBOL) / 2), words)))
        x += entry.width + APART
    return groups, y + ROW if entries else y


def entries(graph: Graph, parts: Sequence[Part], lit: Collection[int]) -> list[Entry]:
    """One entry for each kind of symbol in the drawing."""
    places: list[tuple[int, Role]] = [(part.item, part.role) for part in parts if part.role != "list"]
    places += [(row.item, row.role) for part in parts for row in part.rows]
    places += [(part.condition, "leaf") for part in parts if part.condition is not None]
    items = [graph.items[item] for item, role in places if role in ("gate", "leaf")]
    kinds, roles = {item.kind for item in items}, {role for _, role in places}
    return [
        *(_gate(kind, text) for kind, text in GATES.items() if kind in kinds),
        *(_event(Item(kind), text) for kind, text in EVENTS.items() if kind in kinds),
        *_machine_learning(items),
        *_triangles(roles),
        *([Entry(_lit_line, "highlighted")] if lit else []),
    ]


def _gate(kind: Kind, text: str) -> Entry:
    formula = Formula(kind, ("a", "b", "c", "d"), minimum=2, maximum=3)
    return Entry(lambda x, y: symbols.gate(formula, x, y, scene.GATE, scene.DETAIL, scale=SCALE), text)


def _event(item: Item, text: str) -> Entry:
    return Entry(lambda x, y: symbols.event(item, x, y, scene.EVENT, scale=SCALE), text)


def _machine_learning(items: Sequence[Item]) -> Iterator[Entry]:
    names = list(dict.fromkeys(visible(item.component) for item in items if item.component))
    if names:
        text = f"ML: depends on a machine-learning component ({', '.join(names)})"
        yield _event(Item("event", component="ML"), shortened(text, MOST_CHARACTERS))


def _triangles(roles: Collection[str]) -> Iterator[Entry]:
    if "transfer" in roles:
        yield Entry(
            lambda x, y: [symbols.triangle(x, y, scene.EVENT, scale=SCALE)], "transfer: the gate stands elsewhere"
        )
    if "collapsed" in roles:
        yield Entry(lambda x, y: [symbols.triangle(x, y, scene.FOLDED, scale=SCALE)], "what stands below is not drawn")


def _lit_line(x: float, y: float) -> list[Mark]:
    middle = y + SCALE * SYMBOL / 2
    return [Path(f"M {x - 9:.1f} {middle:.1f} H {x + 9:.1f}", scene.LIT_LINE)]
