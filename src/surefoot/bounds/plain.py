"""Labels and rows as arrays of one plain type, so that no two different entries are taken for equal."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput

PLAIN_KINDS = "biufUSMm"
REMEDY = "Convert all entries to text, or all to numbers, and replace missing ones."


def plain_array(values: ArrayLike, *, where: str, name: str) -> NDArray[Any]:
    """A filled array of numbers, of dates or of text, also from lists and arrays of objects.

    NumPy turns a mixture such as ``[1, "1"]`` into text, in which the two are equal; a mixture is refused instead.
    """
    if np.ma.is_masked(values):
        raise InvalidInput(f"{name} must not be masked", where=where, remedy=REMEDY)
    try:
        array = np.asarray(values)
        if array.dtype.kind in "US" and not hasattr(values, "dtype"):
            array = np.asarray(values, dtype=object)
    except ValueError as error:
        raise InvalidInput(f"{name} must have one shape", where=where, found="rows of several lengths") from error
    if array.ndim == 0 or array.size == 0:
        raise InvalidInput(f"{name} must be a non-empty array", where=where, found=f"shape {array.shape}")
    plain = _unmixed(array, where, name) if array.dtype.hasobject else array
    if plain.dtype.kind not in PLAIN_KINDS:
        raise InvalidInput(f"{name} must be numbers or text", where=where, found=f"{array.dtype}", remedy=REMEDY)
    return plain


def _unmixed(array: NDArray[Any], where: str, name: str) -> NDArray[Any]:
    sorts = _sorts(array.flat)
    if len(sorts) > 1 or not sorts <= {"text", "truth values", "whole numbers", "numbers"}:
        found = ", ".join(sorted(sorts))
        raise InvalidInput(f"{name} must be all numbers or all text", where=where, found=found, remedy=REMEDY)
    plain = np.array(array.tolist())
    if sorts == {"whole numbers"} and plain.dtype.kind not in "iu":
        raise InvalidInput(f"{name} has whole numbers beyond 64 bits", where=where, remedy="Convert them to text.")
    return plain


def _sorts(items: Iterable[Any]) -> set[str]:
    """What the entries are; whole numbers among others count as numbers."""
    sorts = {_sort(kind) for kind in set(map(type, items))}
    return sorts - {"whole numbers"} if "numbers" in sorts else sorts


def _sort(kind: type) -> str:
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, bool | np.bool_):
        return "truth values"
    if issubclass(kind, Integral):
        return "whole numbers"
    return "numbers" if issubclass(kind, Real) else kind.__name__
