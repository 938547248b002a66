"""Two columns side by side: the items that have both values, and what changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core.validate import FloatArray


@dataclass(frozen=True, eq=False)
class Pairs:
    """Values of the items that have both, with their units as numbers from 0, or None where items are independent."""

    first: FloatArray
    second: FloatArray
    units: NDArray[np.int64] | None
    left_out: int

    @classmethod
    def of(cls, first: FloatArray, second: FloatArray, units: NDArray[np.int64] | None) -> Pairs:
        """Pairs without NaN; infinite values are values."""
        kept = ~(np.isnan(first) | np.isnan(second))
        numbers = None if units is None else numbered(units[kept])
        return cls(first[kept], second[kept], numbers, int(kept.size - kept.sum()))

    @property
    def count(self) -> int:
        """How many pairs."""
        return int(self.first.size)

    @property
    def unit_count(self) -> int:
        """How many independent units they come from."""
        return self.count if self.units is None else int(self.units.max(initial=-1)) + 1

    @property
    def undefined(self) -> str:
        """Why their correlation is undefined; nothing where it is not."""
        if self.count < 2:
            return "fewer than two items have both values"
        constant = [np.all(column == column[0]) for column in (self.first, self.second)]
        return "a column does not vary" if any(constant) else ""


def difference(after: FloatArray, before: FloatArray) -> FloatArray:
    """What changed; nothing where both are equal, infinite or not, and NaN where one is missing."""
    with np.errstate(invalid="ignore"):
        return np.where(after == before, 0.0, after - before)


def numbered(units: ArrayLike) -> NDArray[np.int64]:
    """Names of units as numbers from 0."""
    return np.unique(np.asarray(units), return_inverse=True)[1].reshape(-1)


def per_unit(values: FloatArray, units: NDArray[np.int64] | None) -> FloatArray:
    """Sums in each unit."""
    return values if units is None else np.asarray(np.bincount(units, values), dtype=np.float64)
