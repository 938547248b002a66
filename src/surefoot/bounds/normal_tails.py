"""Tail probabilities that stay relatively accurate far out and for millions of degrees of freedom."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.core.validate import FloatArray

LOG_2PI = float(np.log(2 * np.pi))
TEMME_FROM = 1e5
SERIES_FROM = 20.0


def stirling_remainder(a: ArrayLike) -> FloatArray:
    """What Stirling's formula leaves out of ``gammaln(a)`` (DLMF 5.11.1), without cancellation for large ``a``."""
    a = np.asarray(a, dtype=float)
    large = np.maximum(a, SERIES_FROM)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / large**2) / large**2) / large**2) / large
    small = np.minimum(a, SERIES_FROM)
    direct = special.gammaln(small) - (small - 0.5) * np.log(small) + small - LOG_2PI / 2
    return np.where(a > SERIES_FROM, series, direct)


def log_chi2_peak(df: ArrayLike) -> FloatArray:
    """Logarithm of ``2 c f(c)`` at ``c = df``, with f the chi-squared density: its largest value over c."""
    half = np.asarray(df, dtype=float) / 2
    return np.log(2) + (np.log(half) - LOG_2PI) / 2 - stirling_remainder(half)


def log_t_peak(df: ArrayLike) -> FloatArray:
    """Logarithm of the density of Student's t at 0."""
    half = np.asarray(df, dtype=float) / 2
    gain = stirling_remainder(half + 0.5) - stirling_remainder(half)
    return half * np.log1p(0.5 / half) - 0.5 - LOG_2PI / 2 + gain


def t_upper(df: ArrayLike, t: ArrayLike) -> FloatArray:
    """P(T > t) of Student's t."""
    return special.stdtr(df, -np.asarray(t, dtype=float))


def chi2_lower(df: ArrayLike, c: ArrayLike) -> FloatArray:
    """P(chi-squared < c).

    ``scipy.special.gammainc`` cuts its series short beyond 2e5 degrees of freedom, 4.5 to 8 standard
    deviations below the mean; there Temme's uniform expansion (DLMF 8.12.3, 8.12.9, 8.12.10) takes over.
    """
    half, x = np.broadcast_arrays(np.asarray(df, dtype=float) / 2, np.asarray(c, dtype=float) / 2)
    result = np.asarray(special.gammainc(half, x))
    far = (half > TEMME_FROM) & (half - x > 4 * np.sqrt(half)) & (x > half / 2)
    if far.any():
        result[far] = _temme_lower(half[far], x[far])
    return result


def chi2_upper(df: ArrayLike, c: ArrayLike) -> FloatArray:
    """P(chi-squared > c); ``scipy.special.gammaincc`` is at fault only where it subtracts ``gammainc`` from 1."""
    df, c = np.asarray(df, dtype=float), np.asarray(c, dtype=float)
    return np.where(c < df, 1 - chi2_lower(df, c), special.gammaincc(df / 2, c / 2))


def _temme_lower(a: FloatArray, x: FloatArray) -> FloatArray:
    mu = (x - a) / a
    exponent = mu - np.log1p(mu)
    eta = -np.sqrt(2 * exponent)
    first = 1 / mu - 1 / eta
    second = 1 / eta**3 - 1 / mu**3 - 1 / mu**2 - 1 / (12 * mu)
    scaled = special.erfcx(-eta * np.sqrt(a / 2)) / 2 - (first + second / a) / np.sqrt(2 * np.pi * a)
    return np.exp(-a * exponent) * scaled
