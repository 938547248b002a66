"""Groups of balls by a score, fine where it is high, and how many balls of each are looked into."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray

FEWEST = 4
"""Balls in the group at the top, at least; draws of each group are at least half as many."""


def tail_groups(scores: FloatArray, most: int) -> NDArray[np.int64]:
    """Number of each ball's group: 0 for the lower half, 1 for the next quarter, and so on to the top."""
    count = scores.size
    groups = min(most, max(1, int(math.log2(count / FEWEST)) + 1)) if count >= FEWEST else 1
    rank = np.empty(count, np.int64)
    rank[np.argsort(-scores, kind="stable")] = np.arange(count)
    starts = count // 2 ** np.arange(1, groups)
    return np.asarray((rank[:, None] < starts).sum(axis=1))


def allocated(shares: FloatArray, sizes: NDArray[np.int64], budget: int) -> NDArray[np.int64]:
    """Whole numbers near to shares of the budget, at least 2 of a group that has them and at most all of it."""
    least = np.minimum(sizes, FEWEST // 2)
    counts = least.copy()
    while (left := budget - int(counts.sum())) > 0:
        open_ = counts < sizes
        parts = np.where(open_, shares, 0.0)
        parts = parts / parts.sum() if parts.sum() > 0 else open_ / open_.sum()
        wanted = np.maximum(parts * budget - counts, 0.0) * open_
        wanted = wanted / wanted.sum() * left if wanted.sum() > 0 else parts * left
        more = np.minimum(np.floor(wanted).astype(np.int64), sizes - counts)
        if not more.any():
            more[np.argmax(np.where(open_, wanted, -1.0))] = 1
        counts += more
    return counts
