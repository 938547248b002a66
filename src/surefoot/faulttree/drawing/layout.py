"""Where the blocks stand: gates in rows by their depth, neighbours as close as their outlines allow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from surefoot.faulttree.drawing.block import Block, Size
from surefoot.faulttree.drawing.contour import Outline, places
from surefoot.faulttree.drawing.metrics import (
    DROP,
    GAP,
    HALF,
    OVAL,
    OVAL_GAP,
    PADDING,
    ROW_GAP,
    STEM,
    SYMBOL,
    TEXT_AT,
    TRUNK,
)
from surefoot.faulttree.drawing.plan import Part
from surefoot.faulttree.drawing.words import Words, Writer


def lay_out(parts: Sequence[Part], writer: Writer) -> list[Block]:
    """A block for every part, in the same order; the leftmost begins at 0."""
    words = [Words() if part.role == "list" else writer.block(part) for part in parts]
    rows = [tuple(writer.rows(part)) for part in parts]
    boxes = _box_heights(parts, words)
    tops = list(accumulate((box + STEM + SYMBOL + DROP for box in boxes), initial=0.0))
    sizes = [
        _list_size(own) if own else _size(part, said, boxes[part.depth], writer)
        for part, said, own in zip(parts, words, rows, strict=True)
    ]
    across = _across(parts, sizes, tops)
    return [
        Block(part, said, own, size, x, tops[part.depth], boxes[part.depth])
        for part, said, own, size, x in zip(parts, words, rows, sizes, across, strict=True)
    ]


def _box_heights(parts: Sequence[Part], words: Sequence[Words]) -> list[float]:
    """Boxes of one depth are equally high."""
    heights = [0.0] * (1 + max(part.depth for part in parts))
    for part, said in zip(parts, words, strict=True):
        if said.main:
            heights[part.depth] = max(heights[part.depth], said.height + 2 * PADDING)
    return heights


def _size(part: Part, words: Words, box: float, writer: Writer) -> Size:
    half = writer.sizes.box / 2
    height = box + STEM + SYMBOL + words.under_height
    if part.condition is None:
        return Size(half, half, height)
    return Size(half, HALF + OVAL_GAP + writer.sizes.oval, height + (OVAL - SYMBOL) / 2)


def _list_size(rows: Sequence[Words]) -> Size:
    height = sum(row.height for row in rows) + ROW_GAP * (len(rows) - 1)
    return Size(TRUNK, TEXT_AT + max(row.width for row in rows) + PADDING, height)


def _across(parts: Sequence[Part], sizes: Sequence[Size], tops: Sequence[float]) -> list[float]:
    """Axes of the blocks: a gate stands midway above its first and its last input."""
    below: list[list[int]] = [[] for _ in parts]
    for place, part in enumerate(parts):
        if part.parent is not None:
            below[part.parent].append(place)
    outlines: dict[int, Outline] = {}
    steps = [0.0] * len(parts)
    for place in reversed(range(len(parts))):
        size = sizes[place]
        bottom = tops[parts[place].depth] + size.height
        inputs = [outlines.pop(child) for child in below[place]]
        for child, step in zip(below[place], _beneath(inputs), strict=True):
            steps[child] = step
        outlines[place] = _grown(inputs, [steps[child] for child in below[place]], bottom, size)
    return _absolute(parts, sizes, steps)


def _beneath(inputs: Sequence[Outline]) -> list[float]:
    found = places(inputs, GAP) if inputs else []
    middle = found[-1] / 2 if found else 0.0
    return [place - middle for place in found]


def _grown(inputs: Sequence[Outline], steps: Sequence[float], bottom: float, size: Size) -> Outline:
    """The outline of a block with its inputs."""
    if not inputs:
        return Outline(bottom, size.left, size.right)
    forest = inputs[0]
    for outline, step in zip(inputs, steps, strict=True):
        outline.move(step)
        if outline is not forest:
            forest.join(outline)
    forest.put_on_top(bottom, size.left, size.right)
    return forest


def _absolute(parts: Sequence[Part], sizes: Sequence[Size], steps: Sequence[float]) -> list[float]:
    found: list[float] = []
    for part, step in zip(parts, steps, strict=True):
        found.append(step + (0.0 if part.parent is None else found[part.parent]))
    start = min(x - size.left for x, size in zip(found, sizes, strict=True))
    return [x - start for x in found]
