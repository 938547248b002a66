"""``by_hazard`` and ``by_availability``: the threshold that keeps a budget."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, Undefined
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.monitors.returns import Stakes, Sweep
from surefoot.monitors.thresholds import statement
from surefoot.monitors.thresholds.calibration import COST, RESIDUAL, Calibration, Curves, calibration
from surefoot.monitors.thresholds.certified import certified
from surefoot.monitors.thresholds.choice import Choice
from surefoot.monitors.thresholds.conformal import ROUNDING, conformal
from surefoot.monitors.thresholds.families import Search
from surefoot.monitors.thresholds.grid import as_grid
from surefoot.monitors.thresholds.placed import Stated, placed
from surefoot.monitors.thresholds.request import Found, Mode, Prefer, Request


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

    ``mode="expectation"``: on average over calibration sets (conformal risk control, Angelopoulos et al. 2024), where
    an alarm never raises the hazard of a unit. ``mode="probability"``: with probability 1 - ``delta`` (learn then
    test, Angelopoulos et al. 2021), for any returns, on ``thresholds`` that were fixed beforehand; ``search`` goes up
    from the most alarms ("sequence", from several ``starts`` where more alarms can hurt) or tests all ("bonferroni",
    "holm"); among those certified ``prefer`` takes the least availability cost or the largest safety gain.
    ``mode="sample"``: in these rows, and no promise.

    ``source`` is what is at stake in each row, with its ``scores``, or a ``Sweep`` over thresholds. The budget is about
    the mean over units (``Stakes.units``): episodes, not frames.
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

    Modes are those of ``by_hazard``; the search goes down from the fewest alarms, and takes the smallest threshold.
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


def _in_sample(values: FloatArray, units: Calibration, request: Request) -> Found:
    within = np.flatnonzero(values <= request.budget + ROUNDING * units.width(request.figure))
    if not within.size:
        raise Undefined(
            f"no threshold keeps the {request.figure.words} within {request.budget:g}",
            where=request.where,
            found=f"{values.min():.4g} at best over {counted(units.units, units.unit)}",
            remedy="Allow more, or give other thresholds or another monitor.",
        )
    return Found(int(within[-1]), "largest within the sample")


def _stated(units: Calibration, curves: Curves, at: int, found: Found, request: Request, scope: str) -> Choice:
    assumed = statement.assumptions(units, request, curves.thresholds)
    stated = Stated(
        request.where,
        request.asked,
        statement.guarantee(units, request),
        statement.KINDS[request.mode],
        request.figure.words,
        float(curves.of(request.figure.name)[at]),
        statement.bounds(request),
        assumed,
        tuple(statement.caveats(request, assumed)),
        {"method": found.method, **found.details},
        scope,
    )
    return placed(units, curves, at, stated)
