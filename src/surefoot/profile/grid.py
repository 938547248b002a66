"""Mass, its variance and each point's part of a sum over a grid of cells, in bounded memory."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.profile.cells import Cells
from surefoot.profile.dense import Dense
from surefoot.profile.factors import factors_of
from surefoot.profile.pairs import Pairs
from surefoot.profile.products import Products
from surefoot.profile.sample import Sample


class Sums(Protocol):
    """Sums over the masses ``K_ji`` of kernels in cells, which are never held all at once."""

    def mass(self) -> FloatArray:
        """``sum_j w_j K_ji`` for each cell."""
        ...

    def squares(self) -> FloatArray:
        """``sum_j (w_j K_ji)^2`` for each cell."""
        ...

    def contributions(self, values: FloatArray) -> FloatArray:
        """``sum_i values_i K_ji`` for each point."""
        ...


def sums_of(sample: Sample, cells: Cells, *, exact: bool) -> Sums:
    """Products of matrices where the kernel has factors, else all pairs, or those within reach."""
    factors = factors_of(sample, cells, exact=exact)
    if factors is not None:
        return Products(sample, factors)
    return Pairs(sample, cells, exact) if exact or sample.kernel.compact else Dense(sample, cells)


def grid_mass(sample: Sample, cells: Cells, *, exact: bool) -> FloatArray:
    """``(1/n) sum_j w_j K_ji`` for each cell i."""
    return sums_of(sample, cells, exact=exact).mass().reshape(cells.shape) / len(sample)


def grid_variance(sample: Sample, cells: Cells, *, exact: bool, size: int) -> FloatArray:
    """``(1/(n size)) sum_j (w_j K_ji - mass_i)^2`` for each cell i."""
    sums = sums_of(sample, cells, exact=exact)
    mean, mean_square = sums.mass() / len(sample), sums.squares() / len(sample)
    return np.maximum(mean_square - mean**2, 0).reshape(cells.shape) / size


def contributions(sample: Sample, cells: Cells, values: FloatArray, *, exact: bool) -> FloatArray:
    """``sum_i values_i K_ji`` for each point j."""
    return sums_of(sample, cells, exact=exact).contributions(values)
