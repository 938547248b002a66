"""Density at data points from the kernels of other points, each left out of its own, resampled for all rows together.

Everything is relative to the density at a row: ``r_ij`` is the share of it that comes from point j, so nothing
underflows. With points of random weights ``g_j``, the density is that of the data times ``sum_j g_j r_ij`` over the
mean weight. For m points its relative variance is ``sum_j r_ij^2 - 1/m`` over resamples (Efron 1979), and m/(m + 1) of
that with exponential weights (Rubin 1981), which never are 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core.validate import FloatArray
from surefoot.profile.bandwidths import Shape
from surefoot.profile.distances import squared_distances
from surefoot.profile.kde import KDE
from surefoot.profile.kernels import kernel_named
from surefoot.profile.slicing import slices

ROWS, POINTS = 256, 4096
NOBODY = -1
"""In place of the number of a point: this row is none of the points."""


@dataclass(frozen=True, eq=False)
class LatentDensity:
    """Gaussian kernel density of some points at given rows."""

    kde: KDE
    rows: FloatArray
    own: NDArray[np.int64]
    """Which point each row is, and is left out of; ``NOBODY`` where it is none."""

    @cached_property
    def log_density(self) -> FloatArray:
        """Natural logarithm of the density at each row."""
        shape, dimensions = self._shape, self.rows.shape[1]
        constant = kernel_named("gaussian").log_norm(dimensions) - shape.log_det
        return np.asarray(self._log_sums[0] - np.log(self._others) + constant)

    @cached_property
    def relative_sd(self) -> FloatArray:
        """Standard deviation of the density over samples of the points, relative to the density."""
        first, second = self._log_sums
        return np.asarray(np.sqrt(np.maximum(np.exp(second - 2 * first) - 1 / self._others, 0)))

    def factors(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Density over that of the data, with random weights of the points that all rows share: (count, rows)."""
        points = len(self.kde.points)
        chance = rng.standard_exponential((count, points))
        single = chance.astype(np.float32)  # half the time of the products, and draws need no more digits
        found = np.empty((count, len(self.rows)))
        for rows in slices(len(self.rows), ROWS):
            total = np.zeros((count, rows.stop - rows.start))
            for some in slices(points, POINTS):
                shares = np.exp(self._exponents(rows, some) - self._log_sums[0][rows, None])
                total += single[:, some] @ shares.astype(np.float32).T
            left_out = np.where(self.own[rows] == NOBODY, 0.0, chance[:, self.own[rows]])
            found[:, rows] = total * self._others[rows] / (chance.sum(axis=1, keepdims=True) - left_out)
        return found

    @cached_property
    def _shape(self) -> Shape:
        return Shape.of(self.kde.bandwidth_, self.rows.shape[1])

    @cached_property
    def _white(self) -> tuple[FloatArray, FloatArray]:
        centre = self.kde.points.mean(axis=0)
        return self._shape.whiten(self.rows - centre), self._shape.whiten(self.kde.points - centre)

    @property
    def _others(self) -> FloatArray:
        """Number of points that are not the row itself."""
        return np.asarray(len(self.kde.points) - (self.own != NOBODY), float)

    @cached_property
    def _log_sums(self) -> tuple[FloatArray, FloatArray]:
        """Logarithms of the sum of kernel values at each row, and of the sum of their squares."""
        parts = [self._block_log_sums(rows) for rows in slices(len(self.rows), ROWS)]
        first, second = (np.concatenate(sums) for sums in zip(*parts, strict=True))
        return first, second

    def _block_log_sums(self, rows: slice) -> tuple[FloatArray, FloatArray]:
        count = rows.stop - rows.start
        top, first, second = np.full(count, -np.inf), np.zeros(count), np.zeros(count)
        for some in slices(len(self.kde.points), POINTS):
            exponents = self._exponents(rows, some)
            highest = np.maximum(top, exponents.max(axis=1))
            shift = np.where(np.isfinite(highest), highest, 0.0)
            values, fade = np.exp(exponents - shift[:, None]), np.exp(top - shift)
            first = first * fade + values.sum(axis=1)
            second = second * fade**2 + np.einsum("ij,ij->i", values, values)
            top = highest
        return np.log(first) + top, np.log(second) + 2 * top

    def _exponents(self, rows: slice, some: slice) -> FloatArray:
        """Logarithms of kernel values; minus infinity where the point is the row itself."""
        queries, points = self._white
        exponents = squared_distances(queries[rows], points[some])
        exponents *= -0.5
        inside = np.flatnonzero((self.own[rows] >= some.start) & (self.own[rows] < some.stop))
        exponents[inside, self.own[rows][inside] - some.start] = -np.inf
        return exponents


def places_among(X: ArrayLike, points: ArrayLike) -> NDArray[np.int64]:
    """Number of the first point that equals each row of ``X``, ``NOBODY`` where none does."""
    rows, others = np.asarray(X), np.asarray(points)
    kind = np.result_type(rows, others)
    first: dict[bytes, int] = {}
    for number, point in enumerate(others):
        first.setdefault(point.astype(kind).tobytes(), number)
    return np.array([first.get(row.astype(kind).tobytes(), NOBODY) for row in rows])
