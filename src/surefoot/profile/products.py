"""Sums over cells as products of matrices, for kernels with factors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.profile.factors import Factors
from surefoot.profile.sample import Sample
from surefoot.profile.slicing import slices

AT_ONCE = 1 << 22
"""Numbers in one block of factors: 32 MB."""


@dataclass(frozen=True, eq=False)
class Products:
    """Sums from the factor of the first feature and the product of all others."""

    sample: Sample
    factors: Factors

    def mass(self) -> FloatArray:
        """``sum_j w_j K_ji`` for each cell."""
        total = np.zeros(self.factors.cells.halves)
        for some, first, rest in self._blocks():
            total += (first * np.repeat(self.sample.weights[some], self.factors.terms)[:, None]).T @ rest
        return total

    def squares(self) -> FloatArray:
        """``sum_j (w_j K_ji)^2`` for each cell; the square of a single product is again a product."""
        total, terms = np.zeros(self.factors.cells.halves), self.factors.terms
        for some, first, rest in self._blocks():
            weights = self.sample.weights[some]
            if terms == 1:
                total += (first * weights[:, None]).T ** 2 @ rest**2
                continue
            for j, weight in enumerate(weights):
                rows = slice(j * terms, (j + 1) * terms)
                total += (weight * first[rows].T @ rest[rows]) ** 2
        return total

    def contributions(self, values: FloatArray) -> FloatArray:
        """``sum_i values_i K_ji`` for each point."""
        table, total = values.reshape(self.factors.cells.halves), np.empty(len(self.sample))
        for some, first, rest in self._blocks():
            sums = np.einsum("ij,ij->i", first @ table, rest)
            total[some] = sums.reshape(-1, self.factors.terms).sum(axis=1)
        return total

    def _blocks(self) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        cells = self.factors.cells
        numbers = self.factors.terms * (sum(cells.halves) + max(cells.shape))
        for some in slices(len(self.sample), max(1, AT_ONCE // numbers)):
            yield some, *self.factors.halves(self.sample.points[some])
