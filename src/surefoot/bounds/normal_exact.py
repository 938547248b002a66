"""The exact confidence bound of Phi(-mu/sigma), which g_N of NRB approximates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.bounds.noncentral_t import noncentral_t_upper
from surefoot.bounds.normal_score import MarginSample, MarginSummary, contradictions
from surefoot.bounds.statement import FAILURE_PROBABILITY, About, bound, state
from surefoot.core import BoundFamily, Estimate, Kind, Side, validate
from surefoot.core.estimate import PER_DEMAND

TOLERANCE = 1e-13
TINY = float(np.finfo(float).tiny)
ALMOST_ONE = 1 - float(np.finfo(float).epsneg)


@dataclass(frozen=True)
class NoncentralTBound(BoundFamily, tag="noncentral-t"):
    """Limits of Phi(-mu/sigma) from the ratio mean/sd of ``n`` normal margins, exact at every level.

    sqrt(n) mean/sd follows a noncentral t distribution with n - 1 degrees of freedom and
    noncentrality sqrt(n) mu/sigma (Johnson and Welch, Biometrika 31, 1940). The upper limit is the
    risk at which a ratio as large as the one seen has probability ``1 - level``.
    """

    ratio: float
    n: int
    side: Side
    kind: Kind = "confidence"

    def __post_init__(self) -> None:
        validate.choice(self.side, ("upper", "lower"), where="NoncentralTBound", name="side")
        validate.choice(self.kind, ("confidence",), where="NoncentralTBound", name="kind")
        validate.numbers(self.ratio, where="NoncentralTBound", name="ratio")
        validate.count(self.n, where="NoncentralTBound", name="n", at_least=2)

    def limit_at(self, level: float) -> float:
        # No limit is rounded to a certainty: neither to a risk of at most 0 nor to one of at least 1.
        if self.side == "upper":
            return max(float(special.ndtr(-ratio_lower_limit(self.ratio, self.n, level))), TINY)
        # Mirrored margins have mirrored limits.
        return min(float(special.ndtr(ratio_lower_limit(-self.ratio, self.n, level))), ALMOST_ONE)


@bound
def normal_exact(
    margins: ArrayLike,
    *,
    level: float,
    groups: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    check: bool = True,
    seed: int = 0,
    quantity: str = FAILURE_PROBABILITY,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Risk Phi(-mu/sigma) of a classifier with normal margins, with exact bounds at every level.

    The one-sided tolerance limit of a normal distribution, solved for its content (Owen, "A survey of
    properties and applications of the noncentral t-distribution", Technometrics 10, 1968). Where margins are normal
    and independent the bound misses with probability exactly ``1 - level``. ``level`` is the one to show. With
    ``groups`` one margin of each is looked at, as by ``normal_score``.
    """
    where = "normal_exact"
    level = validate.level(level, where=where)
    sample = MarginSample.of(margins, rows, groups, seed=seed, where=where)
    summary = MarginSummary.of(sample.margins)
    assumptions = sample.assumptions(check=check)
    return state(
        About(quantity, unit, scope),
        summary.risk,
        [NoncentralTBound(summary.ratio, summary.n, "upper"), NoncentralTBound(summary.ratio, summary.n, "lower")],
        assumptions=assumptions,
        caveats=contradictions(assumptions),
        details={"level": level, **summary.to_dict(), **sample.details},
        provenance=sample.provenance(where, level=level, check=check),
    )


@lru_cache(maxsize=4096)
def ratio_lower_limit(ratio: float, n: int, level: float) -> float:
    """Lower confidence limit of mu/sigma: the mu/sigma at which a ratio this large has probability ``1 - level``."""
    from scipy.optimize import brentq

    root = math.sqrt(n)
    z = float(special.ndtri(level))

    def excess(candidate: float) -> float:
        tail = noncentral_t_upper(root * ratio, n - 1, root * candidate)
        # As a normal quantile the tail is nearly linear in the candidate.
        return float(special.ndtri(np.clip(tail, TINY, ALMOST_ONE))) + z

    step = (1 + abs(z)) * math.hypot(1 / root, ratio / math.sqrt(2 * (n - 1)))
    low, high = ratio - step, ratio + step
    while excess(low) > 0:
        low -= high - low
    while excess(high) < 0:
        high += high - low
    return float(brentq(excess, low, high, xtol=TOLERANCE, rtol=TOLERANCE))
