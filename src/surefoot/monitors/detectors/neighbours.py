"""``KNN``: rows far from their k-th nearest fitted row are strange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.rows import directions
from surefoot.monitors.detectors.base import Detector, Learned
from surefoot.monitors.detectors.groups import grouped, parts, scored_by_class
from surefoot.monitors.detectors.magnitudes import bounded
from surefoot.monitors.detectors.nearest import Nearest
from surefoot.monitors.detectors.units import in_units, unit_of


@dataclass(eq=False)
class KNN(Detector, name="knn"):
    """Distance to the k-th nearest fitted row.

    Sun et al. (2022), "Out-of-distribution detection with deep nearest neighbors". ``normalise`` scales rows to length
    1 first, as there. ``per_class`` looks among the rows of the predicted class. Where there are fewer than ``k`` rows,
    the farthest counts.
    """

    k: int = 10
    normalise: bool = False
    per_class: bool = False

    def __post_init__(self) -> None:
        self.k = validate.count(self.k, where=self.name, name="k", at_least=1)

    @property
    def by_class(self) -> bool:  # type: ignore[override]
        """Whether it needs labels to fit and predictions to score."""
        return self.per_class

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        unit = 1.0 if self.normalise else unit_of(rows)
        ordered, ends = grouped(self._values(rows, unit), classes if self.per_class else np.zeros_like(classes))
        return {"rows": ordered, "ends": ends, "unit": np.array(unit)}

    def _prepared(self, learned: Learned) -> tuple[float, list[Nearest]]:
        return float(learned["unit"]), [Nearest.among(part) for part in parts(learned["rows"], learned["ends"])]

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: tuple[float, list[Nearest]]) -> FloatArray:
        unit, neighbours = ready

        def distances(number: int, some: NDArray[Any]) -> FloatArray:
            among = neighbours[number]
            return among.nth(self._values(some, unit), min(self.k, len(among.rows))).distances

        return bounded(unit * scored_by_class(rows, classes, distances))

    def _values(self, rows: NDArray[Any], unit: float) -> FloatArray:
        return directions(rows) if self.normalise else in_units(rows, unit)
