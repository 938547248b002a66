"""Sums of kernels around whitened points by one product of matrices."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.magnitudes import bounded
from surefoot.monitors.detectors.whitening import Whitening
from surefoot.profile.distances import squared_distances
from surefoot.profile.kernels import kernel_named
from surefoot.profile.slicing import slices

EXPONENTS = 1 << 19
"""Kernel values at a time: 4 MB."""
LOST = 1e-8
"""Rounding of a squared distance in bandwidths that a product of matrices may bring."""
EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class WhiteDensity:
    """A kernel density whose kernel is a function of the distance after whitening."""

    whitening: Whitening
    points: FloatArray
    """After whitening."""
    table: FloatArray | None
    """Points, one a column, below them minus half their squared length and ones; None where products lose too much."""
    kernel: str

    @classmethod
    def of(cls, whitening: Whitening, rows: FloatArray, kernel: str = "gaussian") -> WhiteDensity:
        """The density of rows."""
        points = whitening.of(rows)
        halves = np.einsum("ij,ij->i", points, points) / 2
        lost = 16 * EPSILON * (points.shape[1] + 4) * float(halves.max())
        table = np.vstack([points.T, -halves, np.ones(len(points))]) if lost <= LOST else None
        return cls(whitening, points, table, kernel)

    def log_density(self, rows: FloatArray) -> FloatArray:
        """Logarithm of the density at each row, bounded."""
        white, size = self.whitening.of(rows), max(1, EXPONENTS // len(self.points))
        sums = np.concatenate([self._log_sums(white[part]) for part in slices(len(white), size)])
        height = kernel_named(self.kernel).log_norm(white.shape[1]) - self.whitening.log_det
        return bounded(sums + (height - math.log(len(self.points))))

    def _log_sums(self, white: FloatArray) -> FloatArray:
        exponents = self._minus_half_squares(white)
        if self.kernel == "exponential":
            exponents = -np.sqrt(-2 * np.minimum(exponents, 0.0))
        top = exponents.max(axis=1)
        exponents -= top[:, None]
        return np.asarray(np.log(np.exp(exponents, out=exponents).sum(axis=1)) + top)

    def _minus_half_squares(self, white: FloatArray) -> FloatArray:
        if self.table is None:
            return squared_distances(white, self.points) / -2
        halves = np.einsum("ij,ij->i", white, white) / 2
        return np.column_stack([white, np.ones(len(white)), -halves]) @ self.table
