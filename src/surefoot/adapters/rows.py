"""From named columns to rows: whether their values can be used, and which class each label means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.classes import Coded, as_coded, numbered, relabelled, sorted_names
from surefoot.adapters.columns import agreed, check_order_known
from surefoot.adapters.outputs import (
    LARGEST_SCORE,
    OUTPUT,
    Returned,
    is_label,
    normalise,
    one_hot,
    put,
    score_type,
    settle,
    too_large,
)
from surefoot.adapters.roles import Column, Roles, Source, Wanted, roles_in
from surefoot.adapters.tested import Data, Output
from surefoot.adapters.usable import as_column, check_lengths, check_usable
from surefoot.core import DiagnosticsError
from surefoot.core.canonical import FrozenMap


def read_rows(source: Source, wanted: Wanted, *, classes: Sequence[str], digest: str, with_inputs: bool) -> Data:
    """Read and check the columns that are wanted."""
    roles = roles_in(source, wanted, with_inputs=with_inputs)
    with _hinting(roles):
        columns = source.read(roles.names, numeric=roles.numeric)
    for name, column in columns.items():
        check_usable(name, column, where=source.where)
    check_lengths(columns, where=source.where)
    scored = _scored(roles, columns, wanted.output, classes, source.where)
    return Data(
        digest,
        _inputs(roles, columns, wanted, source),
        scored.labels,
        scored.scores,
        scored.output,
        scored.classes,
        None if roles.groups is None else _groups(columns[roles.groups], source.where),
        FrozenMap({name: as_column(name, columns[name], where=source.where) for name in roles.attributes}),
        classes_listed=bool(classes),
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
    labels = None if roles.labels is None else as_coded(columns[roles.labels], where=where)
    if not roles.scores:
        return _only_labels(labels, classes, where)
    answers = _answers(roles, columns, where)
    if is_label(answers, returns) or isinstance(answers, Coded):
        return _predicted(as_coded(answers, where=where), labels, classes, where)
    names = _named_columns(roles.scores, labels, classes, where)
    return _with_scores(answers, returns, labels, names, where)


def _only_labels(labels: Coded | None, classes: Sequence[str], where: str) -> _Scored:
    if labels is None:
        return _Scored(None, tuple(classes))
    found = numbered(labels, classes, where=where)
    return _Scored(found.numbers, found.classes)


def _predicted(predicted: Coded, labels: Coded | None, classes: Sequence[str], where: str) -> _Scored:
    """Labels that were predicted elsewhere."""
    known = {*predicted.names, *(labels.names if labels else ())}
    names = tuple(classes) or sorted_names(known, where)
    numbers = numbered(predicted, names, where=where).numbers
    truth = None if labels is None else numbered(labels, names, where=where).numbers
    return _Scored(truth, names, one_hot(numbers, np.empty((len(numbers), len(names)), np.float32)), "label")


def _with_scores(
    answers: NDArray[Any], returns: Returned | None, labels: Coded | None, names: Sequence[str], where: str
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


def _named_columns(scores: Sequence[str], labels: Coded | None, classes: Sequence[str], where: str) -> tuple[str, ...]:
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
    answers = columns[roles.scores[0]]
    if isinstance(answers, Coded) or answers.ndim == 1:
        return answers
    if answers.ndim > 2:
        text = f"scores must have a column for each class; found an array of shape {answers.shape}."
        raise DiagnosticsError.of("data-type", text, where=where)
    return answers[:, 0] if answers.shape[1] == 1 else answers


def _inputs(roles: Roles, columns: Mapping[str, Column], wanted: Wanted, source: Source) -> NDArray[Any] | None:
    if not roles.inputs:
        return None
    if len(roles.inputs) > 1:
        return _stacked(roles.inputs, columns, source.where)
    column = columns[roles.inputs[0]]
    if isinstance(column, Coded):
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
    return column.codes if isinstance(column, Coded) else as_column("groups", column, where=where)
