"""What the columns of a data set hold, and which part each plays: truth, answers, inputs, groups, attributes.

Parts are guessed from names, from values and from what the model says of itself, and every guess carries its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from surefoot.adapters import ModelDescription
from surefoot.adapters.labels import TextColumn
from surefoot.core import DiagnosticsError
from surefoot.documents import did_you_mean, listed, quoted

Kind = Literal["whole numbers", "numbers", "text", "array", "unreadable"]
NO_GUESS = "not-guessed"
NO_FILE = ("data-unreadable", "data-empty")
"""What is wrong with a whole file, and with no column of it."""
MOST_CLASSES = 50
"""More different whole numbers are no names of classes, unless the model says so."""
MOST_VALUES = 20
"""Text with more different values is no dimension of operating conditions."""
LABELS = (
    *("labels", "label", "y", "target", "targets", "class", "truth", "ground_truth", "y_true", "y_test"),
    *("true_label", "actual", "expected", "outcome", "reference"),
)
ANSWERS = (
    *("predictions", "prediction", "predicted", "pred", "preds", "y_pred", "yhat", "y_hat", "answer", "answers"),
    *("predicted_label", "model_output", "output", "response"),
)
SCORES = ("probability", "probabilities", "proba", "prob", "p", "score", "scores", "confidence")
RIGHT = ("passed", "correct", "right", "success", "ok")
MARKS = ("failed", "failure", "wrong", "error", "incorrect")
GROUPS = (
    *("group", "groups", "patient", "subject", "person", "user", "session", "film", "video", "scene", "drive"),
    *("trip", "recording", "speaker", "sequence", "document", "cluster"),
)
NUMBERS_OF_ROWS = ("id", "index", "idx", "row", "uuid", "key", "unnamed:_0", "")
INPUT_IDS = ("id", "uuid")
"""Where their values repeat, rows are answers to the same input, as an evaluation harness writes them."""
TIMES = ("time", "timestamp", "date", "datetime", "day_of_recording")
INPUTS = ("inputs", "x", "features", "x_test", "images")


@dataclass(frozen=True)
class Column:
    """One column or array of the data."""

    name: str
    kind: Kind
    rows: int = 0
    values: tuple[str, ...] = ()
    """The different values as text, where there are few of them."""
    distinct: int = 0
    most: int = 0
    """How many rows the most frequent value has."""
    shape: tuple[int, ...] = ()
    """Of a row."""
    marks: bool = False
    """Whether it holds nothing but 0 and 1."""
    one_each: bool = False
    """Of several columns of 0 and 1: whether each row has exactly one 1."""
    spread: float = 0.0
    """Between the 5% and the 95% quantile of numbers."""
    problem: str = ""
    """Why it cannot be read."""

    @property
    def word(self) -> str:
        """The name as it is compared with usual names."""
        return re.sub(r"[\s-]+", "_", self.name.strip().lower())

    @property
    def numeric(self) -> bool:
        """Whether a model of numbers can take it."""
        return self.kind in ("numbers", "whole numbers")

    @property
    def names_rows(self) -> bool:
        """Whether every row has a value of its own."""
        return self.rows > 1 and self.distinct == self.rows and self.kind in ("whole numbers", "text")

    @classmethod
    def of(cls, name: str, held: Any) -> Column:
        """What a column holds."""
        if isinstance(held, TextColumn):
            most = int(np.bincount(held.codes).max()) if len(held) else 0
            return cls(name, "text", len(held), _few(held.names), len(held.names), most)
        array = np.asarray(held)
        array = array.astype(np.int64) if array.dtype.kind == "b" else array
        if array.ndim != 1:
            marks = array.dtype.kind in "iuf" and array.ndim == 2 and bool(np.isin(array, (0, 1)).all())
            one_each = marks and bool((array.sum(axis=1) == 1).all())
            return cls(name, "array", len(array), shape=array.shape[1:], marks=marks, one_each=one_each)
        if array.dtype.kind not in "biuf":
            found, counts = np.unique(array.astype(str), return_counts=True)
            return cls(name, "text", len(array), _few(found), len(found), int(counts.max(initial=0)))
        known = array[np.isfinite(array)] if array.dtype.kind == "f" else array
        found, counts = np.unique(known, return_counts=True)
        whole = bool((found == np.floor(found)).all()) and (found.size <= MOST_CLASSES or array.dtype.kind != "f")
        low, high = np.quantile(known, [0.05, 0.95]) if known.size else (0.0, 0.0)
        texts = _few([str(int(value)) for value in found]) if whole else ()
        kind: Kind = "whole numbers" if whole else "numbers"
        many = int(counts.max(initial=0))
        marks = whole and found.size > 0 and set(found.tolist()) <= {0, 1} and known.size == array.size
        return cls(name, kind, len(array), texts, found.size, many, spread=float(high - low), marks=marks)


def _few(values: Iterable[Any]) -> tuple[str, ...]:
    found = [str(value) for value in values]
    return tuple(sorted(found)) if len(found) <= MOST_CLASSES else ()


def looked_at(source: Any) -> dict[str, Column]:
    """Every column of a source; one that cannot be read is named with the reason."""
    try:
        found = {name: Column.of(name, held) for name, held in source.read(source.names).items()}
    except DiagnosticsError as error:
        if any(each.code in NO_FILE for each in error.diagnostics):
            raise
        found = {name: _alone(source, name) for name in source.names}
    if found and not any(column.rows or column.problem for column in found.values()):
        raise DiagnosticsError.of("data-empty", "there are no rows.", where=source.where)
    return found


def _alone(source: Any, name: str) -> Column:
    try:
        return Column.of(name, source.read([name])[name])
    except DiagnosticsError as error:
        first = error.diagnostics[0]
        line = f" ({first.where})." if first.where.rpartition(":")[2].isdecimal() else ""
        return Column(name, "unreadable", problem=f"{first.text.rstrip('.')}{line}" if line else first.text)


@dataclass(frozen=True)
class Stated:
    """What somebody said of the columns, so that it is not guessed."""

    labels: tuple[str, ...] = ()
    predictions: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()


@dataclass
class Parts:
    """The part of each column, and why."""

    labels: Column | None = None
    several: list[Column] = field(default_factory=list)
    """The columns of 0 and 1 of several labels a row, or the one array that holds them."""
    predictions: list[Column] = field(default_factory=list)
    marks: Column | None = None
    inputs: list[Column] = field(default_factory=list)
    inputs_certain: bool = False
    """Whether the model names them itself."""
    groups: Column | None = None
    attributes: list[Column] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    """Columns without a part, with the reason."""
    reasons: dict[str, str] = field(default_factory=dict)
    """Of what was guessed: the key of the project file, and why."""


def parts_of(
    columns: Mapping[str, Column], stated: Stated, model: ModelDescription | None, where: str, *, table: bool
) -> Parts:
    """Find the part of every column, or say which cannot be told."""
    _check_names(columns, stated, where)
    parts = Parts()
    free = dict(columns)
    _take_answers(parts, free, stated, with_model=model is not None)
    _take_labels(parts, free, stated, model, where, answered=model is not None or bool(parts.predictions))
    if model is None:
        _check_answered(parts, columns, where)
        for column in parts.predictions:
            free.pop(column.name, None)
    else:
        _take_inputs(parts, free, stated, model, where, table=table)
    _take_groups(parts, free)
    _take_attributes(parts, free)
    for name, column in free.items():
        parts.left_out.setdefault(name, _why_left_out(column, with_model=model is not None))
    return parts


def _check_names(columns: Mapping[str, Column], stated: Stated, where: str) -> None:
    for name in (*stated.labels, *stated.predictions, *stated.inputs):
        if name not in columns:
            text = f"there is no column {quoted(name)}."
            raise DiagnosticsError.of("data-column", text, where=where, hint=did_you_mean(name, columns))


def _names(names: Iterable[str]) -> str:
    return listed([quoted(name) for name in names]) or "none"


def _named(columns: Mapping[str, Column], usual: Sequence[str]) -> Column | None:
    """The first column with a usual name, in the order of the names."""
    by_word = {column.word: column for column in [*columns.values()][::-1] if column.kind != "unreadable"}
    return next((by_word[word] for word in usual if word in by_word), None)


# Truth, and answers that were made elsewhere.


def _take_answers(parts: Parts, free: dict[str, Column], stated: Stated, *, with_model: bool) -> None:
    if stated.predictions:
        parts.predictions = [free.pop(name) for name in stated.predictions]
        return
    marks = None if with_model else _named(free, MARKS)
    if marks is not None and set(marks.values) <= {"0", "1", "False", "True"} and marks.kind == "whole numbers":
        parts.marks = free.pop(marks.name)
        parts.reasons["failed"] = f"column {quoted(marks.name)} holds marks of 0 and 1"
    found = _named(free, (*ANSWERS, *SCORES))
    if found is None:
        return
    free.pop(found.name)
    if with_model:
        parts.left_out[found.name] = "its name says that it holds answers, and the model gives these"
    else:
        parts.predictions = [found]
        parts.reasons["predictions"] = f"column {quoted(found.name)} has a usual name for answers"


def _take_labels(
    parts: Parts,
    free: dict[str, Column],
    stated: Stated,
    model: ModelDescription | None,
    where: str,
    *,
    answered: bool,
) -> None:
    if stated.labels:
        said = [free.pop(name) for name in stated.labels]
        parts.labels = said[0]
        parts.several = said if len(said) > 1 or _holds_labels(said[0]) else []
        return
    found, why = _labels_in(free, model)
    several = [] if found is not None else _several_in(free, model)
    if found is not None:
        parts.labels = free.pop(found.name)
        parts.reasons["labels"] = why
        parts.several = [found] if _holds_labels(found) else []
    elif several:
        parts.several, parts.labels = several, several[0]
        for column in several:
            free.pop(column.name)
        parts.reasons["labels"] = f"columns of 0 and 1, each a label of its own: {_names(c.name for c in several)}"
    elif parts.marks is None and answered:
        text = f"no column is plainly the label: there are {_names(free)}."
        several_hold = [column.name for column in _holding_classes(free, model)]
        if several_hold:
            text += f" The classes of the model are in {_names(several_hold)}."
        beside = [c for c in free.values() if model is None or c.name not in model.features]
        text += "".join(f" Column {quoted(c.name)} cannot be it: {c.problem}" for c in beside if c.problem)
        raise DiagnosticsError.of(NO_GUESS, text, where=where, hint="Name the column of the truth with --labels.")


def _labels_in(free: Mapping[str, Column], model: ModelDescription | None) -> tuple[Column | None, str]:
    named = _named(free, LABELS)
    if named is not None:
        return named, f"column {quoted(named.name)} has a usual name for the truth"
    fitting = _holding_classes(free, model)
    if len(fitting) == 1:
        return fitting[0], f"column {quoted(fitting[0].name)} alone holds the classes of the model"
    if model is not None and model.features:
        rest = [column for name, column in free.items() if name not in model.features and not column.names_rows]
        if len(rest) == 1 and len(free) > len(model.features):
            return rest[0], f"the model was fitted on the other columns, which leave {quoted(rest[0].name)}"
    texts = [column for column in free.values() if column.kind == "text"]
    if model is not None and len(texts) == 1 and texts[0] is [*free.values()][-1] and len(texts[0].values) > 1:
        return texts[0], f"{quoted(texts[0].name)} is the last column and the only one of text, with few values"
    return None, ""


def _holding_classes(free: Mapping[str, Column], model: ModelDescription | None) -> list[Column]:
    """Columns of nothing but classes of the model, which was fitted on others."""
    if model is None or not model.classes:
        return []
    others = (column for column in free.values() if column.name not in model.features)
    return [column for column in others if column.values and set(column.values) <= set(model.classes)]


def _holds_labels(column: Column) -> bool:
    return column.marks and len(column.shape) == 1 and column.shape[0] > 1


def _several_in(free: Mapping[str, Column], model: ModelDescription | None) -> list[Column]:
    """Columns of 0 and 1 that are called labels, or that alone are left beside those the model was fitted on."""
    marks = [column for column in free.values() if column.marks]
    called = [column for column in marks if stem(column) != column.name]
    if len(called) > 1:
        return called
    if model is not None and model.features:
        rest = [c for name, c in free.items() if name not in model.features and not c.names_rows]
        return rest if len(rest) > 1 and all(column.marks for column in rest) else []
    return []


def stem(column: Column) -> str:
    """The name of a label without the word that says it is one."""
    first, _, rest = column.name.partition("_")
    return rest if rest and first.lower() in LABELS else column.name


def answers_of_labels(labels: Sequence[Column], columns: Mapping[str, Column]) -> list[Column]:
    """A column of answers for each label, by its name."""
    forms = ("p_{}", "pred_{}", "prob_{}", "predicted_{}", "score_{}", "{}_pred", "{}_prob", "{}_predicted", "{}_score")
    for form in forms:
        named = [columns.get(form.format(name)) for name in (stem(label) for label in labels)]
        found = [column for column in named if column is not None and column.numeric]
        if len(found) == len(labels):
            return found
    return []


def _check_answered(parts: Parts, columns: Mapping[str, Column], where: str) -> None:
    if parts.marks is not None or parts.predictions:
        return
    if parts.several and (answers := answers_of_labels(parts.several, columns)):
        parts.predictions = answers
        parts.reasons["predictions"] = "these columns are called after the labels"
        return
    if parts.labels is not None and not parts.several and (scores := columns_of_classes(parts.labels, columns)):
        parts.predictions = scores
        parts.reasons["scores"] = "these columns are called after the classes"
        return
    text = "there is no model, and no column is plainly its answer."
    hint = "Give --model, or name the column of the answers with --predictions."
    right = _named(columns, RIGHT)
    if right is not None:
        hint = f"Column {quoted(right.name)} seems to mark what is right: add a column failed, 1 where that is not."
    raise DiagnosticsError.of(NO_GUESS, text, where=where, hint=hint)


def columns_of_classes(labels: Column, columns: Mapping[str, Column]) -> list[Column]:
    """A column of scores for each class, by its name."""
    for form in ("{}", "p_{}", "prob_{}", "proba_{}", "probability_{}", "score_{}"):
        named = [columns.get(form.format(value)) for value in labels.values]
        found = [column for column in named if column is not None and column.numeric]
        if labels.values and len(found) == len(named):
            return found
    return []


# Inputs, and what is known of each row beside them.


def _take_inputs(
    parts: Parts, free: dict[str, Column], stated: Stated, model: ModelDescription, where: str, *, table: bool
) -> None:
    if stated.inputs:
        parts.inputs = [free.pop(name) for name in stated.inputs]
    elif not table:
        parts.inputs = [free.pop(_input_array(free, where).name)]
        parts.reasons["inputs"] = f"array {quoted(parts.inputs[0].name)} is the only one, or has a usual name"
    elif model.features:
        _check_features(free, model, where)
        parts.inputs, parts.inputs_certain = [free.pop(name) for name in model.features], True
        parts.reasons["inputs"] = "these are the columns that the model was fitted on, in its order"
    else:
        parts.inputs = _numbers_left(parts, free, model, where)
        parts.reasons["inputs"] = _why_inputs(model, parts.inputs)
        for column in parts.inputs:
            free.pop(column.name)


def _why_inputs(model: ModelDescription, inputs: Sequence[Column]) -> str:
    if model.columns == len(inputs):
        return f"the model takes {model.columns} columns, and these are the {len(inputs)} of numbers, in their order"
    return "these are all columns of numbers, in the order of the file"


def _input_array(free: Mapping[str, Column], where: str) -> Column:
    named = _named(free, INPUTS)
    arrays = [column for column in free.values() if column.kind == "array"]
    if named is not None or len(arrays) == 1:
        return named or arrays[0]
    text = f"no array is plainly the input: there are {_names(free)}."
    raise DiagnosticsError.of(NO_GUESS, text, where=where, hint="Name it with --inputs.")


def _check_features(free: Mapping[str, Column], model: ModelDescription, where: str) -> None:
    lacking = [name for name in model.features if name not in free]
    if lacking:
        text = f"the model was fitted on columns that the data lack, or use for the truth: {_names(lacking)}."
        raise DiagnosticsError.of("data-column", text, where=where, hint=did_you_mean(lacking[0], free))


def _numbers_left(parts: Parts, free: dict[str, Column], model: ModelDescription, where: str) -> list[Column]:
    """Columns of numbers that are nothing else."""
    found = [column for column in free.values() if column.numeric or column.kind == "array"]
    if model.columns is None or len(found) != model.columns:
        found = [column for column in found if not _beside(parts, column)]
    if found and (model.columns is None or len(found) == model.columns):
        return found
    there = _names([column.name for column in found])
    wanted = "columns of numbers" if model.columns is None else f"{model.columns} columns"
    text = f"the model takes {wanted}, and the data have {len(found)} of numbers beside the label: {there}."
    text += "".join(f" Column {quoted(c.name)} cannot be read: {c.problem}" for c in free.values() if c.problem)
    raise DiagnosticsError.of(NO_GUESS, text, where=where, hint="Name them with --inputs, in the order of the model.")


def _beside(parts: Parts, column: Column) -> bool:
    """Whether a column tells rows apart, or what they share, and is kept away from the model."""
    if (column.word in NUMBERS_OF_ROWS and not _is_group(column)) or (
        column.word.endswith("_id") and column.names_rows
    ):
        parts.left_out[column.name] = "it counts the rows"
    elif column.word in TIMES:
        parts.left_out[column.name] = (
            "it looks like a time; where neighbouring rows resemble each other, write rows: sequence"
        )
    return column.name in parts.left_out or _is_group(column)


def _is_group(column: Column) -> bool:
    """A usual name, or the end ``_id``, and values that repeat."""
    usual = column.word in (*GROUPS, *INPUT_IDS) or column.word.endswith("_id")
    return usual and 1 < column.distinct < column.rows and column.kind in ("text", "whole numbers")


def _take_groups(parts: Parts, free: dict[str, Column]) -> None:
    found = next((column for column in free.values() if _is_group(column)), None)
    if found is not None:
        parts.groups = free.pop(found.name)
        parts.reasons["groups"] = f"column {quoted(found.name)} has {found.distinct:,} values in {found.rows:,} rows"


def _take_attributes(parts: Parts, free: dict[str, Column]) -> None:
    for column in list(free.values()):
        if column.kind == "text" and 1 < column.distinct <= MOST_VALUES and column.distinct < column.rows / 2:
            parts.attributes.append(free.pop(column.name))
    if parts.attributes:
        parts.reasons["attributes"] = "text with few values, which no model was asked to take"


def _why_left_out(column: Column, *, with_model: bool) -> str:
    if column.problem:
        return column.problem
    if column.kind == "text" and column.distinct > MOST_VALUES:
        return f"text with {column.distinct:,} different values is no dimension of conditions"
    return "nothing says what part they play" if with_model else "no model takes inputs here"
