"""From named columns to rows: which column means what, whether its values can be used, which class a label means."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.answers import (
    LARGEST_SCORE,
    OUTPUT,
    Data,
    Output,
    Returned,
    is_label,
    normalise,
    one_hot,
    put,
    score_type,
    settle,
    too_large,
)
from surefoot.adapters.frames import KINDS, NO_TYPES, Frame, FrameTable, Kind, Types
from surefoot.adapters.labels import (
    LABEL_NAMES,
    LONGEST_NAME,
    TextColumn,
    agreed,
    as_text_column,
    check_order_known,
    is_unicode,
    numbered,
    relabelled,
    sorted_names,
)
from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.core.canonical import FrozenMap
from surefoot.documents import did_you_mean, printable, quoted

INPUT_NAMES = ("inputs", "X", "x")
FEATURE_LIKE = "y"
"""The usual name of labels that is also a usual name of an input."""
VALUES_AT_ONCE = 1 << 22
Column = NDArray[Any] | TextColumn
Form = Literal["array", "either", Kind]
"""What inputs become: an array of numbers, a frame of a library, or an array where all columns are numbers."""


class Source(Protocol):
    """Named columns, of which only those asked for are read."""

    @property
    def where(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def tabular(self) -> bool: ...
    def read(self, names: Collection[str], *, numeric: Collection[str] = ()) -> dict[str, Any]: ...


@dataclass(frozen=True)
class StatedRoles:
    """What a project says of its columns; None where it says nothing."""

    inputs: str | Sequence[str] | None = None
    labels: str | Sequence[str] | None = None
    """Empty where there are none, whatever columns are called."""
    scores: str | Sequence[str] | None = None
    output: Returned | None = None
    groups: str | None = None
    attributes: Sequence[str] = ()
    judged: Sequence[str] | None = None
    """Columns that a task judges, for tasks that are no classification: no inputs, and none holds classes."""
    form: Form = "array"
    types: Types = field(default_factory=lambda: NO_TYPES)


@dataclass(frozen=True)
class Roles:
    """Names of the columns that play each part."""

    inputs: tuple[str, ...]
    labels: str | None
    scores: tuple[str, ...]
    groups: str | None
    attributes: tuple[str, ...]
    numeric: frozenset[str]
    """Columns that must be numbers; others may be text."""
    inputs_guessed: bool = False
    """Whether columns are inputs only because they are nothing else."""
    labels_guessed: bool = False
    """Whether a column of a table is the label only because of its name."""

    @property
    def names(self) -> list[str]:
        """All columns that are needed, each once."""
        return list(dict.fromkeys([*self.inputs, *self.others]))

    @property
    def others(self) -> list[str]:
        """All columns that are something else than inputs."""
        single = [name for name in (self.labels, self.groups) if name is not None]
        return [*single, *self.scores, *self.attributes]


def read_rows(source: Source, wanted: StatedRoles, *, classes: Sequence[str], digest: str, with_inputs: bool) -> Data:
    """Read and check the columns that are wanted."""
    roles = roles_in(source, wanted, with_inputs=with_inputs)
    if wanted.judged is not None and not roles.names:
        return Data(digest)
    with _hinting(roles):
        frame, columns = _read(source, roles, wanted)
    for name, column in columns.items():
        check_usable(name, column, where=source.where, missing=name in roles.inputs)
    check_lengths(columns if frame is None else {"inputs": frame, **columns}, where=source.where)
    scored = _scored(roles, columns, wanted.output, classes, source.where)
    return Data(
        digest,
        _inputs(roles, columns, wanted, source) if frame is None else frame,
        scored.labels,
        scored.scores,
        scored.output,
        scored.classes,
        None if roles.groups is None else _groups(columns[roles.groups], source.where),
        FrozenMap({name: as_column(name, columns[name], where=source.where) for name in roles.attributes}),
        classes_listed=bool(classes),
        columns=roles.inputs if source.tabular or len(roles.inputs) > 1 else (),
        caveats=tuple(_taken_for_labels(roles, source)),
    )


def _read(source: Any, roles: Roles, wanted: StatedRoles) -> tuple[Frame | None, dict[str, Any]]:
    """All columns; inputs apart as a frame where the model, or what they hold, asks for one."""
    beside = [name for name in roles.names if name not in roles.inputs or name in roles.others]
    table = getattr(source, "table", None)
    if isinstance(wanted.inputs, str) or table is None or not (source.tabular or len(roles.inputs) > 1):
        return None, source.read(roles.names, numeric=roles.numeric)
    if not roles.inputs or (wanted.form == "array" and not isinstance(source, FrameTable)):
        return None, source.read(roles.names, numeric=roles.numeric)
    kind = wanted.form if wanted.form in KINDS else None
    if kind is None and not isinstance(source, FrameTable) and not wanted.types and source.numbers_only(roles.inputs):
        try:
            return None, source.read(roles.names, numeric=roles.numeric)
        except DiagnosticsError as error:
            if {each.code for each in error.diagnostics} - {"data-type", "data-missing-values"}:
                raise
    found: tuple[Frame, dict[str, Any]] = table(roles.inputs, beside, kind, wanted.types)
    return found


def _taken_for_labels(roles: Roles, source: Source) -> Iterator[Diagnostic]:
    if roles.labels_guessed and roles.labels == FEATURE_LIKE:
        text = f"Column {quoted(FEATURE_LIKE)} was taken for the labels, because nothing says where they are."
        hint = "Write labels: y, or labels: null where it is an input."
        yield Diagnostic("labels-taken", text, "warning", source.where, hint)


def roles_in(source: Source, wanted: StatedRoles, *, with_inputs: bool) -> Roles:
    """The part of each column; every name that is not there is a problem, and all are shown together."""
    judged = wanted.judged or ()
    stated = {*_names(wanted.inputs), *_names(wanted.scores), *wanted.attributes, *_names(wanted.groups), *judged}
    labels, guessed = (None, False) if wanted.judged is not None else _labels(source, wanted, stated)
    taken = stated | set(_names(labels))
    inputs = (_names(wanted.inputs) or _default_inputs(source, wanted, taken)) if with_inputs else ()
    many = [names for names in (wanted.inputs, wanted.scores) if not isinstance(names, str)]
    numeric = {name for names in many for name in _names(names)} | (set() if wanted.inputs else set(inputs))
    roles = Roles(
        inputs,
        labels,
        _names(wanted.scores),
        wanted.groups,
        tuple(wanted.attributes),
        frozenset(numeric),
        inputs_guessed=source.tabular and not wanted.inputs,
        labels_guessed=guessed,
    )
    _check_present(roles, source)
    return roles


def _labels(source: Source, wanted: StatedRoles, stated: Collection[str]) -> tuple[str | None, bool]:
    """The column of labels, and whether it is a guess; of a frame in memory nothing is guessed."""
    if wanted.labels is not None:
        return (wanted.labels if isinstance(wanted.labels, str) else next(iter(wanted.labels), None)), False
    if isinstance(source, FrameTable):
        return None, False
    found = _first(LABEL_NAMES, source, stated)
    return found, found is not None and source.tabular


def _default_inputs(source: Source, wanted: StatedRoles, taken: Collection[str]) -> tuple[str, ...]:
    """By the usual names; in a table, every column that is nothing else."""
    if source.tabular:
        return () if wanted.scores else tuple(name for name in source.names if name not in taken)
    return _names(_first(INPUT_NAMES, source, taken))


def _first(usual: Sequence[str], source: Source, taken: Collection[str]) -> str | None:
    return next((name for name in usual if name in source.names and name not in taken), None)


def _names(names: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def _check_present(roles: Roles, source: Source) -> None:
    DiagnosticsError.raise_if_any(
        Diagnostic(
            "data-column", f"there is no {quoted(name)}.", "error", source.where, did_you_mean(name, source.names)
        )
        for name in roles.names
        if name not in source.names
    )


@dataclass(frozen=True)
class _Scored:
    labels: NDArray[np.int64] | None
    classes: tuple[str, ...]
    scores: NDArray[Any] | None = None
    output: Output = "score"


def _scored(
    roles: Roles, columns: Mapping[str, Column], returns: Returned | None, classes: Sequence[str], where: str
) -> _Scored:
    labels = None if roles.labels is None else as_text_column(_plain(columns[roles.labels]), where=where)
    if not roles.scores:
        return _only_labels(labels, classes, where)
    answers = _answers(roles, columns, where)
    if is_label(answers, returns) or isinstance(answers, TextColumn):
        return _predicted(as_text_column(answers, where=where), labels, classes, where)
    names = _named_columns(roles.scores, labels, classes, where)
    return _with_scores(answers, returns, labels, names, where)


def _plain(column: Column | Frame) -> Column:
    """A frame of one column as that column, of several as a matrix."""
    if not isinstance(column, Frame):
        return column
    return column.column(column.names[0]) if len(column.names) == 1 else column.matrix(hint="")


def _only_labels(labels: TextColumn | None, classes: Sequence[str], where: str) -> _Scored:
    if labels is None:
        return _Scored(None, tuple(classes))
    found = numbered(labels, classes, where=where)
    return _Scored(found.numbers, found.classes)


def _predicted(predicted: TextColumn, labels: TextColumn | None, classes: Sequence[str], where: str) -> _Scored:
    """Labels that were predicted elsewhere."""
    known = {*predicted.names, *(labels.names if labels else ())}
    names = tuple(classes) or sorted_names(known, where)
    numbers = numbered(predicted, names, where=where).numbers
    truth = None if labels is None else numbered(labels, names, where=where).numbers
    return _Scored(truth, names, one_hot(numbers, np.empty((len(numbers), len(names)), np.float32)), "label")


def _with_scores(
    answers: NDArray[Any], returns: Returned | None, labels: TextColumn | None, names: Sequence[str], where: str
) -> _Scored:
    if answers.dtype.kind in "US":
        raise DiagnosticsError.of("data-type", "scores must be numbers; found text.", where=where)
    if too_large(answers):
        raise DiagnosticsError.of("data-type", f"some scores are beyond {LARGEST_SCORE:g}.", where=where)
    single = answers.ndim == 1
    scores = np.empty((len(answers), 2 if single else answers.shape[1]), score_type(answers, where))
    put(scores, answers)
    kind = settle(scores, single=single, returns=returns, usual="score")
    normalise(scores, single=single, returns=kind, where=where, code="data-type")
    truth = None if labels is None else numbered(labels, names, where=where)
    before = tuple(names) if truth is None else truth.classes
    after = agreed(before, (), scores.shape[1], where=where, code="data-classes").classes
    check_order_known(after, (), listed_before=bool(names), where=where)
    moved = None if truth is None else relabelled(truth.numbers, before, after)
    return _Scored(moved, after, scores, OUTPUT[kind])


def _named_columns(
    scores: Sequence[str], labels: TextColumn | None, classes: Sequence[str], where: str
) -> tuple[str, ...]:
    """Class names for columns of scores that are named after the classes."""
    if classes:
        if len(scores) > 1 and set(scores) == set(classes) and tuple(scores) != tuple(classes):
            text = f"the scores are in the order {list(scores)}, and the classes in the order {list(classes)}."
            raise DiagnosticsError.of("data-classes", text, where=where, hint="Put them in the same order.")
        return tuple(classes)
    named = len(scores) > 1 and labels is not None and set(labels.names) <= set(scores)
    return tuple(scores) if named else ()


def _answers(roles: Roles, columns: Mapping[str, Column], where: str) -> Any:
    if len(roles.scores) > 1:
        return _stacked(roles.scores, columns, where)
    answers = _plain(columns[roles.scores[0]])
    if isinstance(answers, TextColumn) or answers.ndim == 1:
        return answers
    if answers.ndim > 2:
        text = f"scores must have a column for each class; found an array of shape {answers.shape}."
        raise DiagnosticsError.of("data-type", text, where=where)
    return answers[:, 0] if answers.shape[1] == 1 else answers


def _inputs(
    roles: Roles, columns: Mapping[str, Column], wanted: StatedRoles, source: Source
) -> NDArray[Any] | Frame | None:
    if not roles.inputs:
        return None
    if len(roles.inputs) > 1:
        return _stacked(roles.inputs, columns, source.where)
    column = columns[roles.inputs[0]]
    if isinstance(column, Frame):
        return column
    if isinstance(column, TextColumn):
        return np.asarray(column.names, dtype=object)[column.codes]
    as_matrix = source.tabular or not isinstance(wanted.inputs, str | None)
    return column[:, None] if as_matrix and column.ndim == 1 else column


@contextmanager
def _hinting(roles: Roles) -> Iterator[None]:
    """Say what to do where a column was taken for an input only because nothing else is known of it."""
    try:
        yield
    except DiagnosticsError as error:
        if not roles.inputs_guessed or not all(d.code == "data-type" and not d.hint for d in error.diagnostics):
            raise
        hint = "Name the columns for the model under inputs, and others under groups or attributes."
        DiagnosticsError.raise_if_any(replace(diagnostic, hint=hint) for diagnostic in error.diagnostics)


def _stacked(names: Sequence[str], columns: Mapping[str, Column], where: str) -> NDArray[Any]:
    parts = [as_column(name, columns[name], where=where) for name in names]
    kind = np.result_type(*(part.dtype for part in parts))
    matrix = np.empty((len(parts[0]), len(parts)), kind if kind in (np.float32, np.float64) else np.float64)
    for number, part in enumerate(parts):
        matrix[:, number] = part
    return matrix


def _groups(column: Column, where: str) -> NDArray[Any]:
    return column.codes if isinstance(column, TextColumn) else as_column("groups", column, where=where)


def check_usable(name: str, column: Column | Frame, *, where: str, missing: bool = False) -> None:
    """Numbers without infinities, and unless they may be missing without NaN, or text, with at least one axis."""
    if isinstance(column, Frame):
        column.check()
        return
    if isinstance(column, TextColumn):
        _check_unicode(name, column.names, where)
        return
    if column.dtype.kind == "U":
        _check_unicode(name, np.unique(column).tolist(), where)
    if column.dtype.kind not in "biufUS":
        text = f"{quoted(name)} must hold numbers or text; found {column.dtype}."
        raise DiagnosticsError.of("data-type", text, where=where)
    if column.ndim == 0:
        raise DiagnosticsError.of("data-type", f"{quoted(name)} is one value, and rows are needed.", where=where)
    if 0 in column.shape[1:]:
        raise DiagnosticsError.of("data-type", f"{quoted(name)} has no values: shape {column.shape}.", where=where)
    if column.dtype.kind == "f":
        _check_finite(name, column, where, missing)


def check_lengths(columns: Mapping[str, Column | Frame], *, where: str) -> None:
    """One length, and at least one row."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{printable(name)} has {length}" for name, length in lengths.items())
        raise DiagnosticsError.of("data-type", f"columns have different numbers of rows: {found}.", where=where)
    if not any(lengths.values()):
        nothing = "there are no rows." if lengths else "none of the usual names of columns is there."
        raise DiagnosticsError.of("data-empty", nothing, where=where, hint="Name the columns: inputs, labels, scores.")


def as_column(name: str, column: Column | Frame, *, where: str) -> NDArray[Any]:
    """One value a row, numbers or short text."""
    column = _plain(column)
    if isinstance(column, TextColumn):
        if any(len(text) > LONGEST_NAME for text in column.names):
            text = f"{quoted(name)} has text of more than {LONGEST_NAME} characters."
            raise DiagnosticsError.of("data-type", text, where=where)
        return column.texts()
    flat = column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column
    if flat.ndim != 1:
        text = f"{quoted(name)} must have one value a row; found an array of shape {column.shape}."
        raise DiagnosticsError.of("data-type", text, where=where)
    return flat


def _check_unicode(name: str, texts: Iterable[str], where: str) -> None:
    for text in texts:
        if not is_unicode(text):
            problem = f"{quoted(name)} has text that is not Unicode: {quoted(text, 60)}."
            raise DiagnosticsError.of("data-type", problem, where=where)


def _check_finite(name: str, column: NDArray[Any], where: str, missing: bool) -> None:
    step = max(1, VALUES_AT_ONCE // max(1, column[:1].size))
    for start in range(0, len(column), step):
        part = column[start : start + step]
        bad = np.isinf(part) if missing else ~np.isfinite(part)
        if bad.any():
            row = start + int(np.argwhere(bad)[0][0])
            text = f"{quoted(name)} has {'infinity' if missing else 'NaN or infinity'} in row {row}."
            hint = "Remove or repair such rows, and say so in the report."
            raise DiagnosticsError.of("data-missing-values", text, where=where, hint=hint)
