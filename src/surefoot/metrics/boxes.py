"""Boxes in an image: how far they overlap, and which belong to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

Rule = Literal["optimal", "greedy"]
Labels = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True, eq=False)
class Matching:
    """Which predicted boxes belong to which true ones, by their positions in the two lists."""

    pairs: NDArray[np.int64]
    """Predicted and true box, one pair a row, in the order of the predicted ones."""
    overlaps: FloatArray
    """The IoU of each pair."""
    false_positives: NDArray[np.int64]
    """Predicted boxes without a true one."""
    false_negatives: NDArray[np.int64]
    """True boxes without a predicted one."""


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


def iou_matrix(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Intersection over union of each box of ``a`` (rows) with each of ``b`` (columns).

    Boxes without area overlap with nothing, but for two that are identical, whose IoU is 1: so 1 - IoU is a metric,
    the Jaccard distance, for all boxes.
    """
    return overlaps(as_boxes(a, where="iou_matrix", name="a"), as_boxes(b, where="iou_matrix", name="b"))


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
    """Pair predicted boxes with true ones, each at most once, where labels agree and the IoU is at least ``iou``.

    ``rule`` "optimal" makes the sum of the pairs' IoU as large as can be (the assignment problem, Kuhn 1955).
    "greedy" takes predicted boxes by falling score, and gives each the free true box with which it overlaps most, as
    the evaluation of COCO does (Lin et al. 2014); on ties the later true box. It needs ``scores``, the other none.
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
    pairs = _optimal(overlap, possible) if order is None else _greedy(overlap, possible, order)
    return Matching(
        pairs,
        overlap[pairs[:, 0], pairs[:, 1]],
        _left_out(pairs[:, 0], len(found)),
        _left_out(pairs[:, 1], len(real)),
    )


def _left_out(chosen: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    alone = np.ones(count, dtype=bool)
    alone[chosen] = False
    return np.flatnonzero(alone)


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
