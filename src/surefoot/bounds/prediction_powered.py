"""Failure probability from few labelled tests and many unlabelled inputs whose failures are predicted.

The prediction may be as wrong as it likes: labelled tests say how often it is right. Where it is good, the bound is
tighter than the tests alone allow (difference estimator of survey sampling; "prediction-powered inference" of
Angelopoulos et al. 2023, Science 382).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.bounds.closed_form import CentralLimitBound
from surefoot.bounds.statement import (
    EXPECTED_LOSS,
    FAILURE_PROBABILITY,
    FIXED_SIZE,
    INDEPENDENT,
    INDEPENDENT_LOSSES,
    REPRESENTATIVE,
    About,
    Counts,
    approximate,
    bound,
    state,
)
from surefoot.bounds.strata_inversion import shared_limits, smallest_limit
from surefoot.core import Assumption, BoundFamily, Estimate, InvalidInput, Kind, Provenance, Side, validate
from surefoot.core.bound import check_side_and_kind
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray

PREDICTED_BEFORE = Assumption(
    "predicted-before",
    "Failures were predicted without the labels of the tests; neither tests nor operational inputs trained the model.",
)
EXACT_INSTEAD = "Use predicted_failures, or the exact binomial bound."
PLANNED_LEVEL = 0.95
PLANNED_PRECISION = 0.75
LARGEST_SHARE = 0.5
"""A prediction that most inputs fail tells little."""
WORTHWHILE = 0.97
"""A smaller gain is not worth the risk that the prediction is worse than planned."""


@bound
def predicted_failures(
    failed: ArrayLike,
    predicted: ArrayLike,
    operational: ArrayLike,
    *,
    level: float,
    unpredictable: float = 0.0,
    always: bool = False,
    quantity: str = FAILURE_PROBABILITY,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bounds of a failure probability from tests in two strata: predicted to fail, or not.

    Whether the prediction is used is decided from the unlabelled inputs and the number of tests alone, before any
    outcome is seen: where it promises no tighter limit, the bound is the exact binomial one.

    Parameters
    ----------
    failed, predicted
        Truth values of the labelled tests: whether each failed, and whether that was predicted.
    operational
        Which of further inputs from operation are predicted to fail.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    unpredictable
        Share of operation in which failures cannot be predicted; they are then expected to be as frequent there as
        elsewhere.
    always
        Use the prediction in any case.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The failure probability with its bounds; ``details["prediction_used"]`` says which they are.

    References
    ----------
    Angelopoulos et al. (2023), "Prediction-powered inference", Science 382.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> failed = np.arange(1000) < 10
    >>> found = sf.bounds.predicted_failures(failed, failed, np.arange(100_000) < 1000, level=0.95)
    >>> alone = sf.bounds.clopper_pearson(10, 1000, level=0.95)
    >>> found.details["prediction_used"], bool(found.upper(0.95) < alone.upper(0.95))
    (True, True)

    """
    where = "predicted_failures"
    level = validate.level(level, where=where)
    outcome, flagged = _truths(failed, where, "failed"), _truths(predicted, where, "predicted")
    validate.same_length(where, failed=outcome, predicted=flagged)
    further = _truths(operational, where, "operational", at_least=0)
    found = Prediction(
        flagged=int(flagged.sum() + further.sum()),
        seen=flagged.size + further.size,
        failed_flagged=int(outcome[flagged].sum()),
        tested_flagged=int(flagged.sum()),
        failed_others=int(outcome[~flagged].sum()),
        tested_others=int((~flagged).sum()),
    )
    used = found.unlabelled > 0 and (always or prediction_helps(found, unpredictable=unpredictable))
    counts = Counts(found.failures, found.trials)
    return state(
        About(quantity, unit, scope),
        found.risk if used else counts.share,
        _strata_bounds(found) if used else counts.exact_bounds(),
        assumptions=(INDEPENDENT, FIXED_SIZE, REPRESENTATIVE, PREDICTED_BEFORE),
        details={
            "failures": counts.failures,
            "trials": counts.trials,
            "level": level,
            "prediction_used": used,
            "flagged": found.flagged,
            "seen": found.seen,
            "failed_flagged": found.failed_flagged,
            "tested_flagged": found.tested_flagged,
        },
        provenance=Provenance(f"bounds.{where}", {"counts": asdict(found), "level": level, "used": used}),
    )


def prediction_helps(found: Prediction, *, unpredictable: float = 0.0) -> bool:
    """Whether the prediction promises a tighter upper limit than the tests alone; no outcome is looked at.

    Expected are: three of four flagged inputs fail, and failures nobody can predict are as frequent as those predicted.
    """
    share, tests = found.flagged / found.seen, found.trials
    if not found.unlabelled or share > LARGEST_SHARE:
        return False
    missed = PLANNED_PRECISION * share * unpredictable / max(1 - unpredictable, 1e-3)
    tested_flagged = round(share * tests)
    planned = Prediction(
        flagged=tested_flagged + round(share * found.unlabelled),
        seen=found.seen,
        failed_flagged=math.ceil(PLANNED_PRECISION * tested_flagged),
        tested_flagged=tested_flagged,
        failed_others=math.floor(min(missed, 1.0) * (tests - tested_flagged)),
        tested_others=tests - tested_flagged,
    )
    alone = float(special.betainccinv(planned.failures + 1, tests - planned.failures, 1 - PLANNED_LEVEL))
    return _strata_bounds(planned)[0].limit_at(PLANNED_LEVEL) < WORTHWHILE * alone


def difference_estimator(
    losses: ArrayLike,
    predicted: ArrayLike,
    operational: ArrayLike,
    *,
    level: float,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Mean loss by the difference estimator, with bounds by normal approximation.

    The mean of predicted losses over ``operational`` inputs plus the mean of ``losses - predicted`` over labelled
    tests; the variance is the sum of both. Unbiased whatever the prediction is.

    Parameters
    ----------
    losses, predicted
        Losses in [0, 1] of the labelled tests, and what they were predicted to be.
    operational
        Predicted losses of further inputs from operation.
    level
        Level of the bound to show; other levels can be asked for as well.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The mean loss with heuristic bounds and a caveat.

    References
    ----------
    Angelopoulos et al. (2023), "Prediction-powered inference", Science 382.

    Examples
    --------
    >>> import surefoot as sf
    >>> losses, predicted, operational = [0, 1, 0, 1], [0.0, 0.8, 0.0, 0.8], [0.0, 0.4] * 50
    >>> round(sf.bounds.difference_estimator(losses, predicted, operational, level=0.95).value, 3)
    0.3

    """
    where = "difference_estimator"
    level = validate.level(level, where=where)
    observed = validate.unit_vector(losses, where=where, name="losses")
    guessed = validate.unit_vector(predicted, where=where, name="predicted")
    further = validate.unit_vector(operational, where=where, name="operational")
    validate.same_length(where, losses=observed, predicted=guessed)
    value = float(further.mean() + (observed - guessed).mean())
    error = math.sqrt(_variance_of_mean(further) + _variance_of_mean(observed - guessed))
    upper, lower = (CentralLimitBound(value, error, observed.size, side, "heuristic") for side in ("upper", "lower"))
    return state(
        About(quantity, unit, scope),
        value,
        (upper, lower),
        assumptions=(INDEPENDENT_LOSSES, REPRESENTATIVE, PREDICTED_BEFORE),
        caveats=(approximate("The normal approximation", EXACT_INSTEAD),),
        details={"n": observed.size, "level": level, "standard_error": error, "unlabelled": further.size},
        provenance=Provenance(f"bounds.{where}", {"value": value, "error": error, "n": observed.size, "level": level}),
    )


def _strata_bounds(found: Prediction) -> tuple[BoundFamily, BoundFamily]:
    counts: dict[str, Any] = asdict(found)
    upper = PredictedStrataBound(**counts, side="upper", kind="confidence")
    return upper, PredictedStrataBound(**counts, side="lower", kind="confidence")


def _variance_of_mean(values: FloatArray) -> float:
    return float(values.var(ddof=1) / values.size) if values.size > 1 else math.inf


def _truths(values: ArrayLike, where: str, name: str, *, at_least: int = 1) -> NDArray[np.bool_]:
    array = np.asarray(values)
    if array.ndim != 1 or array.size < at_least or not np.isin(array, (0, 1)).all():
        raise InvalidInput(
            f"{name} must be one column of truth values with at least {at_least} rows",
            where=where,
            found=f"shape {array.shape}, {array.dtype}",
        )
    return array.astype(bool)


# Limits of a failure probability in two strata: inputs that are predicted to fail, and all others.

SHARE_PART = 0.1
"""Part of alpha that is spent on the range of the share of flagged inputs."""


@dataclass(frozen=True)
class Prediction:
    """What came of a prediction of failures.

    ``seen`` inputs, tests among them, of which ``flagged`` were predicted to fail say how often that happens; of
    ``tested_flagged`` labelled ones among those, ``failed_flagged`` failed, and of the ``tested_others`` others,
    ``failed_others``.
    """

    flagged: int
    seen: int
    failed_flagged: int
    tested_flagged: int
    failed_others: int
    tested_others: int

    def __post_init__(self) -> None:
        pairs = {
            "flagged inputs": (self.flagged, self.seen),
            "failures among flagged tests": (self.failed_flagged, self.tested_flagged),
            "failures among other tests": (self.failed_others, self.tested_others),
            "flagged tests": (self.tested_flagged, self.flagged),
            "other tests": (self.tested_others, self.seen - self.flagged),
        }
        for name, (part, whole) in pairs.items():
            if not 0 <= part <= whole:
                raise InvalidInput(f"{name} must lie between 0 and all of them", found=f"{part:g} of {whole:g}")

    @property
    def failures(self) -> int:
        """All failures."""
        return self.failed_flagged + self.failed_others

    @property
    def trials(self) -> int:
        """All tests."""
        return self.tested_flagged + self.tested_others

    @property
    def unlabelled(self) -> int:
        """Inputs that say how often failures are predicted, and nothing else."""
        return self.seen - self.trials

    def turned(self) -> Prediction:
        """Passes in place of failures, and the others in place of the flagged."""
        return Prediction(
            flagged=self.seen - self.flagged,
            seen=self.seen,
            failed_flagged=self.tested_others - self.failed_others,
            tested_flagged=self.tested_others,
            failed_others=self.tested_flagged - self.failed_flagged,
            tested_others=self.tested_flagged,
        )

    @property
    def risk(self) -> float:
        """Shares of the strata times their failure rates; flagged inputs count as failures where none was tested."""
        share = self.flagged / self.seen
        flagged = self.failed_flagged / self.tested_flagged if self.tested_flagged else 1.0
        others = self.failed_others / self.tested_others if self.tested_others else 1.0
        return share * flagged + (1 - share) * others


@dataclass(frozen=True)
class PredictedStrataBound(Prediction, BoundFamily, tag="predicted-strata"):
    """Limits of s p1 + (1 - s) p0, with s the share of flagged inputs and p1, p0 the risk of flagged and other ones.

    Given which tests are flagged, three binomial counts are left: flagged inputs among unlabelled ones, and failures
    among flagged and other tests. Where the risk is read as p0 + s max(p1 - p0, 0), which is never smaller, it falls
    in none of s, p1, p0, and Buehler's limit holds (``smallest_limit``). Most of the order's outcomes speak of other
    shares s than those that the flags allow, so that s is first enclosed at a tenth of alpha (Berger and Boos
    1994, JASA 89). The lower limit is what the upper one of passes leaves, with flags turned round.
    """

    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        super().__post_init__()
        check_side_and_kind(self.side, self.kind)

    def limit_at(self, level: float) -> float:
        found = Prediction(*astuple(self)[:6])
        if self.side == "upper":
            return _upper_limit(found, 1 - level)
        return 1 - _upper_limit(found.turned(), 1 - level)


@lru_cache(maxsize=4096)
def _upper_limit(found: Prediction, alpha: float) -> float:
    flagged = found.flagged - found.tested_flagged
    counts = np.array([flagged, found.unlabelled - flagged], float)
    high, passing = shared_limits(counts, float(found.unlabelled), SHARE_PART * alpha / 2)
    return smallest_limit(
        _risk,
        (flagged, found.failed_flagged, found.failed_others),
        (found.unlabelled, found.tested_flagged, found.tested_others),
        (1 - SHARE_PART) * alpha,
        within=((1 - float(passing), float(high)), (0.0, 1.0), (0.0, 1.0)),
    )


def _risk(p: Sequence[FloatArray]) -> FloatArray:
    share, flagged, others = p
    return np.asarray(others + share * np.maximum(flagged - others, 0))
