"""Values of independent units, and their mean: what every interval starts from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.basis import Basis, Range

CLOSE = 1e-9
"""Two values that differ by less, relative to the range, are one value with rounding."""


@dataclass(frozen=True, eq=False)
class Measured:
    """One figure of each row, the units rows belong to, their weights, and where figures can lie."""

    values: FloatArray
    basis: Basis
    range: Range

    @cached_property
    def mean(self) -> float:
        """The weighted mean over rows; what is the same in every row is not rounded."""
        if self.distinct.size == 1:
            return float(self.distinct[0])
        return float(np.average(self.values, weights=self.basis.weights))

    @cached_property
    def distinct(self) -> FloatArray:
        """The values that occur."""
        low, high = self.range
        found = np.unique(self.values)
        return found[np.concatenate([[True], np.diff(found) > CLOSE * (high - low)])]

    @property
    def independent(self) -> bool:
        """Whether every row is a trial of its own, and all weigh the same."""
        return self.basis.weights is None and self.basis.unit_count == self.basis.rows

    @cached_property
    def sums(self) -> FloatArray:
        """Weighted sum of each unit's rows."""
        return sums_by_unit(self.values, self.basis)

    @cached_property
    def sizes(self) -> FloatArray:
        """Weight of each unit's rows."""
        return sums_by_unit(np.ones(self.basis.rows), self.basis)


def sums_by_unit(values: FloatArray, basis: Basis) -> FloatArray:
    """Weighted sum over the rows of each unit."""
    weighed = values if basis.weights is None else values * basis.weights
    if basis.units is None:
        return weighed
    return np.asarray(np.bincount(basis.unit_numbers, weighed, minlength=basis.unit_count), dtype=np.float64)
