"""Quantiles that are checked before they are believed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.core.validate import FloatArray

ACCEPTED = 1e-9
BISECTIONS = 1100


def beta_quantile(a: ArrayLike, b: ArrayLike, q: ArrayLike) -> FloatArray:
    """Quantile of Beta(a, b) with both parameters positive.

    ``scipy.special.betaincinv`` is wrong by a factor at isolated points, such as a = 1000, b = 9092 (SciPy 1.17).
    So each answer is put back into the distribution function, and found by bisection where it does
    not return the level.
    """
    a, b, q = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (a, b, q)))
    x = np.asarray(special.betaincinv(a, b, q))
    wrong = ~_reaches(a, b, q, x)
    if wrong.any():
        x[wrong] = _bisected(a[wrong], b[wrong], q[wrong])
    return x[()]


def _reaches(a: FloatArray, b: FloatArray, q: FloatArray, x: FloatArray) -> NDArray[np.bool_]:
    """Whether the levels just below and just above ``x`` enclose ``q``."""
    below, above = x * (1 - ACCEPTED), np.minimum(x * (1 + ACCEPTED), 1.0)
    slack = ACCEPTED * np.minimum(q, 1 - q)
    return (special.betainc(a, b, below) <= q + slack) & (special.betainc(a, b, above) >= q - slack)


def _bisected(a: FloatArray, b: FloatArray, q: FloatArray) -> FloatArray:
    low, high = np.zeros(q.shape), np.ones(q.shape)
    for _ in range(BISECTIONS):
        middle = low + (high - low) / 2
        if ((middle == low) | (middle == high)).all():
            break
        reached = special.betainc(a, b, middle) >= q
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return high
