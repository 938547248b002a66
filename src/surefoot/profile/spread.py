"""Uncertainty of a density: what resampling the points would show, in closed form and by resampling.

Each point adds ``w_j K(x - x_j)`` to the mean at x. With a renormalised boundary the density is a ratio of two means,
f = W / M, and each point adds ``(w_j K(x - x_j) - f w_j m_j) / M`` to first order, with m_j its mass inside.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.profile.slicing import slices

QUERIES, POINTS = 256, 2048
COUNTS = 1 << 22
"""Numbers in one block of resampling counts: 32 MB."""

Responses = Callable[[FloatArray, slice], FloatArray]
"""Density at each query of the kernel of each point in the slice: (queries, points)."""


def bootstrap_limit(
    responses: Responses,
    queries: FloatArray,
    density: FloatArray,
    weights: FloatArray,
    inside: FloatArray | None,
    *,
    size: int,
) -> FloatArray:
    """``(1/(n size)) sum_j (W_j - mean W)^2``: the variance over resamples of ``size`` points (Efron 1979)."""
    share = 1.0 if inside is None else float(np.mean(weights * inside))
    centres = np.ones_like(weights) if inside is None else weights * inside
    total = np.zeros(len(queries))
    for rows in slices(len(queries), QUERIES):
        for some in slices(len(weights), POINTS):
            parts = responses(queries[rows], some) * weights[some]
            parts -= density[rows, None] * centres[some]
            total[rows] += np.einsum("ij,ij->i", parts, parts)
    return total / (share**2 * len(weights) * size)


def resampled_variance(
    responses: Responses,
    queries: FloatArray,
    weights: FloatArray,
    inside: FloatArray | None,
    *,
    draws: int,
    size: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Variance of the density over resamples of ``size`` points, drawn with replacement."""
    count = len(weights)
    densities = []
    for some in slices(draws, max(1, COUNTS // count)):
        counts = rng.multinomial(size, np.full(count, 1 / count), size=some.stop - some.start) * weights
        means = np.zeros((len(counts), len(queries)))
        for rows in slices(len(queries), QUERIES):
            for part in slices(count, POINTS):
                means[:, rows] += counts[:, part] @ responses(queries[rows], part).T
        densities.append(means / (size if inside is None else (counts @ inside)[:, None]))
    return np.asarray(np.concatenate(densities).var(axis=0, ddof=1))
