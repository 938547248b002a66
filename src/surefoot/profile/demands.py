"""From frames of a video to demands: the frame at the birth of each object (section 5.1 of RAM)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.profile.rows import as_labels

WHERE = "demands"


def demands(
    frames: ArrayLike,
    objects: ArrayLike,
    *,
    sizes: ArrayLike | None = None,
    at_least: float | None = None,
    gap: int | None = None,
) -> NDArray[np.int64]:
    """Rows of a video's annotations that are inputs: the first in which an object is large enough.

    One row is one object in one frame. Frames of one object resemble each other, so only its "birth" counts, when it
    first has ``at_least`` pixels (``sizes``). An object that was absent for more than ``gap`` frames counts anew; None:
    never. One that is never large enough gives no input. The rows come in the order of their frames.

    >>> frames, objects = [1, 2, 3, 1, 2, 9], ["a", "a", "a", "b", "b", "b"]
    >>> demands(frames, objects).tolist()
    [0, 3]
    >>> demands(frames, objects, sizes=[5, 9, 9, 9, 9, 9], at_least=8, gap=3).tolist()
    [3, 1, 5]
    """
    times, names = _whole_numbers(frames), _numbered(objects)
    validate.same_length(WHERE, frames=times, objects=names)
    large = _large_enough(sizes, at_least, len(times))
    order = np.lexsort((times, names))
    _require_once(times, names, order)
    appearance = _appearances(times[order], names[order], gap)
    kept = order[large[order]]
    first = np.unique(appearance[large[order]], return_index=True)[1]
    births = kept[first]
    return np.asarray(births[np.lexsort((births, times[births]))])


def _appearances(times: NDArray[np.int64], names: NDArray[np.int64], gap: int | None) -> NDArray[np.int64]:
    """Number of the appearance of each row, sorted by object and frame."""
    starts = np.diff(names, prepend=-1) != 0
    if gap is not None:
        absent = np.diff(times, prepend=times[:1]) - 1
        starts |= absent > validate.count(gap, where=WHERE, name="gap")
    return np.cumsum(starts)


def _whole_numbers(frames: ArrayLike) -> NDArray[np.int64]:
    times = validate.vector(frames, where=WHERE, name="frames", at_least=0)
    odd = np.flatnonzero(times != np.floor(times))
    if odd.size:
        raise InvalidInput("frames must be whole numbers", where=WHERE, found=f"{times[odd[0]]:g} in row {odd[0]}")
    return times.astype(np.int64)


def _numbered(objects: ArrayLike) -> NDArray[np.int64]:
    return np.unique(as_labels(objects, where=WHERE, name="objects"), return_inverse=True)[1].astype(np.int64)


def _large_enough(sizes: ArrayLike | None, at_least: float | None, count: int) -> NDArray[np.bool_]:
    if (sizes is None) != (at_least is None):
        raise InvalidInput(
            "sizes and at_least belong together",
            where=WHERE,
            remedy="Give the pixels of each row and how many it needs.",
        )
    if sizes is None or at_least is None:
        return np.ones(count, dtype=bool)
    pixels = validate.vector(sizes, where=WHERE, name="sizes", at_least=0)
    validate.same_length(WHERE, sizes=pixels, frames=np.empty(count))
    return np.asarray(pixels >= validate.number(at_least, where=WHERE, name="at_least"))


def _require_once(times: NDArray[np.int64], names: NDArray[np.int64], order: NDArray[np.int64]) -> None:
    again = np.flatnonzero((np.diff(times[order]) == 0) & (np.diff(names[order]) == 0))
    if again.size:
        rows = sorted(order[again[0] : again[0] + 2].tolist())
        raise InvalidInput(
            "an object must appear once in a frame",
            where=WHERE,
            found=f"frame {times[rows[0]]} in rows {rows[0]} and {rows[1]} ({again.size} such in all)",
            remedy="Leave the copies out, or give each object a name of its own.",
        )
