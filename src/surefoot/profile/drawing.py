"""Random points from a density."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.profile.sample import Sample


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
