"""``Choice``: a threshold, what was asked, and what is promised there and on which grounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from surefoot.bounds.dependence import FEW_GROUPS
from surefoot.bounds.statement import FIXED_SIZE, REPRESENTATIVE
from surefoot.core import (
    Assumption,
    Bound,
    BoundFamily,
    Check,
    Diagnostic,
    Estimate,
    FrozenDict,
    Kind,
    Provenance,
    Summary,
    array_digest,
    validate,
)
from surefoot.core.assumption import Status
from surefoot.core.canonical import reading, thaw, unthaw
from surefoot.core.validate import FloatArray
from surefoot.documents import counted, percent, significant
from surefoot.monitors.evaluation.intervals import TWO_VALUED
from surefoot.monitors.evaluation.report import IDEAL_IS_BEST, RETURNS_HOLD
from surefoot.monitors.returns import Stakes
from surefoot.monitors.returns.stakes import per
from surefoot.monitors.thresholds.calibration import RESIDUAL, Calibration, Curves
from surefoot.monitors.thresholds.risk_control import Mode, Request, against_direction

FIGURES = ("safety_gain", "residual_hazard", "availability_cost")
KINDS: dict[Mode, Kind] = {"sample": "heuristic", "expectation": "expectation", "probability": "confidence"}
NO_CONFIDENCE = 1.0
MANY_TIED = 0.5
FITTED_ELSEWHERE = Assumption("fitted-elsewhere", "Model and detector were fitted on other data than these units.")
GRID_FIRST = "thresholds-before-data"


@dataclass(frozen=True)
class Choice:
    """A threshold for a monitor that raises an alarm where its score exceeds it.

    Gain, hazard and cost are means over the units it was chosen on, so they flatter; what holds beyond them is said
    by ``guarantee``, and ``bounded`` is the figure it is about.

    See Also
    --------
    by_hazard, by_availability, by_utility : Make it.

    """

    threshold: float
    asked: Mapping[str, Any]
    guarantee: str
    kind: Kind
    """``confidence``, ``expectation``, or ``heuristic`` where nothing is guaranteed."""
    bounded: Estimate
    safety_gain: float
    residual_hazard: float
    availability_cost: float
    unit: str
    """What is exchangeable: an input or an episode, never a frame of one."""
    units: int
    alarm_share: float | None = None

    def __post_init__(self) -> None:
        validate.fields(self)
        object.__setattr__(self, "asked", FrozenDict(self.asked))

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What the guarantee rests on."""
        return self.bounded.assumptions

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """What a reader must know."""
        return self.bounded.caveats

    def summary(self) -> Summary:
        """For terminal and notebook."""
        rows = [
            ("threshold", f"{self.threshold:.6g} (alarm where the score is above)"),
            (
                "asked",
                ", ".join(f"{name} {f'{v:.6g}' if isinstance(v, float) else v}" for name, v in self.asked.items()),
            ),
            ("guarantee", f"{self.guarantee} ({self.kind})"),
            *((name.replace("_", " "), f"{significant(getattr(self, name))} in the sample") for name in FIGURES),
        ]
        if self.alarm_share is not None:
            rows.append(("alarms", f"{percent(self.alarm_share)} of the rows"))
        rows.append(("counted", counted(self.units, self.unit)))
        rows += [("assumes", f"{a.text} ({a.status})") for a in self.assumptions]
        return Summary("Threshold of a monitor", rows, tuple(str(caveat) for caveat in self.caveats))

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        plain = ("guarantee", "kind", *FIGURES, "unit", "units", "alarm_share")
        return {
            "threshold": thaw(self.threshold),
            "asked": thaw(self.asked),
            "bounded": self.bounded.to_dict(),
            **{name: getattr(self, name) for name in plain},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("choice of a threshold"):
            threshold, asked = unthaw(data["threshold"]), unthaw(data["asked"])
            read = {"threshold": threshold, "asked": asked, "bounded": Estimate.from_dict(data["bounded"])}
            return cls(**{**data, **read})


@dataclass(frozen=True)
class Statement:
    """What is asked, what is promised, and the figure that is about."""

    function: str
    asked: Mapping[str, Any]
    guarantee: str
    kind: Kind
    quantity: str
    value: float
    bounds: tuple[BoundFamily, ...]
    assumptions: tuple[Assumption, ...]
    caveats: tuple[Diagnostic, ...]
    details: Mapping[str, Any]
    scope: str
    seed: int | None = None


def placed(units: Calibration, curves: Curves, at: int, stated: Statement) -> Choice:
    """A threshold with its figures in the sample, and what every choice says of its units."""
    threshold = float(curves.thresholds[at])
    share = units.alarm_share(threshold)
    bounded = Estimate(
        stated.quantity,
        stated.value,
        per(units.unit),
        stated.scope,
        stated.bounds,
        assumptions=stated.assumptions,
        caveats=(*stated.caveats, *_caveats(units, share)),
        details={"threshold": threshold, "unit": units.unit, "units": units.units, **stated.details},
        provenance=_provenance(stated, units, curves),
    )
    return Choice(
        threshold,
        stated.asked,
        stated.guarantee,
        stated.kind,
        bounded,
        float(curves.gains[at]),
        float(curves.residuals[at]),
        float(curves.costs[at]),
        units.unit,
        units.units,
        alarm_share=share,
    )


def _provenance(stated: Statement, units: Calibration, curves: Curves) -> Provenance:
    arrays = units.arrays() | {"thresholds tried": curves.thresholds}
    data = {name: array_digest(array) for name, array in arrays.items()}
    return Provenance(f"monitors.{stated.function}", stated.asked, data=data, seed=stated.seed)


def _caveats(units: Calibration, alarm_share: float | None) -> Iterable[Diagnostic]:
    if units.units < FEW_GROUPS:
        text = f"The threshold rests on {counted(units.units, units.unit)}."
        yield Diagnostic("few-groups", text, hint="Collect more.")
    if alarm_share in (0.0, 1.0):
        said = "at every row" if alarm_share else "at no row"
        yield Diagnostic("monitor-constant", f"At this threshold there is an alarm {said} of the calibration set.")


def in_sample(text: str, hint: str) -> Diagnostic:
    """Figures of a choice on the rows it was made on are too good."""
    return Diagnostic("chosen-in-sample", text, hint=hint)


# What is said of a budget that a threshold keeps.


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
