"""``KNN``: rows far from their k-th nearest fitted row are strange.

The nearest rows are found exactly: products in single precision find candidates, differences in double precision
decide. Products come from faiss where it is installed, or else from one product of matrices; answers are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
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

PRODUCTS, FEWEST, MOST = 1 << 23, 32, 256
"""Products at a time: 32 MB, of at least so many queries, and of at most so many."""
BLOCK = 4096
"""Rows whose products with some queries stay in the cache."""
GROUP = 16
"""Products of which only the largest is ordered."""
GATHERED = 1 << 20
"""Differences at a time: 8 MB."""
FAR = 1e12
"""Queries farther from the set than this are compared without single precision."""
SPARE = 3
"""Candidates that faiss is asked for beside those wanted; where more may be as near, products of all rows tell."""
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
        values = self._values(rows, unit)
        ordered, ends = grouped(values, classes) if self.per_class else (values, np.array([len(values)]))
        return {"rows": ordered, "ends": ends, "unit": np.array(unit)}

    def _prepared(self, learned: Learned) -> tuple[float, list[Nearest]]:
        return float(learned["unit"]), [Nearest.among(part) for part in parts(learned["rows"], learned["ends"])]

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: tuple[float, list[Nearest]]) -> FloatArray:
        unit, neighbours = ready

        def distances(number: int, some: NDArray[Any]) -> FloatArray:
            among = neighbours[number]
            return among.nth(self._values(some, unit), min(self.k, len(among.rows))).distances

        found = scored_by_class(rows, classes, distances) if self.per_class else distances(0, rows)
        return bounded(unit * found)

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
    reach: float
    """Largest length of a difference."""

    @classmethod
    def among(cls, rows: FloatArray) -> Nearest:
        """Neighbours among these rows."""
        centre, largest = rows.mean(axis=0), 0.0
        for part in slices(len(rows), BLOCK):
            moved = rows[part] - centre
            largest = max(largest, float(np.einsum("ij,ij->i", moved, moved).max()))
        return cls(rows, centre, float(np.sqrt(largest)))

    @cached_property
    def table(self) -> NDArray[np.float32]:
        """Differences from the centre, block by block, a column a row, and below minus half their squared length."""
        count, features = self.rows.shape
        blocks = -(-count // BLOCK)
        width = -(-count // (blocks * GROUP)) * GROUP
        table = np.zeros((-(-count // width), features + 1, width), np.float32)
        # What fills up the last block is near to nothing.
        table[-1, -1] = -np.inf
        for block, part in zip(table, slices(count, width), strict=True):
            moved = self.rows[part] - self.centre
            squares = np.einsum("ij,ij->i", moved, moved)
            block[:-1, : len(moved)], block[-1, : len(moved)] = moved.T, -squares / 2
        return table

    @cached_property
    def _index(self) -> Any:
        """The same as an index of faiss; None where it is not installed."""
        if find_spec("faiss") is None:
            return None
        import faiss

        index = faiss.IndexFlatIP(self.rows.shape[1] + 1)
        for part in slices(len(self.rows), BLOCK):
            moved = self.rows[part] - self.centre
            index.add(np.column_stack([moved, -np.einsum("ij,ij->i", moved, moved) / 2]).astype(np.float32))
        return index

    def _nth_by_faiss(
        self, queries: FloatArray, moved: FloatArray, lengths: FloatArray, n: int, found: Neighbours
    ) -> NDArray[np.bool_]:
        """Fill in queries for which a few candidates hold all that may be nearest; which ones it left."""
        count = min(n + SPARE, len(self.rows))
        products, places = self._index.search(_with_one(moved), count)
        least = products[:, n - 1]
        limit = self._limits(least, lengths, moved.shape[1])
        left = np.array(products[:, -1] >= limit) if count < len(self.rows) else np.zeros(len(queries), bool)
        # As far above as the limit is below: such rows are nearer than the one that is wanted, and need no look.
        nearer = products > np.nextafter(2 * least.astype(float) - limit, np.inf)[:, None]
        owners, columns = np.nonzero((products >= limit[:, None]) & ~nearer)
        chosen = places[owners, columns]
        squares = np.empty(len(chosen))
        for part in slices(len(chosen), max(1, GATHERED // queries.shape[1])):
            gaps = self.rows[chosen[part]] - queries[owners[part]]
            squares[part] = np.einsum("ij,ij->i", gaps, gaps)
        # Of rows equally near the first counts, whatever the order in which they were found.
        order = np.lexsort((chosen, squares, owners))
        winners = order[np.searchsorted(owners, np.arange(len(queries))) + n - 1 - nearer.sum(axis=1)]
        found.places[:], found.distances[:] = chosen[winners], np.sqrt(squares[winners])
        return left

    def nth(self, queries: FloatArray, n: int = 1) -> Neighbours:
        """The n-th nearest row of each query; of rows equally near, the first."""
        moved = queries - self.centre
        lengths = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        found = Neighbours(np.empty(len(queries), dtype=np.int64), np.empty(len(queries)))
        near = np.arange(len(queries))
        if len(queries) > 1 and (lengths <= FAR).all() and self.reach <= FAR and self._index is not None:
            near = np.flatnonzero(self._nth_by_faiss(queries, moved, lengths, n, found))
            if not near.size:
                return found
        if len(queries) == 1 and lengths[0] <= FAR:
            return self._nth_of_one(queries, moved, lengths, n)
        near = near[lengths[near] <= FAR]
        at_once = min(max(FEWEST, PRODUCTS // len(self.rows)), MOST)
        # Memory that is asked for anew has to be cleared first, which takes a good part of the time of the products.
        room = np.empty((min(at_once, len(near)), self.table.shape[0] * self.table.shape[2]), np.float32)
        for part in slices(len(near), at_once):
            chosen = near[part]
            owners, places = self._candidates(moved[chosen], lengths[chosen], n, room[: len(chosen)])
            self._decide(queries, chosen, owners, places, n, found)
        for query in np.flatnonzero(lengths > FAR)[:, None]:
            everything = np.arange(len(self.rows))
            self._decide(queries, query, np.zeros_like(everything), everything, n, found)
        return found

    def _nth_of_one(self, query: FloatArray, moved: FloatArray, length: FloatArray, n: int) -> Neighbours:
        """The same of a single query, with few calls: most of the time is spent on reading the table."""
        products = np.matmul(_with_one(moved), self.table).ravel()
        best = products.reshape(GROUP, -1).max(axis=0)
        limit = self._limits(_reached(best[None], products[None], n), length, moved.shape[1])
        (places,) = np.nonzero(products >= limit[0])
        gaps = self.rows[places] - query
        squares = np.einsum("ij,ij->i", gaps, gaps)
        winner = squares.argsort(kind="stable")[n - 1 : n]
        return Neighbours(places[winner], np.sqrt(squares[winner]))

    def _candidates(
        self, moved: FloatArray, lengths: FloatArray, n: int, products: NDArray[np.float32]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Pairs of a query and a row that may be among its n nearest, as far as rounding lets one tell."""
        best = self._multiplied(moved, products)
        limit = self._limits(_reached(best, products, n), lengths, moved.shape[1])
        owners, groups = np.divmod(np.flatnonzero(best >= limit[:, None]), best.shape[1])
        places = self._members(groups)
        inside = products[owners[:, None], places] >= limit[owners][:, None]
        owners, places = np.repeat(owners, GROUP)[inside.ravel()], places[inside]
        order = np.lexsort((places, owners))
        return owners[order], places[order]

    def _multiplied(self, moved: FloatArray, products: NDArray[np.float32]) -> NDArray[np.float32]:
        """Fill in the products of queries with all rows; the largest of each group, found while they are at hand."""
        queries, width = _with_one(moved), self.table.shape[2]
        best = np.empty((len(moved), products.shape[1] // GROUP), np.float32)
        for number, block in enumerate(self.table):
            part = products[:, number * width : (number + 1) * width]
            np.matmul(queries, block, out=part)
            # Half against half, four times: the products of a group lie a sixteenth of the block apart.
            while part.shape[1] > width // GROUP:
                half = part.shape[1] // 2
                part = np.maximum(part[:, :half], part[:, half:])
            best[:, number * width // GROUP : (number + 1) * width // GROUP] = part
        return best

    def _limits(self, least: NDArray[np.float32], lengths: FloatArray, features: int) -> NDArray[np.float32]:
        """What the product with a row reaches that may be as near as one whose product is ``least``."""
        error = (features + 8) * ROUNDING * (lengths + self.reach) * self.reach + SMALLEST
        return np.nextafter((least - 2 * error).astype(np.float32), np.float32(-np.inf))

    def _members(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """The columns of products of which a group is made, a row each."""
        width = self.table.shape[2]
        step = width // GROUP
        block, first = np.divmod(groups, step)
        return (block * width + first)[:, None] + step * np.arange(GROUP)

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


def _with_one(moved: FloatArray) -> NDArray[np.float32]:
    """Queries in single precision, and a 1 for the squared lengths of the table."""
    queries = np.ones((len(moved), moved.shape[1] + 1), np.float32)
    queries[:, :-1] = moved
    return queries


def _reached(best: NDArray[np.float32], products: NDArray[np.float32], n: int) -> NDArray[np.float32]:
    """What n products of each query reach: by the best of groups, of which few are ordered, where these are enough."""
    if best.shape[1] >= n:
        found = _largest(best, n)
        if np.isfinite(found).all():
            return found
    return _largest(products, n)


def _largest(values: NDArray[np.float32], n: int) -> NDArray[np.float32]:
    """The n-th largest of each row."""
    if n == 1:
        return np.asarray(values.max(axis=1))
    last = values.shape[1] - n
    return np.asarray(np.partition(values, last, axis=1)[:, last])
