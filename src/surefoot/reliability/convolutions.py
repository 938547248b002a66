"""Layers of weights in which each output looks at few inputs: convolutions and mean pools, as sparse matrices.

A sparse matrix holds any stride, padding, dilation and grouping without rounding, and its products with many rows of
coefficients, forward and back, cost only what the kernel needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.windows import OUTSIDE, Windows

MOST_PRODUCTS = 1 << 24
"""Products of one layer, at most: a sparse matrix takes 12 bytes for each."""
FEW = 32
"""A product with rows of which no more than this part is not 0 is faster if they are made sparse too."""


@dataclass(frozen=True, eq=False)
class Sparse:
    """``weight @ x + offset`` with a sparse matrix."""

    weight: Any
    offset: FloatArray

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        return int(self.weight.shape[1])

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        return int(self.weight.shape[0])

    @property
    def effort(self) -> int:
        """Cost of a product with one row."""
        return int(self.weight.nnz)

    @property
    def numbers(self) -> FloatArray:
        """All weights."""
        return np.asarray(self.weight.data)

    @cached_property
    def roundings(self) -> int:
        """Roundings behind one computed output, in any order of summation."""
        return int(np.diff(self.weight.indptr).max(initial=0)) + 4

    @cached_property
    def _sizes(self) -> Any:
        return abs(self.weight)

    def linear(self, points: FloatArray) -> FloatArray:
        """The layer without its offset."""
        return np.ascontiguousarray(points @ self.weight.T)

    def reach(self, magnitudes: FloatArray) -> FloatArray:
        """How large the linear part can become for inputs of these magnitudes."""
        return np.ascontiguousarray(magnitudes @ self._sizes.T)

    def back(self, coefficients: FloatArray) -> FloatArray:
        """Coefficients of the outputs as coefficients of the inputs."""
        rows = coefficients.reshape(-1, coefficients.shape[-1])
        found = self._few(rows) if np.count_nonzero(rows) < rows.size // FEW else rows @ self.weight
        return np.ascontiguousarray(found).reshape(*coefficients.shape[:-1], -1)

    def _few(self, rows: FloatArray) -> FloatArray:
        from scipy.sparse import csr_array

        return np.asarray((csr_array(rows) @ self.weight).toarray())


def convolution(weight: FloatArray, offset: FloatArray, windows: Windows, *, groups: int = 1) -> Sparse:
    """A convolution of an image; kernels are (outputs, inputs of a group, rows, columns)."""
    _, rows, columns, *kernel = windows.places.shape
    of_group = windows.places.reshape(groups, -1, rows * columns, int(np.prod(kernel))).swapaxes(1, 2)
    places = of_group.reshape(groups, 1, rows * columns, -1)
    values = weight.reshape(groups, len(weight) // groups, 1, -1)
    return _sparse(places, values, np.repeat(offset, rows * columns), windows.inputs)


def mean_pool(windows: Windows, divisors: NDArray[np.integer] | int) -> Sparse:
    """Sums over windows, divided; the padding counts as 0. One divisor for each window, or for all."""
    values = 1 / np.broadcast_to(divisors, len(windows.flat)).astype(float)
    return _sparse(windows.flat, values[:, None], np.zeros(len(values)), windows.inputs)


def _sparse(places: NDArray[np.int64], values: FloatArray, offset: FloatArray, inputs: int) -> Sparse:
    from scipy.sparse import csr_array

    places, values = (part.reshape(len(offset), -1) for part in np.broadcast_arrays(places, values))
    inside = places != OUTSIDE
    ends = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
    return Sparse(csr_array((values[inside], places[inside], ends), shape=(len(offset), inputs)), offset)
