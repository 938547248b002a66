"""Tracks: boxes that keep their identity from frame to frame, and which boxes of two trackers share a frame.

A tracker's answer is an array with rows of frame, id, x, y, width, height, as the files of MOTChallenge have them
(Leal-Taixé et al. 2015; further columns are not read), or a list with a pair (ids, boxes) for each frame, the first
being frame 1. Boxes are x, y, width, height in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

Indices = NDArray[np.int64]
PAIRS_AT_ONCE = 1_000_000
LARGEST = 2**53
REMEDY = "Give rows of frame, id, x, y, width, height, or a tuple (ids, boxes) for each frame."


@dataclass(frozen=True, eq=False)
class Tracks:
    """Boxes in the order of frames, and of tracks within a frame."""

    frames: Indices
    tracks: Indices
    """The track of each box, numbered from 0."""
    corners: FloatArray
    """x1, y1, x2, y2 of each box."""

    @property
    def count(self) -> int:
        """How many tracks there are."""
        return int(self.tracks.max(initial=-1)) + 1


def as_tracks(thing: Any, *, where: str, name: str = "tracks") -> Tracks:
    """Read and check the answer of a tracker, or the truth of a sequence; an empty list holds no box."""
    if _is_listed_by_frame(thing):
        return _from_frames(thing, where=where, name=name)
    if thing is None or isinstance(thing, str):
        raise InvalidInput(f"{name} must be tracks", where=where, found=repr(thing)[:60], remedy=REMEDY)
    rows = validate.numbers(thing, where=where, name=name)
    if rows.size == 0 and rows.ndim <= 2:
        return _ordered(np.empty(0), np.empty(0), np.empty((0, 4)), where=where, name=name)
    if rows.ndim != 2 or rows.shape[1] < 6:
        found = f"shape {rows.shape}"
        raise InvalidInput(f"{name} must have 6 columns or more", where=where, found=found, remedy=REMEDY)
    for column, meaning in enumerate(("frames", "ids")):
        _whole(rows[:, column], where=where, name=f"{meaning} of {name}")
    return _ordered(rows[:, 0], rows[:, 1], rows[:, 2:6], where=where, name=name)


@dataclass(frozen=True, eq=False)
class Frames:
    """Where the boxes of each frame begin and end in two answers, over all frames that either has."""

    first: tuple[Indices, Indices]
    second: tuple[Indices, Indices]

    @property
    def sizes(self) -> tuple[Indices, Indices]:
        """How many boxes each answer has in each frame."""
        return self.first[1] - self.first[0], self.second[1] - self.second[0]

    def pairs(self) -> Iterator[tuple[Indices, Indices, Indices]]:
        """The frame and both boxes of every pair of boxes that share a frame, row by row of each frame, in blocks."""
        rows, columns = self.sizes
        per_frame = rows * columns
        block = np.cumsum(per_frame) // PAIRS_AT_ONCE
        for chosen in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(block)) + 1):
            sizes = per_frame[chosen]
            frame = np.repeat(chosen, sizes)
            within = np.arange(len(frame)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            row, column = np.divmod(within, columns[frame])
            yield frame, self.first[0][frame] + row, self.second[0][frame] + column


def frames_of(first: Tracks, second: Tracks) -> Frames:
    """The frames of two answers."""
    frames = np.union1d(first.frames, second.frames)
    bounds = [
        (np.searchsorted(one.frames, frames), np.searchsorted(one.frames, frames, "right")) for one in (first, second)
    ]
    return Frames(*bounds)


def _is_listed_by_frame(thing: Any) -> bool:
    listed = isinstance(thing, list | tuple) and len(thing) > 0
    return listed and all(isinstance(frame, tuple) and len(frame) == 2 for frame in thing)


def _from_frames(listed: Sequence[tuple[Any, Any]], *, where: str, name: str) -> Tracks:
    read = [_one_frame(*frame, where=where, name=f"frame {t} of {name}") for t, frame in enumerate(listed, 1)]
    ids, boxes = zip(*read, strict=True)
    named = [one for one in ids if one.size]
    if len({one.dtype.kind in "US" for one in named}) > 1:
        raise InvalidInput(f"ids of {name} must be all numbers or all text", where=where, remedy=REMEDY)
    frames = np.repeat(np.arange(1, len(ids) + 1), [one.size for one in ids])
    return _ordered(frames, np.concatenate(named or [np.empty(0)]), np.concatenate(boxes), where=where, name=name)


def _one_frame(ids: Any, boxes: ArrayLike, *, where: str, name: str) -> tuple[NDArray[Any], FloatArray]:
    places = validate.numbers(boxes, where=where, name=f"boxes in {name}")
    places = places.reshape(0, 4) if places.size == 0 else places
    names = np.asarray(ids)
    if places.ndim != 2 or places.shape[1] != 4 or names.shape != (len(places),):
        found = f"ids of shape {names.shape} and boxes of shape {places.shape}"
        raise InvalidInput(f"{name} must have one id and 4 numbers a box", where=where, found=found, remedy=REMEDY)
    return (names if names.dtype.kind in "US" else _whole(names, where=where, name=f"ids in {name}")), places


def _whole(values: ArrayLike, *, where: str, name: str) -> FloatArray:
    numbers = validate.numbers(values, where=where, name=name)
    broken = np.flatnonzero((numbers != np.floor(numbers)) | (np.abs(numbers) > LARGEST))
    if broken.size:
        found = f"{numbers[broken[0]]:g} in row {broken[0]}"
        raise InvalidInput(f"{name} must be whole numbers", where=where, found=found, remedy=REMEDY)
    return numbers


def _ordered(frames: NDArray[Any], ids: NDArray[Any], places: FloatArray, *, where: str, name: str) -> Tracks:
    tracks = np.unique(ids, return_inverse=True)[1]
    order = np.lexsort((tracks, frames))
    ordered = Tracks(frames[order].astype(np.int64), tracks[order], _corners(places[order], where=where, name=name))
    twice = np.flatnonzero((np.diff(ordered.frames) == 0) & (np.diff(ordered.tracks) == 0))
    if twice.size:
        found = f"id {ids[order][twice[0]]} twice in frame {ordered.frames[twice[0]]}"
        remedy = "Give each box of a frame an id of its own; detections have none until a tracker gives them."
        raise InvalidInput(f"ids of {name} must differ within a frame", where=where, found=found, remedy=remedy)
    return ordered


def _corners(places: FloatArray, *, where: str, name: str) -> FloatArray:
    negative = np.flatnonzero((places[:, 2:] < 0).any(axis=1))
    if negative.size:
        found = f"{places[negative[0]].tolist()} ({negative.size} such in all)"
        remedy = "Give x, y, width, height of a box, not two corners."
        raise InvalidInput(f"boxes of {name} must not have negative sizes", where=where, found=found, remedy=remedy)
    with np.errstate(over="ignore"):
        corners = np.column_stack([places[:, :2], places[:, :2] + places[:, 2:]])
    return validate.numbers(corners, where=where, name=f"corners of {name}")
