"""The nearest rows of a fixed set, exactly: one product of matrices finds candidates, differences decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.profile.slicing import slices

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


class Found(NamedTuple):
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

    def nth(self, queries: FloatArray, n: int = 1) -> Found:
        """The n-th nearest row of each query; of rows equally near, the first."""
        moved = queries - self.centre
        lengths = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        found = Found(np.empty(len(queries), dtype=np.int64), np.empty(len(queries)))
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
        found: Found,
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
