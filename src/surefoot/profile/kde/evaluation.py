"""Exact density at many places in bounded memory: compiled where numba is installed, by numpy otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingExtra
from surefoot.core.validate import FloatArray
from surefoot.profile.input_arrays import slices
from surefoot.profile.kde.bandwidth import Kernel, Shape, rounded_squared_distances, squared_distances

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
        from surefoot.profile.kde import numba_loops  # noqa: F401
    except MissingExtra:
        return False
    return True


def compiled_log_sums(sample: Sample, white: FloatArray) -> FloatArray:
    """Logarithm of the weighted sum of kernel values at each query, by the compiled loop.

    Each query is summed by one thread in an order of its own, so the number of threads changes no bit.
    """
    from surefoot.profile.kde import numba_loops

    blocks, kind = sample.blocks, numba_loops.KINDS[sample.kernel.name]
    order, out = near_together(white, numba_loops.TILE), np.empty(len(white))
    white = np.ascontiguousarray(white)

    def some(chosen: NDArray[np.int64]) -> None:
        numba_loops.log_sums(white, blocks.points, blocks.weights, blocks.lower, blocks.upper, kind, chosen, out)

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


# Points with weights, a kernel and its bandwidth: all that a density without boundaries needs.


@dataclass(frozen=True, eq=False)
class Sample:
    """The density ``(1/n) sum_j w_j K(x - x_j)``; the weights have mean 1."""

    points: FloatArray
    weights: FloatArray
    kernel: Kernel
    bandwidth: Any
    """The bandwidth as numbers."""
    shape: Shape

    def __len__(self) -> int:
        return len(self.points)

    @property
    def dimensions(self) -> int:
        """Number of features."""
        return self.points.shape[1]

    @property
    def log_height(self) -> float:
        """Logarithm of the kernel's density at its centre."""
        return self.kernel.log_norm(self.dimensions) - self.shape.log_det

    @property
    def reaches(self) -> FloatArray:
        """Distance along each feature beyond which a kernel has no mass."""
        return self.kernel.reach(self.dimensions) * self.shape.scales

    @cached_property
    def centre(self) -> FloatArray:
        """A place amid the points: differences from it lose fewer digits."""
        return np.asarray((self.points.min(axis=0) + self.points.max(axis=0)) / 2)

    @cached_property
    def white(self) -> FloatArray:
        """The points in bandwidths from the centre."""
        return self.whiten(self.points)

    @cached_property
    def blocks(self) -> Blocks:
        """The points in compact blocks, for the compiled loop."""
        return Blocks.of(self.white, self.weights)

    def whiten(self, rows: FloatArray) -> FloatArray:
        """Rows in bandwidths from the centre."""
        return self.shape.whiten(rows - self.centre)

    def squared(self, white_queries: FloatArray, chosen: slice) -> FloatArray:
        """Squared distances to chosen points; all kernels but the Gaussian are steep or broken somewhere."""
        distances = rounded_squared_distances if self.kernel.name == "gaussian" else squared_distances
        return distances(white_queries, self.white[chosen])

    def responses(self, queries: FloatArray, chosen: slice) -> FloatArray:
        """Density at each query of the kernel of each chosen point, one row a query."""
        values = self.kernel.values(self.squared(self.whiten(queries), chosen))
        values *= math.exp(self.log_height)
        return values


# Points packed in blocks of one size, near points together, so that far blocks can be passed over.

BLOCK = 256


@dataclass(frozen=True, eq=False)
class Blocks:
    """Points as (blocks, dimensions, BLOCK); the last block is filled up with points of weight 0."""

    points: FloatArray
    weights: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, points: FloatArray, weights: FloatArray) -> Blocks:
        """Pack the points that have a weight."""
        kept = np.flatnonzero(weights)
        order = kept[near_together(points[kept], BLOCK)]
        filled = np.append(order, np.full(-len(order) % BLOCK, order[-1]))
        packed = np.ascontiguousarray(points[filled].reshape(-1, BLOCK, points.shape[1]).transpose(0, 2, 1))
        packed_weights = weights[filled]
        packed_weights[len(order) :] = 0
        return cls(packed, packed_weights.reshape(-1, BLOCK), packed.min(axis=2), packed.max(axis=2))


def near_together(points: FloatArray, size: int) -> NDArray[np.int64]:
    """An order of rows in which each run of ``size`` is compact: halves along the widest side (Bentley 1975)."""
    order = np.arange(len(points))
    parts = [(0, len(points))]
    while parts:
        low, high = parts.pop()
        if high - low <= size:
            continue
        part = points[order[low:high]]
        half = size * max(1, round((high - low) / (2 * size)))
        column = part[:, np.ptp(part, axis=0).argmax()]
        order[low:high] = order[low:high][np.argpartition(column, half)]
        parts += [(low, low + half), (low + half, high)]
    return order


# Random points from a density.


def draw(sample: Sample, count: int, rng: np.random.Generator) -> FloatArray:
    """Points of the density without boundaries: one of its points, and a step drawn from the kernel."""
    chosen = rng.choice(len(sample), count, p=sample.weights / sample.weights.sum())
    return np.asarray(sample.points[chosen] + _steps(sample, count, rng) @ sample.shape.factor.T)


def _steps(sample: Sample, count: int, rng: np.random.Generator) -> FloatArray:
    normal = rng.standard_normal((count, sample.dimensions))
    if sample.kernel.name == "gaussian":
        return normal
    radius = _RADII[sample.kernel.name](rng, sample.dimensions, count)
    return np.asarray(normal * (radius / np.linalg.norm(normal, axis=1))[:, None])


def _exponential(rng: np.random.Generator, dimensions: int, count: int) -> FloatArray:
    return rng.gamma(dimensions, size=count)


def _epanechnikov(rng: np.random.Generator, dimensions: int, count: int) -> FloatArray:
    return np.sqrt(rng.beta(dimensions / 2, 2, size=count))


def _tophat(rng: np.random.Generator, dimensions: int, count: int) -> FloatArray:
    return np.asarray(rng.random(count) ** (1 / dimensions))


_RADII: dict[str, Callable[[np.random.Generator, int, int], FloatArray]] = {
    "exponential": _exponential,
    "epanechnikov": _epanechnikov,
    "tophat": _tophat,
}
"""Draws of the distance, whose density is proportional to ``r^(d-1) k(r)``."""
