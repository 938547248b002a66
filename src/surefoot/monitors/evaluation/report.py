"""``evaluate``: Safety Gain, Residual Hazard and Availability Cost of a monitor with intervals (MON, section II)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from surefoot.bounds.statement import FIXED_SIZE, REPRESENTATIVE
from surefoot.core import (
    Assumption,
    Check,
    Diagnostic,
    Estimate,
    InvalidInput,
    LevelUnavailable,
    Provenance,
    Summary,
    Table,
    array_digest,
    validate,
)
from surefoot.core.assumption import Status
from surefoot.core.validate import FloatArray
from surefoot.documents import counted, percent, significant
from surefoot.drawing import PALE, Interval, draw_intervals, new_axes, open_frame
from surefoot.monitors.evaluation.bootstrap import Resampled
from surefoot.monitors.evaluation.intervals import (
    METHODS,
    Limits,
    Method,
    ResampledStrata,
    RowFigure,
    Strata,
    Unseen,
    check_method,
    limits,
    limits_in_strata,
)
from surefoot.monitors.returns.stakes import Range, Returns, per

if TYPE_CHECKING:
    from matplotlib.axes import Axes


WHERE = "evaluate"
GAIN, RESIDUAL, COST, ALONE = "safety gain", "residual hazard", "availability cost", "hazard without the monitor"
ROUNDING = 1e-9
FIXED_MONITOR = Assumption("monitor-fixed", "Monitor and threshold were fixed before these rows were seen.")
RETURNS_HOLD = Assumption(
    "returns-hold", "The return functions say what a prediction and an alarm lead to in the system."
)
IDEAL_IS_BEST = Assumption("ideal-is-best", "Nothing is safer than the ideal function.")
WEIGHTS_HOLD = Assumption("weights-hold", "Weights are proportional to how often such rows occur in operation.")


def evaluate(
    returns: Returns,
    *,
    strata: ArrayLike | None = None,
    level: float = 0.95,
    scope: str = "",
    method: Method = "auto",
    draws: int = 4000,
    seed: int = 0,
) -> MonitorReport:
    """What a monitor is worth: mean gain in safety, mean hazard left, mean loss of mission.

    Limits are exact (Clopper and Pearson) where rows are independent and a row's figure has two values. Otherwise
    independent units are resampled: episodes, not their frames. Gain and residual hazard sum to the hazard of the
    model alone.

    Parameters
    ----------
    returns
        What the monitor made of each row, from ``stakes.under(alarms)`` or ``returns.episodes``.
    strata
        The stratum of each row of a designed evaluation, in which so many rows of each were taken, such as 1000
        threats and 1000 usual rows. Their shares are then no chance: figures are means over strata with the share that
        rows (or ``weights``) give each, limits allow for chance within strata only, and where strata are made by what
        is at stake no limit exceeds what is possible.
    level
        Confidence of the intervals that are shown.
    scope
        What the figures are about.
    method
        ``"betting"`` guarantees the level for every kind of return, and is wider; ``"bootstrap"`` resamples always.
    draws, seed
        Resamples, and the seed of their random numbers.

    Returns
    -------
    MonitorReport
        Three figures and the hazard without the monitor, each an Estimate.

    References
    ----------
    MON, Eqns. 7 to 9.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> wrong = rng.random(1000) < 0.1
    >>> scores = 2 * wrong + rng.normal(size=1000)
    >>> stakes = sf.monitors.returns.threats(wrong)
    >>> report = sf.monitors.evaluate(stakes.under(scores > 1.5))
    >>> report.residual_hazard.value, round(report.residual_hazard.upper(0.95), 4)
    (0.024, 0.0336)

    """
    validate.kind(returns, Returns, where=WHERE, name="returns", example="stakes.under(alarms)")
    level, seed = validate.level(level, where=WHERE), validate.seed(seed, where=WHERE)
    validate.choice(method, METHODS, where=WHERE, name="method")
    draws = validate.count(draws, where=WHERE, name="draws", at_least=200)
    if returns.unit_count < 2:
        raise InvalidInput("needs at least two independent units", where=WHERE, found=f"1 {returns.unit}")
    figures = _figures(returns)
    designed = None if strata is None else Strata.of(strata, returns)
    sums, sizes = np.column_stack([m.sums for m in figures.values()]), next(iter(figures.values())).sizes
    params = {"level": level, "method": method, "draws": draws, "unit": returns.unit, "name": returns.name}
    arrays = {f.name: getattr(returns, f.name) for f in fields(returns)}
    data = {name: array_digest(value) for name, value in arrays.items() if isinstance(value, np.ndarray)}
    find: Callable[..., Limits]
    if designed is None:
        resampled = Resampled(sums, sizes, draws, seed, returns.overlap)
        find = partial(limits, resampled=resampled, method=method, level=level, seed=seed)
    else:
        check_method(method)
        data["strata"] = array_digest(designed.numbers)
        by_stratum = ResampledStrata.of(sums, sizes, designed, draws=draws, seed=seed)
        options: dict[str, Any] = {"alarms": returns.alarms, "method": method, "level": level}
        find = partial(limits_in_strata, strata=designed, resampled=by_stratum, **options)
    provenance = Provenance("monitors.evaluate", params, data=data, seed=seed)
    estimates = []
    for number, (quantity, measured) in enumerate(figures.items()):
        known = {} if designed is None else {"unseen": _unseen(quantity, returns)}
        found = find(measured, figure=number, **known)
        estimates.append(_estimate(quantity, measured, found, returns, scope, provenance))
    gain, residual, cost, alone = estimates
    alarm_share = None if returns.alarms is None else float(np.average(returns.alarms, weights=returns.weights))
    return MonitorReport(gain, residual, cost, alone, alarm_share=alarm_share, level=level)


def _figures(returns: Returns) -> dict[str, RowFigure]:
    safety, mission = returns.safety_width, returns.mission_width
    values = {
        GAIN: (returns.gains, _range(returns.gains, safety, returns.two_valued)),
        RESIDUAL: (returns.residuals, _range(returns.residuals, safety, True)),
        COST: (returns.costs, _range(returns.costs, mission, returns.two_valued)),
        ALONE: (returns.hazards, _range(returns.hazards, safety, True)),
    }
    return {name: RowFigure(figure, returns, range) for name, (figure, range) in values.items()}


def _unseen(quantity: str, returns: Returns) -> Unseen:
    """A row's figure without an alarm, and as large a change as an alarm can make, where none was seen in a stratum."""
    nothing = np.zeros(returns.rows)
    return {
        GAIN: (nothing, returns.safety_range[1] - returns.safety_alone),
        RESIDUAL: (returns.hazards, nothing),
        COST: (nothing, returns.mission_alone - returns.mission_range[0]),
        ALONE: (returns.hazards, returns.hazards),
    }[quantity]


def _range(figures: FloatArray, width: float, from_zero: bool) -> Range:
    """Where figures can lie; a figure below 0 that should not be, such as beyond the ideal function, is allowed for."""
    return (0.0 if from_zero and not (figures < 0).any() else -width, width)


def _estimate(
    quantity: str, measured: RowFigure, found: Limits, returns: Returns, scope: str, provenance: Provenance
) -> Estimate:
    return Estimate(
        quantity,
        measured.mean,
        per(returns.unit if returns.unit_count == returns.rows else "input"),
        scope,
        found.bounds,
        assumptions=(*found.assumptions, *_assumptions(quantity, returns)),
        caveats=(*found.caveats, *_caveats(returns)),
        details={
            "interval": found.method,
            "rows": returns.rows,
            "units": returns.unit_count,
            "unit": returns.unit,
            **_counts(quantity, measured, found),
            "level": provenance.params["level"],
        },
        provenance=provenance,
    )


def _counts(quantity: str, measured: RowFigure, found: Limits) -> dict[str, int]:
    """Hazards counted, where a row has one or none."""
    if quantity not in (RESIDUAL, ALONE) or found.method != "exact" or not measured.basis.two_valued:
        return {}
    return {"failures": int((measured.values > 0).sum()), "trials": measured.values.size}


def _assumptions(quantity: str, returns: Returns) -> tuple[Assumption, ...]:
    weights = () if returns.weights is None else (WEIGHTS_HOLD,)
    ideal = (_ideal_is_best(returns),) if quantity in (RESIDUAL, ALONE) else ()
    return (FIXED_SIZE, REPRESENTATIVE, FIXED_MONITOR, RETURNS_HOLD, *ideal, *weights)


def _ideal_is_best(returns: Returns) -> Assumption:
    beyond = int(((returns.residuals < 0) | (returns.hazards < 0)).sum())
    status: Status = "contradicted" if beyond else "supported"
    check = Check(status, "rows at which the model, with or without monitor, exceeds the ideal one", {"rows": beyond})
    return replace(IDEAL_IS_BEST, check=check)


def _caveats(returns: Returns) -> tuple[Diagnostic, ...]:
    if returns.alarms is None or (returns.alarms.any() and not returns.alarms.all()):
        return ()
    rows = counted(returns.rows, "row")
    text = f"An alarm at {'every one' if returns.alarms.all() else 'none'} of {rows}."
    hint = (
        "Choose another threshold." if returns.alarms.all() else "The monitor does nothing here; lower its threshold."
    )
    return (Diagnostic("monitor-constant", text, hint=hint),)


@dataclass(frozen=True)
class MonitorReport:
    """Safety gain, residual hazard and availability cost, each with its interval, and the hazard of the model alone.

    See Also
    --------
    evaluate : Makes it.

    """

    safety_gain: Estimate
    residual_hazard: Estimate
    availability_cost: Estimate
    hazard_alone: Estimate
    alarm_share: float | None = None
    level: float = 0.95

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All four."""
        return self.safety_gain, self.residual_hazard, self.availability_cost, self.hazard_alone

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """What a reader must know, each once."""
        return tuple(dict.fromkeys(caveat for estimate in self.estimates for caveat in estimate.caveats))

    @property
    def sum_holds(self) -> bool:
        """Whether gain and residual hazard sum to the hazard of the model alone (MON, Eqn. 6), up to rounding."""
        whole = self.hazard_alone.value
        scale = max(abs(self.safety_gain.value), abs(self.residual_hazard.value), abs(whole))
        return bool(abs(self.safety_gain.value + self.residual_hazard.value - whole) <= ROUNDING * scale)

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        """Both limits at the report's level; not a number where the level is out of reach."""
        try:
            return estimate.interval(self.level)
        except LevelUnavailable:
            return float("nan"), float("nan")

    @property
    def intervals(self) -> list[Interval]:
        """Name, lower end, value and upper end of each figure."""
        ends = [(e, *self.interval(e)) for e in self.estimates]
        return [(estimate.quantity, low, estimate.value, high) for estimate, low, high in ends]

    def table(self) -> Table:
        """A row for each figure."""
        head = ("figure", "value", f"from ({percent(self.level)})", "to", "interval")
        rows = [(e.quantity, e.value, *self.interval(e), e.details["interval"]) for e in self.estimates]
        return Table(head, tuple(rows))

    def summary(self) -> Summary:
        """For terminal and notebook."""
        rows = [(e.quantity, self._line(e)) for e in self.estimates]
        if self.alarm_share is not None:
            rows.append(("alarms", f"{percent(self.alarm_share)} of all rows"))
        rows.append(
            ("gain + residual", "equals the hazard without the monitor" if self.sum_holds else "DOES NOT ADD UP")
        )
        details = self.safety_gain.details
        rows.append(("counted", f"{details['rows']:,} rows, {details['units']:,} independent ({details['unit']})"))
        title = f"What the monitor is worth{f': {self.safety_gain.scope}' if self.safety_gain.scope else ''}"
        return Summary(title, rows, tuple(str(caveat) for caveat in self.caveats))

    def _line(self, estimate: Estimate) -> str:
        low, high = self.interval(estimate)
        span = f"{significant(low, rounding='down')} to {significant(high, rounding='up')}"
        return f"{significant(estimate.value)} ({span} at {percent(self.level)}, {estimate.details['interval']})"

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The figures with their intervals."""
        axes = open_frame(new_axes(6.4, 2.2) if ax is None else ax)
        draw_intervals(axes, self.intervals)
        axes.axvline(0, color=PALE, lw=1)
        axes.set_xlabel(f"{self.safety_gain.unit}, intervals at {percent(self.level)}")
        return axes
