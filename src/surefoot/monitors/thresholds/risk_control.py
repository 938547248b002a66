"""A budget that a threshold keeps: with a stated probability, or in expectation.

Angelopoulos, Bates, Candes, Jordan, Lei (2021), "Learn then test: calibrating predictive algorithms to achieve risk
control": for each threshold of a fixed grid it is tested whether the figure is above the budget, with a probability of
at most delta that any of these hypotheses is rejected by mistake. Where it is rejected the threshold is certified;
nothing needs to be monotone.

Angelopoulos, Bates, Fisch, Lei, Schuster (2024), "Conformal risk control", Theorem 1: units are exchangeable, and no
unit's figure falls on the way from the safest threshold to the last one. Alarms are raised above a threshold, so the
largest threshold may not be attained; any below it, such as one half-way between two scores, keeps the guarantee.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import counted, significant
from surefoot.monitors.evaluation.comparison import holm as holm_adjusted
from surefoot.monitors.thresholds.calibration import RESIDUAL, Calibration, Curves, Figure

Mode = Literal["sample", "expectation", "probability"]
MODES: tuple[Mode, ...] = ("sample", "expectation", "probability")
Prefer = Literal["availability", "safety"]
PREFERENCES: tuple[Prefer, ...] = ("availability", "safety")
Search = Literal["sequence", "bonferroni", "holm"]
SEARCHES: tuple[Search, ...] = ("sequence", "bonferroni", "holm")
ROUNDING = 1e-12
CLOSE = 1e-9
"""What differs by less, relative to what there can be, differs by rounding."""
DIGITS = 12
MOST_UNITS = 10**12


@dataclass(frozen=True)
class Request:
    """A budget of a figure, and how it is to be kept."""

    where: str
    figure: Figure
    budget: float
    mode: Mode
    delta: float = 0.1
    search: Search = "sequence"
    starts: int = 1
    prefer: Prefer | None = None

    def check(self, calibration: Calibration, thresholds: int) -> None:
        """Refuse words and numbers that mean nothing for these units."""
        validate.choice(self.mode, MODES, where=self.where, name="mode")
        validate.fraction(self.delta, where=self.where, name="delta")
        checked(self.search, self.starts, thresholds, where=self.where)
        if self.prefer is not None:
            validate.choice(self.prefer, PREFERENCES, where=self.where, name="prefer")
        self._check_budget(calibration.width(self.figure))
        if self.mode != "sample":
            self._check_range(calibration)

    def _check_budget(self, width: float) -> None:
        budget = validate.number(self.budget, where=self.where, name="budget")
        if self.mode == "sample" and 0 <= budget <= width:
            return
        if self.mode != "sample" and 0 < budget < width:
            return
        ends = "from 0 to" if self.mode == "sample" else "above 0 and below"
        none = "No sample shows that nothing is left" if budget <= 0 else "Every threshold keeps such a budget"
        raise InvalidInput(
            f"the budget must lie {ends} the most {self.figure.words} there can be, {width:g}",
            where=self.where,
            found=f"{budget:g}",
            remedy=f"{none}. A budget is in the unit of the returns, whose range is stated with them.",
        )

    def _check_range(self, calibration: Calibration) -> None:
        """Returns of stakes are checked when these are made; a sweep may hold anything."""
        low, high = calibration.extremes(self.figure.name)
        width = calibration.width(self.figure)
        if max(-low, high) > width * (1 + CLOSE):
            raise InvalidInput(
                f"each {self.figure.words} must lie in the stated range, {-width:g} to {width:g}",
                where=self.where,
                found=f"{low:g} to {high:g}",
                remedy="State the range as it can be, not as it was seen.",
            )

    @property
    def asked(self) -> dict[str, Any]:
        """For the record."""
        asked: dict[str, Any] = {"budget": float(self.budget), "of": self.figure.words, "mode": self.mode}
        if self.mode == "probability":
            asked |= {"delta": float(self.delta), "search": self.search, "starts": int(self.starts)}
            asked |= {"prefer": self.prefer} if self.prefer else {}
        return asked


@dataclass(frozen=True)
class Selection:
    """Where a threshold was found among the candidates, and how."""

    place: int
    method: str
    details: Mapping[str, Any] = field(default_factory=dict)


def certified(values: FloatArray, curves: Curves, units: Calibration, request: Request) -> Selection:
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
    return Selection(place, "learn then test", details)


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


def conformal(values: FloatArray, units: Calibration, request: Request) -> Selection:
    """The last place at which n / (n + 1) mean + B / (n + 1) is within the budget; ``values`` are safest first."""
    require_monotone(units, request)
    n, width = units.units, units.width(request.figure)
    corrected = (n * values + width) / (n + 1)
    within = np.flatnonzero(corrected <= request.budget + ROUNDING * width)
    if not within.size:
        raise _out_of_reach(corrected, values, units, request)
    place = int(within[-1])
    return Selection(place, "conformal risk control", {"corrected": float(corrected[place]), "largest": width})


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


# Which of many hypotheses are rejected, with probability at most delta that one of them is true; none of these ways
# needs independent p-values, nor a figure that is monotone in the threshold.


def rejected(p: FloatArray, delta: float, *, search: Search, starts: int = 1) -> NDArray[np.bool_]:
    """Hypotheses that are rejected; their order, and the way of search, were fixed before the p-values were seen."""
    if search == "sequence":
        return fixed_sequence(p, delta, starts=starts)
    return bonferroni(p, delta) if search == "bonferroni" else holm(p, delta)


def fixed_sequence(p: FloatArray, delta: float, *, starts: int = 1) -> NDArray[np.bool_]:
    """Walk on from each start until one is not rejected; the starts share delta.

    Angelopoulos, Bates, Candes, Jordan, Lei (2021), "Learn then test", Algorithm 1; a single start is the fixed
    sequence of Maurer, Hothorn, Lehmacher (1995).
    """
    small = p <= delta / starts
    found = np.zeros(p.size, dtype=bool)
    for start in start_places(p.size, starts):
        found[start:] |= np.logical_and.accumulate(small[start:])
    return found


def start_places(size: int, starts: int) -> NDArray[np.intp]:
    """Where the walks begin: at the first hypothesis, and then at even distances."""
    return np.linspace(0, size, starts, endpoint=False).astype(np.intp)


def bonferroni(p: FloatArray, delta: float) -> NDArray[np.bool_]:
    """Each hypothesis has the same share of delta."""
    return np.asarray(p <= delta / p.size)


def holm(p: FloatArray, delta: float) -> NDArray[np.bool_]:
    """Holm (1979): what is left of delta is shared by the hypotheses that are left."""
    return np.asarray(holm_adjusted(p) <= delta)


def first_level(size: int, delta: float, *, search: Search, starts: int) -> float:
    """The level that the first hypothesis to be rejected must reach."""
    return delta / (starts if search == "sequence" else size)


def first_places(size: int, *, search: Search, starts: int) -> NDArray[np.intp]:
    """Hypotheses that can be the first to be rejected."""
    return start_places(size, starts) if search == "sequence" else np.arange(size)


def checked(search: str, starts: int, size: int, *, where: str) -> tuple[Search, int]:
    """A way to search and a number of starts that fit the thresholds."""
    validate.choice(search, SEARCHES, where=where, name="search")
    number = validate.count(starts, where=where, name="starts", at_least=1)
    if number > size or (number > 1 and search != "sequence"):
        problem = "starts are for search='sequence', at most one a threshold"
        raise InvalidInput(problem, where=where, found=f"{number} starts, {size} thresholds, search={search!r}")
    return search, number  # type: ignore[return-value]


# P-values of the hypothesis that a mean loss in [0, 1] exceeds a budget: one at or below delta shows, with probability
# at least 1 - delta, that the mean is within it.


def binomial_p(means: ArrayLike, n: int, budget: float) -> FloatArray:
    """For losses of 0 and 1: probability of so few losses, or fewer, where the mean is the budget; exact."""
    losses = np.rint(np.asarray(means, dtype=np.float64) * n)
    return np.asarray(special.bdtr(losses, n, budget))


def hoeffding_bentkus_p(means: ArrayLike, n: int, budget: float) -> FloatArray:
    """For losses in [0, 1], by the smaller of two inequalities, of Hoeffding (1963) and Bentkus (2004).

    Bates, Angelopoulos, Lei, Malik, Jordan (2021), "Distribution-free, risk-controlling prediction sets", section 3.1;
    Angelopoulos, Bates, Candes, Jordan, Lei (2021), "Learn then test", Proposition 1:
    min(exp(-n h(min(mean, budget), budget)), e P(Bin(n, budget) <= ceil(n mean))).
    """
    mean = np.asarray(means, dtype=np.float64)
    lower = np.minimum(mean, budget)
    divergence = special.rel_entr(lower, budget) + special.rel_entr(1 - lower, 1 - budget)
    bentkus = math.e * special.bdtr(np.ceil(mean * n - CLOSE).clip(0), n, budget)
    return np.asarray(np.minimum(np.exp(-n * divergence), bentkus).clip(0, 1))


def units_needed(mean: float, budget: float, level: float, *, two_valued: bool) -> int | None:
    """Roughly how many new units show a mean to be within the budget at ``level``, if just it is found again.

    Which happens about every second time where it is the truth. None where the mean is not within the budget.
    """
    if mean >= budget:
        return None
    low, high = 0, 1
    while _p(mean, high, budget, two_valued) > level:
        low, high = high, 2 * high
        if high > MOST_UNITS:
            return None
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if _p(mean, middle, budget, two_valued) <= level else (middle, high)
    return high


def _p(mean: float, n: int, budget: float, two_valued: bool) -> float:
    if two_valued:
        return float(binomial_p(math.ceil(mean * n - CLOSE) / n, n, budget))
    return float(hoeffding_bentkus_p(mean, n, budget))
