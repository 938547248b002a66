"""A budget kept in expectation: conformal risk control.

Angelopoulos, Bates, Fisch, Lei, Schuster (2024), "Conformal risk control", Theorem 1: units are exchangeable, and no
unit's figure falls on the way from the safest threshold to the last one. Alarms are raised above a threshold, so the
largest threshold may not be attained; any below it, such as one half-way between two scores, keeps the guarantee.
"""

from __future__ import annotations

import math

import numpy as np

from surefoot.core import InvalidInput, Undefined
from surefoot.core.validate import FloatArray
from surefoot.documents import counted, significant
from surefoot.monitors.thresholds.calibration import RESIDUAL, Calibration
from surefoot.monitors.thresholds.request import Found, Request

ROUNDING = 1e-12
CLOSE = 1e-9
"""A step of a unit against the direction that is smaller, relative to the width, is rounding."""


def conformal(values: FloatArray, units: Calibration, request: Request) -> Found:
    """The last place at which n / (n + 1) mean + B / (n + 1) is within the budget; ``values`` are safest first."""
    require_monotone(units, request)
    n, width = units.units, units.width(request.figure)
    corrected = (n * values + width) / (n + 1)
    within = np.flatnonzero(corrected <= request.budget + ROUNDING * width)
    if not within.size:
        raise _out_of_reach(corrected, values, units, request)
    place = int(within[-1])
    return Found(place, "conformal risk control", {"corrected": float(corrected[place]), "largest": width})


def require_monotone(units: Calibration, request: Request) -> None:
    """Refuse units whose figure goes down where the proof needs it to go up."""
    figure = request.figure
    against = against_direction(units, request)
    if against > CLOSE * units.width(figure):
        rising, more = ("rises", "less") if figure.rises else ("falls", "more")
        raise InvalidInput(
            f"the {figure.words} of every {units.unit} must not fall when the threshold {rising}",
            where=request.where,
            found=f"one that has {against:g} less where alarms are {'fewer' if figure.rises else 'more'}",
            remedy=f"An alarm {'can hurt' if figure is RESIDUAL else 'can help the mission'} here, so fewer or {more} "
            "alarms promise nothing in expectation. Use mode='probability', with search='holm' or several starts.",
        )


def against_direction(units: Calibration, request: Request) -> float:
    """The largest step of a unit's figure against the direction that the proof needs; 0 where there is none."""
    lowest, highest = units.steps(request.figure.name)
    return max(0.0, -lowest if request.figure.rises else highest)


def _out_of_reach(corrected: FloatArray, values: FloatArray, units: Calibration, request: Request) -> Undefined:
    best, safest = float(corrected.min()), float(values.min())
    return Undefined(
        f"no threshold keeps the {request.figure.words} within {request.budget:g} in expectation",
        where=request.where,
        found=f"{best:.4g} at best with {counted(units.units, units.unit)}: "
        f"({units.units:,} x {safest:.4g} + {units.width(request.figure):g}) / {units.units + 1:,}",
        remedy=f"With these a budget of {significant(best, rounding='up')} or more is reachable. "
        f"{_needed(safest, units, request)}",
    )


def _needed(safest: float, units: Calibration, request: Request) -> str:
    if safest >= request.budget:
        return "If they are like these, no number of them is enough: even the safest threshold leaves too much."
    least = math.ceil((units.width(request.figure) - request.budget) / (request.budget - safest) * (1 - ROUNDING))
    return f"This budget needs about {counted(least, units.unit)} like these."
