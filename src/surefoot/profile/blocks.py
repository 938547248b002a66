"""Points packed in blocks of one size, near points together, so that far blocks can be passed over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray

BLOCK = 256


@dataclass(frozen=True, eq=False)
class Blocks:
    """Points as (blocks, dimensions, BLOCK); the last block is filled up with points of weight 0."""

    points: FloatArray
    weights: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, points: FloatArray, weights: FloatArray) -> Blocks:
        """Pack the points that have a weight."""
        kept = np.flatnonzero(weights)
        order = kept[near_together(points[kept], BLOCK)]
        filled = np.append(order, np.full(-len(order) % BLOCK, order[-1]))
        packed = np.ascontiguousarray(points[filled].reshape(-1, BLOCK, points.shape[1]).transpose(0, 2, 1))
        packed_weights = weights[filled]
        packed_weights[len(order) :] = 0
        return cls(packed, packed_weights.reshape(-1, BLOCK), packed.min(axis=2), packed.max(axis=2))


def near_together(points: FloatArray, size: int) -> NDArray[np.int64]:
    """An order of rows in which each run of ``size`` is compact: halves along the widest side (Bentley 1975)."""
    order = np.arange(len(points))
    parts = [(0, len(points))]
    while parts:
        low, high = parts.pop()
        if high - low <= size:
            continue
        part = points[order[low:high]]
        half = size * max(1, round((high - low) / (2 * size)))
        column = part[:, np.ptp(part, axis=0).argmax()]
        order[low:high] = order[low:high][np.argpartition(column, half)]
        parts += [(low, low + half), (low + half, high)]
    return order
