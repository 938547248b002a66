"""Errors of numbers: one value an item, or as many for each."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks.base import Metric, check_items, metric, ratio, shares


@metric
def rmse() -> Metric:
    """Root mean square error (SYS Eqn. (1)); that of an item is |output - truth|.

    Where an item is several numbers, the mean is taken over all numbers of all items.
    """
    return Metric(
        name="rmse",
        better="lower",
        statistics=partial(_statistics, power=2, where="rmse"),
        value=_root_mean,
        error=_root_mean,
        columns=("squared error", "numbers"),
        meaning="root mean square error",
    )


@metric
def mae() -> Metric:
    """Mean absolute error; where an item is several numbers, over all numbers of all items."""
    return Metric(
        name="mae",
        better="lower",
        statistics=partial(_statistics, power=1, where="mae"),
        value=shares,
        error=shares,
        columns=("absolute error", "numbers"),
        meaning="mean absolute error",
    )


def _root_mean(sums: FloatArray) -> FloatArray:
    return np.sqrt(ratio(sums[..., 0], sums[..., 1]))


def _statistics(outputs: Any, truths: Any, *, power: int, where: str) -> FloatArray:
    check_items(outputs, truths, where=where)
    found = _rows(outputs, where=where, name="outputs")
    real = _rows(truths, where=where, name="truths")
    if found.shape != real.shape:
        shapes = f"{found.shape[1]} in outputs and {real.shape[1]} in truths"
        raise InvalidInput("items must have as many numbers in both", where=where, found=shapes)
    with np.errstate(over="ignore"):
        errors = (np.abs(found - real) ** power).sum(axis=1)
        if not np.isfinite(errors.sum()):
            remedy = "Give numbers in a larger unit."
            raise Undefined(
                "the errors are too large to be added", where=where, found=f"{errors.max():g}", remedy=remedy
            )
    return np.column_stack([errors, np.full(len(found), float(found.shape[1]))])


def _rows(values: Any, *, where: str, name: str) -> FloatArray:
    numbers = validate.numbers(values, where=where, name=name)
    if not numbers.size:
        raise InvalidInput(f"{name} must have a number an item", where=where, found=f"shape {numbers.shape}")
    return numbers.reshape(len(numbers), -1)
