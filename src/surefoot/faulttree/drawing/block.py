"""A block of the drawing with its words and its place."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.faulttree.drawing.metrics import STEM
from surefoot.faulttree.drawing.plan import Part
from surefoot.faulttree.drawing.words import Words


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
