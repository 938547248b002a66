"""Risk in operation from tests by stratum, where operation's share of each stratum is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from surefoot.bounds.capital import tabulate
from surefoot.bounds.counts import Counts
from surefoot.bounds.families import log_miss
from surefoot.bounds.statement import FAILURE_PROBABILITY, FIXED_SIZE, About, state
from surefoot.core import Assumption, BoundFamily, Estimate, InvalidInput, Provenance, Side, validate
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray

LARGEST_STAKE = 0.98

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

    @property
    def risk(self) -> float:
        """Observed risk in operation."""
        return min(float(self.shares @ (self.failures / self.trials)), 1.0)

    @property
    def sizes(self) -> FloatArray:
        """How much one trial of a stratum stands for, relative to the largest."""
        sizes = self.shares / self.trials
        return sizes / sizes.max()

    def bound(self, side: Side, level: float) -> BoundFamily:
        """Limits of one side from a mixture of constant bets."""
        hits = self.failures if side == "upper" else self.trials - self.failures
        capital = MixtureCapital(hits, self.trials - hits, self.sizes, self._smallest_stake(side, level))
        lost, kept = (float(self.shares @ (part / self.trials)) for part in (hits, self.trials - hits))
        odds = lost / kept if kept > 0 else math.inf
        return tabulate(capital, odds, int(self.trials.sum()), level=level, side=side, kind="confidence")

    def _smallest_stake(self, side: Side, level: float) -> float:
        """What failures in half of all trials ask for, or for lower limits as few as can be told from none."""
        per_trial = log_miss(level) / float(self.trials @ self.sizes**2)
        return min(math.sqrt(8 * per_trial) if side == "upper" else per_trial, LARGEST_STAKE)


@dataclass(frozen=True)
class MixtureCapital:
    """Final capital of several gamblers, each with a constant stake, in odds of the claimed risk.

    With trial i standing for size a_i, and a true risk m = sum(a_i p_i) / sum(a_i), the expected
    capital of a constant bet b is the product of 1 + b a_i (m - p_i), which is at most 1 because
    a product of numbers whose mean is 1 is at most 1. So strata may differ in their risk; bets
    that learn from earlier trials would not be allowed.
    """

    hits: FloatArray
    misses: FloatArray
    sizes: FloatArray
    smallest_stake: float

    def __call__(self, odds: FloatArray) -> FloatArray:
        """Logarithm of the capital for each claimed odds."""
        stakes, weights = self._gamblers()
        lost = np.log1p(-np.outer(stakes, self.sizes)) @ self.hits
        won = np.log1p(odds[:, None, None] * stakes[:, None] * self.sizes) @ self.misses
        return np.logaddexp.reduce(lost + won + np.log(weights), axis=1)

    def _gamblers(self) -> tuple[FloatArray, FloatArray]:
        """Stakes halve from the largest to the smallest; the large ones, for few failures, weigh more."""
        rank = np.arange(1.0 + math.ceil(math.log2(LARGEST_STAKE / self.smallest_stake)))
        weights = 1 / (rank + 1)
        return LARGEST_STAKE * np.exp2(-rank), weights / weights.sum()


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

    Guaranteed whatever the failure probabilities of the strata: a mixture of constant bets on all
    trials together (see ``MixtureCapital``), which does not pay for the number of strata as
    sharing alpha among them would. One stratum gives the Clopper-Pearson bounds.
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
        _bounds(strata, level),
        assumptions=(WITHIN_STRATA, KNOWN_SHARES, FIXED_SIZE),
        details=params,
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


def _bounds(strata: Strata, level: float) -> tuple[BoundFamily, ...]:
    if strata.shares.size == 1:
        return Counts(int(strata.failures[0]), int(strata.trials[0])).exact_bounds()
    return strata.bound("upper", level), strata.bound("lower", level)
