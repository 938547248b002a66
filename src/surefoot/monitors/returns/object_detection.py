"""``objects``: an alarm should say when an object detector misses an object or sees a ghost (MON, use case 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tracks import as_boxes, match
from surefoot.monitors.returns.classification import threats
from surefoot.monitors.returns.stakes import WHERE, Rows, Stakes, return_function

Boxes = Sequence[ArrayLike]
"""For each image, its boxes as corners x1, y1, x2, y2."""
PerBox = Sequence[Sequence[Any]]
"""For each image, a value for each of its boxes."""


@return_function
def objects(
    predicted: Boxes,
    truth: Boxes,
    *,
    iou: float = 0.5,
    scores: PerBox | None = None,
    score: float = 0.5,
    predicted_labels: PerBox | None = None,
    true_labels: PerBox | None = None,
    miss: float = 1.0,
    ghost: float = 1.0,
    most: float | None = None,
    **rows: Unpack[Rows],
) -> Stakes:
    """What is at stake in each image where an alarm should stop errors of an object detector (MON, Eqns. 14 and 15).

    A predicted box counts where its score, if there are ``scores``, is at least ``score``. It belongs to a true box
    where labels, if stated, are the same and they overlap by ``iou`` or more. True boxes without a partner are misses,
    predicted ones ghosts. An image is an error where ``miss`` x misses + ``ghost`` x ghosts is above 0; an alarm on
    any other image costs the mission. With ``most``, hazard grows with that sum and is full when it reaches ``most``.
    """
    weights = [
        validate.at_least_zero(value, where=WHERE, name=name) for value, name in ((miss, "miss"), (ghost, "ghost"))
    ]
    validate.number(score, where=WHERE, name="score")
    if len(predicted) != len(truth):
        found = f"predicted of {len(predicted)}, truth of {len(truth)}"
        raise InvalidInput("predicted and truth must have one list of boxes an image", where=WHERE, found=found)
    parts = [_per_image(part, name, len(truth)) for part, name in _named(scores, predicted_labels, true_labels)]
    counts = [
        _counted(image, *boxes, iou=iou, score=score)
        for image, boxes in enumerate(zip(predicted, truth, *parts, strict=True))
    ]
    hazard = np.array(counts, dtype=np.float64).reshape(-1, 2) @ np.array(weights)
    words: Rows = {"name": "object errors", "unit": "image", **rows}
    return threats(hazard > 0, **words) if most is None else _graded(hazard, most, words)


def _named(scores: PerBox | None, predicted: PerBox | None, true: PerBox | None) -> list[tuple[PerBox | None, str]]:
    if (predicted is None) != (true is None):
        missing = "predicted_labels" if predicted is None else "true_labels"
        raise InvalidInput(f"{missing} is missing", where=WHERE, remedy="Give labels of both, or of neither.")
    return [(scores, "scores"), (predicted, "predicted_labels"), (true, "true_labels")]


def _per_image(part: PerBox | None, name: str, images: int) -> Sequence[Any]:
    if part is not None and len(part) != images:
        raise InvalidInput(f"{name} must have one list an image", where=WHERE, found=f"{len(part)} for {images} images")
    return [None] * images if part is None else part


def _counted(
    image: int, predicted: Any, truth: Any, scores: Any, labels: Any, true_labels: Any, *, iou: float, score: float
) -> tuple[int, int]:
    """Misses and ghosts of one image."""
    try:
        boxes = as_boxes(predicted, where=WHERE, name="predicted")
        sure = [score] * len(boxes) if scores is None else validate.numbers(scores, where=WHERE, name="scores")
        kept = _one_a_box(sure, boxes, "scores") >= score
        named = None if labels is None else _one_a_box(labels, boxes, "predicted_labels")[kept]
        found = match(boxes[kept], truth, iou=iou, predicted_labels=named, true_labels=true_labels)
    except InvalidInput as error:
        raise InvalidInput(
            f"{error.problem} (image {image})", where=error.where, found=error.found, remedy=error.remedy
        ) from error
    return found.false_negatives.size, found.false_positives.size


def _one_a_box(values: Any, boxes: FloatArray, name: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.shape != (len(boxes),):
        found = f"shape {array.shape}, {len(boxes)} predicted"
        raise InvalidInput(f"{name} must have one value a predicted box", where=WHERE, found=found)
    return array


def _graded(hazard: FloatArray, most: float, words: Rows) -> Stakes:
    share = np.minimum(hazard / validate.positive(most, where=WHERE, name="most"), 1.0)
    ones = np.ones_like(share)
    return Stakes(1 - share, ones, ones, ones, (hazard > 0).astype(np.float64), **words)


# Frames of many episodes, of unequal length, one after another: sums and worst values of each, without a loop.

Joined = Callable[[FloatArray, FloatArray, int], FloatArray]
"""What two neighbouring spans of frames are worth, of this length each."""


@dataclass(frozen=True, eq=False)
class Timeline:
    """How many frames each episode has, at least one."""

    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, episodes: Sequence[FloatArray]) -> Self:
        """The timeline of episodes as they are."""
        return cls(np.array([episode.size for episode in episodes], dtype=np.int64))

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each episode begins."""
        return np.concatenate([[0], np.cumsum(self.lengths)[:-1]])

    @cached_property
    def episode(self) -> NDArray[np.int64]:
        """The number of each frame's episode."""
        return np.repeat(np.arange(self.lengths.size), self.lengths)

    @cached_property
    def position(self) -> NDArray[np.int64]:
        """How many frames of its episode precede each frame."""
        return np.arange(self.episode.size) - self.starts[self.episode]

    @cached_property
    def left(self) -> NDArray[np.int64]:
        """How many frames of its episode follow each frame."""
        return self.lengths[self.episode] - 1 - self.position

    def filled(self, episodes: Sequence[FloatArray], after: FloatArray) -> FloatArray:
        """All frames in a row; each frame after the end of a record is worth what its episode states."""
        rewards = after[self.episode]
        recorded = self.position < np.array([episode.size for episode in episodes])[self.episode]
        rewards[recorded] = np.concatenate(episodes)
        return rewards

    def split(self, frames: FloatArray) -> list[FloatArray]:
        """Frames by episode."""
        return np.split(frames, self.starts[1:])

    def totals(self, frames: FloatArray, discount: float = 1.0) -> FloatArray:
        """Sum over each episode; a frame counts by ``discount`` to the number of frames before it."""
        weighted = frames if discount == 1 else frames * discount**self.position
        return np.asarray(np.add.reduceat(weighted, self.starts))

    def worst(self, frames: FloatArray) -> FloatArray:
        """The smallest reward of each episode."""
        return np.asarray(np.minimum.reduceat(frames, self.starts))

    def futures(self, frames: FloatArray, discount: float = 1.0) -> FloatArray:
        """Sum over the frames that follow each frame; the next one counts in full."""
        return self._after(self._joined(frames, lambda near, far, span: near + discount**span * far), 0.0)

    def worst_futures(self, frames: FloatArray, last: float) -> FloatArray:
        """The smallest of the rewards that follow each frame, and ``last`` where none follows."""
        return self._after(self._joined(frames, lambda near, far, span: np.minimum(near, far)), last)

    def _joined(self, frames: FloatArray, join: Joined) -> FloatArray:
        """Each frame joined with all that follow it in its episode, by spans that double (Hillis and Steele 1986)."""
        joined, span = frames.copy(), 1
        while span < self.lengths.max():
            within = np.flatnonzero(self.left >= span)
            joined[within] = join(joined[within], joined[within + span], span)
            span *= 2
        return joined

    def _after(self, joined: FloatArray, last: float) -> FloatArray:
        return np.where(self.left > 0, np.append(joined[1:], last), last)


def as_vectors(
    values: Sequence[ArrayLike],
    *,
    where: str,
    name: str,
    each: str,
    names: Sequence[Any] | None = None,
    at_least: int = 1,
) -> list[FloatArray]:
    """Vectors of any lengths, one for ``each`` episode or image; messages name the one that is wrong."""
    if isinstance(values, str) or not hasattr(values, "__len__") or any(map(np.isscalar, values)):
        remedy = f"Those of a single {each} are [values]."
        raise InvalidInput(f"{name} must hold a list for each {each}", where=where, remedy=remedy)
    if not len(values):
        raise InvalidInput(f"{name} must be of at least one {each}", where=where, found="none")
    known = range(len(values)) if names is None else names
    return [
        validate.vector(vector, where=where, name=f"{name} of {each} {which}", at_least=at_least)
        for which, vector in zip(known, values, strict=True)
    ]


@contextmanager
def overflow_refused() -> Iterator[None]:
    """Say in plain words that figures are too large to compute with."""
    try:
        with np.errstate(over="raise", invalid="raise"):
            yield
    except FloatingPointError as error:
        remedy = "Give rewards in a larger unit."
        raise InvalidInput("rewards are too large to compute with", where=WHERE, remedy=remedy) from error
