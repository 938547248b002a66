"""Mass, its variance and each point's part of a sum over a grid of cells, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.profile.cells import Cells
from surefoot.profile.factors import Factors, factors_of
from surefoot.profile.pairs import near_pairs
from surefoot.profile.sample import Sample
from surefoot.profile.slicing import slices

AT_ONCE = 1 << 22
"""Numbers in one block of factors: 32 MB."""

Halves = tuple[slice, FloatArray, FloatArray]


def grid_mass(sample: Sample, cells: Cells, *, exact: bool) -> FloatArray:
    """``(1/n) sum_j w_j K_ji`` for each cell i."""
    total = np.zeros(cells.halves)
    factors = factors_of(sample, cells, exact=exact)
    if factors is None:
        for point, cell, mass in near_pairs(sample, cells, exact=exact):
            np.add.at(total.reshape(-1), cell, sample.weights[point] * mass)
    else:
        for some, first, rest in _halves(sample, factors):
            total += (first * np.repeat(sample.weights[some], factors.terms)[:, None]).T @ rest
    return total.reshape(cells.shape) / len(sample)


def grid_variance(sample: Sample, cells: Cells, *, exact: bool, size: int) -> FloatArray:
    """``(1/(n size)) sum_j (w_j K_ji - mass_i)^2`` for each cell i."""
    total, mass = np.zeros(cells.halves), grid_mass(sample, cells, exact=exact)
    factors = factors_of(sample, cells, exact=exact)
    if factors is None:
        for point, cell, part in near_pairs(sample, cells, exact=exact):
            np.add.at(total.reshape(-1), cell, (sample.weights[point] * part) ** 2)
    else:
        for some, first, rest in _halves(sample, factors):
            _add_squares(total, sample.weights[some], first, rest, factors.terms)
    return np.maximum(total.reshape(cells.shape) / len(sample) - mass**2, 0) / size


def contributions(sample: Sample, cells: Cells, values: FloatArray, *, exact: bool) -> FloatArray:
    """``sum_i values_i K_ji`` for each point j."""
    total = np.zeros(len(sample))
    factors = factors_of(sample, cells, exact=exact)
    if factors is None:
        for point, cell, mass in near_pairs(sample, cells, exact=exact):
            np.add.at(total, point, values.reshape(-1)[cell] * mass)
    else:
        for some, first, rest in _halves(sample, factors):
            sums = np.einsum("ij,ij->i", first @ values.reshape(cells.halves), rest)
            total[some] = sums.reshape(-1, factors.terms).sum(axis=1)
    return total


def _halves(sample: Sample, factors: Factors) -> Iterator[Halves]:
    widest = sum(factors.cells.halves) + max(factors.cells.shape)
    for some in slices(len(sample), max(1, AT_ONCE // (factors.terms * widest))):
        yield some, *factors.halves(sample.points[some])


def _add_squares(total: FloatArray, weights: FloatArray, first: FloatArray, rest: FloatArray, terms: int) -> None:
    """Add the squares of the weighted masses; those of a single product are again a product."""
    if terms == 1:
        total += (first * weights[:, None]).T ** 2 @ rest**2
        return
    for j, weight in enumerate(weights):
        rows = slice(j * terms, (j + 1) * terms)
        total += (weight * first[rows].T @ rest[rows]) ** 2
