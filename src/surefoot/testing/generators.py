"""Generators of test data whose true risk is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

SHARE_TOLERANCE = 1e-9


@runtime_checkable
class Generator(Protocol):
    """Data with a known truth; ``sample`` gives the positional arguments of a bound.

    See Also
    --------
    check_bound

    """

    @property
    def truth(self) -> float:
        """The value that the bound is about."""
        ...

    def sample(self, rng: np.random.Generator, n: int) -> tuple[Any, ...]:
        """One data set of size ``n``."""
        ...


@dataclass(frozen=True)
class BernoulliLosses:
    """Losses of 1 with a probability, else 0.

    Parameters
    ----------
    p
        The failure probability.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> sf.testing.BernoulliLosses(0.3).sample(np.random.default_rng(0), 4)
    (array([0., 1., 1., 1.]),)

    """

    p: float

    def __post_init__(self) -> None:
        validate.probability(self.p, where="BernoulliLosses", name="p")

    @property
    def truth(self) -> float:
        """The failure probability."""
        return self.p

    def sample(self, rng: np.random.Generator, n: int) -> tuple[FloatArray]:
        """``n`` independent losses."""
        return ((rng.random(n) < self.p).astype(float),)


@dataclass(frozen=True)
class BetaLosses:
    """Losses that follow a Beta distribution.

    Parameters
    ----------
    a, b
        Its parameters.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.BetaLosses(1, 3).truth
    0.25

    """

    a: float
    b: float

    def __post_init__(self) -> None:
        validate.positive(self.a, where="BetaLosses", name="a")
        validate.positive(self.b, where="BetaLosses", name="b")

    @property
    def truth(self) -> float:
        """The mean."""
        return self.a / (self.a + self.b)

    def sample(self, rng: np.random.Generator, n: int) -> tuple[FloatArray]:
        """``n`` independent losses."""
        return (rng.beta(self.a, self.b, n),)


@dataclass(frozen=True)
class UniformLosses:
    """Losses spread evenly between two numbers.

    Parameters
    ----------
    low, high
        Both in [0, 1].

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.UniformLosses(0.0, 0.5).truth
    0.25

    """

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        _check_order(self.low, self.high, where="UniformLosses")

    @property
    def truth(self) -> float:
        """The mean."""
        return (self.low + self.high) / 2

    def sample(self, rng: np.random.Generator, n: int) -> tuple[FloatArray]:
        """``n`` independent losses."""
        return (rng.uniform(self.low, self.high, n),)


@dataclass(frozen=True)
class TwoPointLosses:
    """Losses of one of two values; nearly constant where p is near 0 or 1.

    Parameters
    ----------
    low, high
        The values.
    p
        Probability of the higher one.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.TwoPointLosses(0.0, 0.5, 0.5).truth
    0.25

    """

    low: float
    high: float
    p: float

    def __post_init__(self) -> None:
        _check_order(self.low, self.high, where="TwoPointLosses")
        validate.probability(self.p, where="TwoPointLosses", name="p")

    @property
    def truth(self) -> float:
        """The mean."""
        return self.low + (self.high - self.low) * self.p

    def sample(self, rng: np.random.Generator, n: int) -> tuple[FloatArray]:
        """``n`` independent losses."""
        return (np.where(rng.random(n) < self.p, self.high, self.low),)


@dataclass(frozen=True)
class GroupedLosses:
    """Groups of two kinds that differ in size and failure probability; losses within a group agree.

    Truth is the risk per input.

    Parameters
    ----------
    often
        Share of the groups that are large.
    large, p_large
        How many inputs such a group has, and the probability that they fail together.
    small, p_small
        The same for the others.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.GroupedLosses(often=0.5, large=3, p_large=0.2, small=1, p_small=0.0).truth
    0.15...

    """

    often: float
    large: int
    p_large: float
    small: int
    p_small: float

    def __post_init__(self) -> None:
        where = "GroupedLosses"
        for name in ("often", "p_large", "p_small"):
            validate.probability(getattr(self, name), where=where, name=name)
        for name in ("large", "small"):
            validate.count(getattr(self, name), where=where, name=name, at_least=1)

    @property
    def truth(self) -> float:
        """Mean number of failures of a group over its mean size."""
        large, small = self.often * self.large, (1 - self.often) * self.small
        return (large * self.p_large + small * self.p_small) / (large + small)

    def sample(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
        """Losses and group numbers of ``n`` groups."""
        is_large = rng.random(n) < self.often
        failed = rng.random(n) < np.where(is_large, self.p_large, self.p_small)
        sizes = np.where(is_large, self.large, self.small)
        return np.repeat(failed.astype(float), sizes), np.repeat(np.arange(n), sizes)


@dataclass(frozen=True)
class ShiftedLosses:
    """A test set that draws strata in other shares than operation does.

    Truth is the risk in operation, sum(operation * p).

    Parameters
    ----------
    operation, testing
        Share of each stratum.
    p
        Its failure probability.

    Examples
    --------
    >>> import surefoot as sf
    >>> losses = sf.testing.ShiftedLosses(operation=(0.5, 0.5), testing=(0.75, 0.25), p=(0.0, 0.1))
    >>> losses.truth, losses.max_weight
    (0.05, 2.0)

    """

    operation: tuple[float, ...]
    testing: tuple[float, ...]
    p: tuple[float, ...]

    def __post_init__(self) -> None:
        where = "ShiftedLosses"
        _check_strata(where, operation=self.operation, testing=self.testing, p=self.p)
        if 0 in self.testing:
            raise InvalidInput("tests of every stratum are needed", where=where, found=f"testing {self.testing}")

    @property
    def truth(self) -> float:
        """Risk in operation."""
        return float(np.dot(self.operation, self.p))

    @property
    def max_weight(self) -> float:
        """Largest ratio of operation to testing."""
        return float(np.max(np.divide(self.operation, self.testing)))

    def sample(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
        """Losses and weights of ``n`` tests."""
        stratum = rng.choice(len(self.p), n, p=self.testing)
        losses = (rng.random(n) < np.asarray(self.p)[stratum]).astype(float)
        return losses, np.divide(self.operation, self.testing)[stratum]


@dataclass(frozen=True)
class StratifiedCounts:
    """Failures by stratum, with a fixed share of the trials in each; truth is sum(shares * p).

    Parameters
    ----------
    shares
        Of operation, in each stratum.
    allocation
        Of the trials.
    p
        Failure probability of each stratum.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.StratifiedCounts(shares=(0.5, 0.5), allocation=(0.5, 0.5), p=(0.0, 0.1)).truth
    0.05

    """

    shares: tuple[float, ...]
    allocation: tuple[float, ...]
    p: tuple[float, ...]

    def __post_init__(self) -> None:
        _check_strata("StratifiedCounts", shares=self.shares, allocation=self.allocation, p=self.p)

    @property
    def truth(self) -> float:
        """Risk in operation."""
        return float(np.dot(self.shares, self.p))

    def sample(self, rng: np.random.Generator, n: int) -> tuple[Any, ...]:
        """Failures, trials and shares of the strata."""
        trials = np.maximum(np.rint(np.multiply(self.allocation, n)), 1).astype(int)
        return rng.binomial(trials, self.p), trials, self.shares


def _check_order(low: float, high: float, *, where: str) -> None:
    validate.probability(low, where=where, name="low")
    validate.probability(high, where=where, name="high")
    if low > high:
        raise InvalidInput("low exceeds high", where=where, found=f"{low:g} > {high:g}")


def _check_strata(where: str, *, p: tuple[float, ...], **shares: tuple[float, ...]) -> None:
    """Failure probabilities of strata, and shares of the strata that sum to 1."""
    vectors = {
        name: validate.unit_vector(values, where=where, name=name) for name, values in (shares | {"p": p}).items()
    }
    validate.same_length(where, **vectors)
    for name in shares:
        if abs(vectors[name].sum() - 1) > SHARE_TOLERANCE:
            raise InvalidInput(f"{name} must sum to 1", where=where, found=f"{vectors[name].sum():g}")
