"""Distributions of data books and expert judgement: Uniform, Gamma, Histogram."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.core import validate
from surefoot.core.distributions import Distribution
from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray


@dataclass(frozen=True)
class Uniform(Distribution, tag="uniform"):
    """Every value between ``low`` and ``high`` alike."""

    low: float
    high: float

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, validate.number(getattr(self, name), where="Uniform", name=name))
        if not self.low < self.high:
            raise InvalidInput("low must lie below high", where="Uniform", found=f"{self.low:g}, {self.high:g}")

    @property
    def mean(self) -> float:
        return self.low / 2 + self.high / 2

    @property
    def variance(self) -> float:
        return (self.high - self.low) ** 2 / 12

    def cdf(self, x: ArrayLike) -> FloatArray:
        return np.clip((np.asarray(x, dtype=float) - self.low) / (self.high - self.low), 0.0, 1.0)

    def ppf(self, q: ArrayLike) -> FloatArray:
        return np.asarray(self.low + (self.high - self.low) * np.asarray(q, dtype=float))

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        return rng.uniform(self.low, self.high, size)


@dataclass(frozen=True)
class Gamma(Distribution, tag="gamma"):
    """Gamma distribution with mean ``shape * scale``."""

    shape: float
    scale: float

    def __post_init__(self) -> None:
        for name in ("shape", "scale"):
            object.__setattr__(self, name, validate.positive(getattr(self, name), where="Gamma", name=name))

    @property
    def mean(self) -> float:
        return self.shape * self.scale

    @property
    def variance(self) -> float:
        return self.shape * self.scale**2

    def cdf(self, x: ArrayLike) -> FloatArray:
        return special.gammainc(self.shape, np.maximum(np.asarray(x, dtype=float), 0.0) / self.scale)

    def ppf(self, q: ArrayLike) -> FloatArray:
        return special.gammaincinv(self.shape, np.asarray(q, dtype=float)) * self.scale

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        return rng.gamma(self.shape, self.scale, size)


@dataclass(frozen=True)
class Histogram(Distribution, tag="histogram"):
    """Bins with a weight each; within a bin every value alike."""

    edges: tuple[float, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        edges = validate.vector(self.edges, where="Histogram", name="edges", at_least=2)
        weights = validate.vector(self.weights, where="Histogram", name="weights")
        if edges.size != weights.size + 1 or (np.diff(edges) <= 0).any():
            found = f"{edges.size} edges, {weights.size} weights"
            raise InvalidInput("edges must rise and enclose one bin a weight", where="Histogram", found=found)
        if (weights < 0).any() or not weights.sum() > 0:
            raise InvalidInput("weights must be at least 0 and not all 0", where="Histogram", found=weights.tolist())
        object.__setattr__(self, "edges", tuple(edges.tolist()))
        object.__setattr__(self, "weights", tuple(weights.tolist()))

    @cached_property
    def _reached(self) -> FloatArray:
        """Probability of a value below each edge."""
        shares = np.cumsum(self.weights) / math.fsum(self.weights)
        return np.concatenate([[0.0], shares[:-1], [1.0]])

    @property
    def mean(self) -> float:
        edges = np.asarray(self.edges)
        return float(np.diff(self._reached) @ (edges[1:] + edges[:-1])) / 2

    @property
    def variance(self) -> float:
        low, high = np.asarray(self.edges[:-1]), np.asarray(self.edges[1:])
        from_mean = (low + high) / 2 - self.mean
        return float(np.diff(self._reached) @ (from_mean**2 + (high - low) ** 2 / 12))

    def cdf(self, x: ArrayLike) -> FloatArray:
        return np.interp(np.asarray(x, dtype=float), self.edges, self._reached)

    def ppf(self, q: ArrayLike) -> FloatArray:
        # The first edge that reaches q ends the bin, so a bin without weight is never entered.
        level = np.asarray(q, dtype=float)
        edges, reached = np.asarray(self.edges), self._reached
        end = np.clip(np.searchsorted(reached, level, side="left"), 1, len(edges) - 1)
        share = (level - reached[end - 1]) / np.maximum(reached[end] - reached[end - 1], np.finfo(float).tiny)
        return np.asarray(edges[end - 1] + np.clip(share, 0.0, 1.0) * (edges[end] - edges[end - 1]))

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        return self.ppf(rng.random(size))
