"""Ways of lines between boxes: round the boxes where that can be done, and drawn once where several run together.

A way across the drawing leaves below its source, runs down one channel between boxes, of those that meet the fewest
the shortest one, and enters its target from above or from the side. Where it would still meet a box, the shortest way
on a grid of channels is taken (Dijkstra 1959).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.drawing.scene import Point
from surefoot.drawing.shapes import CORNER

NEAR = 11.0
"""How far ways keep from the boxes they lead to."""
WORK = 60_000_000
"""How many pairs of a straight piece and a box are looked at for all ways together."""
SLOTS = (18.0, -18.0, 32.0, -32.0, 46.0, -46.0)
"""Where further lines meet a box, off its axis."""
CLEAR = 7.0
"""How far ways keep from boxes they pass."""
MOST_CHANNELS, NEARBY, BETWEEN = 160, 16, 32
"""How many channels are tried for a way along one; on a grid, how many near each end and between them."""
PIECES = 2 * (2 * NEARBY + BETWEEN + 4) ** 2
KEPT = 256
"""For so many pairs of heights the boxes between them are remembered, because lines come and go in rows."""
THROUGH, BEND = 4000.0, 40.0
"""A way through a box, and a turn, count as so many pixels more."""

Floats = NDArray[np.float64]


class Obstacle(Protocol):
    """A box that lines go round and lead to; its outline may lie inside it."""

    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def right(self) -> float: ...
    @property
    def bottom(self) -> float: ...
    @property
    def axis(self) -> float: ...
    @property
    def middle(self) -> float: ...

    def top_at(self, x: float) -> float:
        """The height of its upper outline at a place across."""

    def bottom_at(self, x: float) -> float:
        """The height at which a line leaves it below."""

    def side_at(self, y: float, sign: int) -> float:
        """The place of its outline at a height, on the left (-1) or on the right (1)."""


class Router:
    """Finds ways between boxes."""

    def __init__(self, boxes: Sequence[Obstacle], ways: int) -> None:
        self.boxes = boxes
        self.field = Field(boxes, WORK // max(len(boxes) * ways, 1))
        self.used: dict[tuple[int, str], int] = {}

    def way(self, source: int, target: int, *, aside: bool) -> list[Point]:
        """Corners of the way from one box to another."""
        if source == target:
            return _loop(self.boxes[source])
        start, end = self.boxes[source], self.boxes[target]
        out = self._slot(source, "bottom", start)
        leave = (out, start.bottom_at(out))
        below = (out, start.bottom + NEAR - 3.0)
        if aside:
            ways = [self._into_side(below, end, sign, start.y > end.y) for sign in (1, -1)]
            _, corners = min(ways, key=lambda way: way[0])
        else:
            into = self._slot(target, "top", end)
            _, corners = self.field.way(below, (into, end.y - NEAR))
            corners = [*corners, (into, end.top_at(into))]
        return _tidy([leave, *corners])

    def _into_side(self, below: Point, end: Obstacle, sign: int, upwards: bool) -> tuple[float, list[Point]]:
        edge = end.right if sign > 0 else end.x
        height = end.middle + (5.0 if upwards else -5.0)
        cost, corners = self.field.way(below, (edge + sign * NEAR, height))
        return cost, [*corners, (end.side_at(height, sign), height)]

    def _slot(self, place: int, side: str, box: Obstacle) -> float:
        """The next free place at an edge of a box."""
        number = self.used.get((place, side), 0)
        self.used[place, side] = number + 1
        reach = (box.right - box.x) / 2 - 24.0
        offset = SLOTS[number % len(SLOTS)]
        return box.axis + max(-reach, min(reach, offset))


def _loop(box: Obstacle) -> list[Point]:
    """A node that refers to itself."""
    quarter = (box.middle - box.y) / 2
    away, low, high = box.right + NEAR, box.middle + quarter, box.middle - quarter
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


class Field:
    """Boxes as a table, with the channels between them; ``most`` pieces may be looked at for one way."""

    def __init__(self, boxes: Sequence[Obstacle], most: int) -> None:
        self.most = most
        self.left = np.array([box.x for box in boxes])
        self.right = np.array([box.right for box in boxes])
        self.top = np.array([box.y for box in boxes])
        self.bottom = np.array([box.bottom for box in boxes])
        self.channels = np.unique(np.round(np.concatenate([self.left - CLEAR - 2, self.right + CLEAR + 2])))
        self.heights = np.unique(np.round(np.concatenate([self.top - CLEAR - 4, self.bottom + CLEAR + 4])))
        orders = (ends.argsort() for ends in (self.left, self.right))
        self._ordered = [
            (ends[order], self.top[order], self.bottom[order])
            for ends, order in zip((self.left, self.right), orders, strict=True)
        ]
        self._level = lru_cache(maxsize=KEPT)(self._between)

    def way(self, start: Point, end: Point) -> tuple[float, list[Point]]:
        """What the best way costs, and its corners."""
        cost, channel = self._along_one(start, end)
        corners = [start, (channel, start[1]), (channel, end[1]), end]
        if cost >= THROUGH and self.most >= PIECES:
            return cost, self._through(start, end)
        return cost, corners

    def _along_one(self, start: Point, end: Point) -> tuple[float, float]:
        near = _nearest(self.channels, (start[0] + end[0]) / 2, min(MOST_CHANNELS, self.most))
        channels = np.concatenate([[end[0], start[0]], near])
        met = self._down(channels, start[1], end[1])
        met += self._across(start[0], channels, start[1]) + self._across(channels, end[0], end[1])
        cost = met * THROUGH + np.abs(channels - start[0]) + np.abs(channels - end[0])
        best = int(np.argmin(cost))
        return float(cost[best]), float(channels[best])

    def _through(self, start: Point, end: Point) -> list[Point]:
        """The shortest way on a grid of channels and heights, with few turns."""
        xs = self._lines(self.channels, start[0], end[0])
        ys = self._lines(self.heights, start[1], end[1])
        x, y = np.meshgrid(xs, ys)
        across = self._across(x[:, :-1].ravel(), x[:, 1:].ravel(), y[:, 1:].ravel()) * THROUGH
        down = self._down(x[1:].ravel(), y[:-1].ravel(), y[1:].ravel()) * THROUGH
        across += (x[:, 1:] - x[:, :-1]).ravel()
        down += (y[1:] - y[:-1]).ravel()
        places = [int(np.searchsorted(ys, at[1])) * len(xs) + int(np.searchsorted(xs, at[0])) for at in (start, end)]
        way = shortest(across.reshape(len(ys), -1), down.reshape(-1, len(xs)), places[0], places[1])
        return [(float(x.flat[place]), float(y.flat[place])) for place in way]

    def _lines(self, values: Floats, start: float, end: float) -> Floats:
        """Both ends, what is near them, some between, and the outer margins."""
        between = values[(values > min(start, end)) & (values < max(start, end))]
        some = between[:: len(between) // BETWEEN + 1]
        near = [_nearest(values, place, NEARBY) for place in (start, end)]
        return np.unique(np.concatenate([[start, end], values[:1], values[-1:], some, *near]))

    def _down(self, x: Floats, start: Floats | float, end: Floats | float) -> Floats:
        return self._met(x, x, np.minimum(start, end), np.maximum(start, end))

    def _across(self, start: Floats | float, end: Floats | float, y: Floats | float) -> Floats:
        return self._met(np.minimum(start, end), np.maximum(start, end), y, y)

    def _met(self, left: Floats, right: Floats, top: Floats | float, bottom: Floats | float) -> Floats:
        """How many boxes straight pieces run through, one number for each piece."""
        if np.ndim(top) == 0 and np.ndim(bottom) == 0:
            lefts, rights = self._level(float(top), float(bottom))
            begun = np.searchsorted(lefts, right + CLEAR, side="left")
            return np.asarray(begun - np.searchsorted(rights, left - CLEAR, side="right"), dtype=float)
        tops, bottoms = np.broadcast_to(top, left.shape), np.broadcast_to(bottom, left.shape)
        across = (self.left < right[:, None] + CLEAR) & (self.right > left[:, None] - CLEAR)
        along = (self.top < bottoms[:, None] + 3.0) & (self.bottom > tops[:, None] - 3.0)
        return np.asarray((across & along).sum(axis=1), dtype=float)

    def _between(self, top: float, bottom: float) -> tuple[Floats, Floats]:
        """Left and right ends of the boxes between two heights, each in order."""
        (lefts, tops, bottoms), (rights, *others) = self._ordered
        beside = (tops < bottom + 3.0) & (bottoms > top - 3.0)
        return lefts[beside], rights[(others[0] < bottom + 3.0) & (others[1] > top - 3.0)]


def _nearest(values: Floats, place: float, most: int) -> Floats:
    """Of ordered values those nearest to a place, the nearest first."""
    middle = int(np.searchsorted(values, place))
    near = values[max(0, middle - most) : middle + most]
    return near[np.argsort(np.abs(near - place), kind="stable")[:most]]


def shortest(across: Floats, down: Floats, start: int, end: int) -> list[int]:
    """Places of the cheapest way on a grid, given what its pieces cost; each turn costs ``BEND``.

    Every place counts twice, as one where a way runs across and as one where it runs down, and turning leads from one
    to the other.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    high, wide = down.shape[0] + 1, across.shape[1] + 1
    count = high * wide
    grid = np.arange(count).reshape(high, wide)
    rows = np.concatenate([grid[:, :-1].ravel(), count + grid[:-1].ravel(), grid.ravel()])
    columns = np.concatenate([grid[:, 1:].ravel(), count + grid[1:].ravel(), count + grid.ravel()])
    costs = np.concatenate([across.ravel(), down.ravel(), np.full(count, BEND)])
    graph = coo_array((costs, (rows, columns)), shape=(2 * count, 2 * count)).tocsr()
    far, before = dijkstra(graph, directed=False, indices=count + start, return_predecessors=True)
    place = end if far[end] < far[count + end] else count + end
    found = [place]
    while place != count + start and before[place] >= 0:
        place = int(before[place])
        found.append(place)
    return [place % count for place in reversed(found)]


def drawn_once(ways: Sequence[Sequence[Point]]) -> Iterator[tuple[int, tuple[Point, ...]]]:
    """Ways from one point without the parts that they share, the shortest first, each with its number."""
    drawn = _Drawn()
    for number in sorted(range(len(ways)), key=lambda each: _length(ways[each])):
        yield number, drawn.rest(ways[number])


def _length(way: Sequence[Point]) -> float:
    return sum(math.dist(*ends) for ends in pairwise(way))


class _Drawn:
    """How far ways from one point have been drawn already, by corner and direction."""

    def __init__(self) -> None:
        self.reached: dict[tuple[Point, Point], float] = {}

    def rest(self, points: Sequence[Point]) -> tuple[Point, ...]:
        """The part of a way that is not drawn yet; it begins a corner earlier, since corners are round."""
        found: tuple[Point, ...] = ()
        before: tuple[Point, ...] = ()
        for place, (here, there) in enumerate(pairwise(points)):
            length = math.dist(here, there)
            if not length:
                continue
            dx, dy = (there[0] - here[0]) / length, (there[1] - here[1]) / length
            key = here, (round(dx), round(dy))
            reached = self.reached.get(key, 0.0)
            if not found and reached < length:
                start = max(0.0, reached - CORNER)
                found = (*(before if not start else ()), (here[0] + dx * start, here[1] + dy * start))
                found += tuple(points[place + 1 :])
            self.reached[key] = max(reached, length)
            back = min(CORNER, length)
            before = ((there[0] - dx * back, there[1] - dy * back),)
        return found or tuple(points[-2:])
