"""Bounds from counts: of failures out of trials, exact, by score and Bayesian, and of events in an exposure."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

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
from surefoot.core import (
    Assumption,
    Beta,
    BoundFamily,
    Estimate,
    Gamma,
    InvalidInput,
    Kind,
    Provenance,
    QuantileBound,
    Side,
    TabulatedBound,
    Undefined,
    array_digest,
    certain,
    validate,
)
from surefoot.core.bound import check_side_and_kind, posterior_bounds
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray

EXACT_INSTEAD = "Use clopper_pearson where the level must hold."
BETTER_JUDGE = "Use a judge that tells failures from right answers, or check more items."
LEAST_LEVEL = 1e-9
"""Limits at levels nearer to 0 or 1 than this are not kept."""


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

    Limits are quantiles of Beta(k+1, n-k) and Beta(k, n-k+1). ``upper`` and ``lower`` are one-sided and known at every
    level. Trials are independent, and their number was fixed beforehand.

    Parameters
    ----------
    failures, trials
        What was counted.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The share of failures with its exact bounds.

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26(4).

    Examples
    --------
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

    Without failures the lower limit is 0, without successes the upper one is 1. Credible under that prior; its coverage
    is right on average and can fall below the level.

    Parameters
    ----------
    failures, trials
        What was counted.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The share of failures with credible bounds and the posterior as its distribution.

    References
    ----------
    Brown, Cai and DasGupta (2001), Statistical Science 16(2).

    Examples
    --------
    >>> import surefoot as sf
    >>> round(sf.bounds.jeffreys(1, 100, level=0.95).upper(0.95), 4)
    0.0384

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

    Parameters
    ----------
    failures, trials
        What was counted.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The share of failures with heuristic bounds and a caveat.

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22(158).

    Examples
    --------
    >>> import surefoot as sf
    >>> round(sf.bounds.wilson(1, 100, level=0.95).upper(0.95), 4)
    0.0436

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


EVENT_RATE = "event rate"
PER_HOUR = "per hour"
CONSTANT_RATE = Assumption("poisson-events", "Events come independently of each other, at a constant rate.")
FIXED_EXPOSURE = Assumption("fixed-exposure", "How long to count was fixed before events were seen.")


@bound
def garwood(
    events: int,
    exposure: float,
    *,
    level: float,
    quantity: str = EVENT_RATE,
    unit: str = PER_HOUR,
    scope: str = "",
) -> Estimate:
    """Exact bounds of the rate of events that were counted in hours, or another exposure.

    Limits are quantiles of Gamma(k+1) and Gamma(k), divided by the exposure: those rates of a Poisson process that a
    one-sided test does not reject. ``upper`` and ``lower`` are one-sided and known at every level.

    Parameters
    ----------
    events, exposure
        What was counted, and in how many hours or the like.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    quantity, unit, scope
        What the estimate is about, in your words; the unit is that of the exposure.

    Returns
    -------
    Estimate
        Events per unit of exposure with their exact bounds.

    References
    ----------
    Garwood (1936), Biometrika 28(3/4).

    Examples
    --------
    >>> import surefoot as sf
    >>> print(f"{sf.bounds.garwood(0, 29958, level=0.95).upper(0.95):.7f}")
    0.0001000

    """
    k = validate.count(events, where="garwood", name="events")
    hours = validate.positive(exposure, where="garwood", name="exposure")
    params = {"events": k, "exposure": hours, "level": validate.level(level, where="garwood")}
    upper = QuantileBound(Gamma(k + 1, 1 / hours), "upper", "confidence")
    lower = QuantileBound(Gamma(k, 1 / hours), "lower", "confidence") if k else certain(0.0, "lower")
    return state(
        About(quantity, unit, scope),
        k / hours,
        (upper, lower),
        assumptions=(CONSTANT_RATE, FIXED_EXPOSURE, REPRESENTATIVE),
        details=params,
        provenance=Provenance("bounds.garwood", params),
    )


@bound
def quantile(
    values: ArrayLike,
    share: float,
    *,
    level: float,
    quantity: str = "",
    unit: str = "",
    scope: str = "",
) -> Estimate:
    """Exact bounds of a quantile of any numbers, such as the error that 95% of all demands stay below.

    The k-th smallest of n values lies above the quantile with at least the probability that a binomial count of n
    trials is below k, whatever the distribution. Below a number of values that grows with the share and the level, no
    value is large enough: then the limit is not known, and asking for it raises.

    Parameters
    ----------
    values
        One a demand; infinite where it never came to an end, such as the delay of what was never found.
    share
        Of demands at or below the quantile, in (0, 1).
    level
        Confidence of the bound to show; other levels can be asked for as well.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The sample quantile with its exact bounds; a limit that would be infinite is not known.

    Raises
    ------
    Undefined
        Where so many values are infinite that the quantile is.

    References
    ----------
    David and Nagaraja (2003), Order Statistics, section 7.1.

    Examples
    --------
    >>> import numpy as np
    >>> found = quantile(np.arange(1, 101), 0.9, level=0.95)
    >>> found.value, found.upper(0.95)
    (90.0, 96.0)

    """
    where = "quantile"
    level, share = validate.level(level, where=where), validate.fraction(share, where=where, name="share")
    given = np.asarray(values, dtype=float)
    endless = given == np.inf
    # Ranks alone count, so that anything larger than all others stands for the infinite ones.
    validate.vector(np.where(endless, 0.0, given), where=where, name="values")
    ordered = np.sort(given)
    n = ordered.size
    params = {"level": level, "share": share}
    middle = float(ordered[max(math.ceil(share * n - 1e-9), 1) - 1])
    if np.isinf(middle):
        problem = f"the {100 * share:g}% quantile is infinite, as {int(endless.sum())} of {n} values are"
        remedy = "Ask for a smaller share, or how often a value is above a limit."
        raise Undefined(problem, where=where, remedy=remedy)
    return state(
        About(quantity or f"{100 * share:g}% quantile", unit or "the values' own", scope),
        middle,
        [family for side in ("upper", "lower") if (family := _of_ranks(ordered, share, side)) is not None],
        assumptions=(INDEPENDENT, FIXED_SIZE, REPRESENTATIVE),
        details={**params, "values": n, **({"infinite": int(endless.sum())} if endless.any() else {})},
        provenance=Provenance(f"bounds.{where}", params, data={"values": array_digest(ordered)}),
    )


def _of_ranks(ordered: FloatArray, share: float, side: Side) -> TabulatedBound | None:
    """Values in order as limits, each at the level that its rank has; None where no rank reaches any."""
    ranks = np.arange(1, ordered.size + 1)
    below = special.bdtr(ranks - 1, ordered.size, share)
    levels = below if side == "upper" else 1 - below
    order = ranks - 1 if side == "upper" else ranks[::-1] - 1
    levels = levels[order]
    kept = (levels > LEAST_LEVEL) & (levels < 1 - LEAST_LEVEL) & (np.diff(levels, prepend=0.0) > 0)
    kept &= np.isfinite(ordered[order])
    return TabulatedBound.widened(levels[kept], ordered[order][kept], side, "confidence") if kept.any() else None


JUDGED_APART = Assumption(
    "judge-errs-alike", "The judge errs on tests as often as on the items whose truth was found out to check it."
)


@bound
def judged(
    failures: int,
    trials: int,
    *,
    failures_caught: int,
    failures_checked: int,
    right_passed: int,
    right_checked: int,
    level: float,
    quantity: str = FAILURE_PROBABILITY,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bounds of a failure probability whose failures were told by a judge that errs.

    The judge finds some of the failures (its sensitivity) and passes some of the right answers (its specificity); both
    are bounded by items whose truth is known. The failure probability is as large as it can be within the limits of all
    three, each at a third of the miss probability: so the bound misses no more often than stated. Its value is the
    estimator of Rogan and Gladen, cut to [0, 1].

    Parameters
    ----------
    failures, trials
        Answers that the judge calls failures, and all it judged.
    failures_caught, failures_checked
        Known failures that the judge called so, and all known failures it was shown.
    right_passed, right_checked
        Known right answers that the judge called right, and all it was shown.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The corrected share of failures with its bounds.

    References
    ----------
    Rogan and Gladen (1978), American Journal of Epidemiology 107(1).

    Examples
    --------
    >>> found = judged(
    ...     40, 400, failures_caught=45, failures_checked=50, right_passed=196, right_checked=200, level=0.95
    ... )
    >>> round(found.value, 4), round(found.upper(0.95), 4)
    (0.0909, 0.172)

    """
    where = "judged"
    level = validate.level(level, where=where)
    said = Counts.checked(failures, trials, where=where)
    found = Counts.checked(failures_caught, failures_checked, where=f"{where}, known failures")
    right = Counts.checked(right_passed, right_checked, where=f"{where}, known right answers")
    counted = (said.failures, said.trials, found.failures, found.trials, right.failures, right.trials)
    counts = JudgedShare(*counted, side="upper", kind="confidence")
    params = {name: value for name, value in asdict(counts).items() if name not in ("side", "kind")}
    shares = counts.share, counts.caught / counts.checked, counts.passed / counts.clean
    power = shares[1] + shares[2] - 1
    value = min(max((shares[0] + shares[2] - 1) / power, 0.0), 1.0) if power > 0 else shares[0]
    return state(
        About(quantity, unit, scope),
        value,
        (counts, replace(counts, side="lower")),
        assumptions=(INDEPENDENT, FIXED_SIZE, REPRESENTATIVE, JUDGED_APART),
        caveats=()
        if power > 0
        else (approximate("The value, which a judge no better than chance gave,", BETTER_JUDGE),),
        details={**params, "level": level, "sensitivity": shares[1], "specificity": shares[2], "judged": shares[0]},
        provenance=Provenance(f"bounds.{where}", {**params, "level": level}),
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

    Before testing, an assessor is ``prior_confidence`` sure that the failure probability is at most ``prior_bound``,
    knows that it is at least ``floor``, and will not say more. Trials then raise that confidence, or extend it to a
    higher level; they never prove less than ``prior_bound``. After a failure the worst prior puts its mass at
    ``floor``, so a floor of 0 shows nothing.

    Parameters
    ----------
    failures, trials
        What was counted.
    level
        Probability of the bound to show; other levels can be asked for as well.
    prior_confidence, prior_bound
        How sure one was before testing, of which bound.
    floor
        What the failure probability cannot undercut.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The share of failures with a credible upper bound; ``details["confidence_in_prior_bound"]`` says how sure one is
        of the prior bound now.

    Raises
    ------
    Undefined
        After a failure, with a floor of 0.

    References
    ----------
    Zhao, Salako, Strigini, Robu and Flynn (2020), "Assessing safety-critical systems from operational testing: a study
    on autonomous vehicle safety", Information and Software Technology 128.

    Examples
    --------
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


@dataclass(frozen=True)
class WilsonBound(BoundFamily, tag="wilson"):
    """Wilson (1927): the proportions that the score test does not reject."""

    failures: int
    trials: int
    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        check_side_and_kind(self.side, self.kind)
        Counts.checked(self.failures, self.trials, where="WilsonBound")

    def limit_at(self, level: float) -> float:
        n, share = self.trials, self.failures / self.trials
        z = float(special.ndtri(level)) * (1 if self.side == "upper" else -1)
        if share == (1 if z > 0 else 0):
            return share
        centre = share + z * z / (2 * n)
        half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        return min(max((centre + half) / (1 + z * z / n), 0.0), 1.0)


@dataclass(frozen=True)
class JudgedShare(BoundFamily, tag="judged-share"):
    """The failure probabilities that agree with exact limits of what a judge said and of how it errs."""

    failures: int
    trials: int
    caught: int
    checked: int
    passed: int
    clean: int
    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        check_side_and_kind(self.side, self.kind)
        for counts in ((self.failures, self.trials), (self.caught, self.checked), (self.passed, self.clean)):
            Counts.checked(*counts, where="JudgedShare")

    @property
    def share(self) -> float:
        """Of answers that the judge calls failures."""
        return self.failures / self.trials

    def limit_at(self, level: float) -> float:
        upper = self.side == "upper"
        each = 1 - (1 - level) / 3
        said = _exact_limit(self.failures, self.trials, each, upper=upper)
        found = _exact_limit(self.caught, self.checked, each, upper=not upper)
        alarm = 1 - _exact_limit(self.passed, self.clean, each, upper=upper)
        if found <= alarm:
            # The judge may be no better than chance, and then says nothing.
            return 1.0 if upper else 0.0
        return min(max((said - alarm) / (found - alarm), 0.0), 1.0)


def _exact_limit(successes: int, trials: int, level: float, *, upper: bool) -> float:
    """Clopper and Pearson's limit of a share."""
    if upper:
        return 1.0 if successes == trials else float(special.betainccinv(successes + 1, trials - successes, 1 - level))
    return 0.0 if successes == 0 else float(special.betaincinv(successes, trials - successes + 1, 1 - level))


@dataclass(frozen=True)
class ConservativeBayesBound(BoundFamily, tag="conservative-bayes"):
    """Upper limits under the worst prior with ``prior_confidence`` on [``floor``, ``prior_bound``].

    Zhao et al. (2020), "Assessing safety-critical systems from operational testing": the worst
    prior has two points, one at the end of [floor, prior_bound] with the smaller likelihood and
    one just above the limit, or at the share of failures where that is larger.
    """

    failures: int
    trials: int
    prior_confidence: float
    prior_bound: float
    floor: float
    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        check_side_and_kind(self.side, self.kind)
        if self.side != "upper":
            raise InvalidInput("conservative Bayesian limits are upper limits", where="ConservativeBayesBound")
        Counts.checked(self.failures, self.trials, where="ConservativeBayesBound")
        for name in ("prior_confidence", "prior_bound"):
            validate.fraction(getattr(self, name), where="ConservativeBayesBound", name=name)
        validate.probability(self.floor, where="ConservativeBayesBound", name="floor")

    def log_likelihood(self, p: float) -> float:
        """Logarithm of the probability of the observed trials, up to a constant."""
        return float(special.xlogy(self.failures, p) + special.xlog1py(self.trials - self.failures, -p))

    def confidence(self, p: float) -> float:
        """Smallest posterior probability, over all such priors, that the quantity is at most ``p``."""
        if p < self.prior_bound:
            return 0.0
        if p >= 1:
            return 1.0
        return float(special.expit(self._log_odds_inside() - self.log_likelihood(max(p, self._peak()))))

    def limit_at(self, level: float) -> float:
        # Likelihoods above the limit may not exceed this for the odds to reach those of the level.
        allowed = self._log_odds_inside() - float(special.logit(level))
        start = max(self.prior_bound, self._peak())
        if self.log_likelihood(start) <= allowed:
            return self.prior_bound
        low, high = start, 1.0
        while low < (middle := math.sqrt(low * high)) < high:
            low, high = (low, middle) if self.log_likelihood(middle) <= allowed else (middle, high)
        return high

    def _peak(self) -> float:
        return self.failures / self.trials

    def _log_odds_inside(self) -> float:
        least = min(self.log_likelihood(self.floor), self.log_likelihood(self.prior_bound))
        return float(special.logit(self.prior_confidence)) + least
