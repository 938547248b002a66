"""Ways of edges across the drawing, round the boxes where that can be done.

A way leaves below its source, runs through channels between boxes and enters its target from above, or from the side
where the target stands beside another node.
"""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.case.drawings.boxes import Box, Point
from surefoot.case.drawings.field import Field
from surefoot.case.drawings.outlines import curved, foot_at, side_inset, top_inset

NEAR = 11.0
"""How far ways keep from the boxes they lead to."""
WORK = 60_000_000
"""How many pairs of a straight piece and a box are looked at for all ways together."""
SLOTS = (18.0, -18.0, 32.0, -32.0, 46.0, -46.0)
"""Where further edges meet a box, off its axis."""


class Router:
    """Finds ways between boxes."""

    def __init__(self, boxes: Sequence[Box], ways: int) -> None:
        self.boxes = boxes
        self.field = Field(boxes, WORK // max(len(boxes) * ways, 1))
        self.used: dict[tuple[int, str], int] = {}

    def way(self, source: int, target: int, *, aside: bool) -> list[Point]:
        """Corners of the way from one box to another."""
        if source == target:
            return _loop(self.boxes[source])
        start, end = self.boxes[source], self.boxes[target]
        out = self._slot(source, "bottom", start)
        leave = (out, foot_at(start, out))
        below = (out, start.bottom + NEAR - 3.0)
        if aside:
            ways = [self._into_side(below, end, sign, start.y > end.y) for sign in (1, -1)]
            _, corners = min(ways, key=lambda way: way[0])
        else:
            into = self._slot(target, "top", end)
            _, corners = self.field.way(below, (into, end.y - NEAR))
            corners = [*corners, _top(end, into)]
        return _tidy([leave, *corners])

    def _into_side(self, below: Point, end: Box, sign: int, upwards: bool) -> tuple[float, list[Point]]:
        edge = end.right if sign > 0 else end.x
        height = end.middle + (5.0 if upwards else -5.0)
        cost, corners = self.field.way(below, (edge + sign * NEAR, height))
        return cost, [*corners, (edge - sign * side_inset(end.words.shape), height)]

    def _slot(self, place: int, side: str, box: Box) -> float:
        """The next free place at an edge of a box."""
        number = self.used.get((place, side), 0)
        self.used[place, side] = number + 1
        reach = box.width / 2 - 24.0
        offset = SLOTS[number % len(SLOTS)]
        return box.axis + max(-reach, min(reach, offset))


def _top(box: Box, x: float) -> Point:
    shape = box.words.shape
    tab = top_inset(shape) if x > box.x + 0.4 * box.width else 0.0
    return x, box.y + tab + (0.0 if shape == "stadium" else curved(shape, box.width, box.height, x - box.axis))


def _loop(box: Box) -> list[Point]:
    """A node that refers to itself."""
    away, low, high = box.right + NEAR, box.middle + box.height / 4, box.middle - box.height / 4
    return [(box.right, low), (away, low), (away, high), (box.right, high)]


def _tidy(points: Sequence[Point]) -> list[Point]:
    """Without points that lie on a straight line between their neighbours."""
    kept: list[Point] = []
    for point in points:
        if kept and _same(kept[-1], point, 0) and _same(kept[-1], point, 1):
            continue
        if len(kept) > 1 and any(_same(kept[-2], kept[-1], side) and _same(kept[-1], point, side) for side in (0, 1)):
            kept[-1] = point
        else:
            kept.append(point)
    return kept


def _same(a: Point, b: Point, side: int) -> bool:
    return abs(a[side] - b[side]) < 0.05
