"""The closest rows of two blocks with many features, in any Lp."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray

FIRST_FEATURES = 16
DENSE = 0.1
GATHERED = 2**21
MANY = 2**16
SAFE = 1e15
"""Sums of squares of numbers up to this fit single precision."""
Found = tuple[float, int, int] | None


def closest_in_block(
    one: FloatArray, other: FloatArray, apart: NDArray[np.bool_] | None, p: float, limit: float
) -> Found:
    """The smallest distance below ``limit`` between rows that are ``apart``, with their places."""
    if apart is not None and not apart.any():
        return None
    if p == 2 and max(np.abs(one).max(), np.abs(other).max()) <= SAFE:
        return _by_product(one, other, apart, limit)
    with np.errstate(over="ignore"):  # a power that overflows is that of no closest pair
        return _by_stages(one, other, apart, p, limit)


def distance(one: NDArray[Any], other: NDArray[Any], p: float) -> float:
    """Distance of two rows without overflow."""
    gaps = np.abs(one.astype(float) - other.astype(float))
    largest = float(gaps.max())
    if largest == 0 or np.isinf(p):
        return largest
    return largest * float(((gaps / largest) ** p).sum() ** (1 / p))


def _by_product(a: FloatArray, b: FloatArray, apart: NDArray[np.bool_] | None, limit: float) -> Found:
    """Euclidean distances by one matrix product; pairs that rounding leaves in doubt are computed again."""
    centre = a.mean(axis=0)
    a, b = a - centre, b - centre
    near = _near(a.astype(np.float32), b.astype(np.float32), apart, limit)
    if near.size > MANY:
        near = _near(a, b, apart, limit)
    return _best(near, np.sqrt(_gathered(a, b, near, 2.0)), len(b), limit) if near.size else None


def _near(a: NDArray[Any], b: NDArray[Any], apart: NDArray[np.bool_] | None, limit: float) -> NDArray[np.int64]:
    """Pairs that may be the closest, and closer than the limit, as far as rounding lets one tell."""
    norms_a, norms_b = np.einsum("ij,ij->i", a, a), np.einsum("ij,ij->i", b, b)
    squares = a @ (-2 * b.T)
    squares += norms_a[:, None]
    squares += norms_b
    if apart is not None:
        squares[~apart] = np.inf
    doubt = 4 * a.shape[1] * float(np.finfo(a.dtype).eps) * float(norms_a.max() + norms_b.max())
    return np.flatnonzero(squares.ravel() <= min(float(squares.min()) + doubt, limit**2) + doubt)


def _by_stages(a: FloatArray, b: FloatArray, apart: NDArray[np.bool_] | None, p: float, limit: float) -> Found:
    """Few features first; a pair whose first features are too far apart is not looked at again."""
    ceiling = _power(limit, p)
    first, *others = _stages(a.shape[1])
    total = _all_powers(a[:, first], b[:, first], p).ravel()
    alive = np.flatnonzero(total < ceiling if apart is None else (total < ceiling) & apart.ravel())
    for part in others:
        if alive.size > DENSE * total.size:
            _add(total, slice(None), _all_powers(a[:, part], b[:, part], p).ravel(), p)
        else:
            _add(total, alive, _gathered(a[:, part], b[:, part], alive, p), p)
        alive = alive[total[alive] < ceiling]
    return _best(alive, _root(total[alive], p), len(b), limit) if alive.size else None


def _stages(features: int) -> Iterator[slice]:
    start, width = 0, FIRST_FEATURES
    while start < features:
        yield slice(start, start + width)
        start, width = start + width, 2 * width


def _add(total: FloatArray, at: Any, powers: FloatArray, p: float) -> None:
    total[at] = np.maximum(total[at], powers) if np.isinf(p) else total[at] + powers


def _all_powers(a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    from scipy.spatial.distance import cdist

    if np.isinf(p):
        return np.asarray(cdist(a, b, "chebyshev"))
    return np.asarray(cdist(a, b, "cityblock") if p == 1 else cdist(a, b, "minkowski", p=p) ** p)


def _gathered(a: FloatArray, b: FloatArray, pairs: NDArray[np.int64], p: float) -> FloatArray:
    """Powers of distances of chosen pairs, a bounded number of them at a time."""
    powers = np.empty(pairs.size)
    step = max(1, GATHERED // a.shape[1])
    for start in range(0, pairs.size, step):
        i, j = np.divmod(pairs[start : start + step], len(b))
        gaps = np.abs(a[i] - b[j])
        powers[start : start + step] = gaps.max(axis=1) if np.isinf(p) else (gaps**p).sum(axis=1)
    return powers


def _best(pairs: NDArray[np.int64], distances: FloatArray, width: int, limit: float) -> Found:
    at = int(distances.argmin())
    if not distances[at] < limit:
        return None
    i, j = divmod(int(pairs[at]), width)
    return float(distances[at]), i, j


def _power(value: float, p: float) -> float:
    return value if np.isinf(p) else float(np.float64(value) ** p)


def _root(values: FloatArray, p: float) -> FloatArray:
    return values if np.isinf(p) else values ** (1 / p)
