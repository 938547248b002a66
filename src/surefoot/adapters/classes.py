"""Labels and the classes they mean."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import DiagnosticsError
from surefoot.documents import did_you_mean, listed, printable, quoted

MOST_CLASSES = 65_536
LONGEST_NAME = 1000


@dataclass(frozen=True)
class Coded:
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


def numbered(
    labels: NDArray[Any] | Coded, classes: Sequence[str] = (), *, where: str, code: str = "data-classes"
) -> Labels:
    """Number labels by ``classes``; without them, by their own sorted values.

    Whole numbers are names where all classes are whole numbers ("2", "4"), otherwise positions.
    """
    column = as_coded(labels, where=where)
    names = tuple(classes) or sorted_names(column.names, where)
    known = {name: number for number, name in enumerate(names)}
    table = np.asarray([_number(name, known, column, where, code) for name in column.names], dtype=np.int64)
    same = table.size == 0 or (table == np.arange(len(table))).all()
    return Labels(column.codes.astype(np.int64, copy=False) if same else table[column.codes], names)


def as_coded(labels: NDArray[Any] | Coded, *, where: str) -> Coded:
    """A column of labels by its distinct values."""
    if isinstance(labels, Coded):
        return labels
    column = _one_column(labels, where)
    if column.dtype.kind == "U":
        names, codes = np.unique(column, return_inverse=True)
        return Coded(codes, tuple(names.tolist()))
    return _coded_integers(_integers(column, where))


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


def _number(name: str, classes: Mapping[str, int], column: Coded, where: str, code: str) -> int:
    _check_name(name, column, where)
    if name in classes:
        return classes[name]
    if name.isdecimal() and int(name) < len(classes) and not all_decimal(classes):
        return int(name)
    rows = np.flatnonzero(column.codes == column.names.index(name))
    text = f"label {quoted(name, 60)} of row {rows[0]} ({len(rows)} such rows) is not among the classes"
    raise DiagnosticsError.of(code, f"{text} {listed(classes)}.", where=where, hint=did_you_mean(name, classes))


def _check_name(name: str, column: Coded, where: str) -> None:
    if not name:
        row = np.flatnonzero(column.codes == column.names.index(name))[0]
        raise DiagnosticsError.of("data-missing-values", f"row {row} has an empty label.", where=where)
    if len(name) > LONGEST_NAME or not name.isprintable():
        text = f"{quoted(name, 60)} cannot be the name of a class."
        raise DiagnosticsError.of("data-classes", text, where=where, hint="Use short printable text.")


def _one_column(labels: NDArray[Any], where: str) -> NDArray[Any]:
    column = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
    if column.ndim != 1:
        raise _wrong_labels(f"an array of shape {labels.shape}", where)
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
        raise _wrong_labels(f"{column.dtype}, such as {printable(column[:1].tolist(), 60)}", where)
    return column.astype(np.int64, copy=False)


def _fits(column: NDArray[Any]) -> bool:
    return bool((column == np.floor(column)).all() and (np.abs(column) < 2.0**53).all())


def _coded_integers(column: NDArray[np.int64]) -> Coded:
    low, high = (int(column.min()), int(column.max())) if len(column) else (0, -1)
    if high - low > MOST_CLASSES:
        values, codes = np.unique(column, return_inverse=True)
        return Coded(codes, tuple(map(str, values.tolist())))
    from_zero = column - low if low else column
    present = np.bincount(from_zero, minlength=1) > 0
    codes = from_zero if present.all() else (np.cumsum(present) - 1)[from_zero]
    return Coded(codes, tuple(str(low + int(offset)) for offset in np.flatnonzero(present)))


def _wrong_labels(found: str, where: str) -> DiagnosticsError:
    text = f"labels must be one column of whole numbers or text; found {found}."
    return DiagnosticsError.of("data-type", text, where=where)
