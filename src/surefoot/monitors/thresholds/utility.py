"""``by_utility``: the threshold at which safety gained, less mission lost, is worth most."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import BoundFamily, InvalidInput, Normal, QuantileBound, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.monitors.evaluation.evaluate import RETURNS_HOLD
from surefoot.monitors.returns import Stakes, Sweep
from surefoot.monitors.thresholds.calibration import Calibration, Curves, calibration
from surefoot.monitors.thresholds.choice import Choice
from surefoot.monitors.thresholds.grid import as_grid
from surefoot.monitors.thresholds.placed import Stated, in_sample, placed
from surefoot.monitors.thresholds.statement import FITTED_ELSEWHERE

WHERE = "by_utility"
ROUNDING = 1e-12
Weights = tuple[float, float]


def by_utility(
    source: Stakes | Sweep,
    scores: ArrayLike | None = None,
    *,
    safety_weight: float = 1.0,
    mission_weight: float = 1.0,
    thresholds: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
    scope: str = "",
) -> Choice:
    """The threshold with the largest ``safety_weight`` x safety gain - ``mission_weight`` x availability cost.

    The best of many in a sample looks better than it is. So the utility stated (``bounded``) is cross-fitted: units are
    dealt into ``folds``, and each fold is judged at the threshold that was best for the others (Stone 1974,
    "Cross-validatory choice and assessment of statistical predictions"). What is left of the utility in the sample is
    ``bounded.details["optimism"]``. Of thresholds with equal utility the one with the fewest alarms is taken.
    """
    units = calibration(source, scores, where=WHERE)
    weights = _checked_weights(safety_weight, mission_weight)
    folds, seed = validate.count(folds, where=WHERE, name="folds", at_least=2), validate.seed(seed, where=WHERE)
    if units.units < 2:
        raise InvalidInput("needs at least two units", where=WHERE, found=counted(units.units, units.unit))
    grid = as_grid(thresholds, source, where=WHERE)
    curves, at = _best(units, grid, weights)
    judged = _cross_fitted(units, grid, weights, min(folds, units.units), seed)
    asked = {"largest": "utility", "safety_weight": weights[0], "mission_weight": weights[1], "folds": folds}
    seen = weights[0] * float(curves.gains[at]) - weights[1] * float(curves.costs[at])
    return placed(units, curves, at, _stated(units.unit, seen, judged, asked, seed, scope))


def _checked_weights(safety: float, mission: float) -> Weights:
    weights = tuple(
        validate.number(value, where=WHERE, name=name)
        for name, value in (("safety_weight", safety), ("mission_weight", mission))
    )
    if min(weights) < 0 or max(weights) == 0:
        raise InvalidInput("weights must be at least 0, and not both 0", where=WHERE, found=f"{safety:g}, {mission:g}")
    return weights[0], weights[1]


def _best(units: Calibration, grid: FloatArray | None, weights: Weights) -> tuple[Curves, int]:
    """All thresholds in the sample, and which is best."""
    curves = units.curves(units.candidates() if grid is None else grid)
    utilities = weights[0] * curves.gains - weights[1] * curves.costs
    best = np.flatnonzero(utilities >= utilities.max() - ROUNDING * sum(weights))
    return curves, int(best[-1])


def _cross_fitted(units: Calibration, grid: FloatArray | None, weights: Weights, folds: int, seed: int) -> FloatArray:
    """Utility of each unit at the threshold that was best for the other folds."""
    fold = np.random.default_rng(seed).permutation(units.units) % folds
    judged = np.empty(units.units)
    for number in range(folds):
        held = fold == number
        curves, at = _best(units.part(~held), grid, weights)
        worth = units.part(held).unit_values(float(curves.thresholds[at]))
        judged[held] = weights[0] * worth.gains[:, 0] - weights[1] * worth.costs[:, 0]
    return judged


def _stated(unit: str, seen: float, judged: FloatArray, asked: dict[str, object], seed: int, scope: str) -> Stated:
    honest = float(judged.mean())
    caveat = in_sample(
        f"The threshold is the best in the sample, which flatters it by about {seen - honest:.3g}.",
        "Evaluate the monitor on other units.",
    )
    return Stated(
        WHERE,
        asked,
        f"None: the mean utility of a new {unit} is about {honest:.4g}, by cross-fitting.",
        "heuristic",
        "expected utility",
        honest,
        _limits(judged),
        (RETURNS_HOLD, FITTED_ELSEWHERE),
        (caveat,),
        {"in_sample": seen, "optimism": seen - honest},
        scope,
        seed,
    )


def _limits(judged: FloatArray) -> tuple[BoundFamily, ...]:
    """By the normal approximation, which knows nothing of folds that share units."""
    error = float(judged.std(ddof=1)) / float(np.sqrt(judged.size))
    if not error > 0:
        return ()
    spread = Normal(float(judged.mean()), error)
    return QuantileBound(spread, "upper", "heuristic"), QuantileBound(spread, "lower", "heuristic")
