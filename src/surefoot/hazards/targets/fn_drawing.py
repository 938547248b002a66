"""The F-N curve on axes, both scales logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.documents import percent, visible
from surefoot.drawing import BLUE, COLOURS, GREY, new_axes, open_frame
from surefoot.hazards.targets.criterion import Criterion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from surefoot.hazards.targets.societal import SocietalRisk

SIZE = (6.4, 4.4)
LEFT = 0.8
"""A single death has a place on the axis only if the axis begins before it."""
ROOM = 10.0
"""Space above and below, as a factor."""
LINES = ("--", ":", "-.")
CRITERION_COLOURS = (COLOURS[1], *COLOURS[3:])


def draw_curve(risk: SocietalRisk, criteria: Sequence[Criterion], axes: Axes | None = None) -> Axes:
    """The frequency of N or more deaths with its limits at the risk's level, and a line or point for each criterion."""
    axes = open_frame(new_axes(*SIZE) if axes is None else axes)
    axes.set_xscale("log")
    axes.set_yscale("log")
    figures = np.array([_figures(risk, deaths) for deaths in risk.steps]).reshape(-1, 3)
    _set_limits(axes, risk, figures, criteria)
    if np.isfinite(figures).any():
        _draw_steps(axes, risk, figures)
    else:
        axes.text(0.04, 0.05, "no accident with deaths", transform=axes.transAxes, color=GREY)
    for index, criterion in enumerate(criteria):
        _draw_criterion(axes, criterion, index)
    axes.set_xlabel("N, number of deaths")
    axes.set_ylabel("F, accidents with N or more deaths, per year")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return axes


def _figures(risk: SocietalRisk, deaths: int) -> list[float]:
    """Value and limits; what is not above 0 has no place on a logarithmic scale."""
    found = (risk.frequency(deaths).value, risk.limit(deaths, "lower"), risk.limit(deaths, "upper"))
    return [value if value is not None and 0 < value < np.inf else np.nan for value in found]


def _set_limits(axes: Axes, risk: SocietalRisk, figures: FloatArray, criteria: Sequence[Criterion]) -> None:
    most = max([10, *risk.steps, *(criterion.deaths for criterion in criteria)])
    axes.set_xlim(LEFT, 2 * most)
    shown = [*figures[np.isfinite(figures)], *(criterion.frequency for criterion in criteria)]
    if shown:
        axes.set_ylim(min(shown) / ROOM, max(shown) * ROOM)


def _draw_steps(axes: Axes, risk: SocietalRisk, figures: FloatArray) -> None:
    value, low, high = figures.T
    edges = np.array([LEFT, *risk.steps])
    floor = axes.get_ylim()[0]
    down = np.where(np.isnan(value), floor, value)
    axes.stairs(down, edges, baseline=floor, color=BLUE, linewidth=1.6, label="F-N curve")
    if (low == high).all():
        return
    band = f"limits at {percent(risk.level)}, each side"
    bottom = np.where(np.isnan(low), floor, low)
    axes.stairs(high, edges, baseline=bottom, fill=True, color=BLUE, alpha=0.18, linewidth=0, label=band)


def _draw_criterion(axes: Axes, criterion: Criterion, index: int) -> None:
    colour = CRITERION_COLOURS[index % len(CRITERION_COLOURS)]
    name = visible(criterion.name)
    if criterion.slope is None:
        axes.plot(criterion.deaths, criterion.frequency, "o", color=colour, label=name)
        return
    ends = axes.get_xlim()
    line = LINES[index % len(LINES)]
    axes.plot(ends, [criterion.at(n) for n in ends], line, color=colour, linewidth=1.4, label=name)
