"""Classes that a model answered and classes that are true, one a row, so that no two different ones are equal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.bounds.plain import plain_array
from surefoot.core import InvalidInput, validate
from surefoot.monitors.returns.basis import WHERE

Classes = NDArray[Any]


def answers_and_truths(predictions: ArrayLike, truths: ArrayLike) -> tuple[Classes, Classes]:
    """Both as arrays that can be compared row by row."""
    answered, true = _classes(predictions, "predictions"), _classes(truths, "truths")
    validate.same_length(WHERE, predictions=answered, truths=true)
    if (answered.dtype.kind in "US") != (true.dtype.kind in "US"):
        raise InvalidInput(
            "predictions and truths must both be text or both be numbers",
            where=WHERE,
            found=f"predictions of {answered.dtype} and truths of {true.dtype}",
            remedy="Name classes the same way in both.",
        )
    return answered, true


def _classes(values: ArrayLike, name: str) -> Classes:
    array = plain_array(values, where=WHERE, name=name)
    if array.ndim != 1:
        remedy = "Give the class answered, not a score for each class."
        raise InvalidInput(f"{name} must be one class a row", where=WHERE, found=f"shape {array.shape}", remedy=remedy)
    if array.dtype.kind == "f":
        validate.numbers(array, where=WHERE, name=name, finite=False)
    if array.dtype.kind in "Mm" and np.isnat(array).any():
        raise InvalidInput(f"{name} must not be missing", where=WHERE, found="not a time")
    return array
