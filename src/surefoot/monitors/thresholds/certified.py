"""A budget kept with a stated probability: learn then test.

Angelopoulos, Bates, Candes, Jordan, Lei (2021), "Learn then test: calibrating predictive algorithms to achieve risk
control": for each threshold of a fixed grid it is tested whether the figure is above the budget, with a probability of
at most delta that any of these hypotheses is rejected by mistake. Where it is rejected the threshold is certified;
nothing needs to be monotone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Undefined
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.monitors.thresholds.calibration import Calibration, Curves
from surefoot.monitors.thresholds.families import first_level, first_places, rejected
from surefoot.monitors.thresholds.p_values import binomial_p, hoeffding_bentkus_p, units_needed
from surefoot.monitors.thresholds.request import Found, Request

DIGITS = 12


@dataclass(frozen=True, eq=False)
class Scale:
    """Turns figures into losses in [0, 1]."""

    low: float
    high: float
    two_valued: bool

    @classmethod
    def of(cls, units: Calibration, request: Request) -> Scale:
        """From 0, or from the most negative there can be where negative figures are seen."""
        width = units.width(request.figure)
        negative = units.extremes(request.figure.name)[0] < 0
        return cls(-width if negative else 0.0, width, units.two_valued(request.figure))

    def losses(self, values: FloatArray) -> FloatArray:
        """Scaled figures; rounding beyond the ends is cut off."""
        return np.clip((values - self.low) / (self.high - self.low), 0.0, 1.0)

    def budget(self, budget: float) -> float:
        """The budget on the same scale."""
        return (budget - self.low) / (self.high - self.low)

    def p_values(self, values: FloatArray, n: int, budget: float) -> FloatArray:
        """Exact where a loss is 0 or 1, by Hoeffding and Bentkus otherwise."""
        test = binomial_p if self.two_valued else hoeffding_bentkus_p
        return test(self.losses(values), n, self.budget(budget))

    @property
    def test(self) -> str:
        """What the p-values rest on."""
        return "exact binomial" if self.two_valued else "Hoeffding-Bentkus"


def certified(values: FloatArray, curves: Curves, units: Calibration, request: Request) -> Found:
    """The preferred threshold among those certified; ``values`` and the place returned are safest first."""
    scale = Scale.of(units, request)
    p = scale.p_values(values, units.units, request.budget)
    passed = rejected(p, request.delta, search=request.search, starts=request.starts)
    order = request.figure.order(p.size)
    if not passed.any():
        raise _nothing_certified(p, values, curves.thresholds[order], scale, units, request)
    place = _preferred(np.flatnonzero(passed), curves, order, request)
    details = {
        "test": scale.test,
        "p_value": float(p[place]),
        "tested": p.size,
        "certified": np.sort(curves.thresholds[order][passed]),
    }
    return Found(place, "learn then test", details)


def _preferred(passed: NDArray[np.intp], curves: Curves, order: NDArray[np.intp], request: Request) -> int:
    """Least cost, then most gain, or the other way round; without a preference the last one."""
    if request.prefer is None:
        return int(passed[-1])
    at = order[passed]
    cost, loss = curves.costs[at].round(DIGITS), -curves.gains[at].round(DIGITS)
    keys = (loss, cost) if request.prefer == "availability" else (cost, loss)
    return int(passed[np.lexsort(keys)[0]])


def _nothing_certified(
    p: FloatArray, values: FloatArray, thresholds: FloatArray, scale: Scale, units: Calibration, request: Request
) -> Undefined:
    level = first_level(p.size, request.delta, search=request.search, starts=request.starts)
    firsts = first_places(p.size, search=request.search, starts=request.starts)
    best = int(firsts[np.argmin(p[firsts])])
    loss = float(scale.losses(values)[best])
    more = units_needed(loss, scale.budget(request.budget), level, two_valued=scale.two_valued)
    return Undefined(
        f"no threshold is shown to keep the {request.figure.words} within {request.budget:g} "
        f"with probability {1 - request.delta:g}",
        where=request.where,
        found=f"a p-value of {p[best]:.3g} at best, for threshold {thresholds[best]:.6g} with a mean of "
        f"{values[best]:.4g} over {counted(units.units, units.unit)}; {level:.3g} is needed",
        remedy=_remedy(more, bool((p <= level).any()), units, request),
    )


def _remedy(more: int | None, elsewhere: bool, units: Calibration, request: Request) -> str:
    if elsewhere:
        return (
            "Other thresholds have smaller p-values, but the search does not begin there: "
            "collect other units, and use several starts or search='holm' on those."
        )
    if more is None:
        return (
            f"If the {request.figure.words} is as measured here, no number of {units.unit}s shows it within the budget."
        )
    return (
        f"A new set of about {counted(more, units.unit)} shows it if just this mean is found again; "
        "these do not count again."
    )
