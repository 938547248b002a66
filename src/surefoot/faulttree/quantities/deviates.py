"""Quantities known by a distribution, with the parameters that data books and Open-PSA give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy import special

from surefoot.core import distributions, spread
from surefoot.core.distributions import Distribution
from surefoot.core.quantiles import beta_quantile
from surefoot.faulttree.quantities.base import QuantityLike, Range, Value
from surefoot.faulttree.quantities.drawn import Deviate
from surefoot.faulttree.quantities.faults import not_above, not_below


@dataclass(frozen=True)
class LogNormal(Deviate, tag="lognormal-deviate"):
    """Lognormal by its mean and error factor: the ``level`` quantile is ``error_factor`` times the median."""

    mean: QuantityLike
    error_factor: QuantityLike
    level: QuantityLike = 0.95

    title: ClassVar[str] = "lognormal"
    argument_names: ClassVar[tuple[str, ...]] = ("mean", "error_factor", "level")
    moved_by: ClassVar[tuple[int, ...]] = (1, 0, 0)
    widest: ClassVar[Range] = (0.0, np.inf)

    @classmethod
    def from_median(cls, median: float, error_factor: float, level: float = 0.95) -> Self:
        """The same distribution by its median, as data books print it."""
        found = distributions.LogNormal.from_error_factor(median, error_factor, level=level)
        return cls(found.mean, error_factor, level)

    def faults(self, *values: float) -> Iterator[str]:
        mean, error_factor, level = values
        yield from not_above(0.0, mean=mean)
        yield from not_above(1.0, error_factor=error_factor)
        yield from not_above(0.5, level=level)
        yield from not_below(1.0, level=level)

    def combine(self, *values: Value) -> Value:
        return values[0]

    def spread(self, *values: float) -> Distribution:
        mu, sigma = _mu_and_sigma(*values)
        return distributions.LogNormal(float(mu), float(sigma))

    def quantile(self, percentile: Value, *values: Value) -> Value:
        mu, sigma = _mu_and_sigma(*values)
        return np.exp(mu + sigma * special.ndtri(percentile))


@dataclass(frozen=True)
class LogNormalMuSigma(Deviate, tag="lognormal-mu-sigma"):
    """Lognormal by the mean and the standard deviation of its logarithm."""

    mu: QuantityLike
    sigma: QuantityLike

    title: ClassVar[str] = "lognormal"
    argument_names: ClassVar[tuple[str, ...]] = ("mu", "sigma")
    moved_by: ClassVar[tuple[int, ...]] = (1, 0)
    widest: ClassVar[Range] = (0.0, np.inf)

    def faults(self, *values: float) -> Iterator[str]:
        yield from not_above(0.0, sigma=values[1])

    def combine(self, *values: Value) -> Value:
        return np.exp(values[0] + np.square(values[1]) / 2)

    def spread(self, *values: float) -> Distribution:
        return distributions.LogNormal(*values)

    def quantile(self, percentile: Value, *values: Value) -> Value:
        return np.exp(values[0] + values[1] * special.ndtri(percentile))


@dataclass(frozen=True)
class NormalDeviate(Deviate, tag="normal-deviate"):
    """Normal by its mean and standard deviation."""

    mean: QuantityLike
    sigma: QuantityLike

    title: ClassVar[str] = "normal"
    argument_names: ClassVar[tuple[str, ...]] = ("mean", "sigma")
    moved_by: ClassVar[tuple[int, ...]] = (1, 0)

    def faults(self, *values: float) -> Iterator[str]:
        yield from not_above(0.0, sigma=values[1])

    def combine(self, *values: Value) -> Value:
        return values[0]

    def spread(self, *values: float) -> Distribution:
        return distributions.Normal(*values)

    def quantile(self, percentile: Value, *values: Value) -> Value:
        return values[0] + values[1] * special.ndtri(percentile)


@dataclass(frozen=True)
class UniformDeviate(Deviate, tag="uniform-deviate"):
    """Every value between ``low`` and ``high`` alike."""

    low: QuantityLike
    high: QuantityLike

    title: ClassVar[str] = "uniform"
    argument_names: ClassVar[tuple[str, ...]] = ("low", "high")
    moved_by: ClassVar[tuple[int, ...]] = (1, 1)

    def faults(self, *values: float) -> Iterator[str]:
        yield from not_above(values[0], high=values[1])

    def combine(self, *values: Value) -> Value:
        return values[0] / 2 + values[1] / 2

    def spread(self, *values: float) -> Distribution:
        return spread.Uniform(*values)

    def quantile(self, percentile: Value, *values: Value) -> Value:
        return values[0] + (values[1] - values[0]) * percentile


@dataclass(frozen=True)
class BetaDeviate(Deviate, tag="beta-deviate"):
    """Beta distribution with mean ``alpha / (alpha + beta)``."""

    alpha: QuantityLike
    beta: QuantityLike

    title: ClassVar[str] = "beta"
    argument_names: ClassVar[tuple[str, ...]] = ("alpha", "beta")
    moved_by: ClassVar[tuple[int, ...]] = (1, -1)
    widest: ClassVar[Range] = (0.0, 1.0)

    def faults(self, *values: float) -> Iterator[str]:
        yield from not_above(0.0, alpha=values[0], beta=values[1])

    def combine(self, *values: Value) -> Value:
        return values[0] / (values[0] + values[1])

    def spread(self, *values: float) -> Distribution:
        return distributions.Beta(*values)

    def quantile(self, percentile: Value, *values: Value) -> Value:
        alpha, beta = values
        return beta_quantile(alpha, beta, percentile)


@dataclass(frozen=True)
class GammaDeviate(Deviate, tag="gamma-deviate"):
    """Gamma distribution with mean ``shape * scale``."""

    shape: QuantityLike
    scale: QuantityLike

    title: ClassVar[str] = "gamma"
    argument_names: ClassVar[tuple[str, ...]] = ("shape", "scale")
    moved_by: ClassVar[tuple[int, ...]] = (1, 1)
    widest: ClassVar[Range] = (0.0, np.inf)

    def faults(self, *values: float) -> Iterator[str]:
        yield from not_above(0.0, shape=values[0], scale=values[1])

    def combine(self, *values: Value) -> Value:
        return values[0] * values[1]

    def spread(self, *values: float) -> Distribution:
        return spread.Gamma(*values)

    def quantile(self, percentile: Value, *values: Value) -> Value:
        return special.gammaincinv(values[0], percentile) * values[1]


def _mu_and_sigma(mean: Value, error_factor: Value, level: Value) -> tuple[Value, Value]:
    sigma = np.log(error_factor) / special.ndtri(level)
    return np.log(mean) - sigma**2 / 2, sigma
