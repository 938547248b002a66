"""The bound function g_N of NRB (Guenther and Liggesmeyer, Eqn. (15)) and its global minimum.

With n = N - 1, t = F_t^-1(1 - gamma), c = F_chi2^-1(eta) and s = sqrt(c / n),

    g = Phi(-u) + P(T > t) + P(chi2 < c),    u = (r - t / sqrt(N)) s.

A value below 0.5 needs u > 0, t > 0 and c < n. Where both derivatives vanish there,

    2 c f_chi2(c) = u phi(u),    f_t(t) = s phi(u) / sqrt(N),

so u alone fixes c, c fixes t, and both fix the ratio r = R(u) = u / s + t / sqrt(N). All stationary points of
all ratios lie on this one curve. R falls and then rises; g exceeds 0.5 at its lowest point and on the
falling part (the saddles), so a minimum below 0.5 is unique, and is the root of R(u) = r on the
rising part, found by Newton's method from above in log u, where log R is convex. No tail probability is evaluated
before the last step.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.bounds.normal_function import checked_sizes
from surefoot.bounds.normal_tails import LOG_2PI, chi2_lower, log_chi2_peak, log_t_peak, t_upper
from surefoot.core.validate import FloatArray

CHUNK = 1 << 15
NEWTON_STEPS = 40
NEWTON_TOLERANCE = 1e-4
INNER_STEPS = 2
LOWEST_LOG_U = -20.0
LARGEST_RATIO = 1e100
NO_BOUND = 1.0
HALF = 0.5
TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class Minimum:
    """Where g_N is smallest: its value and the error probabilities gamma and eta that reach it.

    Where Algorithm 1 returns 1 there is no such place: ``exists`` is false, gamma and eta are NaN.
    """

    value: FloatArray
    gamma: FloatArray
    eta: FloatArray

    @property
    def exists(self) -> NDArray[np.bool_]:
        """True where a minimum below 0.5 exists."""
        return self.value < HALF


@dataclass(frozen=True)
class Curve:
    """Stationary points of g_N, by u: ``y = -2 log s`` and t, with the ratio they belong to and its slope.

    ``slope`` is the derivative of log R in log u.
    """

    y: FloatArray
    t: FloatArray
    ratio: FloatArray
    slope: FloatArray


@dataclass(frozen=True)
class Constants:
    """What the curve needs to know of N."""

    n: FloatArray
    df: FloatArray
    root_n: FloatArray
    chi2_peak: FloatArray
    t_peak: FloatArray

    @classmethod
    def of(cls, n: FloatArray) -> Constants:
        """Constants for sample sizes ``n``."""
        df = n - 1
        return cls(n, df, np.sqrt(n), log_chi2_peak(df), log_t_peak(df) + np.log(n) / 2)

    def __getitem__(self, index: NDArray[np.intp]) -> Constants:
        return Constants(*(getattr(self, f.name)[index] for f in fields(self)))


def normal_score_minimum(ratio: ArrayLike, n: ArrayLike) -> FloatArray:
    """Global minimum of g_N for ratios mean/sd and sample sizes ``n``, broadcast; 1 where Algorithm 1 returns 1.

    NRB, Eqn. (15) and Algorithm 1. Below the smallest normal double (2.2e-308) that number is given instead:
    a bound on a risk is never 0.

    >>> normal_score_minimum([1.5, 0.01], 100).round(6).tolist()
    [0.164502, 1.0]
    """
    return minimise(ratio, n).value


def minimise(ratio: ArrayLike, n: ArrayLike) -> Minimum:
    """``normal_score_minimum`` with the gamma and eta of the minimum."""
    ratio, sizes = checked_sizes(ratio, n, where="normal_score_minimum")
    shape, ratio, sizes = ratio.shape, ratio.ravel(), sizes.ravel()
    distinct, which = np.unique(sizes, return_inverse=True)
    constants = Constants.of(distinct)
    result = Minimum(*(np.empty(ratio.size) for _ in fields(Minimum)))
    for start in range(0, ratio.size, CHUNK):
        part = slice(start, start + CHUNK)
        found = _minimise(ratio[part], constants[which[part]])
        for f in fields(Minimum):
            getattr(result, f.name)[part] = getattr(found, f.name)
    return Minimum(*(getattr(result, f.name).reshape(shape) for f in fields(Minimum)))


def curve(u: FloatArray, k: Constants) -> Curve:
    """Stationary points of g_N with ``u > 0`` (see the module's text)."""
    energy = (u * u + LOG_2PI) / 2
    y = _invert_y(2 / k.df * (k.chi2_peak + energy - np.log(u)))
    y_rate = 2 / k.df * (u * u - 1) / -np.expm1(-y)
    # The t density falls by (1 + t^2 / df)^(-(df + 1) / 2); the root of 1 + t^2 / df does not overflow, its square may.
    fall = 2 / k.n * (k.t_peak + energy + y / 2)
    root, less = np.exp(fall / 2), np.sqrt(-np.expm1(-fall))
    t = np.sqrt(k.df) * root * less
    t_rate = (u * u + y_rate / 2) * np.sqrt(k.df) * root / (k.n * less)
    first, second = u * np.exp(y / 2), t / k.root_n
    ratio = first + second
    return Curve(y, t, ratio, (first * (1 + y_rate / 2) + t_rate / k.root_n) / ratio)


def _invert_y(level: FloatArray) -> FloatArray:
    """Solve ``y + exp(-y) - 1 = level`` for y > 0 by Newton's method."""
    root = np.sqrt(2 * level)
    y = np.where(level < 2, root * (1 + root / 6 + level / 36), level + 1)
    for _ in range(INNER_STEPS):
        y = y + (y + np.expm1(-y) - level) / np.expm1(-y)
    return y


def _highest_u(ratio: FloatArray, k: Constants) -> FloatArray:
    # From R(u) >= u and R(u) >= t(u) / sqrt(N), with y >= 0.
    square = k.n * np.log1p(ratio**2 * k.n / k.df) - 2 * k.t_peak - LOG_2PI
    return np.minimum(ratio, np.sqrt(np.maximum(square, 0)))


def _minimise(ratio: FloatArray, k: Constants) -> Minimum:
    # The bound falls in the ratio, so a smaller one is safe; squares of this one do not overflow.
    ratio = np.clip(ratio, 0, LARGEST_RATIO)
    highest = _highest_u(ratio, k)
    possible = np.flatnonzero(highest > np.exp(LOWEST_LOG_U))
    result = Minimum(np.full(ratio.size, NO_BOUND), np.full(ratio.size, np.nan), np.full(ratio.size, np.nan))
    ratio, k = ratio[possible], k[possible]
    point = _root(ratio, np.log(highest[possible]), k)
    s = np.exp(-point.y / 2)
    gamma, eta = t_upper(k.df, point.t), chi2_lower(k.df, k.df * s * s)
    value = np.maximum(special.ndtr((point.t / k.root_n - ratio) * s) + gamma + eta, TINY)
    reached = (value < HALF) & (point.t < ratio * k.root_n)
    where = possible[reached]
    result.value[where], result.gamma[where], result.eta[where] = value[reached], gamma[reached], eta[reached]
    return result


def _root(ratio: FloatArray, log_u: FloatArray, k: Constants) -> Curve:
    log_ratio, active = np.log(ratio), np.arange(ratio.size)
    for _ in range(NEWTON_STEPS):
        u = np.exp(log_u[active])
        point = curve(u, k[active])
        # From above the iterates pass the lowest point of the convex curve only where they met no root before it.
        rising = point.slope > 0
        step = (np.log(point.ratio) - log_ratio[active]) / np.where(rising, point.slope, np.inf)
        log_u[active] -= step
        active = active[rising & (np.abs(step) * (1 + u * u) > NEWTON_TOLERANCE) & (log_u[active] > LOWEST_LOG_U)]
        if not active.size:
            break
    return curve(np.exp(np.maximum(log_u, LOWEST_LOG_U)), k)
