"""Upper tail of the noncentral t distribution, relatively accurate far out and for millions of degrees of freedom.

T = (Z + delta) / S with Z standard normal and S = sqrt(chi2 / df). The tail is the mean of Phi(delta - t S) over S,
or of P(S < (Z + delta) / t) over Z. Both are integrals of smooth functions that vanish at both ends, for which the
trapezoidal rule converges exponentially (Trefethen and Weideman, SIAM Review 56, 2014), once it resolves the
narrower of the two factors. The second form is used where t S is by far the wider one, so that neither form needs
more than a few thousand nodes, however large t is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.bounds.normal_tails import chi2_lower, chi2_upper, log_chi2_peak
from surefoot.core.validate import FloatArray

CHUNK = 1 << 11
DROP = 42.0
BISECTIONS = 30
FEWEST_NODES = 201
NORMAL_STEP = 0.5
WIDE_RATIO = 5.0
REACH = 38.0
LOWEST_LOG_X = -46.0
FAR = 40.0
FAR_GRID: FloatArray = np.arange(0.0, 2 * REACH, 0.25)
NEAR_GRID: FloatArray = np.arange(0.0, FAR + REACH - LOWEST_LOG_X, 0.125)


def noncentral_t_upper(t: ArrayLike, df: ArrayLike, delta: ArrayLike) -> FloatArray:
    """P(T > t) with noncentrality ``delta``, broadcast over the arguments."""
    arrays = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (t, df, delta)))
    points, freedom, shift = (a.ravel() for a in arrays)
    wide = np.abs(points) > WIDE_RATIO * np.sqrt(freedom)
    far = np.sign(points) * shift > FAR
    result = np.empty(points.size)
    for chosen, form in (
        (wide & far, partial(_mean_over_normal, grid=FAR_GRID)),
        (wide & ~far, partial(_mean_over_normal, grid=NEAR_GRID)),
        (~wide, _mean_over_spread),
    ):
        for index in np.array_split(np.flatnonzero(chosen), np.arange(CHUNK, chosen.sum(), CHUNK)):
            if index.size:
                result[index] = form(*(a[index, None] for a in (points, freedom, shift)))
    return result.reshape(arrays[0].shape)


def _mean_over_normal(t: FloatArray, df: FloatArray, delta: FloatArray, grid: FloatArray) -> FloatArray:
    """Over x = |Z + delta| where Z + delta has the sign of t; for t < 0 the other sign always exceeds t.

    With x = log(1 + exp(v)) the integrand vanishes at both ends in v, also where x comes close to 0. The product of
    the two factors is narrowest there, and needs the finer grid.
    """
    centre = np.maximum(np.sign(t) * delta, -2 * REACH)
    offset = np.maximum(-REACH, LOWEST_LOG_X - centre) + grid
    v = centre + offset
    c = df * (np.logaddexp(0, v) / t) ** 2
    beyond = np.where(t > 0, chi2_lower(df, c), chi2_upper(df, c))
    # x - centre, without cancellation however large the centre is.
    z = offset + np.logaddexp(0, -v)
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * special.expit(v)
    total = grid[1] * (beyond * density).sum(axis=-1)
    return np.where(t > 0, 0, special.ndtr(delta))[:, 0] + total


def _mean_over_spread(t: FloatArray, df: FloatArray, delta: FloatArray) -> FloatArray:
    def log_integrand(w: FloatArray) -> FloatArray:
        return special.log_ndtr(delta - t * np.exp(w)) + df * (w - np.expm1(2 * w) / 2)

    mode = _falls_through_zero(lambda w: _slope(w, t, df, delta), np.full(t.shape, -60.0), np.full(t.shape, 60.0))
    floor = log_integrand(mode) - DROP
    low = _falls_through_zero(lambda w: floor - log_integrand(w), mode - 60.0, mode)
    high = _falls_through_zero(lambda w: log_integrand(w) - floor, mode, mode + 60.0)
    steps = ((high - low) * np.abs(t) * np.exp(high)).max() / NORMAL_STEP
    nodes = low + (high - low) * np.linspace(0, 1, FEWEST_NODES + int(steps))
    step = (high - low)[:, 0] / (nodes.shape[1] - 1)
    return step * np.exp(log_integrand(nodes) + log_chi2_peak(df)).sum(axis=-1)


def _slope(w: FloatArray, t: FloatArray, df: FloatArray, delta: FloatArray) -> FloatArray:
    # Has one sign change in w: divided by s, the first term falls in s and the second rises.
    s = np.exp(w)
    inverse_mills = np.sqrt(2 / np.pi) / special.erfcx((t * s - delta) / np.sqrt(2))
    return df * -np.expm1(2 * w) - t * s * inverse_mills


def _falls_through_zero(f: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray) -> FloatArray:
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        above = f(middle) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return high
