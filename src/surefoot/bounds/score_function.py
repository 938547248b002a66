"""The bound function g_N of NRB (Guenther and Liggesmeyer, "Single-valued Risk Bound for Normal Classifiers").

Its values and derivatives, its global minimum, how often that lies below the true risk, and the tail probabilities
that all of it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray


def normal_score_minimum(ratio: ArrayLike, n: ArrayLike) -> FloatArray:
    """Global minimum of g_N for ratios mean/sd and sample sizes ``n``; 1 where Algorithm 1 returns 1.

    Below the smallest normal double (2.2e-308) that number is given instead: a bound on a risk is never 0.

    Parameters
    ----------
    ratio
        Mean over standard deviation of margins.
    n
        Number of margins, at least 3; broadcast with ``ratio``.

    Returns
    -------
    ndarray
        The minimum, in the common shape.

    References
    ----------
    NRB, Eqn. (15) and Algorithm 1.

    Examples
    --------
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


def score_bound(ratio: ArrayLike, n: ArrayLike, gamma: ArrayLike, eta: ArrayLike) -> FloatArray:
    """The function g_N(gamma, eta) of NRB, Eqn. (15), for a ratio mean/sd of ``n`` margins.

    gamma and eta are the error probabilities (1 - confidence) of the bounds on mean and spread.
    """
    ratio, sizes, gamma, eta = _checked(ratio, n, gamma, eta, where="score_bound")
    t, c = _quantiles(sizes - 1, gamma, eta)
    return special.ndtr((t / np.sqrt(sizes) - ratio) * np.sqrt(c / (sizes - 1))) + gamma + eta


@dataclass(frozen=True)
class Gradient:
    """Partial derivatives of g_N."""

    gamma: FloatArray
    eta: FloatArray


def score_bound_gradient(ratio: ArrayLike, n: ArrayLike, gamma: ArrayLike, eta: ArrayLike) -> Gradient:
    """Derivatives of g_N in gamma and eta: NRB, Theorem 2.1, by logarithms of densities.

    Written so, the Gamma functions of Eqn. (24) neither overflow nor cancel, however large ``n`` is.
    """
    ratio, sizes, gamma, eta = _checked(ratio, n, gamma, eta, where="score_bound_gradient")
    df = sizes - 1
    t, c = _quantiles(df, gamma, eta)
    lead, s = ratio - t / np.sqrt(sizes), np.sqrt(c / df)
    log_phi = -((lead * s) ** 2 + LOG_2PI) / 2
    log_t = log_t_peak(df) - sizes / 2 * np.log1p(t * t / df)
    # Logarithm of 2 c times the chi-squared density at c.
    log_chi2 = log_chi2_peak(df) + df / 2 * (np.log(c / df) - (c - df) / df)
    by_gamma = 1 - np.exp(log_phi - log_t) * s / np.sqrt(sizes)
    return Gradient(by_gamma, 1 - np.exp(log_phi - log_chi2) * lead * s)


def _quantiles(df: FloatArray, gamma: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    return -special.stdtrit(df, gamma), 2 * special.gammaincinv(df / 2, eta)


def _checked(
    ratio: ArrayLike, n: ArrayLike, gamma: ArrayLike, eta: ArrayLike, *, where: str
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    ratio, sizes = checked_sizes(ratio, n, where=where)
    return ratio, sizes, _open_unit(gamma, "gamma", where), _open_unit(eta, "eta", where)


def checked_sizes(values: ArrayLike, n: ArrayLike, *, where: str, name: str = "ratio") -> tuple[FloatArray, FloatArray]:
    """Finite values and whole sample sizes of at least 3, broadcast against each other."""
    array = validate.numbers(values, where=where, name=name)
    sizes = validate.numbers(n, where=where, name="n")
    bad = (sizes < 3) | (sizes != np.floor(sizes))
    if bad.any():
        raise InvalidInput(
            "n must be whole numbers of at least 3",
            where=where,
            found=f"{sizes[bad].flat[0]:g}",
            remedy="Give the number of margins; with fewer than 3 the bound does not exist.",
        )
    try:
        array, sizes = np.broadcast_arrays(array, sizes)
    except ValueError as error:
        found = f"shapes {array.shape} and {sizes.shape}"
        raise InvalidInput(f"{name} and n must broadcast", where=where, found=found) from error
    return array, sizes


def _open_unit(values: ArrayLike, name: str, where: str) -> FloatArray:
    array = validate.numbers(values, where=where, name=name)
    if ((array <= 0) | (array >= 1)).any():
        found = array[(array <= 0) | (array >= 1)].flat[0]
        raise InvalidInput(f"{name} must lie in (0, 1)", where=where, found=f"{found:g}", remedy="Exclude 0 and 1.")
    return array


# The global minimum of g_N, Eqn. (15), and Algorithm 1.
#
# With n = N - 1, t = F_t^-1(1 - gamma), c = F_chi2^-1(eta) and s = sqrt(c / n),
#
#     g = Phi(-u) + P(T > t) + P(chi2 < c),    u = (r - t / sqrt(N)) s.
#
# A value below 0.5 needs u > 0, t > 0 and c < n. Where both derivatives vanish there,
#
#     2 c f_chi2(c) = u phi(u),    f_t(t) = s phi(u) / sqrt(N),
#
# so u alone fixes c, c fixes t, and both fix the ratio r = R(u) = u / s + t / sqrt(N). All stationary points of
# all ratios lie on this one curve. R falls and then rises; g exceeds 0.5 at its lowest point and on the
# falling part (the saddles), so a minimum below 0.5 is unique, and is the root of R(u) = r on the
# rising part, found by Newton's method from above in log u, where log R is convex. No tail probability is evaluated
# before the last step.

CHUNK = 1 << 15
NEWTON_STEPS = 40
NEWTON_TOLERANCE = 1e-4
INNER_STEPS = 2
LOWEST_LOG_U = -20.0
LARGEST_RATIO = 1e100
NO_BOUND = 1.0
HALF = 0.5
TINY = float(np.finfo(float).tiny)


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


def _highest_u(ratio: FloatArray, k: Constants) -> FloatArray:
    # From R(u) >= u and R(u) >= t(u) / sqrt(N), with y >= 0.
    square = k.n * np.log1p(ratio**2 * k.n / k.df) - 2 * k.t_peak - LOG_2PI
    return np.minimum(ratio, np.sqrt(np.maximum(square, 0)))


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


# How often the minimum lies below the true risk, computed instead of simulated.
#
# The bound falls in the observed ratio mean/sd, so it lies below the true risk exactly where the ratio exceeds a
# critical one, and sqrt(N) mean/sd follows a noncentral t distribution.

VIOLATION_CHUNK, STEPS, LOWEST_RATIO = 1 << 12, 50, -38.0
CURVE_LOG_U = -14.0, float(np.log(38.0))


def normal_score_violation(ratio: ArrayLike, n: ArrayLike) -> FloatArray:
    """Probability that the minimum of g_N lies below the true risk Phi(-ratio), for ``n`` normal margins.

    One minus the result is the coverage of ``normal_score``. A risk below the smallest normal double, at ratios above
    37.5, is never undercut: no smaller bound is given.

    Parameters
    ----------
    ratio
        The true mu/sigma.
    n
        Number of margins, at least 3; broadcast with ``ratio``.

    Returns
    -------
    ndarray
        The probability, in the common shape.

    Examples
    --------
    >>> float(normal_score_violation(1.0, 100).round(6))
    0.000143

    """
    ratio, sizes = checked_sizes(ratio, n, where="normal_score_violation")
    flat, result = (ratio.ravel(), sizes.ravel()), np.empty(ratio.size)
    for start in range(0, ratio.size, VIOLATION_CHUNK):
        part = slice(start, start + VIOLATION_CHUNK)
        result[part] = _violation(flat[0][part], flat[1][part])
    return result.reshape(ratio.shape)


def critical_ratio(risk: ArrayLike, n: ArrayLike) -> FloatArray:
    """The mean/sd above which the minimum of g_N is below ``risk``.

    Found by bisection on log u along the curve of stationary points, where g falls as u grows.

    Parameters
    ----------
    risk
        Probabilities.
    n
        Number of margins, at least 3; broadcast with ``risk``.

    Returns
    -------
    ndarray
        The ratio, in the common shape.

    Examples
    --------
    >>> import surefoot as sf
    >>> ratio = sf.bounds.critical_ratio(0.1, 100)
    >>> float(sf.bounds.normal_score_minimum(ratio, 100).round(6))
    0.1

    """
    risk, sizes = checked_sizes(risk, n, where="critical_ratio", name="risk")
    if ((risk < 0) | (risk > 1)).any():
        raise InvalidInput(
            "risk must lie in [0, 1]", where="critical_ratio", found=f"{risk[(risk < 0) | (risk > 1)].flat[0]:g}"
        )
    constants, target = Constants.of(sizes), np.minimum(risk, HALF)
    low, high = (np.full(risk.shape, end) for end in CURVE_LOG_U)
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


# Upper tail of the noncentral t distribution, relatively accurate far out and for millions of degrees of freedom.
#
# T = (Z + delta) / S with Z standard normal and S = sqrt(chi2 / df). The tail is the mean of Phi(delta - t S) over S,
# or of P(S < (Z + delta) / t) over Z. Both are integrals of smooth functions that vanish at both ends, for which the
# trapezoidal rule converges exponentially (Trefethen and Weideman, SIAM Review 56, 2014), once it resolves the
# narrower of the two factors. The second form is used where t S is by far the wider one, so that neither form needs
# more than a few thousand nodes, however large t is.

NONCENTRAL_T_CHUNK = 1 << 11
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
        for index in np.array_split(
            np.flatnonzero(chosen), np.arange(NONCENTRAL_T_CHUNK, chosen.sum(), NONCENTRAL_T_CHUNK)
        ):
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


# Tail probabilities that stay relatively accurate far out and for millions of degrees of freedom.

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
