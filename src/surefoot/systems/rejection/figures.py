"""Figures of rejection; matplotlib is loaded when one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from surefoot.documents import percent, significant, visible
from surefoot.drawing import COLOURS, GREY, INK, new_axes, open_frame
from surefoot.systems.rejection.contest import LARGEST_ERRORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from surefoot.systems.rejection.curves import Curve, RiskCoverage

SMALL = 8.5
LINES = ("-", "--", ":")
MOST_POINTS = 1000
"""Of a curve that are drawn."""


def plot_risk_coverage(found: RiskCoverage, *, ax: Axes | None = None) -> Axes:
    """The metric of accepted items against their share, with the band of the best strategy.

    The largest errors are what no strategy can beat, the level line is what blind rejection gives on average.
    """
    axes = open_frame(new_axes(8.2, 4.2) if ax is None else ax)
    names = [name for name in found.curves if name != LARGEST_ERRORS]
    leader = min(names, key=found.excess, default=None)
    for place, name in enumerate(names):
        colour, style = COLOURS[place % len(COLOURS)], LINES[place // len(COLOURS) % len(LINES)]
        _line(axes, found.curves[name], colour, style)
        if name == leader and len(found.curves[name].drawn):
            _band(axes, found.curves[name], found.level, colour)
    _line(axes, found.best, INK, "--")
    axes.axhline(float(found.best.accepted[0]), color=GREY, lw=1, ls=":", label="nothing rejected, or at random")
    return _finished(axes, found)


def _line(axes: Axes, curve: Curve, colour: str, style: str) -> None:
    label = f"{visible(curve.name)}, area {significant(curve.area)}"
    shown = np.unique(np.linspace(0, curve.accepted.size - 1, MOST_POINTS).astype(int))
    axes.plot(curve.coverage[shown], curve.accepted[shown], color=colour, ls=style, lw=1.5, label=label)


def _band(axes: Axes, curve: Curve, level: float, colour: str) -> None:
    low, high = curve.band(level)
    label = f"{visible(curve.name)}, {percent(level)} at each share"
    axes.fill_between(curve.marks, low, high, color=colour, alpha=0.15, lw=0, label=label)


def _finished(axes: Axes, found: RiskCoverage) -> Axes:
    axes.set_xlabel("share of answers accepted", fontsize=SMALL + 1)
    better = f"{found.metric.name} of accepted answers, {found.metric.better} is better"
    axes.set_ylabel(better, fontsize=SMALL + 1, parse_math=False)
    axes.set_title(visible(found.label), loc="left", fontsize=SMALL + 1.5, parse_math=False)
    axes.set_xlim(0, 1)
    axes.tick_params(labelsize=SMALL)
    legend = axes.legend(frameon=False, fontsize=SMALL, loc="center left", bbox_to_anchor=(1.01, 0.5))
    for text in legend.get_texts():
        text.set_parse_math(False)
    return axes
