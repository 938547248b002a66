"""``KernelDensity``: rows where few rows were fitted are strange.

Sums of kernels around whitened points come from one product of matrices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned, bounded, in_units, scored_by_class, unit_of
from surefoot.monitors.detectors.mahalanobis import Whitening, centre_of, shrunk
from surefoot.profile.input_arrays import slices
from surefoot.profile.kde.bandwidth import kernel_named, squared_distances

KERNELS = ("gaussian", "exponential")
"""Those that end nowhere: a density of 0 has no logarithm."""
EXPONENTS = 1 << 19
"""Kernel values at a time: 4 MB."""
LOST = 1e-8
"""Rounding of a squared distance in bandwidths that a product of matrices may bring."""
EPSILON = float(np.finfo(float).eps)


@dataclass(eq=False)
class KernelDensity(Detector, name="kernel_density"):
    """Minus the logarithm of a kernel density of all fitted rows (Rosenblatt 1956, Parzen 1962).

    Parameters
    ----------
    bandwidth
        A scale for all features or one for each, as in ``profile.KDE``; or ``"scott"`` or ``"silverman"``, a factor
        times the covariance as in scipy, shrunk (Ledoit and Wolf 2004) where it is singular.
    kernel
        ``"gaussian"`` or ``"exponential"``.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rows = np.random.default_rng(0).normal(size=(500, 1))
    >>> sf.monitors.KernelDensity().fit(rows).decision_function([[0.0], [3.0]]).round(1)
    array([1. , 5.1])

    """

    bandwidth: str | float | list[float] = "scott"
    kernel: str = "gaussian"

    def __post_init__(self) -> None:
        validate.choice(self.kernel, KERNELS, where=self.name, name="kernel")
        if isinstance(self.bandwidth, str):
            validate.choice(self.bandwidth, RULES, where=self.name, name="bandwidth")
            return
        scales = validate.numbers(self.bandwidth, where=self.name, name="bandwidth")
        if scales.ndim > 1 or not scales.size or (scales <= 0).any():
            raise InvalidInput(
                "bandwidth must be a positive number, or one for each feature", where=self.name, found=repr(scales)
            )
        self.bandwidth = scales.tolist()

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        unit = unit_of(rows)
        values = in_units(rows, unit)
        whitening = self._whitening(values, unit)
        return {
            "unit": np.array(unit),
            "rows": values,
            "centre": whitening.centre,
            "matrix": whitening.matrix,
            "log_det": np.array(whitening.log_det),
        }

    def _whitening(self, values: FloatArray, unit: float) -> Whitening:
        centre, features = centre_of(values), values.shape[1]
        if isinstance(self.bandwidth, str):
            return kernel_whitening(centre, values, shrunk(values - centre), RULES[self.bandwidth](*values.shape))
        scales = np.asarray(self.bandwidth) / unit
        if scales.ndim and len(scales) != features:
            raise InvalidInput(
                "bandwidth must be one number, or one for each feature",
                where=self.name,
                found=f"{len(scales)} numbers for {features} features",
            )
        scales = np.broadcast_to(scales, features)
        return Whitening(centre, 1 / scales, float(np.log(scales).sum()))

    def _prepared(self, learned: Learned) -> WhiteDensity:
        whitening = Whitening(learned["centre"], learned["matrix"], float(learned["log_det"]))
        return WhiteDensity.of(whitening, learned["rows"], self.kernel)

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: WhiteDensity) -> FloatArray:
        unit = float(self.learned["unit"])

        def log_density(_: int, some: NDArray[Any]) -> FloatArray:
            return ready.log_density(in_units(some, unit))

        return rows.shape[1] * math.log(unit) - scored_by_class(rows, classes, log_density)


def scott(rows: int, features: int) -> float:
    """Bandwidth in standard deviations (Scott 1992)."""
    return float(rows ** (-1 / (features + 4)))


def silverman(rows: int, features: int) -> float:
    """Bandwidth in standard deviations (Silverman 1986)."""
    return float((rows * (features + 2) / 4) ** (-1 / (features + 4)))


RULES = {"scott": scott, "silverman": silverman}


def kernel_whitening(centre: FloatArray, rows: FloatArray, otherwise: FloatArray, factor: float) -> Whitening:
    """By a factor times the covariance of the rows, as in scipy, or times ``otherwise`` where it is singular."""
    plain = Whitening.of_rows(centre, rows - centre, len(rows) - 1)
    return (plain or Whitening.of_covariance(centre, otherwise)).widened(factor)


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
