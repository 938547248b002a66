"""The boxes as obstacles, and ways between them that meet as few as can be.

A way runs down one channel between boxes, of those that meet the fewest the shortest one. Where it would still meet a
box, the shortest way on a grid of channels is taken (Dijkstra 1959).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.case.drawings.boxes import Box, Point

CLEAR = 7.0
"""How far ways keep from boxes they pass."""
MOST_CHANNELS, NEARBY, BETWEEN = 160, 16, 32
"""How many channels are tried for a way along one; on a grid, how many near each end and between them."""
PIECES = 2 * (2 * NEARBY + BETWEEN + 4) ** 2
THROUGH, BEND = 4000.0, 40.0
"""A way through a box, and a turn, count as so many pixels more."""

Floats = NDArray[np.float64]


class Field:
    """Boxes as a table, with the channels between them; ``most`` pieces may be looked at for one way."""

    def __init__(self, boxes: Sequence[Box], most: int) -> None:
        self.most = most
        self.left = np.array([box.x for box in boxes])
        self.right = np.array([box.right for box in boxes])
        self.top = np.array([box.y for box in boxes])
        self.bottom = np.array([box.bottom for box in boxes])
        self.channels = np.unique(np.round(np.concatenate([self.left - CLEAR - 2, self.right + CLEAR + 2])))
        self.heights = np.unique(np.round(np.concatenate([self.top - CLEAR - 4, self.bottom + CLEAR + 4])))

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
        tops, bottoms = np.broadcast_to(top, left.shape), np.broadcast_to(bottom, left.shape)
        across = (self.left < right[:, None] + CLEAR) & (self.right > left[:, None] - CLEAR)
        along = (self.top < bottoms[:, None] + 3.0) & (self.bottom > tops[:, None] - 3.0)
        return np.asarray((across & along).sum(axis=1), dtype=float)


def _nearest(values: Floats, place: float, most: int) -> Floats:
    return values[np.argsort(np.abs(values - place), kind="stable")[:most]]


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
