"""What every choice of a threshold states, whatever it was chosen for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from surefoot.bounds.groups import FEW_GROUPS
from surefoot.core import Assumption, BoundFamily, Diagnostic, Estimate, Kind, Provenance, array_digest
from surefoot.documents import counted
from surefoot.monitors.returns.basis import per
from surefoot.monitors.thresholds.calibration import Calibration, Curves
from surefoot.monitors.thresholds.choice import Choice


@dataclass(frozen=True)
class Stated:
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


def placed(units: Calibration, curves: Curves, at: int, stated: Stated) -> Choice:
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


def _provenance(stated: Stated, units: Calibration, curves: Curves) -> Provenance:
    arrays = units.arrays() | {"thresholds tried": curves.thresholds}
    data = {name: array_digest(array) for name, array in arrays.items()}
    return Provenance(f"monitors.{stated.function}", stated.asked, data=data, seed=stated.seed)


def in_sample(text: str, hint: str) -> Diagnostic:
    """Figures of a choice on the rows it was made on are too good."""
    return Diagnostic("chosen-in-sample", text, hint=hint)


def _caveats(units: Calibration, alarm_share: float | None) -> Iterable[Diagnostic]:
    if units.units < FEW_GROUPS:
        text = f"The threshold rests on {counted(units.units, units.unit)}."
        yield Diagnostic("few-groups", text, hint="Collect more.")
    if alarm_share in (0.0, 1.0):
        said = "at every row" if alarm_share else "at no row"
        yield Diagnostic("monitor-constant", f"At this threshold there is an alarm {said} of the calibration set.")
