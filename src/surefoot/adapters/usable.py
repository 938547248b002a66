"""Whether columns can be computed with: numbers or text, finite, of one length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.classes import LONGEST_NAME, Coded
from surefoot.adapters.roles import Column
from surefoot.adapters.wording import is_unicode
from surefoot.core import DiagnosticsError
from surefoot.documents import printable, quoted

CHUNK = 1 << 22


def check_usable(name: str, column: Column, *, where: str) -> None:
    """Numbers without NaN and infinities, or text, with at least one axis."""
    if isinstance(column, Coded):
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
        _check_finite(name, column, where)


def check_lengths(columns: Mapping[str, Column], *, where: str) -> None:
    """One length, and at least one row."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{printable(name)} has {length}" for name, length in lengths.items())
        raise DiagnosticsError.of("data-type", f"columns have different numbers of rows: {found}.", where=where)
    if not any(lengths.values()):
        nothing = "there are no rows." if lengths else "none of the usual names of columns is there."
        raise DiagnosticsError.of("data-empty", nothing, where=where, hint="Name the columns: inputs, labels, scores.")


def as_column(name: str, column: Column, *, where: str) -> NDArray[Any]:
    """One value a row, numbers or short text."""
    if isinstance(column, Coded):
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


def _check_finite(name: str, column: NDArray[Any], where: str) -> None:
    step = max(1, CHUNK // max(1, column[:1].size))
    for start in range(0, len(column), step):
        bad = ~np.isfinite(column[start : start + step])
        if bad.any():
            row = start + int(np.argwhere(bad)[0][0])
            text = f"{quoted(name)} has NaN or infinity in row {row}."
            hint = "Remove or repair such rows, and say so in the report."
            raise DiagnosticsError.of("data-missing-values", text, where=where, hint=hint)
