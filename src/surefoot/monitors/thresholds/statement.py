"""What is said about a budget that a threshold keeps: the guarantee, what it rests on, what a reader must know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from surefoot.bounds.statement import FIXED_SIZE, REPRESENTATIVE
from surefoot.core import Assumption, Bound, Check, Diagnostic, Kind
from surefoot.core.assumption import Status
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.monitors.evaluation.evaluate import IDEAL_IS_BEST, RETURNS_HOLD
from surefoot.monitors.evaluation.limits import TWO_VALUED
from surefoot.monitors.returns import Stakes
from surefoot.monitors.thresholds.calibration import RESIDUAL, Calibration
from surefoot.monitors.thresholds.conformal import against_direction
from surefoot.monitors.thresholds.placed import in_sample
from surefoot.monitors.thresholds.request import Mode, Request

KINDS: dict[Mode, Kind] = {"sample": "heuristic", "expectation": "expectation", "probability": "confidence"}
NO_CONFIDENCE = 1.0
MANY_TIED = 0.5

FITTED_ELSEWHERE = Assumption("fitted-elsewhere", "Model and detector were fitted on other data than these units.")
GRID_FIRST = "thresholds-before-data"


def guarantee(units: Calibration, request: Request) -> str:
    """One or two sentences."""
    figure, budget, unit = request.figure.words, f"{request.budget:.6g}", units.unit
    if request.mode == "sample":
        seen = counted(units.units, unit)
        return f"None: the mean {figure} of these {seen} is at most {budget}, that of others may be more.{_each(units)}"
    if request.mode == "probability":
        return (
            f"With probability at least {1 - request.delta:.6g} over calibration sets, the mean {figure} "
            f"of a new {unit} is at most {budget}. A calibration set that allows no threshold counts as one that keeps "
            f"it.{_each(units)}"
        )
    refused = " A calibration set that allows no threshold counts as one without hazard."
    return (
        f"On average over calibration sets, the mean {figure} of a new {unit} is at most {budget}."
        f"{refused if request.figure is RESIDUAL else ''}{_each(units)}"
    )


def _each(units: Calibration) -> str:
    lengths = units.lengths()
    if lengths is None:
        return ""
    few, many = lengths
    rows = f"of {few:,} rows" if few == many else f"whether of {few:,} or {many:,} rows"
    return f" Each {units.unit} counts once, {rows}, with the mean of its rows."


def bounds(request: Request) -> tuple[Bound, ...]:
    """The budget as an upper bound, where it is guaranteed."""
    if request.mode == "sample":
        return ()
    alpha = request.delta if request.mode == "probability" else NO_CONFIDENCE
    return (Bound(float(request.budget), "upper", alpha, KINDS[request.mode]),)


def assumptions(units: Calibration, request: Request, thresholds: FloatArray) -> tuple[Assumption, ...]:
    """What the guarantee rests on."""
    shared = (REPRESENTATIVE, RETURNS_HOLD, FITTED_ELSEWHERE)
    if request.mode == "expectation":
        ideal = (_ideal_is_best(units),) if request.figure is RESIDUAL else ()
        return (_exchangeable(units), _monotone(units, request), _stated_range(units, request), *ideal, *shared)
    if request.mode == "probability":
        return (*_tested(units, request), _grid_first(units, thresholds), FIXED_SIZE, *shared)
    return shared


def _exchangeable(units: Calibration) -> Assumption:
    text = f"Calibration and operation draw each {units.unit} alike, in no order that matters (exchangeable)."
    return Assumption("exchangeable-units", text)


def _tested(units: Calibration, request: Request) -> Iterable[Assumption]:
    yield Assumption("independent-units", f"Each {units.unit} is drawn independently, from one distribution.")
    by_definition = isinstance(units.source, Stakes) and units.source.two_valued
    if units.two_valued(request.figure) and not by_definition:
        yield TWO_VALUED
    yield _stated_range(units, request)


def _stated_range(units: Calibration, request: Request) -> Assumption:
    """Units that contradict it were refused before."""
    low, high = units.extremes(request.figure.name)
    width = units.width(request.figure)
    floor = -width if low < 0 else 0.0
    text = f"The {request.figure.words} of a new {units.unit} lies between {floor:g} and {width:g}."
    return Assumption("stated-range", text, Check("supported", "figures seen", {"lowest": low, "highest": high}))


def _monotone(units: Calibration, request: Request) -> Assumption:
    """Units that contradict it were refused before."""
    more = "fewer" if request.figure.rises else "more"
    text = f"The {request.figure.words} of one {units.unit} never falls where alarms become {more}."
    method, effect = f"every step of {counted(units.units, units.unit)}", against_direction(units, request)
    return Assumption("monotone", text, Check("supported", method, effect=effect))


def _ideal_is_best(units: Calibration) -> Assumption:
    """Without it, calibration sets that allow no threshold could not count as ones without hazard."""
    low, _ = units.extremes("residuals")
    status: Status = "contradicted" if low < 0 else "supported"
    check = Check(status, "residual hazards seen", {"lowest": low})
    return replace(IDEAL_IS_BEST, check=check)


def _grid_first(units: Calibration, thresholds: FloatArray) -> Assumption:
    text = "Thresholds to test, and their order, were fixed without a look at the calibration units."
    tied = units.tied_share(thresholds)
    if tied is None or tied <= MANY_TIED:
        return Assumption(GRID_FIRST, text)
    check = Check("contradicted", "share of thresholds that are calibration scores", effect=tied)
    return Assumption(GRID_FIRST, text, check)


def caveats(request: Request, assumed: Iterable[Assumption]) -> Iterable[Diagnostic]:
    """What a reader must know."""
    if request.mode == "sample":
        yield in_sample("The threshold was chosen on the rows it is judged by.", "Use a mode with a guarantee.")
    if request.mode == "expectation":
        text = "The budget is kept on average over calibration sets; with this one it may be exceeded."
        yield Diagnostic("expectation-only", text, "note", hint="Use mode='probability' where a level must be stated.")
    for assumption in assumed:
        if assumption.status == "contradicted":
            yield Diagnostic("assumption-contradicted", f"The units speak against: {assumption.text}")
