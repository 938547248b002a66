"""The bound function g_N of NRB (Guenther and Liggesmeyer, "Single-valued Risk Bound for Normal Classifiers")."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.bounds.normal_tails import LOG_2PI, log_chi2_peak, log_t_peak
from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray


@dataclass(frozen=True)
class Gradient:
    """Partial derivatives of g_N."""

    gamma: FloatArray
    eta: FloatArray


def score_bound(ratio: ArrayLike, n: ArrayLike, gamma: ArrayLike, eta: ArrayLike) -> FloatArray:
    """The function g_N(gamma, eta) of NRB, Eqn. (15), for a ratio mean/sd of ``n`` margins.

    gamma and eta are the error probabilities (1 - confidence) of the bounds on mean and spread.
    """
    ratio, sizes, gamma, eta = _checked(ratio, n, gamma, eta, where="score_bound")
    t, c = _quantiles(sizes - 1, gamma, eta)
    return special.ndtr((t / np.sqrt(sizes) - ratio) * np.sqrt(c / (sizes - 1))) + gamma + eta


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
