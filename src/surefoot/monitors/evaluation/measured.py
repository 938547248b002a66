"""Values of independent units, and their mean: what every interval starts from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.basis import Basis, Range

CLOSE = 1e-12
"""Two values that differ by less, relative to the largest return there can be, are one value with rounding."""


@dataclass(frozen=True, eq=False)
class Measured:
    """One figure of each row, the units rows belong to, their weights, and where figures can lie."""

    values: FloatArray
    basis: Basis
    range: Range

    @cached_property
    def mean(self) -> float:
        """The weighted mean over rows; what is the same in every row is not rounded."""
        if (self.values == self.values[0]).all():
            return float(self.values[0])
        return float(np.average(self.values, weights=self.basis.weights))

    @cached_property
    def distinct(self) -> FloatArray:
        """The values that occur."""
        found = np.unique(self.values)
        return found[np.concatenate([[True], np.diff(found) > self.close])]

    @property
    def close(self) -> float:
        """How far equal values can lie apart by rounding."""
        ends = (*self.range, *self.basis.safety_range, *self.basis.mission_range)
        return CLOSE * max(map(abs, ends))

    @cached_property
    def sums(self) -> FloatArray:
        """Weighted sum of each unit's rows."""
        return self.basis.unit_sums(self.values)

    @cached_property
    def sizes(self) -> FloatArray:
        """Weight of each unit's rows."""
        return self.basis.unit_sums(np.ones(self.basis.rows))
