"""Limits of the failure probability in operation from labels by stratum."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.bounds.counts import Counts
from surefoot.bounds.statement import FAILURE_PROBABILITY, FIXED_SIZE, About, approximate, state
from surefoot.bounds.stratified import KNOWN_SHARES, WITHIN_STRATA
from surefoot.core import Assumption, BoundFamily, Estimate, Provenance, Side, TabulatedBound, validate
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray
from surefoot.hazards.labels.melding import lower_limits, upper_limits
from surefoot.hazards.labels.tally import Tally

MISSES: FloatArray = np.geomspace(0.5, 1e-10, 96)
HIGHEST_LEVEL = float(np.nextafter(1.0, 0.0))
SAMPLED_SHARES = Assumption(
    "sampled-shares", "The operational rows that give the shares of the strata are drawn independently from operation."
)
BY_CHANCE = Assumption(
    "chosen-by-chance",
    "Inside a stratum labels were given to rows chosen by chance, and how many did not depend on outcomes seen there.",
)

MELDED = approximate(
    "the bound melded from several strata",
    "Its coverage was measured and never fell below the level, but nobody has proved that it cannot.",
)


def stratified_risk(tally: Tally, *, level: float, scope: str = "", unit: str = PER_DEMAND) -> Estimate:
    """Bounds of the failure probability in operation, from labels of which some strata have more than their share.

    Confidence distributions of the strata are combined as if independent draws (melding: Fay, Proschan and Brittain
    2015, Biometrics 71(1)): for the upper bound the exact one (Clopper-Pearson) where one label stands for most of
    operation and those of Jeffreys' prior in the other strata, for the lower bound the exact one of each. The coverage
    is measured, not proved. A stratum without labels counts as failing, and so do labels that nobody could give;
    the lower bound counts both as passing. One stratum whose rows all count gives the
    Clopper-Pearson bounds.
    """
    level = validate.level(level, where="stratified_risk")
    params = {**counts_of(tally), "level": level}
    shares = KNOWN_SHARES if tally.seen is None else SAMPLED_SHARES
    return state(
        About(FAILURE_PROBABILITY, unit, scope),
        tally.risk,
        _bounds(tally, level),
        assumptions=(WITHIN_STRATA, shares, BY_CHANCE, FIXED_SIZE),
        caveats=() if _is_exact(tally) else (MELDED,),
        details=params,
        provenance=Provenance("hazards.stratified_risk", params),
    )


def counts_of(tally: Tally) -> dict[str, Any]:
    """What the result rests on, for its record."""
    unknown = {"unknown": np.asarray(tally.unknown).astype(int)} if np.any(tally.unknown) else {}
    return {
        "strata": list(tally.names),
        "shares": tally.shares,
        "trials": tally.trials.astype(int),
        "counted": tally.counted.astype(int),
        "failures": tally.failures.astype(int),
        "seen": tally.seen,
        **unknown,
    }


def _is_exact(tally: Tally) -> bool:
    """Whether all labels count alike, so that the exact bound of counts holds."""
    return len(tally.names) == 1 and not tally.conditional and tally.trials[0] > 0


def _bounds(tally: Tally, level: float) -> tuple[BoundFamily, ...]:
    if _is_exact(tally):
        trials, passes = int(tally.trials[0]), int(tally.turned().failures[0])
        upper, _ = Counts(int(tally.failures[0]), trials).exact_bounds()
        _, lower = Counts(trials - passes, trials).exact_bounds()
        return upper, lower
    misses = np.unique(np.append(MISSES, 1 - level))[::-1]
    above, below = upper_limits(tally, misses), lower_limits(tally, misses)
    return _table(misses, above, "upper"), _table(misses, below, "lower")


def _table(misses: FloatArray, limits: FloatArray, side: Side) -> TabulatedBound:
    widest = 1.0 if side == "upper" else 0.0
    levels, inside = np.append(1 - misses, HIGHEST_LEVEL), np.append(np.clip(limits, 0, 1), widest)
    return TabulatedBound.widened(levels, inside, side, "confidence")
