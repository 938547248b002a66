"""Families in rows: how children stand below their parent, and how much room that takes.

A row that would be wider than a limit is broken, and the line to the lower rows runs down their left side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from surefoot.case.drawings.metrics import GAP, TRUNK

CLOSE = 5
"""Children that nothing stands below fill rows of at least so many before they are broken for width."""
ALIGNED = 60.0
"""What stands below neighbours begins at one height unless one of them is lower than another by more than this."""
ROUNDS = 24
NARROWER, NARROWEST = 0.88, 700.0
"""Limits that are tried, each by this factor narrower than the one before."""


@dataclass(slots=True)
class Part:
    """Something that is placed: a node with what stands beside it, a module, or the whole."""

    left: float
    right: float
    height: float
    """Extent from the axis, and downwards."""
    below: list[int] = field(default_factory=list)
    drop: float = 0.0
    """Room between it and what stands below, and between rows."""
    gap: float = GAP
    trunk: float = TRUNK
    frame: float = 0.0
    """Of a module: room between what stands in it and its frame."""


@dataclass(slots=True)
class Plan:
    """Rows of every part, and sizes: ``wide`` and ``deep`` of the family below, ``slot`` the height above that."""

    rows: list[list[list[int]]]
    wide: list[float]
    deep: list[float]
    slot: list[float]

    def size(self, place: int) -> tuple[float, float]:
        """Of a part with everything below it, about."""
        return self.wide[place], self.slot[place] + self.deep[place]


def plan(parts: Sequence[Part], order: Sequence[int], limit: float) -> Plan:
    """Rows no wider than the limit where more than one stands in them; ``order`` has parents first."""
    count = len(parts)
    found = Plan([[] for _ in parts], [0.0] * count, [0.0] * count, [part.height for part in parts])
    for place in reversed(order):
        _settle(parts, found, place, limit)
    return found


def _settle(parts: Sequence[Part], found: Plan, place: int, limit: float) -> None:
    part = parts[place]
    own = part.left + part.right
    if not part.below:
        found.wide[place] = own
        return
    widths = [found.wide[child] for child in part.below]
    leaves = not any(parts[child].below for child in part.below)
    room = _leaf_limit(widths, part.gap, limit) if leaves else limit
    found.rows[place] = rows = _broken(part.below, widths, part.gap, room)
    deep = 2 * part.frame
    for row in rows:
        highest = max(parts[child].height for child in row)
        for child in row:
            found.slot[child] = highest if highest - parts[child].height <= ALIGNED else parts[child].height
        deep += part.drop + max(found.slot[child] + found.deep[child] for child in row)
    wide = max(sum(found.wide[child] for child in row) + part.gap * (len(row) - 1) for row in rows)
    wide += 2 * part.frame + (part.trunk if len(rows) > 1 else 0.0)
    found.wide[place], found.deep[place] = max(own, wide), deep


def _leaf_limit(widths: Sequence[float], gap: float, limit: float) -> float:
    """Leaves form a block about as wide as people look at, not a line across the whole drawing."""
    across = max(CLOSE, round((2.2 * len(widths)) ** 0.5))
    return min(limit, max(widths) * across + gap * (across - 1)) if len(widths) > CLOSE else limit


def _broken(children: Sequence[int], widths: Sequence[float], gap: float, limit: float) -> list[list[int]]:
    """As few rows as the limit allows, evenly filled."""
    if sum(widths) + gap * (len(widths) - 1) <= limit:
        return [list(children)]
    ends = _ends(widths, gap, limit)
    low, high = max(widths), limit
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        tried = _ends(widths, gap, middle)
        if len(tried) <= len(ends):
            ends, high = tried, middle
        else:
            low = middle
        if high - low < 1.0:
            break
    return [list(children[start:end]) for start, end in pairwise((0, *ends))]


def _ends(widths: Sequence[float], gap: float, limit: float) -> list[int]:
    ends: list[int] = []
    used = -gap
    for place, width in enumerate(widths):
        if used + gap + width > limit and used > 0:
            ends.append(place)
            used = -gap
        used += gap + width
    return [*ends, len(widths)]


def fitting(parts: Sequence[Part], order: Sequence[int], good: Callable[[float, float], float]) -> Plan:
    """The plan whose width and height are best, from one without broken rows to a narrow one."""
    widest = plan(parts, order, float("inf"))
    best, least = widest, good(*widest.size(order[0]))
    wide = widest.size(order[0])[0]
    while least > 0 and wide > NARROWEST:
        wide *= NARROWER
        tried = plan(parts, order, wide)
        cost = good(*tried.size(order[0]))
        if cost < least:
            best, least = tried, cost
    return best
