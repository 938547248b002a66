"""Quantities known by a distribution: any, or one of a family whose parameters are quantities."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, ClassVar, Self, cast

import numpy as np
from scipy import special

from surefoot.core import distributions as spread
from surefoot.core import validate
from surefoot.core.distributions import Distribution, beta_quantile
from surefoot.core.errors import InvalidInput
from surefoot.core.estimate import Estimate, Provenance
from surefoot.faulttree.quantities.quantity import (
    ANYWHERE,
    Quantity,
    QuantityLike,
    Range,
    Value,
    as_quantity,
    believed,
    negative,
    not_above,
    not_below,
    support,
)


@dataclass(frozen=True)
class Distributed(Quantity, tag="distribution"):
    """A number known by any distribution.

    Parameters
    ----------
    distribution
        What is believed of the number.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.faulttree.Distributed(sf.core.Beta(1, 99)).distribution.mean
    0.01

    """

    distribution: Distribution

    def __post_init__(self) -> None:
        validate.kind(
            self.distribution, Distribution, where="Distributed", name="distribution", example="core.Beta(1, 99)"
        )

    @property
    def uncertain(self) -> bool:
        return True

    def belief(self, name: str) -> Estimate:
        return believed(self.distribution, name, unit="", provenance=Provenance("stated", {"scope": name}))

    def combine(self, *values: Value) -> Value:
        return self.distribution.mean

    def reach(self, *ranges: Range) -> Range:
        return support(self.distribution)

    def described(self) -> str:
        return f"distribution {self.distribution}"

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.tag, "distribution": self.distribution.to_dict()}


class Deviate(Quantity):
    """A number drawn from a family of distributions whose parameters are quantities.

    Where all parameters are constants the uncertain input is the number itself. Otherwise it is the number's
    percentile, uniform between 0 and 1, which is independent of the parameters.
    """

    moved_by: ClassVar[tuple[int, ...]]
    widest: ClassVar[Range] = ANYWHERE

    @property
    def uncertain(self) -> bool:
        return True

    @property
    def settled(self) -> bool:
        """Whether all its parameters are constants."""
        return all(argument.constant is not None for argument in self.arguments)

    def belief(self, name: str) -> Estimate:
        if not self.settled:
            return believed(
                spread.Uniform(0.0, 1.0), name, unit="", provenance=Provenance("percentile", {"scope": name})
            )
        provenance = Provenance("stated", {"deviate": self.to_dict(), "scope": name})
        return believed(self.distribution(), name, unit="", provenance=provenance)

    def distribution(self) -> Distribution:
        """The distribution where all parameters are constants."""
        return self.spread(*(float(argument.combine()) for argument in self.arguments))

    def drawn_value(self, drawn: Value, *values: Value) -> Value:
        return drawn if self.settled else self.quantile(drawn, *values)

    def reach(self, *ranges: Range) -> Range:
        return support(self.distribution()) if self.settled else self.widest

    def directions(self, *ranges: Range) -> tuple[int, ...]:
        return self.moved_by if self.rises_with_draw(*ranges) else (0,) * len(ranges)

    def rises_with_draw(self, *ranges: Range) -> bool:
        """Whether parameters in these ranges make a distribution; a negative spread would turn the percentile round."""
        return self.settled or not any(fault for corner in product(*ranges) for fault in self.faults(*corner))

    @abstractmethod
    def spread(self, *values: float) -> Distribution:
        """The distribution with these parameters."""

    @abstractmethod
    def quantile(self, percentile: Value, *values: Value) -> Value:
        """The number that a share ``percentile`` of the draws does not exceed."""


# The families, with the parameters that data books and Open-PSA give.


@dataclass(frozen=True)
class LogNormal(Deviate, tag="lognormal-deviate"):
    """Lognormal by its mean and error factor: the ``level`` quantile is ``error_factor`` times the median.

    Parameters
    ----------
    mean
        The expected value, as Open-PSA has it; ``from_median`` takes the median that data books print.
    error_factor
        Ratio of the ``level`` quantile to the median, above 1.
    level
        Which quantile the error factor speaks of.

    Examples
    --------
    >>> from surefoot.faulttree import LogNormal
    >>> pump = LogNormal.from_median(1e-3, 3.0)
    >>> round(float(pump.distribution().ppf(0.95)), 9)
    0.003

    """

    mean: QuantityLike
    error_factor: QuantityLike
    level: QuantityLike = 0.95

    title: ClassVar[str] = "lognormal"
    argument_names: ClassVar[tuple[str, ...]] = ("mean", "error_factor", "level")
    moved_by: ClassVar[tuple[int, ...]] = (1, 0, 0)
    widest: ClassVar[Range] = (0.0, np.inf)

    @classmethod
    def from_median(cls, median: float, error_factor: float, level: float = 0.95) -> Self:
        """The same distribution by its median, as data books print it.

        Parameters
        ----------
        median
            The value that is exceeded half of the time.
        error_factor, level
            As of the class.

        """
        found = spread.LogNormal.from_error_factor(median, error_factor, level=level)
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
        return spread.LogNormal(float(mu), float(sigma))

    def quantile(self, percentile: Value, *values: Value) -> Value:
        mu, sigma = _mu_and_sigma(*values)
        return np.exp(mu + sigma * special.ndtri(percentile))


@dataclass(frozen=True)
class LogNormalMuSigma(Deviate, tag="lognormal-mu-sigma"):
    """Lognormal by the mean and the standard deviation of its logarithm.

    Parameters
    ----------
    mu, sigma
        Mean and standard deviation of the natural logarithm.

    Examples
    --------
    >>> from surefoot.faulttree import LogNormalMuSigma
    >>> round(float(LogNormalMuSigma(-7.0, 0.5).distribution().ppf(0.5)), 6)
    0.000912

    """

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
        return spread.LogNormal(*values)

    def quantile(self, percentile: Value, *values: Value) -> Value:
        return np.exp(values[0] + values[1] * special.ndtri(percentile))


@dataclass(frozen=True)
class NormalDeviate(Deviate, tag="normal-deviate"):
    """Normal by its mean and standard deviation.

    Draws outside 0 to 1 are cut where it is the probability of an event, and a caveat says how many.

    Parameters
    ----------
    mean, sigma
        Mean and standard deviation.

    Examples
    --------
    >>> from surefoot.faulttree import NormalDeviate
    >>> print(NormalDeviate(0.01, 0.002))
    normal, mean 0.01, sigma 0.002

    """

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
        return spread.Normal(*values)

    def quantile(self, percentile: Value, *values: Value) -> Value:
        return values[0] + values[1] * special.ndtri(percentile)


@dataclass(frozen=True)
class UniformDeviate(Deviate, tag="uniform-deviate"):
    """Every value between ``low`` and ``high`` alike.

    Parameters
    ----------
    low, high
        The ends.

    Examples
    --------
    >>> from surefoot.faulttree import UniformDeviate
    >>> UniformDeviate(0.0, 0.02).distribution().mean
    0.01

    """

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
    """Beta distribution with mean ``alpha / (alpha + beta)``.

    Parameters
    ----------
    alpha, beta
        The two parameters; for counts see ``Counts``.

    Examples
    --------
    >>> from surefoot.faulttree import BetaDeviate
    >>> BetaDeviate(1, 99).distribution().mean
    0.01

    """

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
        return spread.Beta(*values)

    def quantile(self, percentile: Value, *values: Value) -> Value:
        alpha, beta = values
        return beta_quantile(alpha, beta, percentile)


@dataclass(frozen=True)
class GammaDeviate(Deviate, tag="gamma-deviate"):
    """Gamma distribution with mean ``shape * scale``.

    Parameters
    ----------
    shape, scale
        The two parameters.

    Examples
    --------
    >>> from surefoot.faulttree import GammaDeviate
    >>> GammaDeviate(2, 0.01).distribution().mean
    0.02

    """

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


# The histogram of Open-PSA: bins with weights.


@dataclass(frozen=True)
class Histogram(Deviate, tag="histogram-deviate"):
    """Bins between rising ``edges`` with a weight each: the chance of the bin, up to a common factor.

    Within a bin every value is alike, as SCRAM reads Open-PSA.

    Parameters
    ----------
    edges
        Ends of the bins, one more than there are weights.
    weights
        One a bin.

    Examples
    --------
    >>> from surefoot.faulttree import Histogram
    >>> round(Histogram((0.0, 0.01, 0.02), (3, 1)).distribution().mean, 6)
    0.0075

    """

    edges: tuple[QuantityLike, ...]
    weights: tuple[QuantityLike, ...]

    title: ClassVar[str] = "histogram"

    def __post_init__(self) -> None:
        validate.fields(self)
        for name in ("edges", "weights"):
            object.__setattr__(self, name, tuple(as_quantity(item) for item in getattr(self, name)))
        if len(self.edges) != len(self.weights) + 1 or not self.weights:
            found = f"{len(self.edges)} edges, {len(self.weights)} weights"
            raise InvalidInput("a histogram has one edge more than weights", where="histogram", found=found)
        self.require_sound()

    @property
    def arguments(self) -> tuple[Quantity, ...]:
        return cast("tuple[Quantity, ...]", self.edges + self.weights)

    def faults(self, *values: float) -> Iterator[str]:
        edges, weights = self._parted(values)
        for low, high in pairwise(edges):
            yield from not_above(low, edge=high)
        yield from (fault for weight in weights for fault in negative(weight=weight))
        yield from not_above(0.0, sum_of_weights=sum(weights))

    def combine(self, *values: Value) -> Value:
        edges, weights = self._parted(values)
        twice = sum(w * (low + high) for w, low, high in zip(weights, edges[:-1], edges[1:], strict=True))
        return twice / (2 * sum(weights))

    def directions(self, *ranges: Range) -> tuple[int, ...]:
        rising = int(self.rises_with_draw(*ranges))
        return (rising,) * len(self.edges) + (0,) * len(self.weights)

    def rises_with_draw(self, *ranges: Range) -> bool:
        fixed = all(low == high for low, high in ranges)
        return self.settled or (fixed and not any(self.faults(*(low for low, _ in ranges))))

    def spread(self, *values: float) -> Distribution:
        return spread.Histogram(*self._parted(values))

    def quantile(self, percentile: Value, *values: Value) -> Value:
        edges, weights = self._parted(values)
        total, below = sum(weights), 0.0
        found: Any = edges[0]
        for low, high, weight in zip(edges[:-1], edges[1:], weights, strict=True):
            share = weight / total
            filled = np.asarray(share) > 0
            inside = np.clip((percentile - below) / np.where(filled, share, 1.0), 0.0, 1.0)
            found = np.where((percentile > below) & filled, low + inside * (high - low), found)
            below = below + share
        return found

    def described(self) -> str:
        told = [item.inner() for item in self.arguments]
        edges, weights = (", ".join(items) for items in self._parted(tuple(told)))
        return f"histogram, edges {edges}, weights {weights}"

    def _parted(self, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return values[: len(self.edges)], values[len(self.edges) :]
