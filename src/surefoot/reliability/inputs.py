"""The data of an assessment, checked once: labelled points, held-out tests, inputs from operation."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.profile.rows import as_table
from surefoot.reliability.grid import Grid

WHERE = "assess_cells"
BYTES_A_CELL = 120
USABLE = 0.6
"""Share of the free memory that cells may take."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """Points and their labels as they were given."""

    points: FloatArray
    labels: NDArray[Any]

    def without(self, rows: NDArray[np.bool_]) -> Labelled:
        """All rows but these."""
        return Labelled(self.points[~rows], self.labels[~rows])


def labelled(points: Any, labels: Any, *, name: str, columns: int | None = None) -> Labelled:
    """Rows of finite features and one label each."""
    checked, given = rows_of(points, name=name, columns=columns), np.asarray(labels)
    if given.ndim != 1 or len(given) != len(checked):
        raise InvalidInput(
            f"{name} needs one label for each of its {len(checked):,} rows",
            where=WHERE,
            found=f"labels of shape {given.shape}",
        )
    return Labelled(checked, _one_kind(given, name))


def _one_kind(labels: NDArray[Any], name: str) -> NDArray[Any]:
    """Labels that can be told apart and sorted."""
    if labels.dtype != object:
        return labels
    missing = [row for row, label in enumerate(labels) if label is None]
    if missing:
        raise InvalidInput(f"row {missing[0]} of {name} has no label", where=WHERE, found=f"{len(missing)} such rows")
    return np.asarray([str(label) for label in labels]) if any(isinstance(v, str) for v in labels) else labels


def rows_of(points: Any, *, name: str, columns: int | None = None) -> FloatArray:
    """A table of finite numbers with at least one row."""
    table = as_table(points, where=WHERE, name=name, columns=columns)
    if 0 in table.shape:
        raise InvalidInput(f"{name} must have rows of features", where=WHERE, found=f"shape {table.shape}")
    return table


def require_several_classes(labels: NDArray[Any]) -> None:
    """At least two different labels."""
    distinct = np.unique(labels)
    if distinct.size < 2:
        raise InvalidInput(
            "the labelled data have one class only",
            where=WHERE,
            found=f"{len(labels):,} rows of {distinct.tolist()!r}",
            remedy="Add rows of the other classes: without them nothing says where their cells are.",
        )


def require_memory(grid: Grid, classes: int) -> None:
    """All cells fit into the memory that is free."""
    needed, free = len(grid) * (BYTES_A_CELL + 8 * classes), _free_memory()
    if needed > USABLE * free:
        most = int(USABLE * free / (BYTES_A_CELL + 8 * classes))
        factor = (len(grid) / most) ** (1 / grid.dimensions)
        raise InvalidInput(
            f"{len(grid):,} cells need about {needed / 1e9:.1f} GB",
            where=WHERE,
            found=f"room for about {most:,} cells in {free / 1e9:.1f} GB of free memory",
            remedy=f"Use a side {factor:.2g} times as large, fewer features, or a narrower domain.",
        )


def copies_of(points: FloatArray, others: FloatArray) -> NDArray[np.bool_]:
    """Which points are copies of the others, each of which has at most one; rounding to single precision is let pass.

    Values of coarse features repeat by chance. Taking away one point for each of the others leaves a fair sample then.
    """
    waiting = Counter(_keys(others))
    found = np.zeros(len(points), dtype=bool)
    for row, key in enumerate(_keys(points)):
        if waiting[key] > 0:
            waiting[key] -= 1
            found[row] = True
    return found


def _keys(points: FloatArray) -> list[bytes]:
    """Equal for rows that are equal in single precision; adding 0 makes -0.0 the same as 0.0."""
    with np.errstate(over="ignore"):
        rounded = np.ascontiguousarray(points, dtype=np.float32) + np.float32(0)
    return [row.tobytes() for row in rounded]


def _free_memory() -> float:
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (ValueError, OSError, AttributeError):
        return 4e9
