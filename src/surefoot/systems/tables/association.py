"""Rank correlations with the influence of every item, from which standard errors for units follow.

Kendall's tau-b and Spearman's rho are functions of means over pairs and triples of items, so that they are to first
order sums of what each item adds; a sum over independent units has a known standard error (Newson 2002, Stata Journal
2(1), for tau; Hampel 1974, JASA 69(346), for influence). All in O(n log n).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray

IntArray = NDArray[np.int64]


def kendall_influence(first: FloatArray, second: FloatArray) -> tuple[float, FloatArray]:
    """Kendall's tau-b, and what each item adds to it; undefined for columns that do not vary."""
    n, x, y = first.size, _codes(first), _codes(second)
    tied_x, tied_y, tied_both = (np.bincount(codes)[codes] for codes in (x, y, _codes(x * n + y)))
    agreeing = _dominated(x, y) + _dominated(x.max() - x, y.max() - y)
    differing = n - tied_x - tied_y + tied_both
    score, apart_x, apart_y = (counts / (n - 1) for counts in (2 * agreeing - differing, n - tied_x, n - tied_y))
    return _normed(score, apart_x, apart_y, degree=2)


def spearman_influence(first: FloatArray, second: FloatArray) -> tuple[float, FloatArray]:
    """Spearman's rho (midranks for ties), and what each item adds to it; undefined for columns that do not vary."""
    x, y = _codes(first), _codes(second)
    u, v = _centred(x), _centred(y)
    product = u * v + _carried(x, v) + _carried(y, u)
    own_x, own_y = u * u + 2 * _carried(x, u), v * v + 2 * _carried(y, v)
    return _normed(product / 3, own_x / 3, own_y / 3, degree=3)


def standard_error(influence: FloatArray, units: IntArray | None) -> float:
    """Of a mean of influences, where units are independent; each item is one where there are none."""
    sums = influence if units is None else np.bincount(units, influence)
    return float(np.sqrt(sums @ sums * sums.size / max(sums.size - 1, 1)) / influence.size)


def _normed(over: FloatArray, x: FloatArray, y: FloatArray, *, degree: int) -> tuple[float, FloatArray]:
    """The ratio mean(over) / sqrt(mean(x) mean(y)) and its influences; each item is in ``degree`` places of a mean."""
    means = over.mean(), x.mean(), y.mean()
    value = means[0] / np.sqrt(means[1] * means[2])
    parts = [degree * (column - mean) for column, mean in zip((over, x, y), means, strict=True)]
    added = parts[0] / np.sqrt(means[1] * means[2]) - value / 2 * (parts[1] / means[1] + parts[2] / means[2])
    return float(np.clip(value, -1.0, 1.0)), added


def _codes(values: NDArray[np.generic]) -> IntArray:
    """Numbers from 0 in the order of the values, the same for ties."""
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _centred(codes: IntArray) -> FloatArray:
    """Midranks as shares, less their mean of one half."""
    counts = np.bincount(codes)
    return ((np.cumsum(counts) - counts / 2) / codes.size - 0.5)[codes]


def _carried(codes: IntArray, values: FloatArray) -> FloatArray:
    """What an item adds to the midranks of others, times their values: those above in full, ties by half."""
    sums = np.bincount(codes, values)
    above = sums.sum() - np.cumsum(sums)
    return ((above + sums / 2) / codes.size)[codes]


def _dominated(x: IntArray, y: IntArray) -> IntArray:
    """For each item, how many are smaller in both; a wavelet tree over the bits of y, items in the order of x.

    Items whose higher bits agree form a group. In it, those with this bit come after the items without it that stand
    before them; then those without it move to the front.
    """
    items, places = np.lexsort((-y, x)), np.arange(x.size)
    codes, smaller = y[items], np.zeros(x.size, dtype=np.int64)
    for bit in reversed(range(int(y.max(initial=0)).bit_length())):
        high = ((codes >> bit) & 1).astype(bool)
        starts = np.flatnonzero(np.diff(codes >> (bit + 1), prepend=-1))
        sizes, lows = np.diff(np.append(starts, x.size)), np.cumsum(~high)
        before, all_lows = lows[starts] - ~high[starts], lows[starts + sizes - 1]
        so_far = lows - np.repeat(before, sizes)
        smaller[items[high]] += so_far[high]
        moved_up = places + np.repeat(all_lows - before, sizes) - so_far
        order = np.where(high, moved_up, np.repeat(starts, sizes) + so_far - 1)
        items[order], codes[order] = items.copy(), codes.copy()
    return smaller
