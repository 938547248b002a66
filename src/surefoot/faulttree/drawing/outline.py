"""A tree as indented text, for terminals and for those who do not see the drawing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surefoot.core import validate
from surefoot.documents import shortened, visible
from surefoot.faulttree.drawing.graph import Graph, Item, graph

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree

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
