"""Points, weights, queries and boxes that a density is given, checked once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.rows import as_table

WHERE = "KDE"
LARGEST = 1e150
"""Squares of larger numbers overflow."""


def some_points(values: ArrayLike) -> FloatArray:
    """At least one row, each a point."""
    points = new_points(values, None, name="X")
    if not points.size:
        raise InvalidInput("X needs at least one row with one feature", where=WHERE, found=f"shape {points.shape}")
    return points


def new_points(values: ArrayLike, dimensions: int | None, *, name: str) -> FloatArray:
    """Rows with as many features as the points."""
    rows = as_table(values, where=WHERE, name=name, columns=dimensions)
    if np.abs(rows).max(initial=0) > LARGEST:
        raise InvalidInput(
            f"{name} is too large for double precision",
            where=WHERE,
            found=f"{np.abs(rows).max():g}",
            remedy="Scale the features.",
        )
    return rows


def some_weights(values: ArrayLike | None, count: int) -> FloatArray:
    """Weights scaled to mean 1; ones where none are given."""
    if values is None:
        return np.ones(count)
    weights = validate.vector(values, where=WHERE, name="weights")
    if len(weights) != count:
        raise InvalidInput(
            "weights must be one a point", where=WHERE, found=f"{len(weights):,} weights for {count:,} points"
        )
    if (weights < 0).any() or not weights.any():
        raise InvalidInput(
            "weights must not be negative, and not all 0", where=WHERE, found=f"smallest {weights.min():g}"
        )
    scaled = weights / weights.max()
    return np.asarray(scaled / scaled.mean())


def box_corners(lower: ArrayLike, upper: ArrayLike, dimensions: int) -> tuple[FloatArray, FloatArray]:
    """Corners of boxes, one a row; sides may be infinite."""
    low, high = (
        np.clip(validate.numbers(corner, where=WHERE, name=name, finite=False), -LARGEST, LARGEST)
        for corner, name in ((lower, "lower"), (upper, "upper"))
    )
    low, high = new_points(low, dimensions, name="lower"), new_points(high, dimensions, name="upper")
    validate.same_length(WHERE, lower=low, upper=high)
    if (low > high).any():
        raise InvalidInput(
            "lower must not exceed upper", where=WHERE, found=f"box {int(np.flatnonzero((low > high).any(axis=1))[0])}"
        )
    return low, high
