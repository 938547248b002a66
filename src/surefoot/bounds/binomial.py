"""Bounds of a failure probability from counts: Clopper-Pearson, Jeffreys, Wilson."""

from __future__ import annotations

from typing import Any

from surefoot.bounds.counts import Counts
from surefoot.bounds.families import WilsonBound
from surefoot.bounds.statement import (
    FAILURE_PROBABILITY,
    FIXED_SIZE,
    INDEPENDENT,
    REPRESENTATIVE,
    About,
    approximate,
    bound,
    state,
)
from surefoot.core import Beta, Estimate, Provenance, validate
from surefoot.core.bound import posterior_bounds
from surefoot.core.estimate import PER_DEMAND

EXACT_INSTEAD = "Use clopper_pearson where the level must hold."


@bound(step="binomial_bound")
def clopper_pearson(
    failures: int,
    trials: int,
    *,
    level: float,
    quantity: str = FAILURE_PROBABILITY,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Exact bounds of a failure probability, which never miss more often than stated.

    Clopper and Pearson (1934), Biometrika 26(4): limits are quantiles of Beta(k+1, n-k) and
    Beta(k, n-k+1). ``upper`` and ``lower`` are one-sided and known at every level; ``level`` is the
    one to show.

    >>> print(f"{clopper_pearson(0, 2995, level=0.95).upper(0.95):.6f}")
    0.001000
    """
    counts = Counts.checked(failures, trials, where="clopper_pearson")
    about = About(quantity, unit, scope)
    return _estimate("clopper_pearson", counts, level, about, bounds=counts.exact_bounds())


@bound(step="binomial_bound")
def jeffreys(
    failures: int,
    trials: int,
    *,
    level: float,
    quantity: str = FAILURE_PROBABILITY,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Posterior of a failure probability under Jeffreys' prior Beta(1/2, 1/2).

    Brown, Cai and DasGupta (2001), Statistical Science 16(2), with their end points: without
    failures the lower limit is 0, without successes the upper one is 1. Credible under that prior;
    its coverage is right on average and can fall below the level.
    """
    counts = Counts.checked(failures, trials, where="jeffreys")
    k, n = counts.failures, counts.trials
    posterior = Beta.from_counts(k, n - k)
    upper, lower = posterior_bounds(posterior, some=k > 0, all_=k == n)
    return _estimate(
        "jeffreys",
        counts,
        level,
        About(quantity, unit, scope),
        bounds=(upper, lower),
        dist=posterior,
        caveats=(approximate("The Jeffreys bound", EXACT_INSTEAD),),
    )


@bound(step="binomial_bound")
def wilson(
    failures: int,
    trials: int,
    *,
    level: float,
    quantity: str = FAILURE_PROBABILITY,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Score bounds of a failure probability, whose coverage is approximate.

    Wilson (1927), Journal of the American Statistical Association 22(158).
    """
    counts = Counts.checked(failures, trials, where="wilson")
    k, n = counts.failures, counts.trials
    return _estimate(
        "wilson",
        counts,
        level,
        About(quantity, unit, scope),
        bounds=(WilsonBound(k, n, "upper", "heuristic"), WilsonBound(k, n, "lower", "heuristic")),
        caveats=(approximate("The Wilson bound", EXACT_INSTEAD),),
    )


def _estimate(method: str, counts: Counts, level: float, about: About, **parts: Any) -> Estimate:
    shown = {"failures": counts.failures, "trials": counts.trials}
    params = {**shown, "level": validate.level(level, where=method)}
    return state(
        about,
        counts.share,
        assumptions=(INDEPENDENT, FIXED_SIZE, REPRESENTATIVE),
        details=params,
        provenance=Provenance(f"bounds.{method}", params),
        **parts,
    )
