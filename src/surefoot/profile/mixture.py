"""The exponential kernel as a mixture of Gaussians."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.profile.kernels import KERNELS

STEP = 0.25
"""Error of the trapezoidal rule in log t is about exp(-pi^2 / STEP) = 7e-18 of the kernel at its centre."""
SMALLEST_SHARE = 1e-16


@lru_cache(maxsize=16)
def gaussian_mixture(dimensions: int) -> tuple[FloatArray, FloatArray]:
    """Shares and scales of Gaussians whose sum is the exponential kernel, in more than one dimension.

    ``exp(-r) = (1 / (2 sqrt(pi))) int t^(-3/2) exp(-1/(4t)) exp(-t r^2) dt`` (Andrews and Mallows 1974), by the
    trapezoidal rule in the logarithm of t.
    """
    t = np.exp(np.arange(-8, 60, STEP))
    log_norm = KERNELS["exponential"].log_norm(dimensions) - math.log(2 * math.sqrt(math.pi))
    logs = log_norm - 0.5 * np.log(t) - 1 / (4 * t) + dimensions / 2 * np.log(math.pi / t)
    shares = STEP * np.exp(logs)
    kept = shares > SMALLEST_SHARE
    return shares[kept], 1 / np.sqrt(2 * t[kept])
