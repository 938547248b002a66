"""Two features exchanged along a chord of the unit square, on which a linear margin stays as it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.reliability.balls.arrays import Array


def pairs(features: int, number: int) -> NDArray[np.int64]:
    """Two rows of features to be exchanged; one is left out where their number is odd."""
    order = np.random.default_rng((features, number)).permutation(features)
    return order[: features // 2 * 2].reshape(2, -1)


def shares(points: Array, lower: Array, span: Array, xp: Any) -> Array:
    """How far points are from one face to the other, from 0 to 1; 0 where both are one."""
    return xp.clip((points - lower) / xp.where(span > 0, span, 1 + 0 * span), 0, 1)


def direction(slope_x: Array, slope_y: Array, xp: Any) -> tuple[Array, Array]:
    """Along which a linear margin stays: its larger part is 1, and one too small to be felt is 0."""
    flat = (slope_x == 0) & (slope_y == 0)
    dx, dy = xp.where(flat, 1 + 0 * slope_y, slope_y), xp.where(flat, 1 + 0 * slope_x, -slope_x)
    largest = xp.maximum(abs(dx), abs(dy))
    dx, dy = dx / largest, dy / largest
    felt = xp.finfo(dx.dtype).eps
    return xp.where(abs(dx) < felt, 0 * dx, dx), xp.where(abs(dy) < felt, 0 * dy, dy)


def exchanged(x: Array, y: Array, dx: Array, dy: Array, step: Array, xp: Any) -> tuple[Array, Array]:
    """Points (x, y) of the unit square moved along (dx, dy), by a share of the chord, folded at its ends."""
    low_x, high_x = _reach(x, dx, xp)
    low_y, high_y = _reach(y, dy, xp)
    low, high = xp.maximum(low_x, low_y), xp.minimum(high_x, high_y)
    length = xp.clip(high - low, 0, None)
    moved = abs(step * length - low)
    moved = low + length - abs(length - moved)
    return xp.clip(x + moved * dx, 0, 1), xp.clip(y + moved * dy, 0, 1)


def _reach(x: Array, dx: Array, xp: Any) -> tuple[Array, Array]:
    """How far x may go back and forth along dx within [0, 1]."""
    safe = xp.where(dx == 0, 1.0 + 0 * dx, dx)
    one, other = -x / safe, (1 - x) / safe
    far = xp.finfo(x.dtype).max / 4
    low, high = xp.minimum(one, other), xp.maximum(one, other)
    return xp.where(dx == 0, -far, low), xp.where(dx == 0, far, high)
