"""``MonitorReport``: what a monitor is worth, to compute with, to print and to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from surefoot.core import Diagnostic, Estimate, LevelUnavailable, Summary, Table
from surefoot.documents import percent, significant
from surefoot.drawing import PALE, Interval, draw_intervals, new_axes, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROUNDING = 1e-9


@dataclass(frozen=True)
class MonitorReport:
    """Safety gain, residual hazard and availability cost, each with its interval, and the hazard of the model alone."""

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
