"""What is at stake where a classifier answers wrong, an input must not be trusted, or an object detector misses.

``errors`` takes all wrong answers as equally bad (MON, use case 1, evaluation 1), ``severity`` has a figure for each
pair of a true and an answered class (section III-A), and ``threats`` takes any flag of rows (evaluation 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.bounds.statement import plain_array
from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import listed
from surefoot.metrics.tracks import as_boxes, match
from surefoot.monitors.returns.stakes import WHERE, Range, Rows, Stakes, as_alarms, return_function

Classes = NDArray[Any]
Pairs = Mapping[Any, Mapping[Any, float]]


@return_function(of="answers")
def errors(predictions: ArrayLike, truths: ArrayLike, **rows: Unpack[Rows]) -> Stakes:
    """What is at stake where every wrong answer is a hazard, unless an alarm stops it (MON, Eqns. 10 and 11).

    An alarm on a right answer costs the mission. Divided by the share of wrong answers, safety gain is the recall of
    the alarm and residual hazard its miss rate; divided by the share of right ones, availability cost is its false
    positive rate.

    Parameters
    ----------
    predictions, truths
        The class answered and the true one, one a row, text or numbers.
    **rows
        ``units``, ``weights``, ``unit`` and ``name`` of ``Stakes``.

    Returns
    -------
    Stakes
        A row an answer.

    Examples
    --------
    >>> import surefoot as sf
    >>> stakes = sf.monitors.returns.errors(["cat", "dog", "dog"], ["cat", "cat", "dog"])
    >>> sf.monitors.evaluate(stakes.under([False, True, False])).safety_gain.value
    0.3333333333333333

    """
    answered, true = answers_and_truths(predictions, truths)
    words: Rows = {"name": "errors", **rows}
    return threats(answered != true, **words)


@return_function(of="marks")
def threats(
    is_threat: ArrayLike,
    *,
    units: NDArray[Any] | None = None,
    weights: ArrayLike | None = None,
    unit: str = "input",
    name: str = "threats",
) -> Stakes:
    """What is at stake where every threat is a hazard, unless an alarm stops it (MON, Eqns. 12 and 13).

    Safety is 0 at a threat without an alarm and 1 otherwise; the mission is worth 0 where an alarm meets no threat and
    1 otherwise. The ideal function is worth 1 everywhere, so safety gain and residual hazard sum to the share of
    threats.

    Parameters
    ----------
    is_threat
        Novel classes, shifted or adversarial inputs, or any other flag of a row.
    units, weights, unit, name
        As in ``Stakes``.

    Returns
    -------
    Stakes
        A row an input.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.returns.threats([False, True, True])
    Stakes(3 rows, 3 independent, threats)

    """
    flags = validate.vector(is_threat, where=WHERE, name="threats")
    threat = as_alarms(flags, flags.size, name="threats").astype(np.float64)
    ones = np.ones_like(threat)
    stakes = Stakes(1 - threat, ones, ones, ones, threat, units=units, unit=unit, name=name, two_valued=True)
    return stakes if weights is None else stakes.weighted(weights)


@return_function
def severity(
    predictions: ArrayLike,
    truths: ArrayLike,
    matrix: Pairs | ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    alarm_severity: Mapping[Any, float] | float = 0.0,
    mission: Mapping[Any, float] | float = 1.0,
    safety_range: Range | None = None,
    mission_range: Range | None = None,
    **rows: Unpack[Rows],
) -> Stakes:
    """What is at stake where each true class answered as another has its own severity.

    A right answer has severity 0, so the ideal function meets no hazard. Returns are 1 less the severity, and 1 less
    the cost, in units of the largest that is stated. With a range they are the upper end of the range less the
    severity, or the cost, in units as stated.

    Parameters
    ----------
    predictions, truths
        The class answered and the true one, one a row.
    matrix
        True class -> answered class -> severity, or an array with a row a true class, in the order of ``classes``.
    classes
        Names of the rows of an array; 0, 1, ... where not stated.
    alarm_severity
        What an alarm replaces the severity by, for all or by true class: 0, or that of what it sets off, such as
        braking.
    mission
        What an alarm on a right answer costs, for all or by true class.
    safety_range, mission_range
        The smallest and the largest return there can be.
    **rows
        ``units``, ``weights``, ``unit`` and ``name`` of ``Stakes``.

    Returns
    -------
    Stakes
        A row an answer.

    References
    ----------
    MON, section III-A, after Salay, Angus and Czarnecki (2019).

    Examples
    --------
    >>> import surefoot as sf
    >>> matrix = {"person": {"tree": 10}, "tree": {"person": 1}}
    >>> stakes = sf.monitors.returns.severity(["tree", "person", "tree"], ["person", "tree", "tree"], matrix)
    >>> stakes.safety_quiet
    array([0. , 0.9, 1. ])

    """
    answered, true = answers_and_truths(predictions, truths)
    quiet, alarm = by_pair(matrix, classes, answered, true), by_class(alarm_severity, true, "alarm_severity")
    if not max(quiet.largest, alarm.largest) > 0:
        raise InvalidInput("some severity must be above 0", where=WHERE, remedy="State which wrong answers are bad.")
    cost = by_class(mission, true, "mission")
    lost = np.where(answered == true, cost.rows, 0.0)
    top, unit = _scale(safety_range, max(quiet.largest, alarm.largest))
    mission_top, mission_unit = _scale(mission_range, cost.largest or 1.0)
    words: Rows = {"name": "severe errors", **rows}
    return Stakes(
        top - quiet.rows / unit,
        top - alarm.rows / unit,
        np.full(true.size, top),
        np.full(true.size, mission_top),
        mission_top - lost / mission_unit,
        safety_range=safety_range or (0.0, 1.0),
        mission_range=mission_range or (0.0, 1.0),
        **words,
    )


def _scale(stated: Range | None, largest: float) -> tuple[float, float]:
    """The return without any loss, and the loss that counts as 1."""
    return (1.0, largest) if stated is None else (float(stated[1]), 1.0)


def answers_and_truths(predictions: ArrayLike, truths: ArrayLike) -> tuple[Classes, Classes]:
    """Both as arrays that can be compared row by row."""
    answered, true = _classes(predictions, "predictions"), _classes(truths, "truths")
    validate.same_length(WHERE, predictions=answered, truths=true)
    if (answered.dtype.kind in "US") != (true.dtype.kind in "US"):
        raise InvalidInput(
            "predictions and truths must both be text or both be numbers",
            where=WHERE,
            found=f"predictions of {answered.dtype} and truths of {true.dtype}",
            remedy="Name classes the same way in both.",
        )
    return answered, true


def _classes(values: ArrayLike, name: str) -> Classes:
    array = plain_array(values, where=WHERE, name=name)
    if array.ndim != 1:
        remedy = "Give the class answered, not a score for each class."
        raise InvalidInput(f"{name} must be one class a row", where=WHERE, found=f"shape {array.shape}", remedy=remedy)
    if array.dtype.kind == "f":
        validate.numbers(array, where=WHERE, name=name, finite=False)
    if array.dtype.kind in "Mm" and np.isnat(array).any():
        raise InvalidInput(f"{name} must not be missing", where=WHERE, found="not a time")
    return array


class StatedLosses(NamedTuple):
    """A figure for each row, and the largest that is stated for any class, seen or not."""

    rows: FloatArray
    largest: float


def by_pair(matrix: Pairs | ArrayLike, classes: Sequence[Any] | None, answered: Classes, true: Classes) -> StatedLosses:
    """Severity of each row; ``matrix`` is true class -> answered class -> severity, and 0 on its diagonal."""
    pairs = matrix if isinstance(matrix, Mapping) else _named(matrix, classes)
    if isinstance(matrix, Mapping) and classes is not None:
        raise InvalidInput("classes name rows of an array; a mapping names its own", where=WHERE, remedy="Leave out.")
    largest = max((_checked(*entry) for entry in _entries(pairs)), default=0.0)
    trues, row = np.unique(true, return_inverse=True)
    answers, column = np.unique(answered, return_inverse=True)
    code, place = np.unique(row * answers.size + column, return_inverse=True)
    seen = [(trues[c // answers.size].item(), answers[c % answers.size].item()) for c in code.tolist()]
    return StatedLosses(_found(pairs, seen)[place], largest)


def _named(matrix: ArrayLike, classes: Sequence[Any] | None) -> Pairs:
    values = validate.numbers(matrix, where=WHERE, name="severities")
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not values.size:
        raise InvalidInput("severities must be classes x classes", where=WHERE, found=f"shape {values.shape}")
    names = list(range(len(values)) if classes is None else np.asarray(classes).tolist())
    if len(set(names)) != len(values):
        found = f"{len(set(names))} different names for {len(values)} rows"
        raise InvalidInput("classes must name each row of severities once", where=WHERE, found=found)
    return {true: dict(zip(names, row, strict=True)) for true, row in zip(names, values.tolist(), strict=True)}


def _entries(pairs: Pairs) -> Iterator[tuple[Any, Any, Any]]:
    for true, row in pairs.items():
        if not isinstance(row, Mapping):
            remedy = "Write true class: {answered class: severity}."
            raise InvalidInput(
                f"severities of class {true} must be a mapping", where=WHERE, found=repr(row), remedy=remedy
            )
        yield from ((true, answer, value) for answer, value in row.items())


def _checked(true: Any, answer: Any, value: Any) -> float:
    number = validate.at_least_zero(value, where=WHERE, name=f"severity of {true} answered {answer}")
    if true == answer and number:
        raise InvalidInput("a right answer must have severity 0", where=WHERE, found=f"{number:g} for class {true}")
    return number


def _found(pairs: Pairs, seen: list[tuple[Any, Any]]) -> FloatArray:
    missing = [
        f"{true} answered {answer}" for true, answer in seen if true != answer and answer not in pairs.get(true, {})
    ]
    if missing:
        raise InvalidInput(
            "a severity must be stated for every pair of classes that occurs",
            where=WHERE,
            found=f"none for {listed(missing)}",
            remedy="State 0 where an answer is wrong and harmless.",
        )
    return np.array([0.0 if true == answer else float(pairs[true][answer]) for true, answer in seen])


def by_class(figures: Mapping[Any, float] | float, true: Classes, name: str) -> StatedLosses:
    """A figure for each row by its true class; one number stands for all classes."""
    if not isinstance(figures, Mapping):
        number = validate.at_least_zero(figures, where=WHERE, name=name)
        return StatedLosses(np.full(true.size, number), number)
    checked = {
        known: validate.at_least_zero(value, where=WHERE, name=f"{name} of class {known}")
        for known, value in figures.items()
    }
    trues, row = np.unique(true, return_inverse=True)
    missing = [str(known) for known in trues.tolist() if known not in checked]
    if missing:
        raise InvalidInput(f"{name} must name every true class", where=WHERE, found=f"none for {listed(missing)}")
    return StatedLosses(np.array([checked[known] for known in trues.tolist()])[row], max(checked.values()))


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
    parts = [_per_image(part, name, len(truth)) for part, name in _boxes_by_name(scores, predicted_labels, true_labels)]
    counts = [
        _counted(image, *boxes, iou=iou, score=score)
        for image, boxes in enumerate(zip(predicted, truth, *parts, strict=True))
    ]
    hazard = np.array(counts, dtype=np.float64).reshape(-1, 2) @ np.array(weights)
    words: Rows = {"name": "object errors", "unit": "image", **rows}
    return threats(hazard > 0, **words) if most is None else _graded(hazard, most, words)


def _boxes_by_name(
    scores: PerBox | None, predicted: PerBox | None, true: PerBox | None
) -> list[tuple[PerBox | None, str]]:
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
