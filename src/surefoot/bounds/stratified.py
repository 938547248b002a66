"""Risk in operation from tests by stratum, where operation's share of each stratum is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from surefoot.bounds.counts import Counts
from surefoot.bounds.inversion import MOST, smallest_limit
from surefoot.bounds.many_strata import LARGEST, shared_or_budget
from surefoot.bounds.statement import FAILURE_PROBABILITY, FIXED_SIZE, About, bound, state
from surefoot.core import Assumption, BoundFamily, Estimate, InvalidInput, Kind, Provenance, Side, validate
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

    @property
    def risk(self) -> float:
        """Observed risk in operation."""
        return min(float(self.shares @ (self.failures / self.trials)), 1.0)


@dataclass(frozen=True)
class StratifiedBound(BoundFamily, tag="stratified"):
    """Limits of the risk sum(share * p) over two or more strata.

    Two or three strata: Buehler's smallest limit in the order of the limits that share alpha (``inversion``). More:
    the smaller one of the limit by sharing alpha and of the limit by a count budget (``shared_or_budget``). Lower
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
    failures: tuple[int, ...], trials: tuple[int, ...], shares: tuple[float, ...], side: Side, alpha: float
) -> float:
    if len(trials) > MOST:
        return shared_or_budget(np.array(failures, float), np.array(trials, float), np.array(shares), side, alpha)
    hits = failures if side == "upper" else tuple(n - k for k, n in zip(failures, trials, strict=True))
    limit = smallest_limit(
        lambda p: np.asarray(sum(w * q for w, q in zip(shares, p, strict=True))), hits, trials, alpha
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

    Guaranteed whatever the failure probabilities of the strata, and never wider than Clopper-Pearson limits that
    share alpha among the strata: for two or three strata the smallest such limit (Buehler 1957), for more the limit by
    sharing or one by a budget for all failures together, whichever is narrower (``StratifiedBound``). One
    stratum gives the Clopper-Pearson bounds. ``details["method"]`` says which it was.
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
