"""Rows of one class together, a bounded number at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.profile.slicing import slices

VALUES = 1 << 16
"""Values scored at a time, so that they stay in the cache."""


def grouped(rows: NDArray[Any], classes: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The rows ordered by class, and where each class ends; every class from 0 to the last has rows."""
    return rows[np.argsort(classes, kind="stable")], np.cumsum(np.bincount(classes))


def parts(rows: NDArray[Any], ends: NDArray[np.int64]) -> list[NDArray[Any]]:
    """The rows of each class."""
    return np.split(rows, ends[:-1])


def scored_by_class(
    rows: NDArray[Any], classes: NDArray[np.int64], score: Callable[[int, NDArray[Any]], FloatArray]
) -> FloatArray:
    """Scores that depend on the class: ``score`` gets the number of a class and some rows that have it."""
    scores = np.empty(len(rows))
    for number in np.unique(classes):
        chosen = np.flatnonzero(classes == number)
        for part in slices(len(chosen), max(1, VALUES // max(1, rows.shape[1]))):
            scores[chosen[part]] = score(int(number), rows[chosen[part]])
    return scores
