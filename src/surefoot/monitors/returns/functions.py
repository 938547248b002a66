"""Return functions that a caller brings: called on all rows, and what they give checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.basis import WHERE

Function = Callable[..., Any]
"""A return function: of predictions, alarms, truths and context, each with a row an input, a number for each row."""


def as_rows(values: Any, name: str, rows: int | None = None) -> NDArray[Any]:
    """Predictions or truths as an array that no function can change: of numbers or text, otherwise of objects."""
    try:
        given = list(values) if not isinstance(values, np.ndarray) else values
    except TypeError as error:
        raise InvalidInput(f"{name} must be one a row", where=WHERE, found=repr(values)) from error
    if rows is not None and len(given) != rows:
        raise InvalidInput(
            f"{name} and truths must have the same length", where=WHERE, found=f"{len(given)} and {rows}"
        )
    if not isinstance(given, np.ndarray):
        given = _plain(given)
    seen = given.view()
    seen.flags.writeable = False
    return seen


def _plain(values: list[Any]) -> NDArray[Any]:
    if values and all(isinstance(value, str | bool | int | float | np.generic) for value in values):
        return np.asarray(values)
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def called(function: Function, name: str, rows: int, *arguments: Any) -> FloatArray:
    """What a function returns for these rows."""
    found = validate.numbers(function(*arguments), where=WHERE, name=f"{name} returns")
    if found.shape not in ((), (rows,)):
        raise InvalidInput(
            f"the {name} function must return a number for each row", where=WHERE, found=f"shape {found.shape}"
        )
    return np.broadcast_to(found, (rows,)).copy()
