"""Distances between two predictions, whatever they are: 0 for equal ones, larger for more different ones.

Each function here makes a distance. All lie in [0, 1] but for ``numeric`` without a scale, which has none, and for
``cosine`` of vectors that point away from each other, which reaches 2. Similarities of the literature (cosine, IoU,
BLEU, MOTA) are turned into distances as 1 - similarity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from surefoot.core import InvalidInput, validate
from surefoot.metrics import kinds, rows, texts
from surefoot.metrics.boxes import as_boxes, overlaps
from surefoot.metrics.clear import clear
from surefoot.metrics.rows import RowDistance
from surefoot.metrics.tracks import Tracks, as_tracks


@dataclass(frozen=True)
class Distance:
    """A distance between two predictions of one kind."""

    name: str
    between: Callable[[Any, Any], float]
    """The distance of two predictions."""
    is_one: Callable[[Any], bool]
    """Whether something is one prediction, rather than many."""
    by_row: RowDistance | None = None
    """The same for arrays of many predictions, row by row, where that can be done at once."""
    symmetric: bool = True

    def __call__(self, a: Any, b: Any) -> float:
        return self.between(a, b)


Pairwise = Callable[[Any, Any], float]


def label() -> Distance:
    """0 for equal labels, 1 for others."""
    return _row_by_row(rows.of_labels(), kinds.is_value)


def numeric(scale: float | None = None) -> Distance:
    """|a - b|; where a ``scale`` is stated, in units of it and 1 at most."""
    if scale is not None:
        validate.positive(scale, where="numeric", name="scale")
    return _row_by_row(rows.of_numbers(scale), kinds.is_value)


def cosine() -> Distance:
    """1 - cosine similarity (SYS Eqn. (7)): in [0, 1] for vectors without negative entries, in [0, 2] for others.

    A vector of zeros has no direction: it is at distance 0 from another one and at distance 1 from the rest.
    """
    return _row_by_row(rows.of_directions(), kinds.is_vector)


def boxes() -> Distance:
    """1 - mean IoU of matched boxes (SYS Eqn. (8)), where boxes without a partner count as 0; two empty lists: 0.

    Boxes are matched so that the mean is largest; it is taken over the longer of both lists. This is the OSPA metric of
    order 1 (Schuhmacher, Vo and Vo 2008) with the Jaccard distance and cut-off 1, so the triangle inequality holds.
    """
    return Distance("boxes", _between_boxes, kinds.is_boxes)


def labelled_boxes() -> Distance:
    """``boxes`` for predictions that are pairs of boxes and their labels: boxes of other labels are no partners."""
    return Distance("labelled boxes", _between_labelled_boxes, kinds.is_pair)


def tracks(*, iou: float = 0.5, symmetric: bool = False) -> Distance:
    """1 - MOTA of two trackers' answers (SYS Eqn. (2)), 1 at most: MOTA has no lower limit.

    The first answer is judged by the second: misses, false alarms and switches of identity over the boxes of the
    second, where boxes belong together from an overlap of ``iou``. So it is not symmetric: a track of the second that
    changes its id in the first counts, the reverse does not. ``symmetric`` takes the mean of both orders. Two answers
    without boxes are at distance 0, one without from one with boxes at distance 1.
    """
    limit = validate.probability(iou, where="tracks", name="iou")
    if limit == 0:
        raise InvalidInput("iou must be above 0", where="tracks", remedy="Boxes that do not overlap are never a pair.")
    between = partial(_between_both_tracks if symmetric else _between_tracks, iou=limit)
    return Distance("tracks", between, kinds.is_tracks, symmetric=symmetric)


def edit(unit: Literal["characters", "words"] = "characters") -> Distance:
    """Levenshtein distance of two texts, or of two sequences of tokens, divided by the longer length.

    By words it is the word error rate, but for the length by which it is divided.
    """
    validate.choice(unit, ("characters", "words"), where="edit", name="unit")
    return Distance("edit", partial(texts.edit, words=unit == "words"), kinds.is_text)


def bleu(*, symmetric: bool = False) -> Distance:
    """1 - sentence BLEU / 100 as sacrebleu defines it (Papineni et al. 2002; Post 2018); needs the extra ``text``.

    BLEU is not symmetric: the first text is the candidate, the second the reference. ``symmetric`` takes the mean of
    both orders.
    """
    return Distance("bleu", texts.symmetric_bleu if symmetric else texts.bleu, kinds.is_text, symmetric=symmetric)


NAMED: dict[str, Callable[[], Distance]] = {
    "bleu": bleu,
    "boxes": boxes,
    "cosine": cosine,
    "edit": edit,
    "label": label,
    "labelled boxes": labelled_boxes,
    "numeric": numeric,
    "tracks": tracks,
}


def distance_named(name: str) -> Distance:
    """The distance of a name, with the usual options."""
    return NAMED[validate.choice(name, NAMED, where="distance", name="distance")]()


def as_distance(distance: str | Pairwise) -> Distance:
    """A distance by its name, or any function of two predictions, which may be asymmetric."""
    if isinstance(distance, Distance):
        return distance
    if callable(distance):
        return Distance(getattr(distance, "__name__", "distance"), distance, kinds.is_plain, symmetric=False)
    return distance_named(distance)


def _row_by_row(by_row: RowDistance, is_one: Callable[[Any], bool]) -> Distance:
    return Distance(by_row.name, by_row, is_one, by_row)


def _between_boxes(a: Any, b: Any) -> float:
    first, second = (as_boxes(side, where="boxes") for side in (a, b))
    return _unmatched_share(overlaps(first, second))


def _between_labelled_boxes(a: Any, b: Any) -> float:
    (first, one), (second, other) = _with_labels(a), _with_labels(b)
    overlap = overlaps(first, second)
    if overlap.size:
        overlap[np.asarray(one[:, None] != other[None])] = 0.0
    return _unmatched_share(overlap)


def _between_tracks(a: Any, b: Any, *, iou: float) -> float:
    return _error_rate(*(as_tracks(side, where="tracks") for side in (a, b)), iou=iou)


def _between_both_tracks(a: Any, b: Any, *, iou: float) -> float:
    first, second = (as_tracks(side, where="tracks") for side in (a, b))
    return (_error_rate(first, second, iou=iou) + _error_rate(second, first, iou=iou)) / 2


def _error_rate(answer: Tracks, truth: Tracks, *, iou: float) -> float:
    counts = clear(answer, truth, iou=iou)
    return min(counts.errors / max(counts.boxes, 1), 1.0)


def _with_labels(prediction: Any) -> tuple[Any, Any]:
    try:
        found, labels = prediction
    except (TypeError, ValueError) as error:
        remedy = "Give a pair for each prediction: its boxes and their labels."
        raise InvalidInput("a prediction must be boxes and labels", where="labelled boxes", remedy=remedy) from error
    corners, names = as_boxes(found, where="labelled boxes"), np.asarray(labels)
    if names.shape != (len(corners),):
        counts = f"labels of shape {names.shape} for {len(corners)} boxes"
        raise InvalidInput("labels must have one value a box", where="labelled boxes", found=counts)
    return corners, names


def _unmatched_share(overlap: Any) -> float:
    from scipy.optimize import linear_sum_assignment

    longer = max(overlap.shape)
    if not longer:
        return 0.0
    pairs = linear_sum_assignment(overlap, maximize=True)
    return float(1 - overlap[pairs].sum() / longer)
