"""Distributions of what is believed about one number: parametric ones, those of data books, draws and mixtures.

Each has ``mean``, ``variance``, ``cdf``, ``ppf`` and ``sample``, all vectorised, and needs nothing
beyond ``scipy.special``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.core import validate
from surefoot.core.canonical import Tagged
from surefoot.core.errors import InvalidInput, Undefined
from surefoot.core.validate import FloatArray

ACCEPTED = 1e-9
"""Relative error up to which a quantile of SciPy is believed."""
BISECTIONS = 1100


class Distribution(Tagged, ABC):
    """What is believed about one real number.

    Every distribution has ``mean``, ``variance``, ``sd``, ``cdf``, ``ppf`` and ``sample``, and is written and read as
    plain data by ``to_dict`` and ``from_dict``. A new one is a frozen dataclass of this family with a ``tag``.

    See Also
    --------
    Beta, Normal, LogNormal, Uniform, Gamma, Histogram, Empirical, Mixture, Point

    """

    @property
    @abstractmethod
    def mean(self) -> float:
        """Expected value."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Variance."""

    @abstractmethod
    def cdf(self, x: ArrayLike) -> FloatArray:
        """Probability of a value at or below ``x``."""

    @abstractmethod
    def ppf(self, q: ArrayLike) -> FloatArray:
        """Quantile function: the smallest x with ``cdf(x) >= q``."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """``size`` independent draws."""

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return math.sqrt(self.variance)


@dataclass(frozen=True)
class Point(Distribution, tag="point"):
    """A known number.

    Parameters
    ----------
    value
        The number, which is finite.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.Point(0.1).ppf([0.05, 0.95]).tolist()
    [0.1, 0.1]

    """

    value: float

    def __post_init__(self) -> None:
        _store(self, value=_finite(self.value, "Point", "value"))

    @property
    def mean(self) -> float:
        return self.value

    @property
    def variance(self) -> float:
        return 0.0

    def cdf(self, x: ArrayLike) -> FloatArray:
        return (np.asarray(x, dtype=float) >= self.value).astype(float)

    def ppf(self, q: ArrayLike) -> FloatArray:
        return np.full(np.shape(q), self.value)

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        return np.full(size, self.value)


@dataclass(frozen=True)
class Beta(Distribution, tag="beta"):
    """Beta distribution; ``a`` or ``b`` of 0 is the limit, a point at 0 or at 1.

    Parameters
    ----------
    a, b
        At least 0, and not both 0.

    Examples
    --------
    The posterior of a failure probability after 2 failures in 1,000 trials, with Jeffreys' prior:

    >>> import surefoot as sf
    >>> posterior = sf.core.Beta.from_counts(2, 998)
    >>> f"{posterior.mean:.5f}, at most {float(posterior.ppf(0.95)):.5f}"
    '0.00250, at most 0.00552'

    """

    a: float
    b: float

    def __post_init__(self) -> None:
        a, b = (_finite(v, "Beta", n) for v, n in ((self.a, "a"), (self.b, "b")))
        if a < 0 or b < 0 or a + b == 0:
            raise InvalidInput("parameters must be at least 0, not both 0", where="Beta", found=f"a={a:g}, b={b:g}")
        _store(self, a=a, b=b)

    @classmethod
    def from_counts(cls, positive: float, negative: float, *, prior: tuple[float, float] = (0.5, 0.5)) -> Beta:
        """Posterior after ``positive`` and ``negative`` observations; the prior is Jeffreys'."""
        return cls(positive + prior[0], negative + prior[1])

    def with_prior_at(self, end: Literal["lower", "upper"]) -> Beta:
        """After the same observations, with the weight of Jeffreys' prior all on failing never, or always.

        Of all beta priors of that weight these give the outermost limits (Walley 1996).
        """
        moved = -0.5 if end == "lower" else 0.5
        return Beta(max(self.a + moved, 0.0), max(self.b - moved, 0.0))

    @property
    def mean(self) -> float:
        return self.a / (self.a + self.b)

    @property
    def variance(self) -> float:
        total = self.a + self.b
        return (self.a / total) * (self.b / total) / (total + 1)

    def cdf(self, x: ArrayLike) -> FloatArray:
        inside = np.clip(np.asarray(x, dtype=float), 0, 1)
        if self.a == 0 or self.b == 0:
            return (inside >= self.mean).astype(float)
        return special.betainc(self.a, self.b, inside)

    def ppf(self, q: ArrayLike) -> FloatArray:
        if self.a == 0 or self.b == 0:
            return np.full(np.shape(q), self.mean)
        return beta_quantile(self.a, self.b, q)

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        if self.a == 0 or self.b == 0:
            return np.full(size, self.mean)
        return rng.beta(self.a, self.b, size)


@dataclass(frozen=True)
class Normal(Distribution, tag="normal"):
    """Normal distribution.

    Parameters
    ----------
    mu
        Mean.
    sigma
        Standard deviation, above 0.

    Examples
    --------
    >>> import surefoot as sf
    >>> round(float(sf.core.Normal(1.0, 0.5).cdf(0.0)), 4)
    0.0228

    """

    mu: float
    sigma: float

    def __post_init__(self) -> None:
        sigma = validate.positive(self.sigma, where="Normal", name="sigma")
        _store(self, mu=_finite(self.mu, "Normal", "mu"), sigma=sigma)

    @property
    def mean(self) -> float:
        return self.mu

    @property
    def variance(self) -> float:
        return self.sigma**2

    def cdf(self, x: ArrayLike) -> FloatArray:
        return special.ndtr((np.asarray(x, dtype=float) - self.mu) / self.sigma)

    def ppf(self, q: ArrayLike) -> FloatArray:
        return self.mu + self.sigma * special.ndtri(np.asarray(q, dtype=float))

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        return rng.normal(self.mu, self.sigma, size)


@dataclass(frozen=True)
class LogNormal(Distribution, tag="lognormal"):
    """Exponential of a normal variable.

    Parameters
    ----------
    mu, sigma
        Mean and standard deviation of the logarithm; ``from_error_factor`` takes the form of reliability data books.

    Examples
    --------
    >>> import surefoot as sf
    >>> rate = sf.core.LogNormal.from_error_factor(1e-6, 3)
    >>> f"{float(rate.ppf(0.5)):.1e}, {float(rate.ppf(0.95)):.1e}"
    '1.0e-06, 3.0e-06'

    """

    mu: float
    sigma: float

    def __post_init__(self) -> None:
        sigma = validate.positive(self.sigma, where="LogNormal", name="sigma")
        _store(self, mu=_finite(self.mu, "LogNormal", "mu"), sigma=sigma)

    @classmethod
    def from_error_factor(cls, median: float, error_factor: float, *, level: float = 0.95) -> LogNormal:
        """The form of reliability data books: the ``level`` quantile is ``error_factor`` times the median."""
        where = "LogNormal.from_error_factor"
        validate.positive(median, where=where, name="median")
        if not error_factor > 1:
            raise InvalidInput("error factor must exceed 1", where=where, found=f"{error_factor:g}")
        if not validate.level(level, where=where) > 0.5:
            raise InvalidInput("level must exceed 0.5", where=where, found=f"{level:g}")
        z = float(special.ndtri(level))
        return cls(math.log(median), math.log(error_factor) / z)

    @property
    def mean(self) -> float:
        with _overflow_is_undefined():
            return math.exp(self.mu + self.sigma**2 / 2)

    @property
    def variance(self) -> float:
        with _overflow_is_undefined():
            return math.expm1(self.sigma**2) * self.mean**2

    def cdf(self, x: ArrayLike) -> FloatArray:
        with np.errstate(divide="ignore"):
            return special.ndtr((np.log(np.maximum(x, 0)) - self.mu) / self.sigma)

    def ppf(self, q: ArrayLike) -> FloatArray:
        return np.exp(self.mu + self.sigma * special.ndtri(np.asarray(q, dtype=float)))

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        return rng.lognormal(self.mu, self.sigma, size)


@dataclass(frozen=True)
class Uniform(Distribution, tag="uniform"):
    """Every value between two numbers alike.

    Parameters
    ----------
    low, high
        Both ends.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.Uniform(0.0, 0.2).mean
    0.1

    """

    low: float
    high: float

    def __post_init__(self) -> None:
        _store(self, low=_finite(self.low, "Uniform", "low"), high=_finite(self.high, "Uniform", "high"))
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
    """Gamma distribution with mean ``shape * scale``.

    Parameters
    ----------
    shape, scale
        Both above 0.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.Gamma(3.0, 2.0).mean
    6.0

    """

    shape: float
    scale: float

    def __post_init__(self) -> None:
        shape, scale = (validate.positive(getattr(self, n), where="Gamma", name=n) for n in ("shape", "scale"))
        _store(self, shape=shape, scale=scale)

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
    """Bins with a weight each; within a bin every value alike.

    Parameters
    ----------
    edges
        Rising edges, one more than bins.
    weights
        One a bin, in any unit.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.Histogram((0.0, 1.0, 3.0), (1.0, 1.0)).mean
    1.25

    """

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
        _store(self, edges=tuple(edges.tolist()), weights=tuple(weights.tolist()))

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


@dataclass(frozen=True)
class Empirical(Distribution, tag="empirical"):
    """Equally likely draws, kept in their order.

    Parameters
    ----------
    draws
        The draws.
    stream
        Names the joint stream the draws belong to: draw i of two empirical distributions of one stream came from the
        same draw of their common inputs.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.Empirical((3.0, 1.0, 2.0)).ppf([0.5, 1.0]).tolist()
    [2.0, 3.0]

    """

    draws: tuple[float, ...] = field(repr=False)
    stream: str | None = None

    def __post_init__(self) -> None:
        values = validate.vector(self.draws, where="Empirical", name="draws")
        _store(self, draws=tuple(values.tolist()))

    def __repr__(self) -> str:
        return f"Empirical({len(self.draws)} draws, mean={self.mean:.6g})"

    @cached_property
    def _sorted(self) -> FloatArray:
        return np.sort(np.asarray(self.draws))

    @cached_property
    def mean(self) -> float:
        return float(np.mean(self._sorted))

    @cached_property
    def variance(self) -> float:
        return float(np.var(self._sorted))

    def cdf(self, x: ArrayLike) -> FloatArray:
        return np.searchsorted(self._sorted, x, side="right") / len(self.draws)

    def ppf(self, q: ArrayLike) -> FloatArray:
        rank = np.ceil(np.asarray(q, dtype=float) * len(self.draws) - 1e-9).astype(int) - 1
        return self._sorted[np.clip(rank, 0, len(self.draws) - 1)]

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        return rng.choice(np.asarray(self.draws), size)


@dataclass(frozen=True)
class Mixture(Distribution, tag="mixture"):
    """One of several distributions, chosen in proportion to the weights.

    Parameters
    ----------
    parts
        The distributions.
    weights
        One a part, in any unit.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.Mixture((sf.core.Normal(0.0, 1.0), sf.core.Normal(4.0, 1.0)), (3, 1)).mean
    1.0

    """

    parts: tuple[Distribution, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        weights = validate.vector(self.weights, where="Mixture", name="weights")
        if not all(isinstance(part, Distribution) for part in self.parts):
            raise InvalidInput("parts must be distributions", where="Mixture", found=repr(self.parts))
        if len(self.parts) != weights.size:
            raise InvalidInput(
                "needs one weight a part",
                where="Mixture",
                found=f"{len(self.parts)} parts, {weights.size} weights",
            )
        if (weights < 0).any() or weights.sum() <= 0:
            raise InvalidInput("weights must be at least 0 and not all 0", where="Mixture", found=weights.tolist())
        _store(self, parts=tuple(self.parts), weights=tuple(weights.tolist()))

    @cached_property
    def _shares(self) -> list[tuple[float, Distribution]]:
        total = math.fsum(self.weights)
        return [(weight / total, part) for weight, part in zip(self.weights, self.parts, strict=True) if weight > 0]

    @property
    def mean(self) -> float:
        return math.fsum(w * p.mean for w, p in self._shares)

    @property
    def variance(self) -> float:
        second = math.fsum(w * (p.variance + p.mean**2) for w, p in self._shares)
        return max(second - self.mean**2, 0.0)

    def cdf(self, x: ArrayLike) -> FloatArray:
        return np.sum([w * p.cdf(x) for w, p in self._shares], axis=0)

    def ppf(self, q: ArrayLike) -> FloatArray:
        # The quantile of a mixture lies between the smallest and largest quantile of its parts.
        q = np.asarray(q, dtype=float)
        quantiles = np.array([p.ppf(q) for _, p in self._shares])
        low, high = quantiles.min(axis=0), quantiles.max(axis=0)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise Undefined("quantile is infinite", where="Mixture", remedy="Ask for a level inside (0, 1).")
        reached = self.cdf(low) >= q
        for _ in range(200):
            middle = low + (high - low) / 2
            above = self.cdf(middle) >= q
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return np.where(reached, quantiles.min(axis=0), high)

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        which = rng.choice(len(self._shares), size, p=[share for share, _ in self._shares])
        draws = np.empty(size)
        for index, (_, part) in enumerate(self._shares):
            chosen = which == index
            draws[chosen] = part.sample(rng, int(chosen.sum()))
        return draws


class ByQuantiles(Distribution):
    """A distribution whose mean and variance follow from ``ppf``, to about six digits."""

    @cached_property
    def _moments(self) -> tuple[float, float]:
        return _moments(self.ppf)

    @property
    def mean(self) -> float:
        return self._moments[0]

    @property
    def variance(self) -> float:
        return self._moments[1]


def _moments(ppf: Callable[[FloatArray], FloatArray]) -> tuple[float, float]:
    """Mean and variance of a quantile function that is smooth on either side of the middle.

    By double exponential integration (Takahasi and Mori 1974), dense at both ends and at the middle.
    """
    t = np.linspace(-3.6, 3.6, 289)
    share = special.expit(np.pi * np.sinh(t))
    weight = np.pi * np.cosh(t) * share * special.expit(-np.pi * np.sinh(t))
    levels, weights = np.concatenate([share / 2, 1 - share / 2]), np.concatenate([weight, weight])
    inside = levels < 1
    values, weights = ppf(levels[inside]), weights[inside] / weights[inside].sum()
    if not np.isfinite(values).all():
        raise Undefined("the mean is not finite", where="distribution", remedy="Ask for a quantile instead.")
    mean = float(weights @ values)
    return mean, float(weights @ (values - mean) ** 2)


@contextmanager
def _overflow_is_undefined() -> Iterator[None]:
    try:
        yield
    except OverflowError:
        raise Undefined("the moment exceeds the largest number", where="LogNormal") from None


def _finite(value: float, where: str, name: str) -> float:
    return validate.number(value, where=where, name=name)


def _store(instance: Distribution, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def beta_quantile(a: ArrayLike, b: ArrayLike, q: ArrayLike) -> FloatArray:
    """Quantile of Beta(a, b) with both parameters positive.

    ``scipy.special.betaincinv`` is wrong by a factor at isolated points, such as a = 1000, b = 9092 (SciPy 1.17).
    So each answer is put back into the distribution function, and found by bisection where it does
    not return the level.
    """
    a, b, q = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (a, b, q)))
    x = np.asarray(special.betaincinv(a, b, q))
    wrong = ~_reaches(a, b, q, x)
    if wrong.any():
        x[wrong] = _bisected(a[wrong], b[wrong], q[wrong])
    return x[()]


def _reaches(a: FloatArray, b: FloatArray, q: FloatArray, x: FloatArray) -> NDArray[np.bool_]:
    """Whether the levels just below and just above ``x`` enclose ``q``."""
    below, above = x * (1 - ACCEPTED), np.minimum(x * (1 + ACCEPTED), 1.0)
    slack = ACCEPTED * np.minimum(q, 1 - q)
    return (special.betainc(a, b, below) <= q + slack) & (special.betainc(a, b, above) >= q - slack)


def _bisected(a: FloatArray, b: FloatArray, q: FloatArray) -> FloatArray:
    low, high = np.zeros(q.shape), np.ones(q.shape)
    for _ in range(BISECTIONS):
        middle = low + (high - low) / 2
        if ((middle == low) | (middle == high)).all():
            break
        reached = special.betainc(a, b, middle) >= q
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return high
