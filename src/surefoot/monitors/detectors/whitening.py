"""Linear maps after which rows have the identity as their covariance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.magnitudes import bounded

REGULAR = 1e-10
"""Smallest singular value, relative to the largest, of rows that tell their covariance."""
SINGULAR = 1e-12
"""Eigenvalues of a correlation matrix are raised to this."""
LEAST_SCALE = 1e-6
"""Scale of a feature that never varies, relative to the others: to leave it is strange, rounding is not."""


@dataclass(frozen=True, eq=False)
class Whitening:
    """``(rows - centre) @ matrix``; a vector in place of the matrix scales each feature."""

    centre: FloatArray
    matrix: FloatArray
    log_det: float
    """Logarithm of the root of the covariance's determinant."""

    @classmethod
    def of_rows(cls, centre: FloatArray, centred: FloatArray, divisor: int) -> Whitening | None:
        """From the singular values of the rows, which loses half the digits that forming the covariance would lose.

        None where the rows do not tell the covariance: too few, or with features that others determine.
        """
        count, features = centred.shape
        scales = np.sqrt(np.einsum("ij,ij->j", centred, centred))
        if count <= features or not scales.all():
            return None
        _, values, vectors = np.linalg.svd(np.linalg.qr(centred / scales, mode="r"))
        if values[-1] <= REGULAR * values[0]:
            return None
        matrix = vectors.T / values / scales[:, None] * math.sqrt(divisor)
        return cls(
            centre, matrix, float(np.log(scales).sum() + np.log(values).sum() - features * math.log(divisor) / 2)
        )

    @classmethod
    def of_covariance(cls, centre: FloatArray, covariance: FloatArray) -> Whitening:
        """From a covariance, however singular."""
        variances = np.diag(covariance)
        typical = float(variances.mean()) or 1.0
        scales = np.sqrt(np.where(variances > 0, variances, LEAST_SCALE**2 * typical))
        correlation = covariance / np.outer(scales, scales)
        np.fill_diagonal(correlation, 1.0)
        values, vectors = np.linalg.eigh(correlation)
        values = np.maximum(values, SINGULAR)
        log_det = float(np.log(scales).sum() + np.log(values).sum() / 2)
        return cls(centre, vectors / np.sqrt(values) / scales[:, None], log_det)

    def of(self, rows: FloatArray) -> FloatArray:
        """The rows in standard deviations from the centre, bounded."""
        moved = rows - self.centre
        return bounded(moved * self.matrix if self.matrix.ndim == 1 else moved @ self.matrix)

    def widened(self, factor: float) -> Whitening:
        """That of a covariance larger by the square of a factor."""
        more = len(self.centre) * math.log(factor)
        return Whitening(self.centre, self.matrix / factor, self.log_det + more)
