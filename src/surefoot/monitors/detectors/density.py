"""``KernelDensity``: rows where few rows were fitted are strange."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned
from surefoot.monitors.detectors.covariance import centre_of, shrunk
from surefoot.monitors.detectors.groups import scored_by_class
from surefoot.monitors.detectors.kernel_sums import WhiteDensity
from surefoot.monitors.detectors.units import in_units, unit_of
from surefoot.monitors.detectors.whitening import Whitening

KERNELS = ("gaussian", "exponential")
"""Those that end nowhere: a density of 0 has no logarithm."""


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


@dataclass(eq=False)
class KernelDensity(Detector, name="kernel_density"):
    """Minus the logarithm of a kernel density of all fitted rows (Rosenblatt 1956, Parzen 1962).

    ``bandwidth``: a scale for all features or one for each, as in ``profile.KDE``; or ``"scott"`` or ``"silverman"``,
    a factor times the covariance as in scipy, shrunk (Ledoit and Wolf 2004) where it is singular. ``kernel``:
    ``"gaussian"`` or ``"exponential"``.
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
