"""Kernels: radial functions of the distance in bandwidths, normalised as in scikit-learn.

In d dimensions a kernel with scale matrix ``L`` (``H = L L^T``) is ``norm * k(|L^-1 x|) / det L``; the papers' 1/(n h)
holds in one dimension only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammainccinv, gammaln, ndtr

from surefoot.core import validate
from surefoot.core.validate import FloatArray

NEGLIGIBLE = 1e-16
"""Mass beyond the reach of a kernel."""
GAUSSIAN_REACH = 9.0


@dataclass(frozen=True)
class Kernel:
    """One radial kernel, as a function of the squared distance in bandwidths, 1 at the centre."""

    name: str
    values: Callable[[FloatArray], FloatArray]
    exponents: Callable[[FloatArray], FloatArray] | None
    """Logarithm of the values; None for a kernel that ends at distance 1."""
    log_norm: Callable[[int], float]
    cumulative: Callable[[FloatArray], FloatArray]
    """Mass below a place in one dimension, for places at or below the centre."""

    @property
    def compact(self) -> bool:
        """Whether the kernel ends at distance 1."""
        return self.exponents is None

    def reach(self, dimensions: int) -> float:
        """Distance beyond which no mass is left in double precision."""
        if self.compact:
            return 1.0
        return GAUSSIAN_REACH if self.name == "gaussian" else float(gammainccinv(dimensions, NEGLIGIBLE))

    def between(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Mass of intervals in one dimension; tails are subtracted from tails, so small masses keep their digits."""
        below, above = self.cumulative(-np.abs(low)), self.cumulative(-np.abs(high))
        return np.where((low < 0) & (high > 0), 1 - below - above, np.abs(above - below))


def kernel_named(name: str) -> Kernel:
    """The kernel of that name."""
    return KERNELS[validate.choice(name, KERNELS, where="KDE", name="kernel")]


def log_unit_ball(dimensions: int) -> float:
    """Logarithm of the volume of the unit ball."""
    return float(dimensions / 2 * math.log(math.pi) - gammaln(dimensions / 2 + 1))


def _gaussian_exponents(squared: FloatArray) -> FloatArray:
    return -0.5 * squared


def _gaussian(squared: FloatArray) -> FloatArray:
    return np.exp(_gaussian_exponents(squared))


def _gaussian_norm(dimensions: int) -> float:
    return -dimensions / 2 * math.log(2 * math.pi)


def _exponential_exponents(squared: FloatArray) -> FloatArray:
    return -np.sqrt(squared)


def _exponential(squared: FloatArray) -> FloatArray:
    return np.exp(_exponential_exponents(squared))


def _exponential_norm(dimensions: int) -> float:
    return -log_unit_ball(dimensions) - float(gammaln(dimensions + 1))


def _exponential_cumulative(places: FloatArray) -> FloatArray:
    return 0.5 * np.exp(places)


def _epanechnikov(squared: FloatArray) -> FloatArray:
    return np.maximum(1 - squared, 0)


def _epanechnikov_norm(dimensions: int) -> float:
    return math.log((dimensions + 2) / 2) - log_unit_ball(dimensions)


def _epanechnikov_cumulative(places: FloatArray) -> FloatArray:
    depth = 1 + np.maximum(places, -1)
    return depth**2 * (3 - depth) / 4


def _tophat(squared: FloatArray) -> FloatArray:
    return np.where(squared < 1, 1.0, 0.0)


def _tophat_norm(dimensions: int) -> float:
    return -log_unit_ball(dimensions)


def _tophat_cumulative(places: FloatArray) -> FloatArray:
    return (1 + np.maximum(places, -1)) / 2


KERNELS = {
    kernel.name: kernel
    for kernel in (
        Kernel("gaussian", _gaussian, _gaussian_exponents, _gaussian_norm, ndtr),
        Kernel("exponential", _exponential, _exponential_exponents, _exponential_norm, _exponential_cumulative),
        Kernel("epanechnikov", _epanechnikov, None, _epanechnikov_norm, _epanechnikov_cumulative),
        Kernel("tophat", _tophat, None, _tophat_norm, _tophat_cumulative),
    )
}
