"""``Mahalanobis``: distances in standard deviations of a class, of all classes, or relative to the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned
from surefoot.monitors.detectors.covariance import centre_of, shrunk, shrunk_class
from surefoot.monitors.detectors.groups import grouped, parts, scored_by_class
from surefoot.monitors.detectors.magnitudes import bounded
from surefoot.monitors.detectors.units import in_units, unit_of
from surefoot.monitors.detectors.whitening import Whitening

KINDS = ("class", "tied", "relative")
SHARED, WHOLE = 0, 1
"""Places of the map that all classes share, and of that of all rows as one."""


@dataclass(eq=False)
class Mahalanobis(Detector, name="mahalanobis"):
    """Squared Mahalanobis distance of a row to the Gaussian of a class.

    ``kind``: ``"class"`` measures to the predicted class with a covariance of its own. ``"tied"`` measures to the
    nearest class with the covariance that all share (Lee et al. 2018, "A simple unified framework for detecting
    out-of-distribution samples and adversarial attacks"); without labels all rows are one class. ``"relative"``
    subtracts the distance to one Gaussian of all rows (Ren et al. 2021, "A simple fix to Mahalanobis distance for
    improving near-OOD detection").

    ``shrinkage`` is the weight of a simpler covariance: that of a sphere, or for a class that of all classes; None
    takes the one of Ledoit and Wolf (2004), and 0 the plain covariance where it is regular. A feature that never
    varied makes a row that leaves its value strange.
    """

    kind: str = "class"
    shrinkage: float | None = None

    def __post_init__(self) -> None:
        validate.choice(self.kind, KINDS, where=self.name, name="kind")
        if self.shrinkage is not None:
            self.shrinkage = validate.probability(self.shrinkage, where=self.name, name="shrinkage")

    @property
    def by_class(self) -> bool:  # type: ignore[override]
        """Whether it needs labels to fit and predictions to score."""
        return self.kind == "class"

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        if self.kind == "relative" and classes.max() == 0:
            raise InvalidInput(
                "the relative distance needs rows of two classes",
                where=self.name,
                found="one class" if len(rows) > 1 else "one row",
                remedy="Give labels, or use kind='tied'.",
            )
        unit = unit_of(rows)
        groups = parts(*grouped(in_units(rows, unit), classes))
        centres = np.array([centre_of(group) for group in groups])
        centred = [group - centre for group, centre in zip(groups, centres, strict=True)]
        whitenings = self._whitenings(np.concatenate(groups), centres, centred)
        return {
            "unit": np.array(unit),
            "centres": centres,
            "origins": np.array([each.centre for each in whitenings]),
            "matrices": np.array([each.matrix for each in whitenings]),
        }

    def _whitenings(self, rows: FloatArray, centres: FloatArray, centred: list[FloatArray]) -> list[Whitening]:
        """That of each class, or the one that all share and, where it is relative, that of the whole."""
        middle, together = centre_of(rows), np.concatenate(centred)
        if self.kind == "class":
            return self._of_classes(centres, centred, shrunk(together, self.shrinkage))
        shared = [self._of_sphere(middle, together)]
        return [*shared, self._of_sphere(middle, rows - middle)] if self.kind == "relative" else shared

    def _of_sphere(self, centre: FloatArray, centred: FloatArray) -> Whitening:
        plain = Whitening.of_rows(centre, centred, len(centred)) if self.shrinkage == 0 else None
        return plain or Whitening.of_covariance(centre, shrunk(centred, self.shrinkage))

    def _of_classes(self, centres: FloatArray, centred: list[FloatArray], pooled: FloatArray) -> list[Whitening]:
        found = []
        for centre, rows in zip(centres, centred, strict=True):
            plain = Whitening.of_rows(centre, rows, len(rows)) if self.shrinkage == 0 else None
            found.append(plain or Whitening.of_covariance(centre, shrunk_class(rows, pooled, self.shrinkage)))
        return found

    def _prepared(self, learned: Learned) -> _Ready:
        pairs = zip(learned["origins"], learned["matrices"], strict=True)
        maps = [Whitening(origin, matrix, 0.0) for origin, matrix in pairs]
        return _Ready(float(learned["unit"]), maps, maps[SHARED].of(learned["centres"]))

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: _Ready) -> FloatArray:
        def distances(number: int, some: NDArray[Any]) -> FloatArray:
            values = in_units(some, ready.unit)
            if self.kind == "class":
                return ready.to_centre(number, values)
            nearest = ready.to_nearest(values)
            return nearest - ready.to_centre(WHOLE, values) if self.kind == "relative" else nearest

        return scored_by_class(rows, classes, distances)


@dataclass(frozen=True, eq=False)
class _Ready:
    unit: float
    maps: list[Whitening]
    """One a class, or the shared one and that of the whole."""
    centres: FloatArray
    """Those of the classes after the shared map."""

    def to_centre(self, number: int, values: FloatArray) -> FloatArray:
        """Squared distance to the centre of a map."""
        white = self.maps[number].of(values)
        return bounded(np.einsum("ij,ij->i", white, white))

    def to_nearest(self, values: FloatArray) -> FloatArray:
        """Squared distance to the nearest class after the shared map."""
        from scipy.spatial.distance import cdist

        return bounded(cdist(self.maps[SHARED].of(values), self.centres, "sqeuclidean").min(axis=1))
