"""The top event as a line in the probability of one event, for each joint value of everything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.hazards.improvement.ground import Ground, needed_rank
from surefoot.hazards.improvement.levers import Lever

MOST_HELD = 10_000_000
"""Numbers of one kind that are held at once, 80 MB of them."""
CANCELLED = 1e-6
"""Below this share of the top event, a difference of two probabilities has lost too many digits."""


@dataclass(frozen=True, eq=False)
class Line:
    """``without + slope * distance``: the distance is that of the event from its good end, 0 or 1."""

    good: float
    without: FloatArray
    slope: FloatArray
    distance: FloatArray

    def at(self, distance: float | FloatArray) -> FloatArray:
        """The top event with the event so far from its good end."""
        return self.without + self.slope * distance

    def farthest(self, limit: float, level: float, *, unit: float | FloatArray = 1.0) -> float:
        """How many units the event may be from its good end for the quantile of the top event to keep to the limit.

        A joint value keeps to it up to a distance of its own, so that the answer is a quantile of these distances.
        It is below 0 where not even the good end does.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.where(self.without <= limit, (limit - self.without) / (self.slope * unit), -np.inf)
        own = np.where(np.isnan(own), np.inf, own)
        rank = len(own) - needed_rank(len(own), level)
        return float(np.partition(own, rank)[rank])


def lines(ground: Ground, found: Sequence[Lever], *, fewer: int = 0) -> Iterator[Line]:
    """One for each lever, which must be a single event; in passes of bounded memory."""
    drawn = ground.drawn(fewer=fewer)
    most = max(1, MOST_HELD // ground.size)
    for start in range(0, len(found), most):
        part = found[start : start + most]
        top, p, slope = _held(ground, drawn, [lever.rows[0] for lever in part])
        for lever, own, steep in zip(part, p, slope, strict=True):
            yield _line(ground, drawn, lever, top, own, steep)


def _held(ground: Ground, drawn: dict[str, FloatArray], rows: list[int]) -> tuple[FloatArray, FloatArray, FloatArray]:
    top, p, slope = np.empty(ground.size), np.empty((len(rows), ground.size)), np.empty((len(rows), ground.size))
    for block in ground.blocks():
        whole = ground.rows(drawn, block)
        top[block], p[:, block] = ground.tree.compiled.probability(whole), whole[rows]
        slope[:, block] = ground.tree.compiled.gradient(whole)[rows]
    return top, p, slope


def _line(
    ground: Ground, drawn: dict[str, FloatArray], lever: Lever, top: FloatArray, p: FloatArray, slope: FloatArray
) -> Line:
    falling = Line(1.0, top + slope * (1 - p), -slope, 1 - p)
    rising = Line(0.0, top - slope * p, slope, p)
    if lever.direction:
        line = rising if lever.direction > 0 else falling
    else:
        line = min(rising, falling, key=lambda each: ground.bound(each.without))
    return _with_digits(ground, drawn, lever.rows[0], line, top)


def _with_digits(ground: Ground, drawn: dict[str, FloatArray], row: int, line: Line, top: FloatArray) -> Line:
    """Evaluates anew what is left without the event, where the difference has cancelled."""
    if (line.without >= CANCELLED * top).all():
        return line

    def at_its_end(p: FloatArray) -> None:
        p[row] = line.good

    return Line(line.good, ground.tops(drawn, at_its_end), line.slope, line.distance)
