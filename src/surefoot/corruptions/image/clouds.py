"""Random clouds: smooth noise of several sizes laid over each other."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

LARGEST, SMALLEST = 0.5, 0.015
"""Widths of the largest and the smallest puffs, as shares of the longer side."""
FADE = 0.6
"""How much weaker the noise of half the size is."""


def cloud(rng: np.random.Generator, height: int, width: int) -> NDArray[np.float32]:
    """A cloud (h x w) from 0 to 1: noise on ever finer grids, each smoothed by cubic B-splines, added up."""
    field = np.zeros((height, width), np.float32)
    side, weight = max(height, width), 1.0
    size = side * LARGEST
    while size >= max(2, side * SMALLEST):
        rows, columns = _splines(height, size), _splines(width, size)
        puffs = rng.standard_normal((rows.shape[1], columns.shape[1]), np.float32)
        field += np.float32(weight) * (rows @ puffs @ columns.T)
        size, weight = size / 2, weight * FADE
    low, high = field.min(), field.max()
    return (field - low) / max(high - low, np.finfo(np.float32).tiny)


@lru_cache(maxsize=64)
def _splines(length: int, size: float) -> NDArray[np.float32]:
    """Weights (length x knots) of uniform cubic B-splines whose knots lie ``size`` pixels apart."""
    place = np.arange(length) / size
    knots = np.arange(-1, int(place[-1]) + 3)
    away = np.abs(place[:, None] - knots)
    near = 2 / 3 - away**2 + away**3 / 2
    far = np.clip(2 - away, 0, None) ** 3 / 6
    weights: NDArray[np.float32] = np.where(away < 1, near, far).astype(np.float32)
    weights.setflags(write=False)
    return weights
