"""Bounds of the mean of losses in [0, 1] in closed form: Hoeffding, Bentkus, empirical Bernstein, normal."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.bounds.statement import (
    EXPECTED_LOSS,
    FIXED_SIZE,
    INDEPENDENT_LOSSES,
    REPRESENTATIVE,
    About,
    approximate,
    bound,
    state,
)
from surefoot.core import (
    BoundFamily,
    Diagnostic,
    Estimate,
    InvalidInput,
    Kind,
    Provenance,
    Side,
    array_digest,
    validate,
)
from surefoot.core.bound import check_side_and_kind
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray


@bound(step="loss_bound")
def hoeffding(
    losses: ArrayLike,
    *,
    level: float,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bound of the mean of losses in [0, 1] that ignores how they spread.

    The limit is mean + sqrt(log(1/alpha) / (2 n)), for independent losses.

    Parameters
    ----------
    losses
        Losses in [0, 1], one a trial.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The mean loss with its bounds.

    References
    ----------
    Hoeffding (1963), "Probability inequalities for sums of bounded random variables", Theorem 2.

    Examples
    --------
    >>> import surefoot as sf
    >>> round(sf.bounds.hoeffding([0.0, 0.5, 0.1, 0.2] * 25, level=0.95).upper(0.95), 4)
    0.3224

    """
    values = validate.unit_vector(losses, where="hoeffding", name="losses")
    mean, n = float(values.mean()), values.size
    bounds = (HoeffdingBound(mean, n, 1.0, "upper", "confidence"), HoeffdingBound(mean, n, 1.0, "lower", "confidence"))
    return _estimate("hoeffding", values, level, About(quantity, unit, scope), bounds)


@bound
def bentkus(
    losses: ArrayLike,
    *,
    level: float,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bound of the mean of losses in [0, 1] from their sum alone: the tightest of these where losses are few and rare.

    It depends on no order and no seed. Where losses spread much less than coins of the same mean, and there are many,
    ``betting`` is tighter.

    Parameters
    ----------
    losses
        Losses in [0, 1], one a trial.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The mean loss with its bounds.

    References
    ----------
    Bentkus (2004), "On Hoeffding's inequalities", Annals of Probability 32(2).

    Examples
    --------
    >>> import surefoot as sf
    >>> round(sf.bounds.bentkus([0.0, 0.5, 0.1, 0.2] * 25, level=0.95).upper(0.95), 4)
    0.2909

    """
    values = validate.unit_vector(losses, where="bentkus", name="losses")
    mean, n = float(values.mean()), values.size
    bounds = (BentkusBound(mean, n, "upper", "confidence"), BentkusBound(mean, n, "lower", "confidence"))
    return _estimate("bentkus", values, level, About(quantity, unit, scope), bounds)


@bound(step="loss_bound")
def empirical_bernstein(
    losses: ArrayLike,
    *,
    level: float,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bound of the mean of losses in [0, 1] that narrows where they spread little.

    The limit is mean + sqrt(2 V log(2/alpha) / n) + 7 log(2/alpha) / (3 (n-1)) with V the sample variance.

    Parameters
    ----------
    losses
        Losses in [0, 1], one a trial.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The mean loss with its bounds.

    References
    ----------
    Maurer and Pontil (2009), "Empirical Bernstein bounds and sample variance penalization", Theorem 4.

    Examples
    --------
    >>> import surefoot as sf
    >>> round(sf.bounds.empirical_bernstein([0.0, 0.5, 0.1, 0.2] * 25, level=0.95).upper(0.95), 4)
    0.338

    """
    values = _at_least_two(validate.unit_vector(losses, where="empirical_bernstein", name="losses"))
    mean, variance, n = float(values.mean()), float(values.var(ddof=1)), values.size
    bounds = (
        EmpiricalBernsteinBound(mean, variance, n, 1.0, "upper", "confidence"),
        EmpiricalBernsteinBound(mean, variance, n, 1.0, "lower", "confidence"),
    )
    return _estimate("empirical_bernstein", values, level, About(quantity, unit, scope), bounds)


@bound(step="loss_bound")
def normal_approximation(
    losses: ArrayLike,
    *,
    level: float,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Mean plus a normal quantile times its standard error (central limit theorem).

    The usual textbook interval. It has no guarantee and is badly wrong for rare failures: without
    one seen failure it claims a risk of 0.

    Parameters
    ----------
    losses
        Losses in [0, 1], one a trial.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The mean loss with heuristic bounds and a caveat.

    Examples
    --------
    >>> import surefoot as sf
    >>> round(sf.bounds.normal_approximation([0.0, 0.5, 0.1, 0.2] * 25, level=0.95).upper(0.95), 4)
    0.2309

    """
    values = _at_least_two(validate.unit_vector(losses, where="normal_approximation", name="losses"))
    mean, error, n = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(values.size), values.size
    bounds = (
        CentralLimitBound(mean, error, n, "upper", "heuristic"),
        CentralLimitBound(mean, error, n, "lower", "heuristic"),
    )
    caveat = approximate("The normal approximation", "Use betting where the level must hold.")
    return _estimate("normal_approximation", values, level, About(quantity, unit, scope), bounds, [caveat])


def _estimate(
    method: str,
    losses: FloatArray,
    level: float,
    about: About,
    bounds: Iterable[BoundFamily],
    caveats: Iterable[Diagnostic] = (),
) -> Estimate:
    params = {"level": validate.level(level, where=method)}
    return state(
        about,
        float(losses.mean()),
        bounds,
        assumptions=(INDEPENDENT_LOSSES, FIXED_SIZE, REPRESENTATIVE),
        caveats=caveats,
        details={**params, "trials": losses.size},
        provenance=Provenance(f"bounds.{method}", params, data={"losses": array_digest(losses)}),
    )


def _at_least_two(values: FloatArray) -> FloatArray:
    if values.size < 2:
        raise InvalidInput(
            "a variance needs at least two losses", where="losses", found="1", remedy="Use hoeffding or betting."
        )
    return values


# Limits, one class a formula; each knows its limit at every level.


def log_miss(level: float) -> float:
    """Logarithm of one over the miss probability of ``level``."""
    return -math.log1p(-level)


class _Deviation(BoundFamily):
    """A mean plus or minus a deviation, kept inside [0, 1]."""

    mean: float
    n: int

    def __post_init__(self) -> None:
        check_side_and_kind(self.side, self.kind)
        validate.number(self.mean, where=type(self).__name__, name="mean")
        validate.count(self.n, where=type(self).__name__, name="n", at_least=1)

    @abstractmethod
    def deviation(self, level: float) -> float:
        """How far the truth may lie from the mean at ``level``."""

    def limit_at(self, level: float) -> float:
        sign = 1 if self.side == "upper" else -1
        return min(max(self.mean + sign * self.deviation(level), 0.0), 1.0)


@dataclass(frozen=True)
class HoeffdingBound(_Deviation, tag="hoeffding"):
    """Hoeffding (1963), Theorem 2, for values in [0, ``width``] whose mean is in [0, 1]."""

    mean: float
    n: int
    width: float
    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        super().__post_init__()
        validate.positive(self.width, where="HoeffdingBound", name="width")

    def deviation(self, level: float) -> float:
        return self.width * math.sqrt(log_miss(level) / (2 * self.n))


@dataclass(frozen=True)
class ChernoffBound(BoundFamily, tag="chernoff"):
    """Hoeffding (1963), Theorem 1: means that ``n`` independent values in [0, 1] with this observed mean do not refute.

    The limit m satisfies n d(mean, m) = log(1/alpha) with d the relative entropy of two proportions. Tighter than
    ``HoeffdingBound`` for rare failures; without a failure it is the limit of Clopper and Pearson.
    """

    mean: float
    n: int
    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        check_side_and_kind(self.side, self.kind)
        validate.probability(self.mean, where="ChernoffBound", name="mean")
        validate.count(self.n, where="ChernoffBound", name="n")

    def limit_at(self, level: float) -> float:
        inside, outside = self.mean, 1.0 if self.side == "upper" else 0.0
        while abs(outside - inside) > 1e-12 * max(outside, inside):
            middle = (inside + outside) / 2
            if middle in (inside, outside):
                break
            if self.n * float(special.rel_entr([self.mean, 1 - self.mean], [middle, 1 - middle]).sum()) < log_miss(
                level
            ):
                inside = middle
            else:
                outside = middle
        return outside


@dataclass(frozen=True)
class EmpiricalBernsteinBound(_Deviation, tag="empirical-bernstein"):
    """Maurer and Pontil (2009), Theorem 4, for values in [0, ``width``] whose mean is in [0, 1]."""

    mean: float
    variance: float
    n: int
    width: float
    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        super().__post_init__()
        where = "EmpiricalBernsteinBound"
        validate.count(self.n, where=where, name="n", at_least=2)
        validate.positive(self.width, where=where, name="width")
        validate.at_least_zero(self.variance, where=where, name="variance")

    def deviation(self, level: float) -> float:
        log_two = math.log(2) + log_miss(level)
        spread = math.sqrt(2 * self.variance * log_two / self.n)
        return spread + 7 * self.width * log_two / (3 * (self.n - 1))


@dataclass(frozen=True)
class BentkusBound(_Deviation, tag="bentkus"):
    """Limits of the mean of ``n`` independent values in [0, 1] from their observed ``mean`` alone.

    A value in [0, 1] spreads no more than a coin of the same mean, in convex order, and so does their sum S beside a
    binomial count N. As (a - s)+ / (a - t) is convex and at least 1 where s is at most t, P(S <= t) is at most
    min over a of E(a - N)+ / (a - t); the upper limit is the mean at which that falls to the miss probability
    (Bentkus 2004, "On Hoeffding's inequalities", Ann. Probab. 32(2)). At a sum of 0 it is Clopper and Pearson's.
    """

    mean: float
    n: int
    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        super().__post_init__()
        validate.probability(self.mean, where="BentkusBound", name="mean")

    def deviation(self, level: float) -> float:
        seen = self.mean if self.side == "upper" else 1 - self.mean
        return _refuted_mean(seen, self.n, 1 - level) - seen


def _refuted_mean(seen: float, n: int, miss: float) -> float:
    """The least mean, by bisection, under which so small a sum as was seen has at most the probability ``miss``."""
    total, low, high = seen * n, seen, 1.0
    if total >= n:
        return 1.0
    first = math.floor(total) + 1
    # Any of these gives a limit that holds; a hundred, ever sparser, are as good as all of them.
    reach = min(10 + 8 * math.sqrt(first), n - first + 1)
    places = first - 1 + np.unique(np.round(np.geomspace(1, reach, 100)))
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        below = places * special.bdtr(places - 1, n, middle)
        less = n * middle * np.where(places > 1, special.bdtr(np.maximum(places - 2, 0), max(n - 1, 1), middle), 0.0)
        chance = float(np.min((below - less) / (places - total)))
        low, high = (low, middle) if chance <= miss else (middle, high)
    return high


@dataclass(frozen=True)
class CentralLimitBound(_Deviation, tag="central-limit"):
    """Normal approximation of a mean with a standard error."""

    mean: float
    standard_error: float
    n: int
    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        super().__post_init__()
        validate.at_least_zero(self.standard_error, where="CentralLimitBound", name="standard error")

    def deviation(self, level: float) -> float:
        return self.standard_error * float(special.ndtri(level))
