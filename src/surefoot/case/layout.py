"""Where each box of a case stands: an outline, every node under its parent and indented by its depth.

An outline stays readable with many nodes: it grows downwards, where pages and phones have room, never sideways.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from surefoot.case.model import Case, Node
from surefoot.draw import wrapped

PADDING = 13.0
GAP = 11.0
LABEL, TEXT, NOTE = 11.0, 14.0, 12.0
"""Sizes of the letters: kind and standing, what the node says, its note."""
LEADING = 1.36
NARROW = 480.0
MOST_LINES = 8


@dataclass(frozen=True)
class Box:
    """A node with its place, and its words as lines."""

    node: Node
    depth: int
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    notes: tuple[str, ...]
    parent: int | None
    """Place of the parent in the list of boxes."""

    @property
    def cut(self) -> bool:
        """Whether there was no room for all words."""
        return any(lines and lines[-1].endswith("…") for lines in (self.lines, self.notes))


@dataclass(frozen=True)
class Layout:
    """All boxes, parents first, and the size of the whole."""

    boxes: tuple[Box, ...]
    context: tuple[str, ...]
    """Lines above the top claim."""
    width: float
    height: float


def lay_out(case: Case, *, width: float) -> Layout:
    """Boxes for every node, as wide as there is room."""
    context = tuple(line for text in case.context for line in wrapped(f"· {text}", width, NOTE, most=MOST_LINES))
    y = LABEL * LEADING + len(context) * NOTE * LEADING + GAP if context else 1.0
    boxes: list[Box] = []
    for node, depth, parent in _walk(case.top):
        box = _box(node, depth, parent, y, width)
        boxes.append(box)
        y = box.y + box.height + GAP
    return Layout(tuple(boxes), context, width, y - GAP + 1.0)


def indent(width: float) -> float:
    """How far a child stands to the right of its parent."""
    return 13.0 if width < NARROW else 30.0


def note_text(node: Node) -> str:
    """The note and, in brackets, where the figure can be found."""
    return f"{node.note} [{node.reference}]".strip() if node.reference else node.note


def _box(node: Node, depth: int, parent: int | None, y: float, width: float) -> Box:
    x = 1.0 + min(depth * indent(width), width / 2)
    own = width - x - 1.0
    room = own - 2 * PADDING
    lines = wrapped(node.text, room, TEXT, most=MOST_LINES)
    notes = wrapped(note_text(node), room, NOTE, most=MOST_LINES)
    height = 2 * PADDING + LEADING * (LABEL + len(lines) * TEXT + len(notes) * NOTE)
    return Box(node, depth, x, y, own, height, tuple(lines), tuple(notes), parent)


def _walk(top: Node) -> Iterator[tuple[Node, int, int | None]]:
    """Node, depth and place of the parent, parents first."""
    waiting: list[tuple[Node, int, int | None]] = [(top, 0, None)]
    place = 0
    while waiting:
        node, depth, parent = waiting.pop()
        yield node, depth, parent
        waiting.extend((child, depth + 1, place) for child in reversed(node.children))
        place += 1
