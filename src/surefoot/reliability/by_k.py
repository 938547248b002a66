"""How the answer settles as more regions are looked at (RAM, Eqns. (14) and (15), with errata RAM 8)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from surefoot.core import Table
from surefoot.core.validate import FloatArray

WeightedMean = Callable[[FloatArray, FloatArray], tuple[float, float]]
STEPS = 40
FEWEST = 10


def weighted_mean(weights: FloatArray, risk: FloatArray) -> tuple[float, float]:
    """Eqn. (14), and its linearised variance k / (k - 1) sum(w^2 (risk - mean)^2) / sum(w)^2.

    Eqn. (15) is too small where weights differ or go with risk.
    """
    k, total = weights.size, float(weights.sum())
    mean = float(weights @ risk) / total
    return mean, k / (k - 1) * float((weights**2 * (risk - mean) ** 2).sum()) / total**2


def by_k(weights: FloatArray, risk: FloatArray, *, upper_z: float, seed: int, most: int | None = None) -> Table:
    """Weighted mean, its standard deviation and upper limit for the first k of all regions in random order.

    Each region comes once, so the curve ends at the sum over all; Eqn. (14) draws with replacement, for which the
    standard deviation is stated. It starts where the first failure was found: before, there is none to speak of.
    """
    drawn = np.random.default_rng(seed).permutation(weights.size)[:most]
    return settling(weights[drawn], risk[drawn], upper_z=upper_z)


def settling(sizes: FloatArray, values: FloatArray, *, upper_z: float, mean: WeightedMean = weighted_mean) -> Table:
    """The mean of the first k values, its standard deviation and upper limit, for growing k."""
    counts = np.unique(np.geomspace(min(FEWEST, values.size), values.size, STEPS).astype(int))
    rows = []
    for k in counts[counts > 1].tolist():
        if (sizes[:k] * values[:k]).any():
            found, variance = mean(sizes[:k], values[:k])
            sd = math.sqrt(variance)
            rows.append((k, found, sd, found + upper_z * sd))
    return Table(("k", "mean", "sd", "upper"), tuple(rows))
