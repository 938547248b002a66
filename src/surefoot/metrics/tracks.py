"""Boxes in images and tracks of boxes: how far they overlap, which belong to each other, and the counts behind MOTA.

A tracker's answer is an array with rows of frame, id, x, y, width, height, as the files of MOTChallenge have them
(Leal-Taixé et al. 2015; further columns are not read), or a list with a pair (ids, boxes) for each frame, the first
being frame 1. Boxes of tracks are x, y, width, height in both; boxes of images are two corners x1, y1, x2, y2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

EPSILON = float(np.finfo(np.float64).eps)
GOES_ON = 1000.0
Indices = NDArray[np.int64]
Rule = Literal["optimal", "greedy"]
Labels = Sequence[Any] | NDArray[Any]
PAIRS_AT_ONCE = 1_000_000
LARGEST = 2**53
REMEDY = "Give rows of frame, id, x, y, width, height, or a tuple (ids, boxes) for each frame."


def match(
    predicted: ArrayLike,
    truth: ArrayLike,
    *,
    iou: float = 0.5,
    predicted_labels: Labels | None = None,
    true_labels: Labels | None = None,
    scores: ArrayLike | None = None,
    rule: Rule = "optimal",
) -> Matching:
    """Pair predicted boxes with true ones, each at most once, where labels agree and boxes overlap enough.

    Parameters
    ----------
    predicted, truth
        Boxes as corners x1, y1, x2, y2.
    iou
        The least overlap of a pair.
    predicted_labels, true_labels
        One a box, of both or of neither.
    scores
        Of the predicted boxes, for the rule "greedy" only.
    rule
        "optimal" makes the sum of the pairs' IoU as large as can be (the assignment problem). "greedy" takes predicted
        boxes by falling score, and gives each the free true box with which it overlaps most, as the evaluation of COCO
        does; on ties the later true box.

    Returns
    -------
    Matching
        Pairs, their overlaps, and what is left over on both sides.

    References
    ----------
    Kuhn (1955), Naval Research Logistics Quarterly 2; Lin et al. (2014), ECCV.

    Examples
    --------
    >>> import surefoot as sf
    >>> found = sf.metrics.match([[0, 0, 2, 2], [5, 5, 6, 6]], [[0, 0, 2, 3]])
    >>> found.pairs.tolist(), found.false_positives.tolist()
    ([[0, 0]], [1])

    """
    where = "match"
    limit = validate.probability(iou, where=where, name="iou")
    if limit == 0:
        raise InvalidInput("iou must be above 0", where=where, remedy="Boxes that do not overlap are never a pair.")
    found = as_boxes(predicted, where=where, name="predicted")
    real = as_boxes(truth, where=where, name="truth")
    overlap = overlaps(found, real)
    possible = (overlap >= limit) & _same_label(predicted_labels, true_labels, overlap.shape)
    order = _order(scores, len(found), validate.choice(rule, ("optimal", "greedy"), where=where, name="rule"))
    return best_pairs(overlap, possible) if order is None else _matching(overlap, _greedy(overlap, possible, order))


def best_pairs(overlap: FloatArray, possible: NDArray[np.bool_]) -> Matching:
    """Of the pairs that are possible those with the largest sum of overlaps, predicted x true."""
    return _matching(overlap, _optimal(overlap, possible))


def _matching(overlap: FloatArray, pairs: NDArray[np.int64]) -> Matching:
    left = [_left_out(pairs[:, side], count) for side, count in enumerate(overlap.shape)]
    return Matching(pairs, overlap[pairs[:, 0], pairs[:, 1]], *left)


@dataclass(frozen=True, eq=False)
class Matching:
    """Which predicted boxes belong to which true ones, by their positions in the two lists.

    See Also
    --------
    match

    """

    pairs: NDArray[np.int64]
    """Predicted and true box, one pair a row, in the order of the predicted ones."""
    overlaps: FloatArray
    """The IoU of each pair."""
    false_positives: NDArray[np.int64]
    """Predicted boxes without a true one."""
    false_negatives: NDArray[np.int64]
    """True boxes without a predicted one."""


def iou_matrix(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Intersection over union of each box of one list with each of another.

    Boxes without area overlap with nothing, but for two that are identical, whose IoU is 1: so 1 - IoU is a metric,
    the Jaccard distance, for all boxes.

    Parameters
    ----------
    a, b
        Boxes as corners x1, y1, x2, y2: rows and columns of the result.

    Returns
    -------
    ndarray
        Between 0 and 1.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.metrics.iou_matrix([[0, 0, 2, 2]], [[0, 0, 2, 1], [5, 5, 6, 6]]).tolist()
    [[0.5, 0.0]]

    """
    return overlaps(as_boxes(a, where="iou_matrix", name="a"), as_boxes(b, where="iou_matrix", name="b"))


def as_boxes(boxes: ArrayLike, *, where: str, name: str = "boxes") -> FloatArray:
    """Finite corners x1, y1, x2, y2, one box a row, with x1 <= x2 and y1 <= y2; an empty list holds no box."""
    corners = validate.numbers(boxes, where=where, name=name)
    if corners.size == 0 and corners.ndim <= 2:
        return np.empty((0, 4))
    if corners.ndim != 2 or corners.shape[1] != 4:
        remedy = "Give x1, y1, x2, y2 a box; labels and scores apart."
        raise InvalidInput(f"{name} must have 4 columns", where=where, found=f"shape {corners.shape}", remedy=remedy)
    reversed_ = np.flatnonzero((corners[:, 2:] < corners[:, :2]).any(axis=1))
    if reversed_.size:
        found = f"{corners[reversed_[0]].tolist()} in row {reversed_[0]} ({reversed_.size} such in all)"
        remedy = "Give two opposite corners, not corner and size."
        raise InvalidInput(f"{name} must have x1 <= x2 and y1 <= y2", where=where, found=found, remedy=remedy)
    return corners


def overlaps(first: FloatArray, second: FloatArray) -> FloatArray:
    """``iou_matrix`` of boxes that are checked already."""
    return paired_overlaps(first[:, None], second[None])


def paired_overlaps(first: FloatArray, second: FloatArray) -> FloatArray:
    """Intersection over union of checked boxes along the last axis, the other axes as numpy broadcasts them."""
    wide, high = _shares(first, second, 0), _shares(first, second, 1)
    both, left, right = (x * y for x, y in zip(wide, high, strict=True))
    union = left + right - both
    flat = union <= 0
    if flat.any():
        both[flat] = (first == second).all(axis=-1)[flat]
        union[flat] = 1.0
    return np.minimum(both / union, 1.0)


def areas(boxes: FloatArray) -> FloatArray:
    """Areas of checked boxes, in the unit of their corners."""
    return np.asarray((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]))


def shared_areas(first: FloatArray, second: FloatArray) -> FloatArray:
    """The area that each box of one list shares with each of another."""
    a, b = first[:, None], second[None]
    sides = [np.minimum(a[..., k + 2], b[..., k + 2]) - np.maximum(a[..., k], b[..., k]) for k in (0, 1)]
    return np.asarray(np.maximum(sides[0], 0) * np.maximum(sides[1], 0))


def _shares(a: FloatArray, b: FloatArray, axis: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Lengths along an axis of the overlap and of both boxes, as shares of the longer box, so that none overflows."""
    low_a, high_a = a[..., axis] / 2, a[..., axis + 2] / 2
    low_b, high_b = b[..., axis] / 2, b[..., axis + 2] / 2
    lengths = (np.maximum(np.minimum(high_a, high_b) - np.maximum(low_a, low_b), 0), high_a - low_a, high_b - low_b)
    longer = np.maximum(lengths[1], lengths[2])
    longer[longer == 0] = 1.0
    return lengths[0] / longer, lengths[1] / longer, lengths[2] / longer


def _same_label(predicted: Labels | None, truth: Labels | None, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    if predicted is None and truth is None:
        return np.ones(shape, dtype=bool)
    if predicted is None or truth is None:
        missing = "predicted_labels" if predicted is None else "true_labels"
        raise InvalidInput(f"{missing} is missing", where="match", remedy="Give labels of both, or of neither.")
    one, other = np.asarray(predicted), np.asarray(truth)
    if (one.shape, other.shape) != ((shape[0],), (shape[1],)):
        found = f"shapes {one.shape} and {other.shape} for {shape[0]} predicted and {shape[1]} true boxes"
        raise InvalidInput("labels must have one value a box", where="match", found=found)
    return np.asarray(one[:, None] == other[None]) if one.size and other.size else np.ones(shape, dtype=bool)


def _order(scores: ArrayLike | None, count: int, rule: str) -> NDArray[np.int64] | None:
    """Predicted boxes by falling score; None where the rule needs no order."""
    if (scores is None) == (rule == "greedy"):
        problem = "the greedy rule needs scores" if scores is None else "scores are for the greedy rule only"
        raise InvalidInput(problem, where="match", remedy="Give scores and rule='greedy', or neither.")
    if scores is None:
        return None
    values = validate.vector(scores, where="match", name="scores", at_least=0)
    if len(values) != count:
        raise InvalidInput("scores must have one value a predicted box", where="match", found=f"{len(values)}")
    return np.argsort(-values, kind="stable")


def _optimal(overlap: FloatArray, possible: NDArray[np.bool_]) -> NDArray[np.int64]:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(np.where(possible, overlap, 0.0), maximize=True)
    pairs = np.column_stack([rows, columns]).astype(np.int64)
    return pairs[possible[rows, columns]]


def _greedy(overlap: FloatArray, possible: NDArray[np.bool_], order: NDArray[np.int64]) -> NDArray[np.int64]:
    pairs = []
    open_ = np.where(possible, overlap, 0.0)
    for row in order[possible[order].any(axis=1)]:
        column = open_.shape[1] - 1 - int(np.argmax(open_[row, ::-1]))
        if open_[row, column] > 0:
            pairs.append((int(row), column))
            open_[:, column] = 0.0
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _left_out(chosen: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    alone = np.ones(count, dtype=bool)
    alone[chosen] = False
    return np.flatnonzero(alone)


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


def clear(answer: Tracks, truth: Tracks, *, iou: float = 0.5) -> Clear:
    """Misses, false alarms and switches of identity, fast enough for the many pairs of repeated passes.

    The rules are those of the CLEAR metrics (Bernardin and Stiefelhagen 2008) as trackeval applies them: within a
    frame, pairs that go on from the frame before come first, then those that overlap more.
    """
    frames = frames_of(truth, answer)
    found = _candidates(frames, answer, truth, iou)
    matched = _matched(found, frames, answer, truth)
    switches = _switches(truth.tracks[found.truth[matched]], answer.tracks[found.answer[matched]])
    hits = int(matched.sum())
    return Clear(len(truth.frames) - hits, len(answer.frames) - hits, switches, len(truth.frames))


@dataclass(frozen=True)
class Clear:
    """What an answer gets wrong, and how many boxes there are to find."""

    misses: int
    false_alarms: int
    switches: int
    boxes: int

    @property
    def errors(self) -> int:
        """Misses, false alarms and switches of identity."""
        return self.misses + self.false_alarms + self.switches


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Pairs of a true box and a box of the answer that overlap enough, frame by frame."""

    frame: Indices
    truth: Indices
    answer: Indices
    overlap: FloatArray


def _candidates(frames: Frames, answer: Tracks, truth: Tracks, iou: float) -> _Candidates:
    parts = []
    for frame, row, column in frames.pairs():
        overlap = paired_overlaps(truth.corners[row], answer.corners[column])
        enough = overlap >= iou - EPSILON
        parts.append((frame[enough], row[enough], column[enough], overlap[enough]))
    return _Candidates(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _matched(found: _Candidates, frames: Frames, answer: Tracks, truth: Tracks) -> NDArray[np.bool_]:
    """Candidates that are pairs: all without a rival; where there are rivals, the best assignment of the frame."""
    rivals = (np.bincount(found.truth)[found.truth] > 1) | (np.bincount(found.answer)[found.answer] > 1)
    matched = ~rivals
    names = truth.tracks[found.truth] * answer.count + answer.tracks[found.answer]
    shared = np.flatnonzero(np.minimum(*frames.sizes) > 0)
    for place in np.searchsorted(shared, np.unique(found.frame[rivals])):
        here = _within(found, shared[place])
        before = _within(found, shared[place - 1]) if place else slice(0)
        goes_on = np.isin(names[here], names[before][matched[before]])
        matched[here] = _assigned(found, here, goes_on, frames, shared[place])
    return matched


def _within(found: _Candidates, frame: int) -> slice:
    return slice(*np.searchsorted(found.frame, [frame, frame + 1]))


def _assigned(
    found: _Candidates, here: slice, goes_on: NDArray[np.bool_], frames: Frames, frame: int
) -> NDArray[np.bool_]:
    from scipy.optimize import linear_sum_assignment

    rows, columns = found.truth[here] - frames.first[0][frame], found.answer[here] - frames.second[0][frame]
    score = np.zeros([size[frame] for size in frames.sizes])
    score[rows, columns] = GOES_ON * goes_on + found.overlap[here]
    chosen = np.zeros(score.shape, dtype=bool)
    chosen[linear_sum_assignment(score, maximize=True)] = True
    return chosen[rows, columns]


def _switches(truth: Indices, answer: Indices) -> int:
    """How often a true track is found under another id than the last time; pairs are in the order of frames."""
    order = np.argsort(truth, kind="stable")
    same_track, other_id = np.diff(truth[order]) == 0, np.diff(answer[order]) != 0
    return int((same_track & other_id).sum())
