"""Margins of a classifier: how far its best acceptable score is ahead of its best undesired one.

NRB (Guenther and Liggesmeyer, "Single-valued Risk Bound for Normal Classifiers"), Eqn. (2).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

Undesired = Mapping[int, Collection[int]] | Sequence[Collection[int]] | Callable[[int], Collection[int]]


def margins(scores: ArrayLike, labels: ArrayLike, undesired: Undesired | None = None) -> FloatArray:
    """Margin Z of each row: how far its best acceptable score is ahead of its best undesired one.

    Z is the largest score outside U(y) minus the largest score inside U(y), the undesired answers for the true label y.
    A margin of 0 or less is a failure: where scores tie, the behaviour is unknown and counts as undesired. A score of
    -inf marks a class that cannot be chosen, and a margin may be infinite; a difference of two equal infinities is an
    error.

    Parameters
    ----------
    scores
        One row a sample, one column a class.
    labels
        Column numbers of the true classes, from 0.
    undesired
        U(y) by label, as a mapping, a sequence or a function; without it every wrong class is undesired, and the label
        itself never is.

    Returns
    -------
    ndarray
        One margin a row.

    References
    ----------
    NRB (Guenther and Liggesmeyer), Eqn. (2).

    Examples
    --------
    >>> margins([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]], [0, 1]).round(6).tolist()
    [0.5, -0.1]
    >>> margins([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]], [0, 1], {0: {2}, 1: {0}}).round(6).tolist()
    [0.6, 0.1]

    """
    table, classes = checked_scores(scores, labels, where="margins")
    result = np.empty(len(table))
    for label in np.unique(classes).tolist():
        rows = np.flatnonzero(classes == label)
        inside = _undesired_columns(undesired, label, table.shape[1])
        part = table[rows]
        best, worst = _best(part, ~inside), _best(part, inside)
        _require_defined(best, worst, rows)
        result[rows] = best - worst
    return result


def mode_margins(scores: ArrayLike, labels: ArrayLike, mode: tuple[int, int]) -> FloatArray:
    """Margins for the failure mode c_t -> c_f: rows of label c_t only, with U(c_t) = {c_f}.

    Parameters
    ----------
    scores
        One row a sample, one column a class.
    labels
        Column numbers of the true classes.
    mode
        The true class and the one it is taken for.

    Returns
    -------
    ndarray
        One margin for each row of the true class.

    References
    ----------
    NRB, section 2.3.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.bounds.mode_margins([[0.75, 0.25, 0.0], [0.25, 0.25, 0.5]], [0, 1], (0, 2)).tolist()
    [0.75]

    """
    table, classes = checked_scores(scores, labels, where="mode_margins")
    true, failed = checked_mode(mode, table.shape[1])
    rows = classes == true
    if not rows.any():
        raise InvalidInput(
            f"no row has the label {true}",
            where=f"failure mode {true} -> {failed}",
            found=f"labels {np.unique(classes).tolist()}",
            remedy="Choose a mode whose true class occurs in the test data.",
        )
    return margins(table[rows], classes[rows], {true: {failed}})


def checked_scores(scores: ArrayLike, labels: ArrayLike, *, where: str) -> tuple[FloatArray, NDArray[np.intp]]:
    """Scores as a table without NaN and labels as its column numbers."""
    table = validate.numbers(scores, where=where, name="scores", finite=False)
    if table.ndim != 2 or table.shape[0] == 0 or table.shape[1] < 2:
        raise InvalidInput(
            "scores must be a table of at least one row and two classes",
            where=where,
            found=f"shape {table.shape}",
            remedy="Give one column a class; a single decision value d becomes np.column_stack([-d, d]) / 2.",
        )
    first = _first(labels)
    if isinstance(first, str):
        raise InvalidInput(
            "labels must be column numbers of scores, not text",
            where=where,
            found=repr(first),
            remedy="Map them in the order of the columns, from 0: np.searchsorted(model.classes_, labels).",
        )
    classes = validate.vector(labels, where=where, name="labels")
    validate.same_length(where, scores=table, labels=classes)
    outside = np.flatnonzero((classes != np.floor(classes)) | (classes < 0) | (classes >= table.shape[1]))
    if outside.size:
        raise InvalidInput(
            f"labels must be whole numbers from 0 to {table.shape[1] - 1}, the columns of scores",
            where=where,
            found=f"{classes[outside[0]]:g} at index {outside[0]} ({outside.size} outside in all)",
            remedy="Map the labels to column numbers, counting from 0.",
        )
    return table, classes.astype(np.intp)


def checked_mode(mode: tuple[int, int], columns: int) -> tuple[int, int]:
    """A failure mode as two different column numbers, the true class and the one it is taken for."""
    where = "failure mode"
    try:
        true, failed = mode
    except (TypeError, ValueError) as error:
        problem = "a failure mode is a pair of classes, the true one and the one it is taken for"
        raise InvalidInput(problem, where=where, found=repr(mode), remedy="Use for example (0, 1).") from error
    pair = _column(true, columns, where), _column(failed, columns, where)
    if pair[0] == pair[1]:
        raise InvalidInput("the true class is no failure", where=where, found=repr(mode))
    return pair


def _first(labels: ArrayLike) -> object:
    try:
        return next(iter(labels), None)  # type: ignore[arg-type]
    except TypeError:
        return None


def _undesired_columns(undesired: Undesired | None, label: int, columns: int) -> NDArray[np.bool_]:
    where = f"undesired classes of label {label}"
    if undesired is None:
        chosen = set(range(columns)) - {label}
    else:
        chosen = {_column(c, columns, where) for c in _entries(_lookup(undesired, label, where), where)}
    if not 0 < len(chosen) < columns:
        raise InvalidInput(
            f"{'every' if chosen else 'no'} class is undesired, so the margin does not exist",
            where=where,
            found=f"{len(chosen)} of {columns} classes",
            remedy="Leave at least one class in and one out, or remove the rows of this label.",
        )
    if label in chosen:
        remedy = "Leave it out: a right answer is no failure."
        raise InvalidInput("the label is undesired for itself", where=where, found=sorted(chosen), remedy=remedy)
    inside = np.zeros(columns, dtype=bool)
    inside[list(chosen)] = True
    return inside


def _column(value: object, columns: int, where: str) -> int:
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or number not in range(columns):
        remedy = f"Name columns from 0 to {columns - 1}."
        raise InvalidInput("unknown class", where=where, found=repr(number), remedy=remedy)
    return int(number)


def _entries(chosen: object, where: str) -> Collection[object]:
    scalar = isinstance(chosen, str | bytes | Mapping) or getattr(chosen, "ndim", 1) == 0
    if scalar or not isinstance(chosen, Iterable):
        raise InvalidInput(
            "undesired classes are a collection of column numbers",
            where=where,
            found=repr(chosen),
            remedy="Use for example {1, 2}.",
        )
    return list(chosen)


def _lookup(undesired: Undesired, label: int, where: str) -> object:
    if callable(undesired):
        return undesired(label)
    if isinstance(undesired, str | bytes) or not isinstance(undesired, Mapping | Sequence | np.ndarray):
        raise InvalidInput(
            "undesired sets are a mapping, a sequence or a function of the label",
            where=where,
            found=repr(undesired),
            remedy="Use for example {0: {1, 2}, 1: {0}}.",
        )
    try:
        return undesired[label]
    except (KeyError, IndexError) as error:
        known = list(undesired) if isinstance(undesired, Mapping) else f"{len(undesired)} labels"
        raise InvalidInput(
            "the label occurs but has no undesired set",
            where=where,
            found=f"sets for {known}",
            remedy="Say which classes are undesired for every label that occurs.",
        ) from error


def _best(scores: FloatArray, chosen: NDArray[np.bool_]) -> FloatArray:
    """Largest score of each row; column by column, because there are far more rows than columns."""
    return reduce(np.maximum, scores[:, chosen].T)


def _require_defined(best: FloatArray, worst: FloatArray, rows: NDArray[np.intp]) -> None:
    clash = np.flatnonzero(np.isinf(best) & (best == worst))
    if clash.size:
        raise InvalidInput(
            "the margin is a difference of two equal infinities",
            where="margins",
            found=f"best scores {best[clash[0]]} inside and outside the undesired set at row {rows[clash[0]]} "
            f"({clash.size} such rows)",
            remedy="Give finite scores to at least one side.",
        )
