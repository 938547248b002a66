"""``by_hazard``, ``by_availability`` and ``by_utility``: the threshold that keeps a budget, or that is worth most."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import BoundFamily, InvalidInput, Normal, QuantileBound, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.monitors.evaluation.report import RETURNS_HOLD
from surefoot.monitors.returns import Stakes, Sweep
from surefoot.monitors.thresholds import choice
from surefoot.monitors.thresholds.calibration import COST, RESIDUAL, Calibration, Curves, as_grid, calibration
from surefoot.monitors.thresholds.choice import FITTED_ELSEWHERE, Choice, Statement, in_sample, placed
from surefoot.monitors.thresholds.risk_control import (
    ROUNDING,
    Mode,
    Prefer,
    Request,
    Search,
    Selection,
    certified,
    conformal,
)

WHERE = "by_utility"
Weights = tuple[float, float]


def by_hazard(
    source: Stakes | Sweep,
    scores: ArrayLike | None = None,
    *,
    budget: float,
    mode: Mode = "expectation",
    delta: float = 0.1,
    thresholds: ArrayLike | None = None,
    search: Search = "sequence",
    starts: int = 1,
    prefer: Prefer = "availability",
    scope: str = "",
) -> Choice:
    """The threshold with the fewest alarms whose residual hazard is within a budget.

    Parameters
    ----------
    source
        What is at stake in each row, with its ``scores``, or a ``Sweep`` over thresholds. The budget is about the mean
        over units (``Stakes.units``): episodes, not frames.
    scores
        The monitor's score of each row.
    budget
        The most residual hazard, in the unit of the returns.
    mode
        ``"expectation"``: on average over calibration sets (conformal risk control), where an alarm never raises the
        hazard of a unit. ``"probability"``: with probability 1 - ``delta`` (learn then test), for any returns.
        ``"sample"``: in these rows, and no promise.
    delta
        Probability that a threshold is promised by mistake, in mode ``"probability"``.
    thresholds
        Candidates, which mode ``"probability"`` needs, fixed beforehand (``grid_of``).
    search
        ``"sequence"`` goes up from the most alarms; ``"bonferroni"`` and ``"holm"`` test all thresholds.
    starts
        From how many places a sequence sets out, for returns that are not monotone in the threshold.
    prefer
        Of several certified thresholds that of the least cost (``"availability"``) or of the largest gain
        (``"safety"``).
    scope
        What the figure is about.

    Returns
    -------
    Choice
        The threshold, its figures in the sample, and what is guaranteed.

    Raises
    ------
    Undefined
        Where no threshold keeps the budget, or is shown to.

    References
    ----------
    Angelopoulos et al. (2024), "Conformal risk control". Angelopoulos et al. (2021), "Learn then test".

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> wrong = rng.random(1000) < 0.1
    >>> scores = 2 * wrong + rng.normal(size=1000)
    >>> stakes = sf.monitors.returns.threats(wrong)
    >>> choice = sf.monitors.by_hazard(stakes, scores, budget=0.03)
    >>> choice.kind, round(choice.threshold, 2), choice.residual_hazard
    ('expectation', 1.69, 0.029)

    """
    request = Request("by_hazard", RESIDUAL, budget, mode, delta, search, starts, prefer)
    return _choose(source, scores, thresholds, request, scope)


def by_availability(
    source: Stakes | Sweep,
    scores: ArrayLike | None = None,
    *,
    budget: float,
    mode: Mode = "sample",
    delta: float = 0.1,
    thresholds: ArrayLike | None = None,
    search: Search = "sequence",
    starts: int = 1,
    scope: str = "",
) -> Choice:
    """The threshold with the most alarms whose availability cost is within a budget.

    Parameters
    ----------
    source
        What is at stake in each row, with its ``scores``, or a ``Sweep`` over thresholds. The budget is about the mean
        over units (``Stakes.units``): episodes, not frames.
    scores
        The monitor's score of each row.
    budget
        The most availability cost, in the unit of the returns.
    mode
        As in ``by_hazard``.
    delta
        Probability that a threshold is promised by mistake, in mode ``"probability"``.
    thresholds
        Candidates, which mode ``"probability"`` needs, fixed beforehand (``grid_of``).
    search
        As in ``by_hazard``, down from the fewest alarms; the smallest threshold found is taken.
    starts
        From how many places a sequence sets out, for returns that are not monotone in the threshold.
    scope
        What the figure is about.

    Returns
    -------
    Choice
        The threshold, its figures in the sample, and what is guaranteed.

    Raises
    ------
    Undefined
        Where no threshold keeps the budget, or is shown to.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> wrong = rng.random(1000) < 0.1
    >>> scores = 2 * wrong + rng.normal(size=1000)
    >>> stakes = sf.monitors.returns.threats(wrong)
    >>> choice = sf.monitors.by_availability(stakes, scores, budget=0.05)
    >>> choice.kind, round(choice.threshold, 2), choice.availability_cost
    ('heuristic', 1.6, 0.05)

    """
    request = Request("by_availability", COST, budget, mode, delta, search, starts)
    return _choose(source, scores, thresholds, request, scope)


def _choose(
    source: Stakes | Sweep, scores: ArrayLike | None, thresholds: ArrayLike | None, request: Request, scope: str
) -> Choice:
    units = calibration(source, scores, where=request.where)
    candidates = _candidates(units, thresholds, request)
    request.check(units, candidates.size)
    curves = units.curves(candidates)
    order = request.figure.order(candidates.size)
    values = curves.of(request.figure.name)[order]
    if request.mode == "probability":
        found = certified(values, curves, units, request)
    elif request.mode == "expectation":
        found = conformal(values, units, request)
    else:
        found = _in_sample(values, units, request)
    return _stated(units, curves, int(order[found.place]), found, request, scope)


def _candidates(units: Calibration, thresholds: ArrayLike | None, request: Request) -> FloatArray:
    grid = as_grid(thresholds, units.source, where=request.where)
    if grid is not None:
        return grid
    if request.mode == "probability" and isinstance(units.source, Stakes):
        raise InvalidInput(
            "a guarantee with a probability needs thresholds that were fixed beforehand",
            where=request.where,
            remedy="Give thresholds=grid_of(scores of other rows), such as those the detector was fitted on.",
        )
    return units.candidates()


def _in_sample(values: FloatArray, units: Calibration, request: Request) -> Selection:
    within = np.flatnonzero(values <= request.budget + ROUNDING * units.width(request.figure))
    if not within.size:
        raise Undefined(
            f"no threshold keeps the {request.figure.words} within {request.budget:g}",
            where=request.where,
            found=f"{values.min():.4g} at best over {counted(units.units, units.unit)}",
            remedy="Allow more, or give other thresholds or another monitor.",
        )
    return Selection(int(within[-1]), "largest within the sample")


def _stated(units: Calibration, curves: Curves, at: int, found: Selection, request: Request, scope: str) -> Choice:
    assumed = choice.assumptions(units, request, curves.thresholds)
    stated = Statement(
        request.where,
        request.asked,
        choice.guarantee(units, request),
        choice.KINDS[request.mode],
        request.figure.words,
        float(curves.of(request.figure.name)[at]),
        choice.bounds(request),
        assumed,
        tuple(choice.caveats(request, assumed)),
        {"method": found.method, **found.details},
        scope,
    )
    return placed(units, curves, at, stated)


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
    dealt into ``folds``, and each fold is judged at the threshold that was best for the others. What is left of the
    utility in the sample is ``bounded.details["optimism"]``. Of thresholds with equal utility the one with the fewest
    alarms is taken.

    Parameters
    ----------
    source, scores
        What is at stake in each row and the scores of rows, or a ``Sweep`` alone.
    safety_weight, mission_weight
        What a unit of gain, and a unit of cost, is worth.
    thresholds
        Candidates; all that matter where None.
    folds, seed
        How many folds, and the seed that deals them.
    scope
        What the figure is about.

    Returns
    -------
    Choice
        The threshold, its figures in the sample, and its utility by cross-fitting.

    References
    ----------
    Stone (1974), "Cross-validatory choice and assessment of statistical predictions".

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> wrong = rng.random(1000) < 0.1
    >>> scores = 2 * wrong + rng.normal(size=1000)
    >>> stakes = sf.monitors.returns.threats(wrong)
    >>> choice = sf.monitors.by_utility(stakes, scores, safety_weight=2.0)
    >>> round(choice.threshold, 2), round(choice.bounded.value, 3)
    (1.81, 0.073)

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
    return placed(units, curves, at, _utility_stated(units.unit, seen, judged, asked, seed, scope))


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


def _utility_stated(
    unit: str, seen: float, judged: FloatArray, asked: dict[str, object], seed: int, scope: str
) -> Statement:
    honest = float(judged.mean())
    caveat = in_sample(
        f"The threshold is the best in the sample, which flatters it by about {seen - honest:.3g}.",
        "Evaluate the monitor on other units.",
    )
    return Statement(
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
