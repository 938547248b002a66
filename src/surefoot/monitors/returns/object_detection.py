"""``objects``: an alarm should say when an object detector misses an object or sees a ghost (MON, use case 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

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

    A predicted box belongs to a true box where labels, if stated, are the same and they overlap by ``iou`` or more.
    True boxes without a partner are misses, predicted ones ghosts. An image is an error where ``miss`` x misses +
    ``ghost`` x ghosts is above 0; an alarm on any other image costs the mission.

    Parameters
    ----------
    predicted, truth
        For each image, its boxes as corners x1, y1, x2, y2.
    iou
        Overlap from which boxes belong together.
    scores, score
        A predicted box counts where its score is at least ``score``; all count without ``scores``.
    predicted_labels, true_labels
        For each image, the label of each box; of both, or of neither.
    miss, ghost
        Weights of the two kinds of errors.
    most
        With it, hazard grows with the sum and is full when the sum reaches ``most``.
    **rows
        ``units``, ``weights``, ``unit`` and ``name`` of ``Stakes``.

    Returns
    -------
    Stakes
        A row an image.

    Examples
    --------
    >>> import surefoot as sf
    >>> predicted, truth = [[[0, 0, 4, 4]], []], [[[0, 0, 4, 5]], [[1, 1, 2, 2]]]
    >>> sf.monitors.returns.objects(predicted, truth).hazardous
    array([False,  True])

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
