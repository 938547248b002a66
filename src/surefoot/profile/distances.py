"""Squared distances between the rows of two arrays."""

from __future__ import annotations

import numpy as np

from surefoot.core.validate import FloatArray

LOST = 1e-11
"""Rounding of a squared distance that a product of matrices may bring."""
THIN = 16
"""Below this many features a product of matrices is no faster than differences."""
EPSILON = float(np.finfo(float).eps)


def squared_distances(left: FloatArray, right: FloatArray) -> FloatArray:
    """Squared distances by differences, without cancellation; equal rows have distance 0."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(left, right, "sqeuclidean"))


def rounded_squared_distances(left: FloatArray, right: FloatArray) -> FloatArray:
    """Squared distances by a product of matrices where that is faster and loses less than ``LOST``."""
    own, other = np.einsum("ij,ij->i", left, left), np.einsum("ij,ij->i", right, right)
    largest = 2 * (own.max(initial=0) + other.max(initial=0))
    if left.shape[1] < THIN or largest * EPSILON * (left.shape[1] + 4) > LOST:
        return squared_distances(left, right)
    squared = left @ right.T
    squared *= -2
    squared += own[:, None]
    squared += other
    return np.maximum(squared, 0, out=squared)
