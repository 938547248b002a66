"""``KNN``: rows far from their k-th nearest fitted row are strange.

The nearest rows are found exactly: one product of matrices finds candidates, differences decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.distances import directions
from surefoot.monitors.detectors.base import (
    Detector,
    Learned,
    bounded,
    grouped,
    in_units,
    parts,
    scored_by_class,
    unit_of,
)
from surefoot.profile.input_arrays import slices

PRODUCTS = 1 << 20
"""Products at a time: 4 MB."""
GATHERED = 1 << 20
"""Differences at a time: 8 MB."""
FAR = 1e12
"""Queries farther from the set than this are compared without single precision."""
GROUPS = 16
"""Groups of products, times n, of which only the largest are ordered."""
ROUNDING = float(np.finfo(np.float32).eps) / 2
SMALLEST = float(np.finfo(np.float32).tiny)


@dataclass(eq=False)
class KNN(Detector, name="knn"):
    """Distance to the k-th nearest fitted row.

    Parameters
    ----------
    k
        Which neighbour counts; where there are fewer rows, the farthest.
    normalise
        Whether rows are scaled to length 1 first, as in the paper.
    per_class
        Whether to look among the rows of the predicted class only.

    References
    ----------
    Sun et al. (2022), "Out-of-distribution detection with deep nearest neighbors".

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.KNN(k=2).fit([[0, 0], [0, 1], [1, 0]]).decision_function([[0, 0], [4, 4]])
    array([1., 5.])

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


class Neighbours(NamedTuple):
    """A row for each query: its place, and its distance."""

    places: NDArray[np.int64]
    distances: FloatArray


@dataclass(frozen=True, eq=False)
class Nearest:
    """Rows of moderate size, prepared for many queries."""

    rows: FloatArray
    centre: FloatArray
    table: NDArray[np.float32]
    """Differences from the centre, one column a row, and below them minus half their squared length."""
    reach: float
    """Largest length of a difference."""

    @classmethod
    def among(cls, rows: FloatArray) -> Nearest:
        """Neighbours among these rows."""
        centre = rows.mean(axis=0)
        moved = rows - centre
        squares = np.einsum("ij,ij->i", moved, moved)
        table = np.vstack([moved.T, -squares / 2]).astype(np.float32)
        return cls(rows, centre, table, float(np.sqrt(squares.max())))

    def nth(self, queries: FloatArray, n: int = 1) -> Neighbours:
        """The n-th nearest row of each query; of rows equally near, the first."""
        moved = queries - self.centre
        lengths = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        found = Neighbours(np.empty(len(queries), dtype=np.int64), np.empty(len(queries)))
        near = np.flatnonzero(lengths <= FAR)
        for part in slices(len(near), max(1, PRODUCTS // len(self.rows))):
            chosen = near[part]
            owners, places = self._candidates(moved[chosen], lengths[chosen], n)
            self._decide(queries, chosen, owners, places, n, found)
        for query in np.flatnonzero(lengths > FAR)[:, None]:
            everything = np.arange(len(self.rows))
            self._decide(queries, query, np.zeros_like(everything), everything, n, found)
        return found

    def _candidates(self, moved: FloatArray, lengths: FloatArray, n: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Pairs of a query and a row that may be among its n nearest, as far as rounding lets one tell."""
        ones = np.ones((len(moved), 1))
        products = np.hstack([moved, ones]).astype(np.float32) @ self.table
        least = _reached(products, n)
        error = (moved.shape[1] + 8) * ROUNDING * (lengths + self.reach) * self.reach + SMALLEST
        limit = np.nextafter((least - 2 * error).astype(np.float32), np.float32(-np.inf))
        return np.divmod(np.flatnonzero(products >= limit[:, None]), len(self.rows))

    def _decide(
        self,
        queries: FloatArray,
        chosen: NDArray[np.int64],
        owners: NDArray[np.int64],
        places: NDArray[np.int64],
        n: int,
        found: Neighbours,
    ) -> None:
        squares = np.empty(len(places))
        for part in slices(len(places), max(1, GATHERED // queries.shape[1])):
            gaps = self.rows[places[part]] - queries[chosen[owners[part]]]
            squares[part] = np.einsum("ij,ij->i", gaps, gaps)
        ordered = np.lexsort((squares, owners))
        winners = ordered[np.searchsorted(owners, np.arange(len(chosen))) + n - 1]
        found.places[chosen], found.distances[chosen] = places[winners], np.sqrt(squares[winners])


def _reached(products: NDArray[np.float32], n: int) -> NDArray[np.float32]:
    """What n products of each query reach: little below the n-th largest, and found without ordering them all."""
    if n == 1:
        return np.asarray(products.max(axis=1))
    groups = GROUPS * n
    if (size := products.shape[1] // groups) > 1:
        products = products[:, : size * groups].reshape(len(products), size, groups).max(axis=1)
    last = products.shape[1] - n
    return np.asarray(np.partition(products, last, axis=1)[:, last])
