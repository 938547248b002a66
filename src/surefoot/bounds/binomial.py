"""Conservative Bayesian inference: few or no failures, and a prior of which only one point is known."""

from __future__ import annotations

from typing import Any

from surefoot.bounds.closed_form import ConservativeBayesBound, WilsonBound
from surefoot.bounds.statement import (
    FAILURE_PROBABILITY,
    FIXED_SIZE,
    INDEPENDENT,
    REPRESENTATIVE,
    About,
    Counts,
    approximate,
    bound,
    state,
)
from surefoot.core import Assumption, Beta, Estimate, InvalidInput, Provenance, Undefined, certain, validate
from surefoot.core.bound import posterior_bounds
from surefoot.core.estimate import PER_DEMAND


@bound
def conservative_bayes(
    failures: int,
    trials: int,
    *,
    level: float,
    prior_confidence: float,
    prior_bound: float,
    floor: float = 0.0,
    quantity: str = FAILURE_PROBABILITY,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Upper limits that hold for every prior with P(p <= ``prior_bound``) >= ``prior_confidence``.

    Before testing, an assessor is ``prior_confidence`` sure that the failure probability is at most
    ``prior_bound``, knows that it is at least ``floor``, and will not say more. Trials then raise
    that confidence, or extend it to a higher level; they never prove less than ``prior_bound``.
    After a failure the worst prior puts its mass at ``floor``, so a floor of 0 shows nothing.

    Strigini and Zhao; Zhao, Salako, Strigini, Robu and Flynn (2020), "Assessing safety-critical
    systems from operational testing: a study on autonomous vehicle safety", Information and
    Software Technology 128.

    >>> found = conservative_bayes(0, 10_000, level=0.99, prior_confidence=0.9, prior_bound=1e-4)
    >>> print(f"{found.upper(0.99):.3g}")
    0.00034
    """
    where = "conservative_bayes"
    counts = Counts.checked(failures, trials, where=where)
    prior_confidence = validate.fraction(prior_confidence, where=where, name="prior_confidence")
    prior_bound = validate.fraction(prior_bound, where=where, name="prior_bound")
    floor = validate.probability(floor, where=where, name="floor")
    params = {
        "failures": counts.failures,
        "trials": counts.trials,
        "level": validate.level(level, where=where),
        "prior_confidence": prior_confidence,
        "prior_bound": prior_bound,
        "floor": floor,
    }
    if floor > prior_bound:
        raise InvalidInput("the floor lies above the prior bound", where=where, found=f"{floor:g} > {prior_bound:g}")
    if counts.failures and floor == 0:
        raise Undefined(
            "after a failure, a prior that may sit at 0 shows nothing at any level",
            where=where,
            found=f"{counts.failures} failures and floor 0",
            remedy="State a floor above 0 that the failure probability cannot undercut, or use clopper_pearson.",
        )
    family = ConservativeBayesBound(
        counts.failures, counts.trials, prior_confidence, prior_bound, floor, "upper", "credible"
    )
    return state(
        About(quantity, unit, scope),
        counts.share,
        (family, certain(floor, "lower")),
        assumptions=(_prior(prior_confidence, prior_bound, floor), INDEPENDENT, REPRESENTATIVE),
        details={**params, "confidence_in_prior_bound": family.confidence(prior_bound)},
        provenance=Provenance(f"bounds.{where}", params),
    )


def _prior(confidence: float, bound: float, floor: float) -> Assumption:
    text = f"Before testing, the failure probability is at most {bound:g} with probability at least {confidence:g}"
    return Assumption("partial-prior", f"{text}{f' and certainly at least {floor:g}' if floor else ''}.")


# Bounds of a failure probability from counts: Clopper-Pearson, Jeffreys, Wilson.

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
