"""P-values of the hypothesis that a mean loss in [0, 1] exceeds a budget.

A p-value at or below delta shows, with probability at least 1 - delta, that the mean is within the budget.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.core.validate import FloatArray

MOST_UNITS = 10**12
ROUNDING = 1e-9
"""A sum of losses that exceeds a whole number by less is that number with rounding."""


def binomial_p(means: ArrayLike, n: int, budget: float) -> FloatArray:
    """For losses of 0 and 1: probability of so few losses, or fewer, where the mean is the budget; exact."""
    losses = np.rint(np.asarray(means, dtype=np.float64) * n)
    return np.asarray(special.bdtr(losses, n, budget))


def hoeffding_bentkus_p(means: ArrayLike, n: int, budget: float) -> FloatArray:
    """For losses in [0, 1], by the smaller of two inequalities, of Hoeffding (1963) and Bentkus (2004).

    Bates, Angelopoulos, Lei, Malik, Jordan (2021), "Distribution-free, risk-controlling prediction sets", section 3.1;
    Angelopoulos, Bates, Candes, Jordan, Lei (2021), "Learn then test", Proposition 1:
    min(exp(-n h(min(mean, budget), budget)), e P(Bin(n, budget) <= ceil(n mean))).
    """
    mean = np.asarray(means, dtype=np.float64)
    lower = np.minimum(mean, budget)
    divergence = special.rel_entr(lower, budget) + special.rel_entr(1 - lower, 1 - budget)
    bentkus = math.e * special.bdtr(np.ceil(mean * n - ROUNDING).clip(0), n, budget)
    return np.asarray(np.minimum(np.exp(-n * divergence), bentkus).clip(0, 1))


def units_needed(mean: float, budget: float, level: float, *, two_valued: bool) -> int | None:
    """Roughly how many new units show a mean to be within the budget at ``level``, if just it is found again.

    Which happens about every second time where it is the truth. None where the mean is not within the budget.
    """
    if mean >= budget:
        return None
    low, high = 0, 1
    while _p(mean, high, budget, two_valued) > level:
        low, high = high, 2 * high
        if high > MOST_UNITS:
            return None
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if _p(mean, middle, budget, two_valued) <= level else (middle, high)
    return high


def _p(mean: float, n: int, budget: float, two_valued: bool) -> float:
    if two_valued:
        return float(binomial_p(math.ceil(mean * n - ROUNDING) / n, n, budget))
    return float(hoeffding_bentkus_p(mean, n, budget))
