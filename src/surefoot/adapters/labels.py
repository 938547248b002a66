"""Labels and the classes they mean, and the columns of scores that belong to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import DiagnosticsError
from surefoot.documents import did_you_mean, listed, printable, quoted

LABEL_NAMES = ("labels", "label", "y")
MOST_CLASSES = 65_536
LONGEST_NAME = 1000
EXPLICIT = "List the classes under classes, in the order of the scores."
IN_ORDER = "List classes in the order of the model's columns."
REGRESSION = "Where the truth is a number, write task: regression and tolerance: with the largest error that is none."
MULTILABEL = "Where a row has several labels, write task: multilabel; of one-hot rows give argmax(axis=1)."
DETECTION = "Where the truth is boxes, write task: detection."
SEGMENTATION = "Where the truth is masks, write task: segmentation."


@dataclass(frozen=True)
class TextColumn:
    """A column of text: each distinct text once, and its number for each row."""

    codes: NDArray[np.integer]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def texts(self) -> NDArray[np.str_]:
        """The text of each row."""
        return np.asarray(self.names, dtype=str)[self.codes]


@dataclass(frozen=True)
class Labels:
    """Class numbers and the names they stand for."""

    numbers: NDArray[np.int64]
    classes: tuple[str, ...]


@dataclass(frozen=True)
class Columns:
    """Names of score columns, and the columns of the model in that order."""

    classes: tuple[str, ...]
    order: tuple[int, ...]

    @property
    def moved(self) -> bool:
        """Whether columns change places."""
        return self.order != tuple(range(len(self.order)))


def numbered(
    labels: NDArray[Any] | TextColumn, classes: Sequence[str] = (), *, where: str, code: str = "data-classes"
) -> Labels:
    """Number labels by ``classes``; without them, by their own sorted values.

    Whole numbers are names where all classes are whole numbers ("2", "4"), otherwise positions.
    """
    column = as_text_column(labels, where=where)
    names = tuple(classes) or sorted_names(column.names, where)
    known = {name: number for number, name in enumerate(names)}
    table = np.asarray([_number(name, known, column, where, code) for name in column.names], dtype=np.int64)
    same = table.size == 0 or (table == np.arange(len(table))).all()
    return Labels(column.codes.astype(np.int64, copy=False) if same else table[column.codes], names)


def agreed(
    data: Sequence[str], model: Sequence[str], columns: int, *, where: str, code: str = "model-output"
) -> Columns:
    """Names of the score columns that fit both the data's classes and the model's.

    Data may lack classes that the model knows. Names are matched by name, never by their order; only numbers
    on one side and names on the other are matched by position.
    """
    if model and len(model) != columns:
        raise _misfit(columns, model, where, code)
    names = _common_names(tuple(data), tuple(model), columns)
    if names is None or len(names) != columns:
        raise _disagreement(data, model, where) if model else _misfit(columns, data, where, code)
    by_name = set(names) == set(model)
    return Columns(names, tuple(list(model).index(n) for n in names) if by_name else tuple(range(columns)))


def check_order_known(data: Sequence[str], answers: Sequence[str], *, listed_before: bool, where: str) -> None:
    """Refuse to guess which column is which class: text labels in their own order against numbers or nothing."""
    if listed_before or all_decimal(data) or not all_decimal(answers):
        return
    text = f"labels are text ({listed(data)}), and nothing says which column of scores belongs to which class."
    raise DiagnosticsError.of("data-classes", text, where=where, hint=IN_ORDER)


def as_text_column(labels: NDArray[Any] | TextColumn, *, where: str) -> TextColumn:
    """A column of labels by its distinct values."""
    if isinstance(labels, TextColumn):
        return labels
    column = _one_column(labels, where)
    if column.dtype.kind == "U":
        names, codes = np.unique(column, return_inverse=True)
        return TextColumn(codes, tuple(names.tolist()))
    return _column_of_integers(_integers(column, where))


def sorted_names(names: Collection[str], where: str) -> tuple[str, ...]:
    """Class names in the order of their numbers, or of the alphabet."""
    if len(names) > MOST_CLASSES:
        text = f"{len(names)} different labels are no classes."
        raise DiagnosticsError.of("data-classes", text, where=where, hint="Name another column.")
    return tuple(sorted(names, key=int) if all_decimal(names) else sorted(names))


def relabelled(numbers: NDArray[np.int64], old: Sequence[str], new: Sequence[str]) -> NDArray[np.int64]:
    """Class numbers for other names of the columns: by name where the names are known, else by position."""
    if not old or tuple(old) == tuple(new) or not set(old) <= set(new):
        return numbers
    return np.asarray([list(new).index(name) for name in old], dtype=np.int64)[numbers]


def all_decimal(names: Iterable[str]) -> bool:
    """Whether all names are whole numbers."""
    return all(name.removeprefix("-").isdecimal() for name in names)


def is_unicode(text: str) -> bool:
    """Whether text can be written as UTF-8; names of files may hold other bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _number(name: str, classes: Mapping[str, int], column: TextColumn, where: str, code: str) -> int:
    _check_name(name, column, where)
    if name in classes:
        return classes[name]
    if name.isdecimal() and int(name) < len(classes) and not all_decimal(classes):
        return int(name)
    rows = np.flatnonzero(column.codes == column.names.index(name))
    text = f"label {quoted(name, 60)} of row {rows[0]} ({len(rows)} such rows) is not among the classes"
    raise DiagnosticsError.of(code, f"{text} {listed(classes)}.", where=where, hint=did_you_mean(name, classes))


def _check_name(name: str, column: TextColumn, where: str) -> None:
    if not name:
        row = np.flatnonzero(column.codes == column.names.index(name))[0]
        raise DiagnosticsError.of("data-missing-values", f"row {row} has an empty label.", where=where)
    if len(name) > LONGEST_NAME or not name.isprintable():
        text = f"{quoted(name, 60)} cannot be the name of a class."
        raise DiagnosticsError.of("data-classes", text, where=where, hint="Use short printable text.")


def _one_column(labels: NDArray[Any], where: str) -> NDArray[Any]:
    column = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
    if column.ndim != 1:
        boxes = column.ndim == 3 and column.shape[2] in (4, 5, 6)
        hint = MULTILABEL if column.ndim == 2 else DETECTION if boxes else SEGMENTATION
        raise _wrong_labels(f"an array of shape {labels.shape}", where, hint if column.ndim else "")
    if column.dtype.kind == "S":
        return np.char.decode(column, "utf-8", "backslashreplace")
    if column.dtype.kind == "O" and all(isinstance(item, str) for item in column):
        return column.astype(str)
    return column


def _integers(column: NDArray[Any], where: str) -> NDArray[np.int64]:
    if column.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(column))
        if bad.size:
            text = f"row {bad[0]} has the label {column[bad[0]]} ({bad.size} such rows)."
            raise DiagnosticsError.of("data-missing-values", text, where=where)
    whole = column.dtype.kind in "bi" or (column.dtype.kind in "uf" and _fits(column))
    if not whole:
        row = int(np.argmax(column != np.floor(column))) if column.dtype.kind == "f" else 0
        hint = REGRESSION if column.dtype.kind == "f" else DETECTION if column.dtype.kind == "O" else ""
        found = f"{column.dtype}, such as {printable(column[row : row + 1].tolist(), 60)} in row {row}"
        raise _wrong_labels(found, where, hint)
    return column.astype(np.int64, copy=False)


def _fits(column: NDArray[Any]) -> bool:
    return bool((column == np.floor(column)).all() and (np.abs(column) < 2.0**53).all())


def _column_of_integers(column: NDArray[np.int64]) -> TextColumn:
    low, high = (int(column.min()), int(column.max())) if len(column) else (0, -1)
    if high - low > MOST_CLASSES:
        values, codes = np.unique(column, return_inverse=True)
        return TextColumn(codes, tuple(map(str, values.tolist())))
    from_zero = column - low if low else column
    present = np.bincount(from_zero, minlength=1) > 0
    codes = from_zero if present.all() else (np.cumsum(present) - 1)[from_zero]
    return TextColumn(codes, tuple(str(low + int(offset)) for offset in np.flatnonzero(present)))


def _wrong_labels(found: str, where: str, hint: str = "") -> DiagnosticsError:
    text = f"labels must be one column of whole numbers or text; found {found}."
    return DiagnosticsError.of("data-type", text, where=where, hint=hint)


def _common_names(data: tuple[str, ...], model: tuple[str, ...], columns: int) -> tuple[str, ...] | None:
    if not model:
        extended = bool(data) and len(data) < columns and all(n.isdecimal() and int(n) < columns for n in data)
        return _numbers(columns) if extended or not data else data
    if not data or set(data) < set(model):
        return model
    if set(data) == set(model):
        return data
    if set(data) & set(model):
        return None
    if data == _numbers(len(data)) and len(data) <= columns and not all_decimal(model):
        return model
    return data if all_decimal(model) and not all_decimal(data) else None


def _numbers(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


def _misfit(columns: int, classes: Sequence[str], where: str, code: str) -> DiagnosticsError:
    text = f"there are {columns} columns of scores for {len(classes)} classes ({listed(classes)})."
    return DiagnosticsError.of(code, text, where=where, hint=EXPLICIT)


def _disagreement(data: Sequence[str], model: Sequence[str], where: str) -> DiagnosticsError:
    text = f"the model's classes are {listed(model)}, and the data's are {listed(data)}."
    return DiagnosticsError.of("data-classes", text, where=where, hint=EXPLICIT)
