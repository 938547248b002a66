"""Sizes of letters, boxes and symbols, and how much room the words of a tree want."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from surefoot.drawing.text import text_width
from surefoot.faulttree.drawing.graph import Graph, Item

TITLE, MAIN, NOTE = 15.0, 11.0, 9.5
PADDING = 6.0
STEM, SYMBOL, HALF = 8.0, 36.0, 19.0
"""Line between box and symbol, height of a symbol, half its width."""
DROP = 28.0
"""Between a gate and its inputs: room for the lines."""
GAP = 14.0
"""Between neighbours."""
TRUNK, TEXT_AT, ROW_GAP = 9.0, 27.0, 6.0
"""A list of inputs: from its left end to the line, from the line to the words, between rows."""
ML_TAG = 21.0
OVAL, OVAL_GAP, OVAL_SIDE = 44.0, 12.0, 15.0
"""The condition of an inhibit gate: its height, how far away it stands, room that its round ends take from words."""
ROW = 150.0
"""The most that the words of a row may take."""
_BOX = (78.0, 132.0)
_VALUE = 50.0
_LOOKED_AT = 40


@dataclass(frozen=True)
class Sizes:
    """Width of all boxes, and about the width of a list of inputs."""

    box: float
    list: float

    @property
    def room(self) -> float:
        """Room for words inside a box."""
        return self.box - 2 * PADDING

    @property
    def oval(self) -> float:
        """Width of the condition beside an inhibit gate."""
        return self.box + OVAL_SIDE


def sizes_for(graph: Graph) -> Sizes:
    """Boxes as wide as the longest words need, within limits, so that short names make a narrow drawing."""
    widest = _widest(item.label or item.name for item in graph.items)
    box = min(max(widest + 2 * PADDING, _BOX[0]), _BOX[1])
    return Sizes(box, TRUNK + TEXT_AT + min(widest + _VALUE, ROW) + PADDING)


def spoken(item: Item) -> str:
    """What an item is called: its label, or else its name."""
    return item.label or item.name


def _widest(texts: Iterable[str]) -> float:
    most = 0.0
    for text in texts:
        most = max(most, text_width(text[:_LOOKED_AT], MAIN))
        if most > ROW:
            break
    return most
