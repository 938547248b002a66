"""The counts of MOTA between two trackers' answers, fast enough for the many pairs of repeated passes.

The rules are those of the CLEAR metrics (Bernardin and Stiefelhagen 2008) as trackeval applies them: within a frame,
pairs that go on from the frame before come first, then those that overlap more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.metrics.boxes import paired_overlaps
from surefoot.metrics.tracks import Frames, Indices, Tracks, frames_of

EPSILON = float(np.finfo(np.float64).eps)
GOES_ON = 1000.0


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


def clear(answer: Tracks, truth: Tracks, *, iou: float = 0.5) -> Clear:
    """Misses, false alarms and switches of identity of an answer."""
    frames = frames_of(truth, answer)
    found = _candidates(frames, answer, truth, iou)
    matched = _matched(found, frames, answer, truth)
    switches = _switches(truth.tracks[found.truth[matched]], answer.tracks[found.answer[matched]])
    hits = int(matched.sum())
    return Clear(len(truth.frames) - hits, len(answer.frames) - hits, switches, len(truth.frames))


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
