"""Outlines of subtrees, by which neighbours are moved together without touching.

Both sides are steps (lower end, x), stored from the deepest up, so that a parent goes on top at no cost. Joining two
outlines costs as much as the shallower one is deep (Reingold and Tilford 1981); blocks may have any height (van der
Ploeg 2014).
"""

from __future__ import annotations

from collections.abc import Sequence

Steps = list[tuple[float, float]]


class Outline:
    """Left and right side of a subtree, relative to the place of its root."""

    __slots__ = ("left", "left_shift", "right", "right_shift")

    def __init__(self, bottom: float, left: float, right: float) -> None:
        self.left: Steps = [(bottom, -left)]
        self.right: Steps = [(bottom, right)]
        self.left_shift = self.right_shift = 0.0

    def copy(self) -> Outline:
        """An outline of its own at the same place."""
        other = Outline.__new__(Outline)
        other.left, other.right = self.left.copy(), self.right.copy()
        other.left_shift, other.right_shift = self.left_shift, self.right_shift
        return other

    def move(self, distance: float) -> None:
        """Move to the right."""
        self.left_shift += distance
        self.right_shift += distance

    def put_on_top(self, bottom: float, left: float, right: float) -> None:
        """Add the parent, which stands at 0."""
        self.left.append((bottom, -left - self.left_shift))
        self.right.append((bottom, right - self.right_shift))

    def join(self, other: Outline) -> None:
        """Add a neighbour that stands to the right at the same height."""
        if other.left[0][0] <= self.left[0][0]:
            _cover(self.right, self.right_shift, other.right, other.right_shift)
            return
        _cover(other.left, other.left_shift, self.left, self.left_shift)
        self.left, self.left_shift = other.left, other.left_shift
        self.right, self.right_shift = other.right, other.right_shift


def distance(left: Outline, right: Outline, gap: float) -> float:
    """How far the right one has to move so that it stands a gap away."""
    first, second = len(left.right) - 1, len(right.left) - 1
    widest = -float("inf")
    while first >= 0 and second >= 0:
        (upper, x), (lower, y) = left.right[first], right.left[second]
        widest = max(widest, x - y)
        first -= upper <= lower
        second -= lower <= upper
    return widest + left.right_shift - right.left_shift + gap


def places(outlines: Sequence[Outline], gap: float) -> list[float]:
    """Where neighbours stand, the first at 0; those in between are spread evenly.

    Every distance is kept both when all are pushed to the left and when all are pushed to the right, and so it is
    kept half-way between.
    """
    if len(outlines) < 3:
        return [0.0, *(distance(outlines[0], outline, gap) for outline in outlines[1:])]
    left = _pushed(outlines, gap)
    right = _pushed(outlines[::-1], gap, to_the_right=True)[::-1]
    return [(first + second - right[0]) / 2 for first, second in zip(left, right, strict=True)]


def _pushed(outlines: Sequence[Outline], gap: float, *, to_the_right: bool = False) -> list[float]:
    forest = outlines[0].copy()
    found = [0.0]
    for outline in outlines[1:]:
        other = outline.copy()
        if to_the_right:
            step = -distance(other, forest, gap)
            other.move(step)
            other.join(forest)
            forest = other
        else:
            step = distance(forest, other, gap)
            other.move(step)
            forest.join(other)
        found.append(step)
    return found


def _cover(deep: Steps, deep_shift: float, shallow: Steps, shallow_shift: float) -> None:
    """Lay the shallow steps over the upper end of the deep ones."""
    bottom = shallow[0][0]
    while deep and deep[-1][0] <= bottom:
        deep.pop()
    moved = shallow_shift - deep_shift
    deep.extend((end, x + moved) for end, x in shallow)
