"""Masks of objects as COCO writes them: polygons, or lengths of runs, plain or packed into text.

A mask is kept as the lengths of its runs, pixels column by column, the first run being background: a few numbers for
each column that the object touches. The outline of a polygon is followed in steps of a fifth of a pixel, as the
library of COCO does, so that both have the same pixels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core.canonical import array_digest
from surefoot.core.validate import quoted

FEWEST_NUMBERS = 6
"""Of a polygon: three points."""
STEPS = 5
"""So finely the outline of a polygon is followed."""
FIRST, MORE, NEGATIVE, BITS = 48, 0x20, 0x10, 5
"""Of packed counts: the character that stands for 0, its two flags, and how many bits it holds."""


@dataclass(frozen=True, eq=False)
class RunLengths:
    """The pixels of one object in a picture.

    Parameters
    ----------
    height, width
        Of the picture.
    counts
        Lengths of runs, column by column: background, object, background and so on; they add up to all pixels.

    Examples
    --------
    >>> from surefoot.documents import run_lengths
    >>> mask = run_lengths.RunLengths.of([[0, 1], [0, 1]])
    >>> mask.counts.tolist(), mask.area, mask.corners.tolist()
    ([2, 2], 2, [1.0, 0.0, 2.0, 2.0])

    """

    height: int
    width: int
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, mask: ArrayLike) -> RunLengths:
        """From an array of truth values, height x width, or of probabilities, which say yes from one half on."""
        array = np.asarray(mask)
        plane = (array >= 0.5 if array.dtype.kind == "f" else array != 0).ravel(order="F")
        if array.ndim != 2 or not array.size:
            raise ValueError(f"a mask is height x width, and this has the shape {array.shape}")
        changes = np.flatnonzero(np.diff(plane)) + 1
        edges = np.concatenate([[0], *([[0]] if plane[0] else []), changes, [plane.size]])
        height, width = array.shape
        return cls(height, width, np.diff(edges).astype(np.int64))

    @classmethod
    def read(cls, said: Any, height: int | None = None, width: int | None = None) -> RunLengths:
        """From what stands under ``segmentation``: polygons, or a mapping with size and counts.

        ``ValueError`` says what is wrong with it. Polygons need the size of the picture, counts must agree with it.
        """
        known = None if height is None or width is None else (int(height), int(width))
        if not isinstance(said, Mapping):
            if known is None:
                raise ValueError("polygons need the height and width of their image")
            return _of_polygons(said, *known)
        size, counts = said.get("size"), said.get("counts")
        if not _is_size(size) or counts is None:
            raise ValueError("run lengths need size (height, width) and counts")
        assert size is not None
        if known is not None and tuple(map(int, size)) != known:
            raise ValueError(
                f"size {size[0]:g} x {size[1]:g} (height x width) is not that of the image, {known[0]} x {known[1]}"
            )
        runs = _unpacked(counts) if isinstance(counts, str | bytes) else _plain(counts)
        total = int(size[0]) * int(size[1])
        if int(runs.sum()) != total or (runs < 0).any():
            raise ValueError(
                f"counts add up to {int(runs.sum())}, and {size[0]:g} x {size[1]:g} pixels are {total}"
                if not (runs < 0).any()
                else f"counts hold the negative length {int(runs.min())}"
            )
        return cls(int(size[0]), int(size[1]), runs)

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Where runs begin and end, from 0 to the number of pixels."""
        return np.concatenate([[0], np.cumsum(self.counts)])

    @cached_property
    def inside(self) -> NDArray[np.int64]:
        """How many pixels of the object lie before each edge."""
        own = self.counts.copy()
        own[::2] = 0
        return np.concatenate([[0], np.cumsum(own)])

    @property
    def area(self) -> int:
        """The number of its pixels."""
        return int(self.counts[1::2].sum())

    @cached_property
    def corners(self) -> NDArray[np.float64]:
        """The box around it: x1, y1, x2, y2; zeros where it has no pixel."""
        starts, ends = self.edges[1:-1:2], self.edges[2::2]
        kept = ends > starts
        starts, last = starts[kept], ends[kept] - 1
        if not starts.size:
            return np.zeros(4)
        across = starts // self.height != last // self.height
        top = 0 if across.any() else (starts % self.height).min()
        low = self.height - 1 if across.any() else (last % self.height).max()
        return np.array([starts.min() // self.height, top, last.max() // self.height + 1, low + 1], dtype=float)

    def array(self) -> NDArray[np.bool_]:
        """Its pixels as truth values, height x width."""
        which = np.arange(self.counts.size) % 2 == 1
        return np.repeat(which, self.counts).reshape(self.height, self.width, order="F")

    def shared(self, others: Sequence[RunLengths]) -> NDArray[np.int64]:
        """How many pixels it has in common with each of other masks of the same picture."""
        if not len(others):
            return np.zeros(0, dtype=np.int64)
        starts = np.concatenate([each.edges[1:-1:2] for each in others])
        ends = np.concatenate([each.edges[2::2] for each in others])
        # Between two edges the number of pixels before a place grows by 0 or 1 a pixel, so that this is exact.
        found = np.interp(ends, self.edges, self.inside) - np.interp(starts, self.edges, self.inside)
        owner = np.repeat(np.arange(len(others)), [each.edges[2::2].size for each in others])
        return np.bincount(owner, found, minlength=len(others)).round().astype(np.int64)

    def digest(self) -> str:
        """SHA-256 of its pixels."""
        return array_digest(
            np.concatenate([[self.height, self.width], self.edges[np.diff(self.edges, append=-1) != 0]])
        )


def _is_size(said: Any) -> bool:
    try:
        return len(said) == 2 and all(float(side) >= 1 and float(side).is_integer() for side in said)
    except (TypeError, ValueError):
        return False


def _plain(counts: Any) -> NDArray[np.int64]:
    try:
        runs = np.asarray(counts, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        raise ValueError("counts are no list of whole numbers and no packed text") from None
    if not np.isfinite(runs).all() or (runs % 1).any():
        raise ValueError("counts hold a number that is not whole")
    return runs.astype(np.int64)


def _unpacked(counts: str | bytes) -> NDArray[np.int64]:
    """Counts out of text: six bits a character; from the fourth on each as the difference to the last but one."""
    text = counts.encode("latin-1", "replace") if isinstance(counts, str) else counts
    found: list[int] = []
    value = shift = 0
    for place, byte in enumerate(text):
        code = byte - FIRST
        if not 0 <= code < 64:
            raise ValueError(f"packed counts hold {quoted(chr(byte))} at character {place}, which stands for nothing")
        value |= (code & (MORE - 1)) << (BITS * shift)
        shift += 1
        if code & MORE:
            continue
        if code & NEGATIVE:
            value -= 1 << (BITS * shift)
        found.append(value + (found[-2] if len(found) > 2 else 0))
        value = shift = 0
    if shift:
        raise ValueError("packed counts end in the middle of a number")
    return np.array(found, dtype=np.int64)


# Polygons.


def _of_polygons(said: Any, height: int, width: int) -> RunLengths:
    """All polygons of an object together; where one lies inside another it is no hole."""
    if not isinstance(said, Sequence) or isinstance(said, str) or not said:
        raise ValueError("it is no list of polygons and no mapping with size and counts")
    covered = np.zeros(height * width, dtype=bool)
    for number, polygon in enumerate(said):
        if not isinstance(polygon, Sequence | np.ndarray) or isinstance(polygon, str):
            raise ValueError(f"polygon {number} is no list of x, y, x, y, ...")
        if len(polygon) % 2 or len(polygon) < FEWEST_NUMBERS:
            what = "an odd number of coordinates" if len(polygon) % 2 else "fewer than three points"
            raise ValueError(f"polygon {number} has {what} ({len(polygon)} numbers)")
        try:
            points = np.asarray(polygon, dtype=float).reshape(-1, 2)
        except (TypeError, ValueError):
            raise ValueError(f"polygon {number} has a coordinate that is no number") from None
        if not np.isfinite(points).all():
            raise ValueError(f"polygon {number} has a coordinate that is NaN or infinite")
        covered |= _filled(points, height, width)
    return RunLengths.of(covered.reshape(height, width, order="F"))


def _filled(points: NDArray[np.float64], height: int, width: int) -> NDArray[np.bool_]:
    """Pixels inside, column by column: between crossings of the outline with the middles of columns."""
    corners = np.trunc(STEPS * points + 0.5).astype(np.int64)
    ends = np.roll(corners, -1, axis=0)
    u, v = (np.concatenate(side) for side in zip(*map(_line, corners.tolist(), ends.tolist()), strict=True))
    crossing = np.flatnonzero(u[1:] != u[:-1]) + 1
    left = np.where(u[crossing] < u[crossing - 1], u[crossing], u[crossing] - 1)
    column = (left + 0.5) / STEPS - 0.5
    kept = (np.floor(column) == column) & (column >= 0) & (column <= width - 1)
    higher = np.minimum(v[crossing], v[crossing - 1])[kept]
    row = np.ceil(np.clip((higher + 0.5) / STEPS - 0.5, 0, height)).astype(np.int64)
    places = column[kept].astype(np.int64) * height + row
    turns = np.bincount(places, minlength=height * width + 1)[: height * width]
    return np.asarray(np.cumsum(turns) % 2 == 1)


def _line(start: Sequence[int], end: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Points of the fine grid from one corner to the next, one for each step along the longer side."""
    (x, y), (to_x, to_y) = start, end
    wide, high = abs(to_x - x), abs(to_y - y)
    along_x = wide >= high
    flipped = x > to_x if along_x else y > to_y
    if flipped:
        (x, y), (to_x, to_y) = end, start
    steps = np.arange(max(wide, high) + 1)
    steps = steps[::-1] if flipped else steps
    slope = ((to_y - y) / wide if along_x else (to_x - x) / high) if steps.size > 1 else 0.0
    if along_x:
        return x + steps, np.trunc(y + slope * steps + 0.5).astype(np.int64)
    return np.trunc(x + slope * steps + 0.5).astype(np.int64), y + steps
