"""How often the single-valued bound of NRB lies below the true risk, computed instead of simulated.

The bound falls in the observed ratio mean/sd, so it lies below the true risk exactly where the ratio exceeds a
critical one, and sqrt(N) mean/sd follows a noncentral t distribution.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.bounds.noncentral_t import noncentral_t_upper
from surefoot.bounds.normal_function import checked_sizes
from surefoot.bounds.normal_minimum import HALF, TINY, Constants, curve
from surefoot.bounds.normal_tails import chi2_lower, t_upper
from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray

CHUNK = 1 << 12
STEPS = 50
LOWEST_RATIO = -38.0
LOWEST_LOG_U, HIGHEST_LOG_U = -14.0, float(np.log(38.0))


def normal_score_violation(ratio: ArrayLike, n: ArrayLike) -> FloatArray:
    """Probability that the minimum of g_N lies below the true risk Phi(-ratio), for ``n`` normal margins.

    ``ratio`` is the true mu/sigma, broadcast with ``n``. One minus the result is the coverage of ``normal_score``.
    A risk below the smallest normal double, at ratios above 37.5, is never undercut: no smaller bound is given.

    >>> float(normal_score_violation(1.0, 100).round(6))
    0.000143
    """
    ratio, sizes = checked_sizes(ratio, n, where="normal_score_violation")
    flat, result = (ratio.ravel(), sizes.ravel()), np.empty(ratio.size)
    for start in range(0, ratio.size, CHUNK):
        part = slice(start, start + CHUNK)
        result[part] = _violation(flat[0][part], flat[1][part])
    return result.reshape(ratio.shape)


def critical_ratio(risk: ArrayLike, n: ArrayLike) -> FloatArray:
    """The mean/sd above which the minimum of g_N is below ``risk``.

    Bisection on log u along the curve of stationary points (``normal_minimum``), where g falls as u grows.
    """
    risk, sizes = checked_sizes(risk, n, where="critical_ratio", name="risk")
    if ((risk < 0) | (risk > 1)).any():
        raise InvalidInput(
            "risk must lie in [0, 1]", where="critical_ratio", found=f"{risk[(risk < 0) | (risk > 1)].flat[0]:g}"
        )
    constants, target = Constants.of(sizes), np.minimum(risk, HALF)
    low, high = np.full(risk.shape, LOWEST_LOG_U), np.full(risk.shape, HIGHEST_LOG_U)
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = _bound_on_curve(np.exp(middle), constants) > target
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return curve(np.exp(high), constants).ratio


def _bound_on_curve(u: FloatArray, k: Constants) -> FloatArray:
    point = curve(u, k)
    return special.ndtr(-u) + t_upper(k.df, point.t) + chi2_lower(k.df, k.df * np.exp(-point.y))


def _violation(ratio: FloatArray, n: FloatArray) -> FloatArray:
    root, risk = np.sqrt(n), special.ndtr(-ratio)
    result, possible = np.zeros(ratio.size), (risk >= TINY) & (ratio > LOWEST_RATIO)
    if possible.any():
        ratio, n, root, risk = ratio[possible], n[possible], root[possible], risk[possible]
        result[possible] = noncentral_t_upper(root * critical_ratio(risk, n), n - 1, root * ratio)
    return result
