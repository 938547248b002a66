"""Sums over cells from pairs of a point and a cell within its reach, in parts of bounded size."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.profile.boundary import Mirror
from surefoot.profile.cells import Cells
from surefoot.profile.masses import box_mass
from surefoot.profile.sample import Sample
from surefoot.profile.slicing import slices

AT_ONCE = 1 << 18
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Sums over masses computed one by one."""

    sample: Sample
    cells: Cells
    exact: bool

    def mass(self) -> FloatArray:
        """``sum_j w_j K_ji`` for each cell."""
        total = np.zeros(len(self.cells))
        for point, cell, mass in near_pairs(self.sample, self.cells, exact=self.exact):
            np.add.at(total, cell, self.sample.weights[point] * mass)
        return total

    def squares(self) -> FloatArray:
        """``sum_j (w_j K_ji)^2`` for each cell."""
        total = np.zeros(len(self.cells))
        for point, cell, mass in near_pairs(self.sample, self.cells, exact=self.exact):
            np.add.at(total, cell, (self.sample.weights[point] * mass) ** 2)
        return total

    def contributions(self, values: FloatArray) -> FloatArray:
        """``sum_i values_i K_ji`` for each point."""
        total = np.zeros(len(self.sample))
        for point, cell, mass in near_pairs(self.sample, self.cells, exact=self.exact):
            np.add.at(total, point, values.reshape(-1)[cell] * mass)
        return total


def near_pairs(sample: Sample, cells: Cells, *, exact: bool) -> Iterator[tuple[Indices, Indices, FloatArray]]:
    """Points, flat numbers of cells, and the mass of the point's kernel in the cell, mirror images included.

    A mirror image of a cell is farther from a point than the cell, so cells beyond reach have no image within.
    """
    first, counts = _windows(sample, cells)
    last = np.cumsum(counts.prod(axis=1))
    for some in slices(int(last[-1]), AT_ONCE):
        flat = np.arange(some.start, some.stop)
        point = np.searchsorted(last, flat, side="right")
        place = _unravel(flat - np.where(point, last[point - 1], 0), counts[point]) + first[point]
        cell = np.ravel_multi_index(tuple(place.T), cells.shape)
        yield point, cell, _mass(sample, cells, point, place, exact=exact)


def _windows(sample: Sample, cells: Cells) -> tuple[Indices, Indices]:
    """First cell within reach of each point along each feature, and how many there are."""
    first, count = np.empty(sample.points.shape, np.int64), np.empty(sample.points.shape, np.int64)
    for k, edges in enumerate(cells.edges):
        column, reach = sample.points[:, k], sample.reaches[k]
        first[:, k] = np.searchsorted(edges[1:], column - reach, side="right")
        count[:, k] = np.maximum(np.searchsorted(edges[:-1], column + reach, side="left") - first[:, k], 0)
    return first, count


def _unravel(flat: Indices, counts: Indices) -> Indices:
    place = np.empty(counts.shape, np.int64)
    for k in reversed(range(counts.shape[1])):
        flat, place[:, k] = np.divmod(flat, counts[:, k])
    return place


def _mass(sample: Sample, cells: Cells, point: Indices, place: Indices, *, exact: bool) -> FloatArray:
    lower = np.stack([edges[place[:, k]] for k, edges in enumerate(cells.edges)], axis=1)
    upper = np.stack([edges[place[:, k] + 1] for k, edges in enumerate(cells.edges)], axis=1)
    mass = np.zeros(len(point))
    for mirrors in product(*cells.mirrors):
        low, high = _mirrored(lower, upper, mirrors)
        low -= sample.points[point]
        high -= sample.points[point]
        near = ((low < sample.reaches) & (high > -sample.reaches)).all(axis=1)
        mass[near] += (_exact if exact else _at_centre)(sample, low[near], high[near])
    return mass


def _mirrored(lower: FloatArray, upper: FloatArray, mirrors: tuple[Mirror, ...]) -> tuple[FloatArray, FloatArray]:
    signs, shifts = np.array([m.sign for m in mirrors]), np.array([m.shift for m in mirrors])
    return np.where(signs > 0, lower, -upper) + shifts, np.where(signs > 0, upper, -lower) + shifts


def _exact(sample: Sample, low: FloatArray, high: FloatArray) -> FloatArray:
    return box_mass(sample.kernel, sample.shape, low, high)


def _at_centre(sample: Sample, low: FloatArray, high: FloatArray) -> FloatArray:
    white = sample.shape.whiten((low + high) / 2)
    values = sample.kernel.values(np.einsum("ij,ij->i", white, white))
    return np.asarray(values * math.exp(sample.log_height) * (high - low).prod(axis=1))
