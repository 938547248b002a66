"""What a failure on demand is, where the task is no classification: of labels, numbers, texts, or as somebody marks.

Each task has one function from demands to a judgement: which demands failed, what each lost, and further definitions of
failure by name, such as that of each label. A judgement becomes a ``Tested`` whose classes are "right" and "wrong", so
that steps count the failures of every task alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import RIGHT_OR_WRONG, Data, Frame, Tested
from surefoot.adapters.labels import LABEL_NAMES
from surefoot.adapters.scenes import Masks, Scenes
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput
from surefoot.core.canonical import FrozenMap, array_digest, digest
from surefoot.core.validate import FloatArray
from surefoot.documents import listed, quoted, significant
from surefoot.metrics import distances
from surefoot.project.definition import Component, DataSource
from surefoot.project.definition.system import Tolerance

MOST_LABELS = 200
"""Of more labels no result of their own is kept."""


@dataclass(frozen=True, eq=False)
class Demands:
    """Labelled rows and what was answered to them, before anybody judges.

    Parameters
    ----------
    component
        Its name.
    part, source
        What the project file says of the component and of its data set.
    rows
        Inputs, groups and attributes.
    columns
        What is judged, by part: labels, predictions, failed, tolerance and so on, each a list of columns.
    answers
        What the model answered; None where the data bring predictions.
    call
        Runs the function that stands under a key of the component, on columns by name.

    See Also
    --------
    judge

    """

    component: str
    part: Component
    source: DataSource
    rows: Data
    columns: Mapping[str, list[NDArray[Any]]]
    answers: NDArray[Any] | None = None
    call: Callable[[str, Mapping[str, NDArray[Any]]], NDArray[Any]] | None = None
    scenes: Scenes | None = None
    """Images with true and answered boxes, where the task is detection."""
    masks: Masks | None = None
    """Images with true and answered masks, where the task is segmentation."""

    @property
    def predicted(self) -> NDArray[Any]:
        """Answers of the model, or those that the data bring: one column or several."""
        if self.answers is not None:
            return np.asarray(self.answers)
        given = self.columns.get("predictions") or []
        if not given:
            raise self.missing("predictions", "has no predictions, and the component has no model", "or add a model")
        return given[0] if len(given) == 1 else np.column_stack(given)

    @property
    def truth(self) -> list[NDArray[Any]]:
        """Columns of the truth."""
        found = self.columns.get("labels") or []
        if not found:
            raise self.missing("labels", "does not say where the truth is", "of the true values")
        return found

    def missing(self, key: str, what: str, remedy: str) -> DiagnosticsError:
        """The error of a data set that lacks what the task judges."""
        hint = f"Name the column with {key}: {remedy}."
        text = f"the data set {what}, which task: {self.part.task} judges."
        return DiagnosticsError.of("data-column", text, where=self.component, hint=hint)

    def wrong(self, text: str, hint: str = "", code: str = "data-type") -> DiagnosticsError:
        """The error of rows that the task cannot judge."""
        return DiagnosticsError.of(code, text, where=self.component, hint=hint)

    def function(self, key: str, columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """What the function that stands under a key of the component says of each row."""
        assert self.call is not None
        return self.call(key, {**self.rows.attributes, **columns})

    @property
    def every_column(self) -> dict[str, NDArray[Any]]:
        """All that a function may look at, by name."""
        found = {
            part: np.column_stack(each) if len(each) > 1 else each[0] for part, each in self.columns.items() if each
        }
        if self.answers is not None:
            found["predictions"] = np.asarray(self.answers)
        if self.rows.inputs is not None:
            inputs = self.rows.inputs
            found["inputs"] = inputs.native if isinstance(inputs, Frame) else inputs
        return found


@dataclass(frozen=True, eq=False)
class Judgement:
    """Which demands failed by one definition of failure, and what each lost.

    See Also
    --------
    judge

    """

    failure: str
    """The definition in words."""
    failed: NDArray[np.bool_]
    losses: FloatArray | None = None
    """In [0, 1]; None where a failure loses 1."""
    outcomes: NDArray[np.str_] | None = None
    """What came of each demand; None where it is right or wrong."""
    errors: FloatArray | None = None
    """How far each answer is from the truth."""
    rows: NDArray[np.intp] | None = None
    """The row of each demand; None where each row is one demand."""
    attributes: Mapping[str, NDArray[Any]] = field(default_factory=FrozenMap)
    """What is known of demands that are parts of rows, such as the class of an object."""
    alone: bool = False
    """Whether demands stand for themselves though they come from rows of a sequence, such as encounters."""
    kinds: Mapping[str, Judgement] = field(default_factory=FrozenMap)
    """Other definitions of failure, by name."""
    counted: str = ""
    """What the demands are, such as objects with a box of their class; rows where nothing is said."""
    out_of: int | None = None
    """How many there are of their sort in all, where only some of them are demands, such as all objects."""
    unit: str = ""
    """Of the errors."""


def judge(demands: Demands, *, digests: Mapping[str, str], caveats: Iterable[Diagnostic] = ()) -> Tested:
    """Judge the answers of a component by the definition of its task.

    Parameters
    ----------
    demands
        Rows and answers.
    digests
        Identify model and data.
    caveats
        What a reader must know.

    Returns
    -------
    Tested
        With the classes "right" and "wrong".

    Raises
    ------
    DiagnosticsError
        Where rows cannot be judged, with their code and place.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.adapters import Data
    >>> from surefoot.project.definition import Component
    >>> part = Component.model_validate({"task": "regression", "tolerance": 1.0, "data": {"test": "rows.csv"}})
    >>> columns = {"labels": [np.array([1.0, 5.0])], "predictions": [np.array([1.5, 8.0])]}
    >>> found = judge(Demands("price", part, part.data["test"], Data(""), columns), digests={})
    >>> found.failed.tolist(), found.failure
    ([False, True], 'an absolute error above 1')

    """
    found = JUDGES[demands.part.task](demands)
    return replace(_tested(demands, found, FrozenMap(digests), tuple(caveats)), truth=_truth(demands))


def _truth(demands: Demands) -> str:
    """A digest of what is true, in order; where nothing says it, of the component's name and its number of demands."""
    if demands.scenes is not None:
        boxes = demands.scenes.truth
        parts = [boxes.images, boxes.corners, boxes.labels, np.asarray(demands.scenes.names)]
    elif demands.masks is not None:
        parts = list(demands.masks.truth)
    else:
        columns = map(np.asarray, demands.columns.get("labels", ()))
        parts = [column.astype(float) if column.dtype.kind in "biuf" else column for column in columns]
    return digest([*map(array_digest, parts)] if parts else [demands.component, len(demands.rows)])


def _tested(demands: Demands, found: Judgement, digests: Mapping[str, str], caveats: tuple[Diagnostic, ...]) -> Tested:
    rows, failed = demands.rows, found.failed
    chosen = found.rows
    groups = rows.groups
    several = chosen is not None and np.unique(chosen).size < chosen.size
    blocks = False
    if groups is None and chosen is not None and (several or found.alone):
        # Parts of one row resemble each other; in a sequence also those of neighbouring rows.
        near = rows.block or math.isqrt(len(rows))
        blocks = rows.places is not None and not found.alone
        groups = np.asarray(rows.places) // near if blocks else np.arange(int(chosen.max()) + 1)
    apart = several or (chosen is not None and found.alone)
    return Tested(
        demands.component,
        np.zeros(failed.size, dtype=np.int64),
        np.column_stack([~failed, failed]).astype(np.float32),
        "label",
        RIGHT_OR_WRONG,
        rows.inputs if chosen is None else None,
        _taken(groups, chosen),
        FrozenMap({n: _taken(c, chosen) for n, c in rows.attributes.items()} | dict(found.attributes)),
        digests,
        caveats,
        None if apart else _taken(rows.places, chosen),
        rows.block,
        demands.part.task,
        found.failure,
        found.losses,
        found.outcomes,
        found.errors,
        demands.part.largest_error,
        _taken(rows.times, chosen),
        _taken(rows.sequences, chosen),
        demands.scenes if chosen is None else None,
        FrozenMap({name: _tested(demands, each, digests, caveats) for name, each in found.kinds.items()}),
        blocks=blocks,
        counted=found.counted,
        out_of=found.out_of,
        unit=found.unit,
        in_seconds=rows.in_seconds,
    )


def _taken(column: NDArray[Any] | None, rows: NDArray[np.intp] | None) -> Any:
    return column if column is None or rows is None else column[rows]


def columns_judged(part: Component, source: DataSource, there: Iterable[str]) -> dict[str, list[str]]:
    """The columns that a task judges, by part; they are no inputs.

    Parameters
    ----------
    part, source
        What the project file says of the component and of its data set.
    there
        Names of the columns that the data have.

    Returns
    -------
    dict
        Names of columns for labels, predictions and whatever else the task looks at.

    Examples
    --------
    >>> from surefoot.project.definition import Component
    >>> part = Component.model_validate({"failed": "broken", "data": {"test": "rows.csv"}})
    >>> columns_judged(part, part.data["test"], ["x", "broken"])
    {'failed': ['broken']}

    """
    known = tuple(there)
    has_truth = part.task != "custom" or bool(part.functions)
    guess = has_truth and "labels" not in source.reading_stated
    labels = source.labels or next((name for name in LABEL_NAMES if name in known and guess), None)
    said: dict[str, Any] = {
        "labels": labels,
        "predictions": source.predictions,
        "repeats": source.repeats,
        "tolerance": part.tolerance.column if isinstance(part.tolerance, Tolerance) else None,
        "failed": None if part.task != "custom" or "failed" in part.functions else part.failed or "failed",
        "loss": None if "loss" in part.functions else part.loss,
    }
    return {name: [value] if isinstance(value, str) else list(value) for name, value in said.items() if value}


# Several labels a row: each is there or not.


def multilabel(demands: Demands) -> Judgement:
    """A row fails where any label is wrong, and loses the share of wrong labels; ``kinds`` has each label."""
    truth, names = _marks(demands, demands.truth, _label_names(demands), "labels")
    answers = demands.predicted
    columns = [answers] if answers.ndim == 1 else list(answers.T)
    found, _ = _marks(demands, columns, names, "predictions")
    if len(truth) != len(found):
        text = f"there are {len(found)} answers and {len(truth)} rows."
        raise demands.wrong(text)
    wrong = found != truth
    kinds = {
        name: Judgement(
            f"label {name} is wrong", wrong[:, number], outcomes=_of_label(truth[:, number], wrong[:, number])
        )
        for number, name in enumerate(names[:MOST_LABELS])
    }
    return Judgement(
        f"any of {len(names)} labels is wrong",
        wrong.any(axis=1),
        wrong.mean(axis=1),
        np.array([f"{number} wrong" for number in range(len(names) + 1)])[wrong.sum(axis=1)],
        kinds=FrozenMap(kinds),
    )


def _label_names(demands: Demands) -> tuple[str, ...]:
    if demands.part.classes:
        return tuple(demands.part.classes)
    said = demands.source.labels
    if isinstance(said, list):
        return tuple(said)
    width = 1 if demands.truth[0].ndim == 1 else demands.truth[0].shape[1]
    return tuple(map(str, range(width)))


def _marks(
    demands: Demands, columns: list[NDArray[Any]], names: tuple[str, ...], part: str
) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Columns of 0 and 1, or of probabilities, as truth values; a probability of one half or more says yes."""
    numbers = columns[0] if len(columns) == 1 and columns[0].ndim == 2 else np.column_stack(columns)
    if numbers.ndim != 2 or numbers.shape[1] != len(names):
        text = f"{part} have {numbers.shape[1]} columns, and there are {len(names)} labels ({listed(names)})."
        raise demands.wrong(text, "List the labels under classes, in the order of the columns.", "data-classes")
    if numbers.dtype.kind not in "biuf":
        raise demands.wrong(f"{part} of task: multilabel must be 0 or 1 for each label; found text.")
    allowed = np.isin(numbers, (0, 1)) if part == "labels" else (numbers >= 0) & (numbers <= 1)
    if not allowed.all():
        row, column = np.argwhere(~allowed)[0]
        text = f"{part}: row {row} has {significant(float(numbers[row, column]))} for label {names[column]}."
        wanted = "0 or 1" if part == "labels" else "0, 1 or a probability"
        raise demands.wrong(text, f"Each label needs {wanted}; for one class a row write task: classification.")
    return numbers >= 0.5, names


def _of_label(truth: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> NDArray[np.str_]:
    return np.where(wrong, np.where(truth, "missed", "spurious"), np.where(truth, "found", "absent"))


# Numbers: an error above the tolerance, or a truth outside the interval that was answered.


def regression(demands: Demands) -> Judgement:
    """A row fails where its error is above the tolerance, or the truth lies outside an interval that was answered."""
    truth = _numbers(demands, demands.truth[0], "labels")
    answers = demands.predicted
    if answers.ndim == 2 and answers.shape[1] == 2:
        return _interval(demands, truth, _numbers(demands, answers, "predictions"))
    found = _numbers(demands, answers, "predictions")
    if found.shape != truth.shape:
        text = f"the answers have the shape {found.shape}, and the truth has {truth.shape}."
        raise demands.wrong(text, "Answer one number a row, or two: the ends of an interval.", "model-output")
    errors = np.abs(found - truth)
    limits, words = tolerance_of(demands, truth)
    outcomes = np.where(errors > limits, np.where(found > truth, "too high", "too low"), "within tolerance")
    return Judgement(f"an absolute error above {words}", errors > limits, _losses(demands, errors), outcomes, errors)


def _interval(demands: Demands, truth: FloatArray, ends: FloatArray) -> Judgement:
    low, high = ends.T
    crossed = np.flatnonzero(low > high)
    if crossed.size:
        row = int(crossed[0])
        text = f"row {row} has an interval from {significant(low[row])} to {significant(high[row])}."
        raise demands.wrong(text, "Give the lower end first.", "model-output")
    outcomes = np.where(truth < low, "below", np.where(truth > high, "above", "inside"))
    outside = np.maximum(np.maximum(low - truth, truth - high), 0.0)
    return Judgement("the truth lies outside the interval", outcomes != "inside", None, outcomes, outside)


def tolerance_of(demands: Demands, truth: FloatArray) -> tuple[FloatArray | float, str]:
    """The largest error of each row that is no failure, and the same in words."""
    said = demands.part.tolerance
    if said is None:
        text = f"task: {demands.part.task} needs tolerance:, the largest error that is no failure."
        hint = "Write tolerance: 0.5, tolerance: {relative: 0.05} or tolerance: {column: name}."
        raise DiagnosticsError.of("missing-key", text, where=demands.component, hint=hint)
    if not isinstance(said, Tolerance):
        return float(said), significant(float(said))
    if said.relative is not None:
        return said.relative * np.abs(truth), f"{significant(100 * said.relative)}% of the truth"
    limits = _numbers(demands, demands.columns["tolerance"][0], "tolerance")
    if (limits < 0).any():
        row = int(np.flatnonzero(limits < 0)[0])
        raise demands.wrong(f"tolerance {quoted(str(said.column))} is {significant(limits[row])} in row {row}.")
    return limits, f"{said.column} of its row"


def _numbers(demands: Demands, column: NDArray[Any], part: str) -> FloatArray:
    if column.dtype.kind not in "biuf":
        text = f"{part} of task: {demands.part.task} must be numbers; found {quoted(str(column.flat[0]), 60)} in row 0."
        raise demands.wrong(text, "For classes write task: classification, for text task: text.")
    return column.astype(float)


def _losses(demands: Demands, errors: FloatArray) -> FloatArray | None:
    """Errors as shares of the largest one that is possible."""
    largest = demands.part.largest_error
    if largest is None:
        return None
    above = np.flatnonzero(errors > largest)
    if above.size:
        text = f"row {above[0]} has an error of {significant(errors[above[0]])}, above largest_error: {largest:g}"
        hint = "Losses cannot be cut off where they count: state an error that cannot be exceeded."
        raise demands.wrong(f"{text} ({above.size} such rows).", hint, "wrong-value")
    return np.asarray(errors / largest)


# Texts: equal, near enough, or right in the eyes of a judge; several runs of one input are one demand.

COMPARISONS = ("exact", "numeric", "edit distance")


def text(demands: Demands) -> Judgement:
    """A row fails where its answer is not the expected text; of repeated runs an input fails where any run does."""
    answers = demands.predicted
    runs = answers if answers.ndim == 2 else answers[:, None]
    judged = [_compared(demands, run) for run in runs.T]
    wrong = np.column_stack([failed for failed, _ in judged])
    losses = np.column_stack([lost for _, lost in judged])
    words = _words_of(demands)
    if runs.shape[1] > 1:
        return _of_runs(wrong, losses, None, words)
    if demands.columns.get("repeats"):
        return _grouped_runs(wrong[:, 0], losses[:, 0], demands.columns["repeats"][0], words)
    return Judgement(words, wrong[:, 0], losses[:, 0])


def _compared(demands: Demands, answers: NDArray[Any]) -> tuple[NDArray[np.bool_], FloatArray]:
    """Which answers fail, and what each loses."""
    how = demands.part.compare or "exact"
    if ":" in how:
        columns = {**demands.every_column, "predictions": answers}
        said = demands.function("compare", columns).astype(float)
        if not ((said >= 0) & (said <= 1)).all():
            row = int(np.flatnonzero((said < 0) | (said > 1))[0])
            text = f"{how} returned {significant(said[row])} for row {row}."
            raise demands.wrong(text, "A judge returns 1 or true for a right answer, 0 or false for a wrong one.")
        return said < 0.5, 1 - said
    truth = demands.truth[0].astype(str)
    answered = answers.astype(str)
    if len(truth) != len(answered):
        raise demands.wrong(f"there are {len(answered)} answers and {len(truth)} rows.", code="model-output")
    if how == "exact":
        wrong = np.char.strip(answered) != np.char.strip(truth)
        return wrong, wrong.astype(float)
    if how == "numeric":
        return _numeric(demands, answered, truth)
    distance = distances.edit()
    lost = np.array([distance(a, b) for a, b in zip(answered.tolist(), truth.tolist(), strict=True)])
    allowed = demands.part.tolerance if isinstance(demands.part.tolerance, float) else 0.0
    return lost > allowed, lost


def _numeric(
    demands: Demands, answered: NDArray[np.str_], truth: NDArray[np.str_]
) -> tuple[NDArray[np.bool_], FloatArray]:
    """Numbers in text; an answer that is no number is wrong, a truth that is none is an error."""
    values = np.array([_number(each) for each in truth.tolist()])
    odd = np.flatnonzero(np.isnan(values))
    if odd.size:
        raise demands.wrong(f"labels: row {odd[0]} has {quoted(truth[odd[0]], 60)}, which is no number.")
    limits = 0.0 if demands.part.tolerance is None else tolerance_of(demands, values)[0]
    given = np.array([_number(each) for each in answered.tolist()])
    with np.errstate(invalid="ignore"):
        wrong = ~(np.abs(given - values) <= limits)
    return wrong, wrong.astype(float)


def _number(said: str) -> float:
    """The number that a text is; NaN where it is none."""
    try:
        found = float(said.strip().replace(",", ""))
    except ValueError:
        return float("nan")
    return found if np.isfinite(found) else float("nan")


def _words_of(demands: Demands) -> str:
    how = demands.part.compare or "exact"
    if ":" in how:
        return f"{how} judges the answer wrong"
    if how == "edit distance":
        said = demands.part.tolerance
        allowed = said if isinstance(said, float) else 0.0
        return f"an edit distance above {significant(allowed)} of the longer text"
    return "the answer is not the expected number" if how == "numeric" else "the answer is not the expected text"


def _grouped_runs(wrong: NDArray[np.bool_], losses: FloatArray, inputs: NDArray[Any], words: str) -> Judgement:
    """Rows that are runs of the input that a column names."""
    _, first, which, sizes = np.unique(inputs, return_index=True, return_inverse=True, return_counts=True)
    counted = np.bincount(which, wrong)
    mean = counted / sizes
    order = np.argsort(first)
    one = Judgement(f"in its first run, {words}", wrong[first][order], losses[first][order], rows=first[order])
    most = int(sizes.max())
    said = f"in any of its runs (at most {most}), {words}"
    return _of_inputs(counted[order], sizes[order], mean[order], one, first[order], said)


def _of_runs(wrong: NDArray[np.bool_], losses: FloatArray, rows: NDArray[np.intp] | None, words: str) -> Judgement:
    """Runs as columns."""
    runs = wrong.shape[1]
    one = Judgement(f"in its first run, {words}", wrong[:, 0], losses[:, 0], rows=rows)
    sizes = np.full(len(wrong), runs)
    return _of_inputs(wrong.sum(axis=1), sizes, wrong.mean(axis=1), one, rows, f"in any of {runs} runs, {words}")


def _of_inputs(
    counted: NDArray[Any], sizes: NDArray[Any], mean: FloatArray, one: Judgement, rows: Any, words: str
) -> Judgement:
    outcomes = np.where(
        counted == 0, "right in all runs", np.where(counted == sizes, "wrong in all runs", "wrong in some")
    )
    kinds = FrozenMap(
        {FIRST_RUN: one, "every run": Judgement(words.replace("any", "every"), counted == sizes, rows=rows)}
    )
    return Judgement(words, counted > 0, mean, outcomes, rows=rows, kinds=kinds)


# Anything else: somebody or some function marks the failures.


def custom(demands: Demands) -> Judgement:
    """A row fails where a column or a function of the project says so."""
    said = demands.part.failed or "failed"
    given = demands.columns.get("failed")
    marks = given[0] if given else demands.function("failed", demands.every_column)
    if marks.dtype.kind not in "biuf" or not np.isin(marks, (0, 1)).all():
        odd = 0 if marks.dtype.kind not in "biuf" else int(np.flatnonzero(~np.isin(marks, (0, 1)))[0])
        text = f"failed: {quoted(said)} has {quoted(str(marks[odd]), 60)} in row {odd}."
        raise demands.wrong(text, "Mark a failure with 1 or true, and any other row with 0 or false.")
    return Judgement(f"{said} says so", marks.astype(bool), _stated_losses(demands))


def _stated_losses(demands: Demands) -> FloatArray | None:
    if demands.part.loss is None:
        return None
    given = demands.columns.get("loss")
    found = given[0] if given else demands.function("loss", demands.every_column)
    odd = np.flatnonzero(~((found >= 0) & (found <= 1))) if found.dtype.kind in "biuf" else np.array([0])
    if odd.size:
        text = f"loss: {quoted(demands.part.loss)} has {quoted(str(found[odd[0]]), 60)} in row {odd[0]}."
        raise demands.wrong(text, "A loss lies between 0 and 1: divide by the largest one.")
    return found.astype(float)


def _detection(demands: Demands) -> Judgement:
    from surefoot.project.tasks.detection import detection

    return detection(demands)


def _segmentation(demands: Demands) -> Judgement:
    from surefoot.project.tasks.segmentation import segmentation

    return segmentation(demands)


JUDGES: dict[str, Callable[[Demands], Judgement]] = {
    "multilabel": multilabel,
    "segmentation": _segmentation,
    "detection": _detection,
    "regression": regression,
    "text": text,
    "custom": custom,
}


# Which steps and keys speak of classes, so that they make no sense for other tasks.

OF_CLASSES = ("normal_score", "normal_bound", "reliability_cells", "reliability_balls")
"""Steps that look at scores of classes, or at the true class of neighbours."""
OF_DETECTION = ("encounter_bound", "average_precision")
"""Steps that look at boxes."""
FIRST_RUN = "first run"
"""The kind of failure that asks about one answer to each input."""
KEYS_OF_FUNCTIONS = {"timing": "late", "tracking": "lost"}
"""What a component must say so that a function of it can fail."""
KEYS_OF_CLASSES = ("undesired", "positive", "severity")
FOR_ALL = ("binomial_bound", "loss_bound", "stratified_bound", "metric_opinion", "monitor")


def refuse_classes(tested: Tested, what: str) -> None:
    """An error where something about classes is asked of another task."""
    if not tested.classifies:
        raise InvalidInput(
            f"{what} is about classes, and the task is {tested.task}",
            where=tested.component,
            remedy=f"Steps for every task: {', '.join(FOR_ALL)}; of: names a kind of failure ({listed(tested.kinds)})."
            if tested.kinds
            else f"Steps for every task: {', '.join(FOR_ALL)}.",
        )
