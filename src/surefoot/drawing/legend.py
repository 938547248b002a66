"""What the signs of a picture mean: entries side by side, in as many lines as they need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from surefoot.drawing.scene import Group, Letters, Mark, Text
from surefoot.drawing.text import text_width

ROW, BETWEEN = 24.0, 20.0
MOST_CHARACTERS = 90
"""Of what an entry says."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A sample, drawn in a field as high as ``ROW`` that begins at (0, 0), and its meaning."""

    marks: tuple[Mark, ...]
    text: str
    classes: str = ""


def legend(
    entries: Iterable[Entry], letters: Letters, *, left: float, top: float, width: float, sample: float
) -> tuple[list[Group], float]:
    """Groups of all entries, and the lower end; ``sample`` is the room for what an entry shows."""
    groups: list[Group] = []
    x, y = left, top
    for entry in entries:
        wide = sample + text_width(entry.text, letters.size)
        if x > left and x + wide > left + width:
            x, y = left, y + ROW
        words = Text(sample, ROW / 2 + letters.size * 0.35, entry.text, letters)
        groups.append(Group((*entry.marks, words), classes=f"legend {entry.classes}".strip(), at=(x, y)))
        x += wide + BETWEEN
    return groups, y + ROW if groups else y
