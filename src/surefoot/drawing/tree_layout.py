"""Trees: what hangs on a part stands below it, neighbours as close as the outlines of their trees allow.

A tidy tree after Reingold and Tilford (1981), for parts of any height as in van der Ploeg (2014). Children of one row
begin at one height, and so do their children. A family that is too wide is broken into rows, and the line to the lower
rows runs down their left side. Everything is iterative, because a tree may be a chain of thousands of parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from surefoot.core import validate

Cost = Callable[[float, float], float]
"""How bad a width and a height of the whole are; 0 is good enough."""
GAP, TRUNK = 20.0, 20.0
"""Between neighbours, and left of children in several rows, where the line to the lower rows runs."""
CLOSE = 5
"""Children that nothing stands below fill rows of at least so many before they are broken for width."""
ALIGNED = 60.0
"""What stands below neighbours begins at one height unless one of them is lower than another by more than this."""
ROUNDS = 24
NARROWER, NARROWEST = 0.88, 700.0
"""Limits that are tried, each by this factor narrower than the one before."""
NARROW, WIDEST_SHAPE, TALLEST_SHAPE = 2400.0, 2.1, 0.7
"""A drawing narrower than this is left as it is; others are at most so many times wider than high, and at least so."""
Extent = tuple[float, float]
Steps = list[tuple[float, float]]


@dataclass(slots=True)
class Part:
    """Something that is placed: a node with what stands beside it, a module, or the whole.

    Parameters
    ----------
    left, right, height
        Extent from the axis, and downwards.
    below
        Numbers of the parts that hang on it.
    drop
        Room between it and what stands below, and between rows.
    gap, trunk
        Room between neighbours, and for the line to lower rows.
    frame
        Of a module: room between what stands in it and its frame.

    See Also
    --------
    place_tree

    """

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


@dataclass(frozen=True, slots=True)
class Placement:
    """Where every part stands, by its number."""

    axes: list[float]
    tops: list[float]
    rows: list[list[list[int]]]
    """What stands below it, row by row."""
    reach: list[float]
    """How far it reaches down with all that hangs on it."""


@validate.arguments
def place_tree(
    parts: Sequence[Part], root: int, *, tops: Sequence[float] | None = None, cost: Cost | None = None
) -> Placement:
    """Place a part and all that hangs on it, the leftmost at 0.

    Parameters
    ----------
    parts
        Parts, which know each other by their numbers; those that do not hang on the root are left where they are.
    root
        The one that all others hang on.
    tops
        The upper end of every part where that is known; every family then stands in one row.
    cost
        How bad a shape of the whole is: families are broken into rows while that becomes better.

    Returns
    -------
    Placement
        Axes, upper ends and rows by the numbers of the parts.

    References
    ----------
    Reingold and Tilford (1981), IEEE Transactions on Software Engineering 7(2); van der Ploeg (2014), Software:
    Practice and Experience 44(12).

    Examples
    --------
    >>> parts = [Part(10, 10, 20, below=[1, 2], drop=30), Part(10, 10, 20), Part(10, 10, 20)]
    >>> placement = place_tree(parts, 0)
    >>> placement.axes, placement.tops
    ([30.0, 10.0, 50.0], [0.0, 50.0, 50.0])

    """
    order = _parents_first(parts, root)
    if tops is None:
        plan = _fitting(parts, order, cost or _any_shape)
        tops = _heights(parts, plan, order)
    else:
        plan = _one_row(parts)
    reach = [slot + deep for slot, deep in zip(plan.slot, plan.deep, strict=True)]
    return Placement(_across(parts, plan, order, tops), list(tops), plan.rows, reach)


@validate.arguments
def shape_cost(width: float, height: float) -> float:
    """How far a drawing is from a shape that people can look at.

    Parameters
    ----------
    width, height
        In pixels.

    Returns
    -------
    float
        0 is good.

    Examples
    --------
    >>> shape_cost(1200, 900), round(shape_cost(9000, 900), 2)
    (0.0, 1.56)

    """
    shape = width / max(height, 1.0)
    if width <= NARROW or TALLEST_SHAPE <= shape <= WIDEST_SHAPE:
        return 0.0
    return math.log(shape / WIDEST_SHAPE) if shape > WIDEST_SHAPE else math.log(TALLEST_SHAPE / shape)


def _any_shape(_width: float, _height: float) -> float:
    return 0.0


def _parents_first(parts: Sequence[Part], root: int) -> list[int]:
    found, waiting = list[int](), [root]
    while waiting:
        place = waiting.pop()
        found.append(place)
        waiting.extend(parts[place].below)
    return found


@dataclass(slots=True)
class _Plan:
    """Rows of every part, and sizes: ``wide`` and ``deep`` of the family below, ``slot`` the height above that."""

    rows: list[list[list[int]]]
    wide: list[float]
    deep: list[float]
    slot: list[float]

    def size(self, place: int) -> tuple[float, float]:
        """Of a part with everything below it, about."""
        return self.wide[place], self.slot[place] + self.deep[place]


def _one_row(parts: Sequence[Part]) -> _Plan:
    rows = [[part.below] if part.below else [] for part in parts]
    nothing = [0.0] * len(parts)
    return _Plan(rows, nothing, nothing, [part.height for part in parts])


def _fitting(parts: Sequence[Part], order: Sequence[int], cost: Cost) -> _Plan:
    """The plan whose width and height are best, from one without broken rows to a narrow one."""
    widest = _unbroken(parts, order)
    best, least = widest, cost(*widest.size(order[0]))
    wide = widest.size(order[0])[0]
    needed = _needed(parts, widest, order)
    while least > 0 and wide > NARROWEST:
        wide *= NARROWER
        tried = _plan(parts, widest, [place for place in reversed(order) if needed[place] > wide], wide)
        bad = cost(*tried.size(order[0]))
        if bad < least:
            best, least = tried, bad
    return best


def _unbroken(parts: Sequence[Part], order: Sequence[int]) -> _Plan:
    """The plan without a limit."""
    count = len(parts)
    nothing = _Plan([[]] * count, [0.0] * count, [0.0] * count, [part.height for part in parts])
    return _plan(parts, nothing, order[::-1], float("inf"))


def _needed(parts: Sequence[Part], widest: _Plan, order: Sequence[int]) -> list[float]:
    """The limit from which on each part, with all that hangs on it, is as without one."""
    found = [0.0] * len(parts)
    for place in reversed(order):
        if below := parts[place].below:
            widths = [widest.wide[child] for child in below]
            whole = sum(widths) + parts[place].gap * (len(widths) - 1)
            own = min(whole, _room(parts, place, widths, float("inf")))
            found[place] = max(own, *(found[child] for child in below))
    return found


def _plan(parts: Sequence[Part], known: _Plan, narrowed: Sequence[int], limit: float) -> _Plan:
    """A known plan with other rows below the parts that are narrowed, children first."""
    found = _Plan(known.rows.copy(), known.wide.copy(), known.deep.copy(), known.slot.copy())
    for place in narrowed:
        _settle(parts, found, place, limit)
    return found


def _settle(parts: Sequence[Part], found: _Plan, place: int, limit: float) -> None:
    part = parts[place]
    own = part.left + part.right
    if not part.below:
        found.wide[place] = own
        return
    widths = [found.wide[child] for child in part.below]
    found.rows[place] = rows = _broken(part.below, widths, part.gap, _room(parts, place, widths, limit))
    deep = 2 * part.frame
    for row in rows:
        highest = max(parts[child].height for child in row)
        for child in row:
            found.slot[child] = highest if highest - parts[child].height <= ALIGNED else parts[child].height
        deep += part.drop + max(found.slot[child] + found.deep[child] for child in row)
    wide = max(sum(found.wide[child] for child in row) + part.gap * (len(row) - 1) for row in rows)
    wide += 2 * part.frame + (part.trunk if len(rows) > 1 else 0.0)
    found.wide[place], found.deep[place] = max(own, wide), deep


def _room(parts: Sequence[Part], place: int, widths: Sequence[float], limit: float) -> float:
    """How wide a row below a part may be; of leaves less than the limit."""
    leaves = not any(parts[child].below for child in parts[place].below)
    return _leaf_limit(widths, parts[place].gap, limit) if leaves else limit


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


def _heights(parts: Sequence[Part], plan: _Plan, order: Sequence[int]) -> list[float]:
    """The upper end of every part."""
    tops = [0.0] * len(parts)
    for place in order:
        part = parts[place]
        y = tops[place] + plan.slot[place] + part.frame
        for row in plan.rows[place]:
            y += part.drop
            for child in row:
                tops[child] = y
            y += max(plan.slot[child] + plan.deep[child] for child in row)
    return tops


def _across(parts: Sequence[Part], plan: _Plan, order: Sequence[int], tops: Sequence[float]) -> list[float]:
    """The axis of every part; a parent stands midway above its children."""
    steps = [0.0] * len(parts)
    outlines: dict[int, Outline] = {}
    extents: list[Extent] = [(part.left, part.right) for part in parts]
    for place in reversed(order):
        part, rows = parts[place], plan.rows[place]
        bottom = tops[place] + plan.slot[place]
        if not rows:
            outlines[place] = Outline(bottom, part.left, part.right)
            continue
        moved = [_row([outlines[child] for child in row], part.gap) for row in rows]
        if len(rows) > 1:
            moved = _aligned(moved, rows, extents, part.trunk, any(parts[child].below for child in part.below))
        for row, xs in zip(rows, moved, strict=True):
            for child, x in zip(row, xs, strict=True):
                steps[child] = x
        below = _extent(rows, steps, extents, part)
        if len(rows) > 1 or part.frame:
            below = _centred(rows, steps, below) if len(rows) > 1 else below
            joined = Outline(bottom + plan.deep[place], below[0], below[1])
            for child in part.below:
                outlines.pop(child)
        else:
            joined = _joined([outlines.pop(child) for child in rows[0]], moved[0])
        joined.put_on_top(bottom, *(below if part.frame else (part.left, part.right)))
        outlines[place] = joined
        extents[place] = max(part.left, below[0]), max(part.right, below[1])
    return _absolute(plan, order, steps, extents)


def _row(outlines: list[Outline], gap: float) -> list[float]:
    found = places(outlines, gap)
    return [x - found[-1] / 2 for x in found]


def _aligned(
    moved: list[list[float]], rows: Sequence[Sequence[int]], extents: Sequence[Extent], trunk: float, centred: bool
) -> list[list[float]]:
    """Leaves in columns that begin where the trunk leaves off, trees in the middle."""
    ends = [_row_ends(row, xs, extents) for row, xs in zip(rows, moved, strict=True)]
    widest = max(right - left for left, right in ends)
    shifts = [trunk - left + ((widest - right + left) / 2 if centred else 0.0) for left, right in ends]
    return [[x + shift for x in xs] for xs, shift in zip(moved, shifts, strict=True)]


def _row_ends(row: Sequence[int], xs: Sequence[float], extents: Sequence[Extent]) -> Extent:
    left = min(x - extents[child][0] for child, x in zip(row, xs, strict=True))
    right = max(x + extents[child][1] for child, x in zip(row, xs, strict=True))
    return left, right


def _centred(rows: Sequence[Sequence[int]], steps: list[float], below: Extent) -> Extent:
    """Move the rows so that their block is centred."""
    middle = (below[1] - below[0]) / 2
    for row in rows:
        for child in row:
            steps[child] -= middle
    return below[0] + middle, below[1] - middle


def _extent(rows: Sequence[Sequence[int]], steps: Sequence[float], extents: Sequence[Extent], part: Part) -> Extent:
    children = [child for row in rows for child in row]
    trunk = part.trunk if len(rows) > 1 else 0.0
    left = max(extents[child][0] - steps[child] for child in children) + trunk + part.frame
    right = max(extents[child][1] + steps[child] for child in children) + part.frame
    return (max(left, part.left), max(right, part.right)) if part.frame else (left, right)


def _joined(outlines: list[Outline], xs: Sequence[float]) -> Outline:
    forest = outlines[0]
    for outline, x in zip(outlines, xs, strict=True):
        outline.move(x)
        if outline is not forest:
            forest.join(outline)
    return forest


def _absolute(plan: _Plan, order: Sequence[int], steps: Sequence[float], extents: Sequence[Extent]) -> list[float]:
    found = [0.0] * len(steps)
    found[order[0]] = extents[order[0]][0]
    for place in order:
        for row in plan.rows[place]:
            for child in row:
                found[child] = found[place] + steps[child]
    return found


class Outline:
    """Left and right side of a tree, relative to the place of its root: by it neighbours move together.

    Both sides are steps (lower end, x), stored from the deepest up, so that a parent goes on top at no cost.
    Joining two outlines costs as much as the shallower one is deep.
    """

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
