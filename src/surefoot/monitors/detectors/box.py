"""``FeatureBox``: rows outside the box that holds the features of their class are strange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned
from surefoot.monitors.detectors.groups import scored_by_class
from surefoot.monitors.detectors.magnitudes import bounded, divisor, ratio

ROUNDED = 6
"""Decimals in which rows must differ, at the scale of their largest value, to count as distinct."""


@dataclass(eq=False)
class FeatureBox(Detector, name="feature_box"):
    """Boxes around the features of each predicted class (Henzinger, Lukina and Schilling 2020, "Outside the Box").

    A score is 0 inside a box. Outside it says by how much more all sides would have to be moved, as a share of the
    box's width, until the nearest box held the row. A side without width takes the width of its feature over all fitted
    rows, or 1 where the feature is constant.
    """

    margin: float = 0.0
    """How far sides are moved outward, as a share of the width."""
    clusters: int = 1
    """Boxes of a class; more than one follow k-means clusters."""
    quantile: float = 0.0
    """The share of fitted rows that each side leaves out."""
    seed: int = 0
    by_class = True

    def __post_init__(self) -> None:
        self.margin = validate.at_least_zero(self.margin, where=self.name, name="margin")
        self.quantile = validate.number(self.quantile, where=self.name, name="quantile")
        self.clusters = validate.count(self.clusters, where=self.name, name="clusters", at_least=1)
        self.seed = validate.seed(self.seed, where=self.name)
        if not 0 <= self.quantile < 0.5:
            raise InvalidInput("quantile must lie in [0, 0.5)", where=self.name, found=f"{self.quantile:g}")

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        values = bounded(rows)
        groups = [self._clustered(values[classes == number]) for number in range(classes.max() + 1)]
        sides = np.array([0.0, 1.0]) + np.array([1.0, -1.0]) * self.quantile
        boxes = np.array([np.quantile(group, sides, axis=0) for parts in groups for group in parts])
        extent = values.max(axis=0) - values.min(axis=0)
        size = np.abs(values).max(axis=0)
        widths = divisor(boxes[:, 1] - boxes[:, 0], size, divisor(extent, size))
        ends = np.cumsum([len(parts) for parts in groups])
        return {"low": boxes[:, 0], "high": boxes[:, 1], "widths": widths, "ends": ends}

    def _clustered(self, rows: FloatArray) -> list[FloatArray]:
        if self.clusters == 1:
            return [rows]
        from sklearn.cluster import KMeans

        scaled = rows / divisor(np.abs(rows).max(), np.zeros(()))
        distinct = len(np.unique(scaled.round(ROUNDED), axis=0))
        numbers = KMeans(min(self.clusters, distinct), n_init=4, random_state=self.seed).fit_predict(scaled)
        return [rows[numbers == number] for number in np.unique(numbers)]

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Learned) -> FloatArray:
        return scored_by_class(bounded(rows), classes, lambda number, own: self._outside(number, own, ready))

    def _outside(self, number: int, rows: FloatArray, ready: Learned) -> FloatArray:
        start, end = (0, *ready["ends"])[number], ready["ends"][number]
        nearest = np.min([_sides_moved(rows, ready, box) for box in range(start, end)], axis=0)
        return np.maximum(nearest - self.margin, 0.0)


def _sides_moved(rows: FloatArray, ready: Learned, box: int) -> FloatArray:
    """By how many widths the sides of one box must be moved to hold each row."""
    excess = np.maximum(ready["low"][box] - rows, rows - ready["high"][box])
    return np.maximum(ratio(excess, ready["widths"][box]), 0.0).max(axis=1)
