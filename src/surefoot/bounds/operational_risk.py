"""Risk in operation from tests that do not follow it: by strata of known shares, or by importance weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from surefoot.bounds.betting import PluginCapital, two_sided
from surefoot.bounds.closed_form import CentralLimitBound, EmpiricalBernsteinBound, HoeffdingBound
from surefoot.bounds.statement import (
    EXPECTED_LOSS,
    FAILURE_PROBABILITY,
    FIXED_SIZE,
    INDEPENDENT_LOSSES,
    ORDER_FIRST,
    About,
    Counts,
    approximate,
    bound,
    state,
)
from surefoot.bounds.strata_inversion import LARGEST, MOST, shared_or_budget, smallest_limit
from surefoot.core import (
    Assumption,
    BoundFamily,
    Check,
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

WITHIN_STRATA = Assumption(
    "independent-within-strata", "Trials are independent, and within a stratum they follow operation in that stratum."
)
KNOWN_SHARES = Assumption("known-shares", "The shares of the strata in operation are known.")


@dataclass(frozen=True)
class Strata:
    """Failures and trials of each stratum, and its share of operation."""

    failures: FloatArray
    trials: FloatArray
    shares: FloatArray

    @classmethod
    def checked(cls, failures: ArrayLike, trials: ArrayLike, shares: ArrayLike, *, where: str) -> Strata:
        """Counts of at least one trial a stratum, and shares that sum to 1."""
        weights = checked_shares(shares, where=where)
        failed = validate.vector(failures, where=where, name="failures")
        tested = validate.vector(trials, where=where, name="trials")
        validate.same_length(where, failures=failed, trials=tested, shares=weights)
        pairs = zip(failed, tested, strict=True)
        counts = [Counts.checked(k, n, where=f"{where}, stratum {i}") for i, (k, n) in enumerate(pairs)]
        return cls(np.array([c.failures for c in counts], float), np.array([c.trials for c in counts], float), weights)

    def bound(self, side: Side) -> StratifiedBound:
        """Limits of one side."""
        failures, trials = (tuple(int(count) for count in part) for part in (self.failures, self.trials))
        return StratifiedBound(failures, trials, tuple(self.shares.tolist()), side, "confidence")

    def shows(self, target: float, level: float) -> bool:
        """Whether the upper limit is at or below a target."""
        upper = self.bound("upper")
        return _limit(upper.failures, upper.trials, upper.shares, "upper", 1 - level, target) <= target

    @property
    def risk(self) -> float:
        """Observed risk in operation."""
        return min(float(self.shares @ (self.failures / self.trials)), 1.0)


@dataclass(frozen=True)
class StratifiedBound(BoundFamily, tag="stratified"):
    """Limits of the risk sum(share * p) over two or more strata.

    Two or three strata: Buehler's smallest limit in the order of the limits that share alpha (``smallest_limit``).
    More: the smaller one of the limit by sharing alpha and of the limit by a count budget (``shared_or_budget``). Lower
    limits of failures are what upper limits of passes leave.
    """

    failures: tuple[int, ...]
    trials: tuple[int, ...]
    shares: tuple[float, ...]
    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        check_side_and_kind(self.side, self.kind)
        strata = Strata.checked(self.failures, self.trials, self.shares, where="StratifiedBound")
        for name in ("failures", "trials"):
            object.__setattr__(self, name, tuple(int(count) for count in getattr(strata, name)))
        object.__setattr__(self, "shares", tuple(strata.shares.tolist()))

    def limit_at(self, level: float) -> float:
        return _limit(self.failures, self.trials, self.shares, self.side, 1 - level)


@lru_cache(maxsize=4096)
def _limit(
    failures: tuple[int, ...],
    trials: tuple[int, ...],
    shares: tuple[float, ...],
    side: Side,
    alpha: float,
    against: float | None = None,
) -> float:
    """The limit, or for an upper one any number on the same side of ``against``."""
    if len(trials) > MOST:
        return shared_or_budget(np.array(failures, float), np.array(trials, float), np.array(shares), side, alpha)
    hits = failures if side == "upper" else tuple(n - k for k, n in zip(failures, trials, strict=True))
    limit = smallest_limit(
        lambda p: np.asarray(sum(w * q for w, q in zip(shares, p, strict=True))), hits, trials, alpha, against=against
    )
    return min(limit, 1.0) if side == "upper" else max(1 - limit, 0.0)


@bound
def stratified(
    failures: Sequence[int],
    trials: Sequence[int],
    shares: Sequence[float],
    *,
    level: float,
    quantity: str = FAILURE_PROBABILITY,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bounds of the risk sum(share * p) over strata tested apart, each with its number of trials.

    Guaranteed whatever the failure probabilities of the strata, and never wider than Clopper-Pearson limits that share
    alpha among the strata: for two or three strata the smallest such limit, for more the limit by sharing or one by a
    budget for all failures together, whichever is narrower. One stratum gives the Clopper-Pearson bounds.

    Parameters
    ----------
    failures, trials
        What was counted in each stratum.
    shares
        What share of operation each stratum has; known, and they sum to 1.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The risk in operation with its bounds; ``details["method"]`` says how they were found.

    References
    ----------
    Buehler (1957), JASA 52; Lloyd and Kabaila (2003), Aust. N. Z. J. Stat. 45(1).

    Examples
    --------
    >>> import surefoot as sf
    >>> found = sf.bounds.stratified([1, 0], [500, 100], [0.7, 0.3], level=0.95)
    >>> round(found.value, 4), round(found.upper(0.95), 3)
    (0.0014, 0.009)

    """
    where = "stratified"
    level = validate.level(level, where=where)
    strata = Strata.checked(failures, trials, shares, where=where)
    params = {
        "failures": strata.failures.astype(int),
        "trials": strata.trials.astype(int),
        "shares": strata.shares,
        "level": level,
    }
    return state(
        About(quantity, unit, scope),
        strata.risk,
        _bounds(strata),
        assumptions=(WITHIN_STRATA, KNOWN_SHARES, FIXED_SIZE),
        details={**params, "method": _method(strata.trials)},
        provenance=Provenance(f"bounds.{where}", params),
    )


def checked_shares(shares: ArrayLike, *, where: str) -> FloatArray:
    """Positive shares that sum to 1."""
    weights = validate.vector(shares, where=where, name="shares")
    if (weights <= 0).any() or abs(weights.sum() - 1) > 1e-9:
        raise InvalidInput(
            "shares must be above 0 and sum to 1",
            where=where,
            found=f"{weights.tolist()} with sum {weights.sum():.12g}",
            remedy="Leave out strata that do not occur in operation.",
        )
    return weights


def _bounds(strata: Strata) -> tuple[BoundFamily, ...]:
    if strata.shares.size == 1:
        return Counts(int(strata.failures[0]), int(strata.trials[0])).exact_bounds()
    return strata.bound("upper"), strata.bound("lower")


def _method(trials: FloatArray) -> str:
    """Chosen by the design, before any outcome."""
    if trials.size == 1:
        return "Clopper-Pearson"
    if trials.size <= MOST:
        return "exact inversion in the order of shared alpha"
    return "shared alpha or count budget" if trials.max() <= LARGEST else "count budget"


# Risk in operation from a test set that does not follow operation, by importance weights.

METHODS = ("betting", "hoeffding", "empirical_bernstein", "normal")
MAX_SCORE = 4.0

UP_TO_A_FACTOR = Assumption("weights-are-ratios", "Weights are proportional to density in operation over in testing.")


def effective_weight_count(weights: ArrayLike) -> float:
    """Number of equally weighted losses worth as much as these: Kish (1965), sum(w)^2 / sum(w^2).

    Parameters
    ----------
    weights
        Weights of at least 0, not all 0.

    Returns
    -------
    float
        Between 1 and their number.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.bounds.effective_weight_count([1, 1, 2])
    2.6666666666666665

    """
    values = _checked_weights(weights, where="effective_weight_count")
    scaled = values / values.max()
    return float(scaled.sum() ** 2 / (scaled**2).sum())


@bound
def weighted(
    losses: ArrayLike,
    weights: ArrayLike,
    *,
    level: float,
    max_weight: float | None = None,
    method: str = "betting",
    seed: int = 0,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bounds of the mean loss in operation from losses in [0, 1] tested elsewhere, by importance weights.

    Parameters
    ----------
    losses
        Losses in [0, 1], one a trial.
    weights
        Density in operation over density in testing, one a trial.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    max_weight
        The largest value that a weight can take, which makes the bound guaranteed. Without it the largest weight seen
        takes its place and the bound is marked heuristic.
    method
        ``"betting"`` bets on the ratio E[w l] / E[w], so weights may miss a common factor; ``"hoeffding"`` and
        ``"empirical_bernstein"`` bound E[w l] and need weights with mean 1; ``"normal"`` is the self-normalised ratio
        with its delta-method error and is always heuristic.
    seed
        Shuffles the losses for betting.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The mean loss in operation with its bounds; ``details["effective_sample_size"]`` says what the weights leave.

    References
    ----------
    Owen, "Monte Carlo theory, methods and examples", chapter 9.

    Examples
    --------
    >>> import surefoot as sf
    >>> losses, weights = [0.0, 0.0, 0.0, 1.0] * 50, [0.5, 1.0, 1.5, 1.0] * 50
    >>> found = sf.bounds.weighted(losses, weights, level=0.95, max_weight=2.0)
    >>> found.value, round(found.upper(0.95), 2)
    (0.25, 0.33)

    """
    where = "weighted"
    validate.choice(method, METHODS, where=where, name="method")
    level, seed = validate.level(level, where=where), validate.seed(seed, where=where)
    if max_weight is not None:
        max_weight = validate.positive(max_weight, where=where, name="max_weight")
    sample = _Sample.checked(losses, weights, max_weight, where=where)
    kind: Kind = "confidence" if max_weight is not None and method != "normal" else "heuristic"
    params = {"level": level, "method": method, "max_weight": max_weight}
    order = [ORDER_FIRST] if method == "betting" else []
    return state(
        About(quantity, unit, scope),
        sample.mean if method in ("hoeffding", "empirical_bernstein") else sample.ratio,
        sample.bounds(method, level, kind, seed),
        assumptions=(sample.assumption(method), INDEPENDENT_LOSSES, FIXED_SIZE, *order),
        caveats=_caveats(method, max_weight, sample),
        details={
            **params,
            "trials": sample.losses.size,
            "effective_sample_size": effective_weight_count(sample.weights),
            "largest_weight": sample.largest,
            "self_normalised": sample.ratio,
        },
        provenance=Provenance(
            f"bounds.{where}",
            params,
            data={"losses": array_digest(sample.losses), "weights": array_digest(sample.weights)},
            seed=seed if method == "betting" else None,
        ),
    )


@dataclass(frozen=True)
class _Sample:
    losses: FloatArray
    weights: FloatArray
    largest: float

    @classmethod
    def checked(cls, losses: ArrayLike, weights: ArrayLike, max_weight: float | None, *, where: str) -> _Sample:
        values = validate.unit_vector(losses, where=where, name="losses")
        ratios = _checked_weights(weights, where=where)
        validate.same_length(where, losses=values, weights=ratios)
        if values.size < 2:
            raise InvalidInput("needs at least two losses", where=where, found="1")
        seen = float(ratios.max())
        if max_weight is None:
            return cls(values, ratios, seen)
        if max_weight < seen:
            raise InvalidInput(
                "a weight exceeds the stated largest one",
                where=where,
                found=f"{seen:g} > {max_weight:g}",
                remedy="State the largest weight possible in operation, at least the largest seen.",
            )
        return cls(values, ratios, max_weight)

    @property
    def mean(self) -> float:
        return float(np.mean(self.weights * self.losses))

    @property
    def ratio(self) -> float:
        return float(np.sum(self.weights * self.losses) / np.sum(self.weights))

    def bounds(self, method: str, level: float, kind: Kind, seed: int) -> tuple[BoundFamily, ...]:
        if method == "betting":
            return self._betting(level, kind, seed)
        return self._closed_form(method, "upper", kind), self._closed_form(method, "lower", kind)

    def _closed_form(self, method: str, side: Side, kind: Kind) -> BoundFamily:
        n = self.losses.size
        if method == "hoeffding":
            return HoeffdingBound(self.mean, n, self.largest, side, kind)
        if method == "empirical_bernstein":
            variance = float((self.weights * self.losses).var(ddof=1))
            return EmpiricalBernsteinBound(self.mean, variance, n, self.largest, side, kind)
        return CentralLimitBound(self.ratio, self._delta_error(), n, side, kind)

    def _betting(self, level: float, kind: Kind, seed: int) -> tuple[BoundFamily, ...]:
        order = np.random.default_rng(seed).permutation(self.losses.size)
        size = self.weights[order] / self.largest
        capital = PluginCapital.tuned(size * self.losses[order], size, level=level)
        return two_sided(capital, level=level, kind=kind)

    def _delta_error(self) -> float:
        n = self.losses.size
        residuals = self.weights * (self.losses - self.ratio)
        return math.sqrt(n / (n - 1) * float((residuals**2).sum())) / float(self.weights.sum())

    def assumption(self, method: str) -> Assumption:
        """Density ratios average 1 over the test data; methods that rely on it show whether they do."""
        if method in ("betting", "normal"):
            return UP_TO_A_FACTOR
        n, mean = self.weights.size, float(self.weights.mean())
        error = float(self.weights.std(ddof=1)) / math.sqrt(n)
        off = abs(mean - 1) > MAX_SCORE * error + 1e-9
        figures = {"mean_weight": mean, "standard_error": error}
        check = Check("contradicted" if off else "supported", "mean weight against 1", figures, effect=mean - 1)
        return Assumption("weights-are-ratios", "Weights are density in operation over density in testing.", check)


def _checked_weights(weights: ArrayLike, *, where: str) -> FloatArray:
    values = validate.vector(weights, where=where, name="weights")
    if (values < 0).any() or values.max() == 0:
        raise InvalidInput(
            "weights must be at least 0 and not all 0",
            where=where,
            found=f"between {values.min():g} and {values.max():g}",
        )
    return values


def _caveats(method: str, max_weight: float | None, sample: _Sample) -> Iterable[Diagnostic]:
    if method == "normal":
        yield approximate("The delta method", "State max_weight and use betting where the level must hold.")
    elif max_weight is None:
        yield Diagnostic(
            "weights-estimated",
            f"The largest possible weight was taken from the data ({sample.largest:g}).",
            hint="State max_weight to have a guarantee.",
        )
