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
    """Points (x, y) of the unit square moved along (dx, dy), by a share of the chord, folded at its ends.

    Arrays are used again where they can be: fresh ones cost more than what is done with them.
    """
    low, high = _reach(x, dx, xp)
    other_low, other_high = _reach(y, dy, xp)
    xp.maximum(low, other_low, out=low)
    length = xp.minimum(high, other_high, out=high)
    length -= low
    xp.clip(length, 0, None, out=length)
    away = xp.multiply(step, length, out=other_low)
    away -= low
    xp.abs(away, out=away)
    away -= length
    xp.abs(away, out=away)
    length += low
    length -= away
    return _clipped(x, xp.multiply(length, dx, out=other_high), xp), _clipped(y, xp.multiply(length, dy, out=low), xp)


def _clipped(x: Array, change: Array, xp: Any) -> Array:
    change += x
    return xp.clip(change, 0, 1, out=change)


def _reach(x: Array, dx: Array, xp: Any) -> tuple[Array, Array]:
    """How far x may go back and forth along dx within [0, 1].

    What depends on directions alone is worked out first: there are far fewer of them than points.
    """
    still, back = dx == 0, dx < 0
    nothing = 0 * dx
    far = nothing + xp.finfo(x.dtype).max / 4
    slowness = xp.where(still, nothing, 1 / xp.where(still, 1 + nothing, dx))
    first = xp.where(still, -far, xp.where(back, slowness, nothing))
    last = xp.where(still, far, xp.where(back, nothing, slowness))
    gone = x * slowness
    end = last - gone
    return xp.subtract(first, gone, out=gone), end
