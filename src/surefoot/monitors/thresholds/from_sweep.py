"""Units of calibration from what each is worth at given thresholds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.monitors.returns import Sweep
from surefoot.monitors.thresholds.calibration import NAMES, Calibration, Curves, Figure, Name


@dataclass(frozen=True, eq=False)
class SweepUnits(Calibration):
    """A sweep: its thresholds are all there are."""

    source: Sweep

    @property
    def units(self) -> int:
        return self.source.units

    def candidates(self) -> FloatArray:
        return self.source.thresholds

    def curves(self, thresholds: FloatArray) -> Curves:
        columns = np.searchsorted(self.source.thresholds, thresholds)
        return Curves(thresholds, *(self._values(name)[:, columns].mean(axis=0) for name in NAMES))

    def _values(self, name: Name) -> FloatArray:
        return {"gains": self.source.gains, "residuals": self.source.residuals, "costs": self.source.costs}[name]

    def unit_values(self, threshold: float) -> Sweep:
        column = self.source.thresholds == threshold
        gains, residuals, costs = (self._values(name)[:, column] for name in NAMES)
        at = self.source.thresholds[column]
        return replace(self.source, thresholds=at, gains=gains, residuals=residuals, costs=costs)

    def steps(self, name: Name) -> tuple[float, float]:
        values = self._values(name)
        step = np.diff(values, axis=1) if values.shape[1] > 1 else np.zeros((1, 1))
        return float(step.min()), float(step.max())

    def extremes(self, name: Name) -> tuple[float, float]:
        values = self._values(name)
        return float(values.min()), float(values.max())

    def two_valued(self, figure: Figure) -> bool:
        return bool(np.isin(self._values(figure.name), (0.0, self.width(figure))).all())

    def alarm_share(self, threshold: float) -> float | None:
        return {-np.inf: 1.0, np.inf: 0.0}.get(threshold)

    def lengths(self) -> tuple[int, int] | None:
        return None

    def tied_share(self, thresholds: FloatArray) -> float | None:
        return None

    def part(self, chosen: NDArray[np.bool_]) -> SweepUnits:
        gains, residuals, costs = (self._values(name)[chosen] for name in NAMES)
        return SweepUnits(replace(self.source, gains=gains, residuals=residuals, costs=costs))

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"thresholds": self.source.thresholds, **{name: self._values(name) for name in NAMES}}
