"""The signed-rank test of Wilcoxon (1945, Biometrics Bulletin 1(6)), for items and for units of items."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core.validate import FloatArray
from surefoot.systems.tables.pairs import per_unit

Alternative = Literal["greater", "less", "two-sided"]
ALTERNATIVES: tuple[Alternative, ...] = ("greater", "less", "two-sided")
MOST_FLIPPED = 18
"""Up to so many units or items, all choices of signs are tried."""


def p_of_items(differences: FloatArray, alternative: Alternative) -> float:
    """P-value for independent differences, by scipy; of a few, by all choices of signs, which scipy is slow to try."""
    from scipy import stats

    moved = differences[differences != 0]
    if moved.size <= MOST_FLIPPED:
        return p_of_units(moved, np.arange(moved.size), alternative)
    return float(stats.wilcoxon(moved, alternative=alternative).pvalue)


def p_of_units(differences: FloatArray, units: NDArray[np.int64], alternative: Alternative) -> float:
    """P-value for differences that come in units: signed ranks are summed in each, and the sums change sign.

    Rosner, Glynn and Lee (2006, Biometrics 62(1)), without weights for units of unequal size: normal with variance the
    sum of squares. With few units all choices of signs are tried instead, which is exact.
    """
    from scipy import stats

    moved = differences != 0
    ranks = stats.rankdata(np.abs(differences[moved])) * np.sign(differences[moved])
    sums = per_unit(ranks, units[moved])
    sums = sums[sums != 0]
    if not sums.size:
        return 1.0
    above, below = _flipped(sums) if sums.size <= MOST_FLIPPED else _normal(sums)
    return {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}[alternative]


def _flipped(sums: FloatArray) -> tuple[float, float]:
    totals = np.zeros(1)
    for size in np.abs(sums):
        totals = np.concatenate([totals - size, totals + size])
    seen = sums.sum()
    return float(np.mean(totals >= seen)), float(np.mean(totals <= seen))


def _normal(sums: FloatArray) -> tuple[float, float]:
    z = sums.sum() / np.sqrt(sums @ sums)
    return float(special.ndtr(-z)), float(special.ndtr(z))
