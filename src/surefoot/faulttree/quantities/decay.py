"""Exponential decay without loss of digits for small rates, short times and equal rates."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core.validate import FloatArray

SMALL = 0.5
TERMS = 16
CLOSE = 0.05
# Gauss-Legendre with four points, in closed form (Abramowitz and Stegun 1964, 25.4.30).
_NEAR, _FAR = (math.sqrt(3 / 7 + sign * 2 / 7 * math.sqrt(6 / 5)) for sign in (-1, 1))
_MORE, _LESS = ((18 + sign * math.sqrt(30)) / 36 for sign in (1, -1))
GAUSS = ((-_FAR, _LESS), (-_NEAR, _MORE), (_NEAR, _MORE), (_FAR, _LESS))


def mean_survival(x: ArrayLike) -> FloatArray:
    """``(1 - exp(-x)) / x``, the mean of ``exp(-u)`` for u from 0 to x."""
    x = np.asarray(x, dtype=float)
    positive = np.where(x > 0, x, 1.0)
    return np.where(x > 0, -np.expm1(-positive) / positive, 1.0)


def mean_failure(x: ArrayLike) -> FloatArray:
    """``1 - mean_survival(x)``, by its series where x is small."""
    x = np.asarray(x, dtype=float)
    return np.where(x < SMALL, x * _series(x, lambda k: 1 / math.factorial(k + 2)), 1 - mean_survival(x))


def repaired(failing: ArrayLike, mending: ArrayLike, time: ArrayLike) -> FloatArray:
    """Probability that a part in repair works again after ``time`` and has not failed since."""
    slow, fast, time = _sorted_rates(failing, mending, time)
    return np.asarray(mending) * time * np.exp(-slow * time) * mean_survival((fast - slow) * time)


def time_repaired(failing: ArrayLike, mending: ArrayLike, time: ArrayLike) -> FloatArray:
    """The integral of ``repaired`` from 0 to ``time``."""
    slow, fast, time = _sorted_rates(failing, mending, time)
    low, high = slow * time, fast * time
    close = high - low < CLOSE
    apart = (mean_survival(low) - mean_survival(high)) / np.where(close, 1.0, high - low)
    middle, half = (low + high) / 2, (high - low) / 2
    near = sum(w * _slope(middle + half * p) for p, w in GAUSS) / 2
    return np.asarray(mending) * time**2 * np.where(close, near, apart)


def _sorted_rates(failing: ArrayLike, mending: ArrayLike, time: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    return np.minimum(failing, mending), np.maximum(failing, mending), np.asarray(time, dtype=float)


def _slope(x: FloatArray) -> FloatArray:
    """How fast ``mean_survival`` falls at x."""
    direct = (mean_survival(x) - np.exp(-x)) / np.where(x < SMALL, 1.0, x)
    return np.where(x < SMALL, _series(x, lambda k: 1 / (math.factorial(k) * (k + 2))), direct)


def _series(x: FloatArray, coefficient: Callable[[int], float]) -> FloatArray:
    """``sum of coefficient(k) (-x)^k``, for small x."""
    capped = np.minimum(x, SMALL)
    total = np.zeros_like(capped)
    for k in range(TERMS, -1, -1):
        total = coefficient(k) - capped * total
    return total
