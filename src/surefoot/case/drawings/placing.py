"""Where parts stand: a tidy tree by outlines, which move neighbours as close as they can be.

Reingold and Tilford (1981), for parts of any height as in van der Ploeg (2014). Children of one row begin at one
height, and so do their children.
"""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.case.drawings.plan import Part, Plan
from surefoot.faulttree.drawing.contour import Outline, places

Extent = tuple[float, float]


def heights(parts: Sequence[Part], plan: Plan, order: Sequence[int]) -> list[float]:
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


def across(parts: Sequence[Part], plan: Plan, order: Sequence[int], tops: Sequence[float]) -> list[float]:
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
    ends = [_ends(row, xs, extents) for row, xs in zip(rows, moved, strict=True)]
    widest = max(right - left for left, right in ends)
    shifts = [trunk - left + ((widest - right + left) / 2 if centred else 0.0) for left, right in ends]
    return [[x + shift for x in xs] for xs, shift in zip(moved, shifts, strict=True)]


def _ends(row: Sequence[int], xs: Sequence[float], extents: Sequence[Extent]) -> Extent:
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


def _absolute(plan: Plan, order: Sequence[int], steps: Sequence[float], extents: Sequence[Extent]) -> list[float]:
    found = [0.0] * len(steps)
    found[order[0]] = extents[order[0]][0]
    for place in order:
        for row in plan.rows[place]:
            for child in row:
                found[child] = found[place] + steps[child]
    return found
