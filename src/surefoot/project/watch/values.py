"""Values of columns, row by row: numbers, texts and arrays; what cannot be used is named by its row."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.documents import quoted
from surefoot.project.conditions import as_text
from surefoot.project.watch.chunk import Column

LARGEST = 1e100
CODE = re.compile(r"\s*[+-]?0\d")
Wrong = dict[int, str]
"""What is wrong with rows, by their number; the first reason counts."""


def numbers(name: str, column: Column, wrong: Wrong) -> NDArray[np.float64]:
    """One finite number a row; others are 0, and wrong."""
    quick = _quickly(column)
    if quick is not None and quick.ndim == 1:
        bad = ~(np.abs(quick) <= LARGEST)
        if not bad.any():
            return quick
        for row in np.flatnonzero(bad).tolist():
            wrong.setdefault(row, f"column {quoted(name)} has {quick[row]}")
        return np.where(bad, 0.0, quick)
    found = np.zeros(len(column))
    for row, value in enumerate(column):
        number = _number_of(value)
        if number is None:
            wrong.setdefault(row, f"column {quoted(name)} has {_shown(value)}, which is no number")
        else:
            found[row] = number
    return found


def _quickly(column: Column) -> NDArray[np.float64] | None:
    """All values at once, where they are all numbers."""
    if isinstance(column, np.ndarray):
        return column.astype(float) if column.dtype.kind in "biuf" else None
    if any(isinstance(value, bool) for value in column) or not _plainly_written(column):
        return None
    try:
        return np.array(column, dtype=float)
    except (ValueError, TypeError, OverflowError):
        return None


def _plainly_written(column: Column) -> bool:
    """Whether text has only what numbers are written with."""
    text = "".join(value for value in column if isinstance(value, str))
    return text.isascii() and "_" not in text


def _number_of(value: Any) -> float | None:
    if (
        value is None
        or isinstance(value, bool | list | dict)
        or (isinstance(value, str) and not _plainly_written([value]))
    ):
        return None
    try:
        number = float(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return number if abs(number) <= LARGEST else None


def _shown(value: Any) -> str:
    return "nothing" if value is None or value == "" else quoted(value, 60)


def texts(name: str, column: Column, wrong: Wrong, *, plain: bool = False) -> NDArray[Any]:
    """One text a row; ``plain`` writes numbers as the operating conditions do."""
    found = []
    for row, value in enumerate(column.tolist() if isinstance(column, np.ndarray) else column):
        if value is None or value == "" or value != value or isinstance(value, list | dict):
            wrong.setdefault(row, f"column {quoted(name)} has {_shown(value)}")
            found.append("")
            continue
        found.append(as_text(_number_or_text(value)) if plain else str(value))
    return np.array(found, dtype=str if plain else object)


def _number_or_text(value: Any) -> Any:
    """A number where text is one and is written as one; 007 is a code."""
    if not isinstance(value, str) or CODE.match(value):
        return value
    number = _number_of(value)
    return value if number is None else number


def shaped(name: str, column: Column, shape: tuple[int, ...], dtype: np.dtype[Any], wrong: Wrong) -> NDArray[Any]:
    """An array a row, all of one shape; axes of length 1 do not matter."""
    found = np.zeros((len(column), *shape), dtype=dtype if isinstance(column, np.ndarray) else float)
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf" and column.shape[1:] == shape:
        flat = column.reshape(len(column), -1)
        bad = np.zeros(len(column), bool) if column.dtype.kind != "f" else ~(np.abs(flat) <= LARGEST).all(axis=1)
        for row in np.flatnonzero(bad).tolist():
            wrong.setdefault(row, f"{quoted(name)} has NaN, infinity or a number beyond {LARGEST:g}")
        return np.where(bad.reshape(-1, *([1] * len(shape))), 0, column).astype(column.dtype)
    for row, value in enumerate(column):
        array = _array_of(value)
        if array is None or array.size != math.prod(shape) or not (np.abs(array) <= LARGEST).all():
            what = "is no array of numbers" if array is None else f"has the shape {array.shape}, or no finite numbers"
            wrong.setdefault(row, f"{quoted(name)} {what}; {shape} is needed")
        else:
            found[row] = array.reshape(shape)
    return as_type(found, dtype)


def _array_of(value: Any) -> NDArray[np.float64] | None:
    try:
        return np.asarray(value, dtype=float)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None


def as_type(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Values in the type of the reference, where nothing is lost."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return values.astype(dtype)
    changed = values.astype(dtype) if dtype.kind in "iu" and (np.abs(values) < 2**31).all() else values
    return changed if np.array_equal(changed, values) else values
