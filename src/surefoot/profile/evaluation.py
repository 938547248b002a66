"""Exact density at many places in bounded memory: compiled where numba is installed, by numpy otherwise."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingExtra
from surefoot.core.validate import FloatArray
from surefoot.profile.blocks import near_together
from surefoot.profile.sample import Sample
from surefoot.profile.slicing import slices

WORTH_COMPILING = 1 << 22
"""Pairs of points and queries below which loading the compiled loop takes longer than it saves."""
QUERIES, POINTS = 512, 2048
"""One block of distances by numpy: 8 MB."""
CHUNK = 128
"""Queries that a thread takes at a time."""


def log_density(sample: Sample, queries: FloatArray) -> FloatArray:
    """Logarithm of the density at each query; relative error of the density below 1e-10."""
    white = sample.whiten(queries)
    worth = len(sample) * len(queries) >= WORTH_COMPILING and can_compile()
    sums = compiled_log_sums(sample, white) if worth else plain_log_sums(sample, white)
    return sums + (sample.log_height - math.log(len(sample)))


@cache
def can_compile() -> bool:
    """Whether numba is installed and works with the numpy that is."""
    try:
        from surefoot.profile import compiled  # noqa: F401
    except MissingExtra:
        return False
    return True


def compiled_log_sums(sample: Sample, white: FloatArray) -> FloatArray:
    """Logarithm of the weighted sum of kernel values at each query, by the compiled loop.

    Each query is summed by one thread in an order of its own, so the number of threads changes no bit.
    """
    from surefoot.profile import compiled

    blocks, kind = sample.blocks, compiled.KINDS[sample.kernel.name]
    order, out = near_together(white, compiled.TILE), np.empty(len(white))
    white = np.ascontiguousarray(white)

    def some(chosen: NDArray[np.int64]) -> None:
        compiled.log_sums(white, blocks.points, blocks.weights, blocks.lower, blocks.upper, kind, chosen, out)

    with ThreadPoolExecutor(_threads()) as pool:
        list(pool.map(some, [order[start : start + CHUNK] for start in range(0, len(order), CHUNK)]))
    return out


def plain_log_sums(sample: Sample, white: FloatArray) -> FloatArray:
    """The same by numpy and matrix products."""
    return np.concatenate(
        [_block_log_sums(sample, white[chosen]) for chosen in slices(len(white), QUERIES)] or [white[:, 0]]
    )


def _block_log_sums(sample: Sample, queries: FloatArray) -> FloatArray:
    top, total = np.full(len(queries), -np.inf), np.zeros(len(queries))
    for chosen in slices(len(sample), POINTS):
        distances, weights = sample.squared(queries, chosen), sample.weights[chosen]
        if sample.kernel.exponents is None:
            total += sample.kernel.values(distances) @ weights
            top[:] = 0
            continue
        exponents = sample.kernel.exponents(distances)
        exponents[:, weights == 0] = -np.inf
        highest = np.maximum(top, exponents.max(axis=1))
        shift = np.where(np.isfinite(highest), highest, 0)
        total = total * np.exp(top - shift) + np.exp(exponents - shift[:, None]) @ weights
        top = highest
    with np.errstate(divide="ignore"):
        return np.log(total) + np.where(np.isfinite(top), top, 0)


def _threads() -> int:
    """As many threads as matrix products may use here, so that a limit on those holds for this too."""
    from threadpoolctl import threadpool_info

    return max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)
