"""Distances between two predictions, whatever they are: 0 for equal ones, larger for more different ones.

Each function here makes a distance. All lie in [0, 1] but for ``numeric`` without a scale, which has none, and for
``cosine`` of vectors that point away from each other, which reaches 2. Similarities of the literature (cosine, IoU,
BLEU, MOTA) are turned into distances as 1 - similarity.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.errors import require
from surefoot.core.validate import FloatArray
from surefoot.metrics.tracks import Tracks, as_boxes, as_tracks, clear, overlaps

Pairwise = Callable[[Any, Any], float]


@dataclass(frozen=True)
class Distance:
    """A distance between two predictions of one kind; called with two of them it gives a number.

    Parameters
    ----------
    name
        What it is called.
    between
        The distance of two predictions.
    is_one
        Whether something is one prediction, rather than many.
    by_row
        The same for arrays of many predictions, row by row, where that can be done at once.
    symmetric
        Whether the order of the two does not matter.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.metrics.distances.edit()("left", "lift")
    0.25

    """

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


def distance_named(name: str) -> Distance:
    """The distance of a name, with the usual options.

    Parameters
    ----------
    name
        Such as ``label``, ``numeric``, ``cosine``, ``boxes``, ``tracks``, ``edit`` or ``bleu``.

    Returns
    -------
    Distance
        Called with two predictions it gives a number.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.metrics.distance_named("label")("car", "tree")
    1.0

    """
    return NAMED[validate.choice(name, NAMED, where="distance", name="distance")]()


def as_distance(distance: str | Pairwise) -> Distance:
    """A distance by its name, or any function of two predictions, which may be asymmetric.

    Parameters
    ----------
    distance
        A name, a function, or a ``Distance``, which stays as it is.

    Returns
    -------
    Distance
        Called with two predictions it gives a number.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.metrics.as_distance(lambda a, b: abs(a - b) / 2)(1, 4)
    1.5

    """
    if isinstance(distance, Distance):
        return distance
    if callable(distance):
        return Distance(getattr(distance, "__name__", "distance"), distance, is_plain, symmetric=False)
    return distance_named(distance)


def label() -> Distance:
    """0 for equal labels, 1 for others."""
    return _row_by_row(of_labels(), is_value)


def numeric(scale: float | None = None) -> Distance:
    """|a - b|; where a ``scale`` is stated, in units of it and 1 at most."""
    if scale is not None:
        validate.positive(scale, where="numeric", name="scale")
    return _row_by_row(of_numbers(scale), is_value)


def cosine() -> Distance:
    """1 - cosine similarity (SYS Eqn. (7)): in [0, 1] for vectors without negative entries, in [0, 2] for others.

    A vector of zeros has no direction: it is at distance 0 from another one and at distance 1 from the rest.
    """
    return _row_by_row(of_directions(), is_vector)


def boxes() -> Distance:
    """1 - mean IoU of matched boxes (SYS Eqn. (8)), where boxes without a partner count as 0; two empty lists: 0.

    Boxes are matched so that the mean is largest; it is taken over the longer of both lists. This is the OSPA metric of
    order 1 (Schuhmacher, Vo and Vo 2008) with the Jaccard distance and cut-off 1, so the triangle inequality holds.
    """
    return Distance("boxes", _between_boxes, is_boxes)


def labelled_boxes() -> Distance:
    """``boxes`` for predictions that are pairs of boxes and their labels: boxes of other labels are no partners."""
    return Distance("labelled boxes", _between_labelled_boxes, is_pair)


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
    return Distance("tracks", between, is_tracks, symmetric=symmetric)


def edit(unit: Literal["characters", "words"] = "characters") -> Distance:
    """Levenshtein distance of two texts, or of two sequences of tokens, divided by the longer length.

    By words it is the word error rate, but for the length by which it is divided.
    """
    validate.choice(unit, ("characters", "words"), where="edit", name="unit")
    return Distance("edit", partial(edit_share, words=unit == "words"), is_text)


def bleu(*, symmetric: bool = False) -> Distance:
    """1 - sentence BLEU / 100 as sacrebleu defines it (Papineni et al. 2002; Post 2018); needs the extra ``text``.

    BLEU is not symmetric: the first text is the candidate, the second the reference. ``symmetric`` takes the mean of
    both orders.
    """
    return Distance("bleu", symmetric_bleu if symmetric else bleu_distance, is_text, symmetric=symmetric)


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


def is_value(thing: Any) -> bool:
    """One number or one label."""
    return _shape(thing) == ()


def is_vector(thing: Any) -> bool:
    """One row of numbers."""
    shape = _shape(thing)
    return shape is not None and len(shape) == 1


def is_boxes(thing: Any) -> bool:
    """The boxes of one image, of which there may be none."""
    shape = _shape(thing)
    return shape is not None and (shape == (0,) or (len(shape) == 2 and shape[1] == 4))


def is_tracks(thing: Any) -> bool:
    """The tracks of one sequence: rows of frame, id and box, or pairs of ids and boxes; there may be none."""
    if isinstance(thing, list | tuple) and len(thing) and all(map(is_pair, thing)):
        return True
    shape = _shape(thing)
    return shape is not None and (shape == (0,) or (len(shape) == 2 and shape[1] >= 6))


def is_pair(thing: Any) -> bool:
    """A tuple of two, such as boxes and their labels."""
    return isinstance(thing, tuple) and len(thing) == 2


def is_text(thing: Any) -> bool:
    """One text."""
    return isinstance(thing, str)


def is_plain(thing: Any) -> bool:
    """Whatever is no list, no tuple and no array."""
    return not isinstance(thing, list | tuple) and np.ndim(thing) == 0


def _shape(thing: Any) -> tuple[int, ...] | None:
    """The shape as an array; None for what is ragged."""
    try:
        return np.shape(thing)
    except ValueError:
        return None


@dataclass(frozen=True)
class RowDistance:
    """Distances of many predictions at once: how an array is made ready, and how two of them are compared."""

    name: str
    ready: Callable[[NDArray[Any]], NDArray[Any]]
    compare: Callable[[NDArray[Any], NDArray[Any]], FloatArray]

    def between(self, a: NDArray[Any], b: NDArray[Any]) -> FloatArray:
        """Distances of rows that are ready."""
        if a.shape != b.shape:
            found = " and ".join(str(side.shape[1:] or "one value") for side in (a, b))
            raise InvalidInput("predictions must have one shape", where=self.name, found=found)
        return self.compare(a, b)

    def __call__(self, a: Any, b: Any) -> float:
        one, other = (self.ready(np.asarray(side)[None]) for side in (a, b))
        return float(self.between(one, other)[0])


def of_labels() -> RowDistance:
    """0 where labels are equal, 1 elsewhere."""
    ready = partial(_one_a_row, where="label", remedy="Take argmax(axis=-1) of scores.")
    return RowDistance("label", ready, _unequal)


def of_numbers(scale: float | None) -> RowDistance:
    """Absolute differences; in units of a scale, and then 1 at most."""
    return RowDistance("numeric", _numbers, partial(_apart, scale=scale))


def of_directions() -> RowDistance:
    """1 - cosine of the angle between rows."""
    return RowDistance("cosine", _directions, _turned)


def _unequal(a: NDArray[Any], b: NDArray[Any]) -> FloatArray:
    return np.asarray(a != b, dtype=np.float64)


def _numbers(predictions: NDArray[Any]) -> NDArray[Any]:
    remedy = "For vectors use 'cosine', or give a function of two predictions."
    values = validate.numbers(predictions, where="numeric", name="predictions")
    return _one_a_row(values, where="numeric", remedy=remedy)


def _apart(a: FloatArray, b: FloatArray, *, scale: float | None) -> FloatArray:
    with np.errstate(over="ignore"):
        difference = np.abs(a - b)
        return difference if scale is None else np.minimum(difference / scale, 1.0)


def _directions(predictions: NDArray[Any]) -> FloatArray:
    vectors = validate.numbers(predictions, where="cosine", name="predictions")
    if vectors.ndim != 2:
        found, remedy = f"shape {vectors.shape[1:]}", "Flatten each prediction."
        raise InvalidInput("a prediction must be a vector", where="cosine", found=found, remedy=remedy)
    return directions(vectors)


def directions(vectors: FloatArray) -> FloatArray:
    """Rows of length 1; zeros stay zeros. The largest entry is divided out first, so that no square overflows."""
    largest = np.abs(vectors).max(axis=1, initial=0.0, keepdims=True)
    scaled = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return np.divide(scaled, lengths, out=scaled, where=lengths > 0)


def _turned(a: FloatArray, b: FloatArray) -> FloatArray:
    similarity = np.einsum("ij,ij->i", a, b)
    straight = np.flatnonzero(similarity == 0)
    similarity[straight] = ~a[straight].any(axis=1) & ~b[straight].any(axis=1)
    return 1 - np.clip(similarity, -1.0, 1.0)


def _one_a_row(predictions: NDArray[Any], *, where: str, remedy: str) -> NDArray[Any]:
    flat = predictions[:, 0] if predictions.ndim == 2 and predictions.shape[1] == 1 else predictions
    if flat.ndim != 1:
        found = f"shape {predictions.shape[1:]}"
        raise InvalidInput("a prediction must be one value", where=where, found=found, remedy=remedy)
    return flat


def edit_share(a: Sequence[Hashable], b: Sequence[Hashable], *, words: bool) -> float:
    """Levenshtein distance divided by the longer length; two empty texts are at distance 0."""
    first, second = (_items(text, words) for text in (a, b))
    longer = max(len(first), len(second))
    return levenshtein(first, second) / longer if longer else 0.0


def levenshtein(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """The fewest insertions, deletions and replacements that turn ``a`` into ``b``.

    A column of the usual table is held in the bits of two numbers, its steps up and its steps down, and advanced by
    a few operations for each item of ``b`` (Myers 1999, in the form of Hyyrö 2003).
    """
    if not a or not b:
        return max(len(a), len(b))
    places: defaultdict[Hashable, int] = defaultdict(int)
    for place, item in enumerate(a):
        places[item] |= 1 << place
    last, full = 1 << (len(a) - 1), (1 << len(a)) - 1
    up, down, distance = full, 0, len(a)
    for item in b:
        equal = places.get(item, 0)
        diagonal = (((equal & up) + up) ^ up) | equal | down
        right_up, right_down = down | (full & ~(diagonal | up)), diagonal & up
        distance += bool(right_up & last) - bool(right_down & last)
        right_up, right_down = (right_up << 1) | 1, right_down << 1
        up, down = (right_down | ~(diagonal | right_up)) & full, right_up & diagonal & full
    return distance


def bleu_distance(candidate: str, reference: str) -> float:
    """1 - sentence BLEU / 100; equal texts are at distance 0, however short."""
    _check(candidate)
    _check(reference)
    if candidate == reference:
        return 0.0
    score = _metric().sentence_score(candidate, [reference]).score
    return min(max(1 - score / 100, 0.0), 1.0)


def symmetric_bleu(a: str, b: str) -> float:
    """The mean of both orders."""
    return (bleu_distance(a, b) + bleu_distance(b, a)) / 2


@lru_cache
def _metric() -> Any:
    return require("sacrebleu", extra="text", purpose="BLEU").BLEU(effective_order=True)


def _items(text: Any, words: bool) -> Sequence[Hashable]:
    if not isinstance(text, Sequence):
        found = type(text).__name__
        raise InvalidInput("a prediction must be text or a sequence of tokens", where="edit", found=found)
    return text.split() if words and isinstance(text, str) else text


def _check(text: Any) -> None:
    if not isinstance(text, str):
        raise InvalidInput("a prediction must be text", where="bleu", found=f"{type(text).__name__}")
