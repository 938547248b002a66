"""Figures of curves and comparisons; matplotlib is loaded when one is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from surefoot.documents import counted, percent, shortened, significant, visible
from surefoot.drawing import BLUE, COLOURS, GREY, INK, PALE, Interval, draw_intervals, new_axes, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from surefoot.monitors.evaluation.comparison import Comparison
    from surefoot.monitors.evaluation.contenders import Contender
    from surefoot.monitors.evaluation.operating_curve import Curve

LONGEST_NAME = 28
SMALL = 8.5
ROW = 0.3
"""Inches a monitor takes in a figure of intervals."""


def plot_curve(curve: Curve, *, ax: Axes | None = None) -> Axes:
    """Safety gain against availability cost with its band, and the hazard of the model alone as the ceiling."""
    axes = open_frame(new_axes(6.4, 4.2) if ax is None else ax)
    band = curve.bands.safety_gain
    cost = curve.availability_cost[curve.marks]
    label = f"{percent(curve.level)} at each threshold"
    axes.fill_between(cost, band.low, band.high, color=BLUE, alpha=0.18, lw=0, label=label)
    axes.plot(cost, curve.safety_gain[curve.marks], color=BLUE, lw=1.8, label="safety gain")
    _ceiling(axes, curve)
    axes.legend(frameon=False, fontsize=SMALL, loc="lower right")
    return axes


def plot_curves(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """Safety gain against availability cost of all monitors: the best in colour, the others grey."""
    axes = open_frame(new_axes(6.4, 4.6) if ax is None else ax)
    shown, others = comparison.contenders[: len(COLOURS)], comparison.contenders[len(COLOURS) :]
    for contender in others:
        _line(axes, contender, GREY, lw=0.7)
    for contender, colour in reversed(list(zip(shown, COLOURS, strict=False))):
        _line(axes, contender, colour, lw=1.6)
    if comparison.cost is not None:
        axes.axvline(comparison.cost, color=INK, lw=0.9, ls=":")
    _ceiling(axes, shown[0].curve)
    _legend(axes, shown[0].curve, [c.name for c in shown], len(others))
    return axes


def plot_intervals(comparison: Comparison, figure: str, *, ax: Axes | None = None) -> Axes:
    """One figure of each monitor with its interval, the best monitor on top."""
    rows = [_interval(c, figure, comparison.level) for c in comparison.contenders]
    axes = open_frame(new_axes(4.6, 0.8 + ROW * len(rows)) if ax is None else ax)
    draw_intervals(axes, rows, fontsize=SMALL)
    axes.set_xlabel(f"{figure}, {percent(comparison.level)} intervals", fontsize=SMALL)
    axes.xaxis.set_major_formatter(lambda value, _: significant(round(float(value), 12)))
    axes.locator_params(axis="x", nbins=5)
    axes.tick_params(axis="x", labelsize=SMALL)
    axes.tick_params(axis="y", length=0)
    return axes


def plot_comparison(comparison: Comparison) -> Figure:
    """Intervals of safety gain beside the curves."""
    from matplotlib import pyplot as plt

    height = max(4.2, 1.0 + ROW * len(comparison.contenders))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, height), layout="constrained", width_ratios=(1, 1.3))
    plot_intervals(comparison, "safety gain", ax=left)
    plot_curves(comparison, ax=right)
    return figure


def _interval(contender: Contender, figure: str, level: float) -> Interval:
    estimate = contender.estimates[figure]
    if estimate is None:
        return _short(contender.name), math.nan, math.nan, math.nan
    low, high = estimate.interval(level)
    return _short(contender.name), low, estimate.value, high


def _line(axes: Axes, contender: Contender, colour: str, *, lw: float) -> None:
    curve = contender.curve
    axes.plot(curve.availability_cost[curve.marks], curve.safety_gain[curve.marks], color=colour, lw=lw)
    report = contender.report
    axes.plot(report.availability_cost.value, report.safety_gain.value, "o", color=colour, ms=4, zorder=4)


def _ceiling(axes: Axes, curve: Curve) -> None:
    axes.axhline(curve.hazard_alone, color=INK, lw=0.9, ls="--", label=_ceiling_words(curve))
    axes.axhline(0, color=PALE, lw=1, zorder=0)
    axes.set_xlabel("availability cost", fontsize=SMALL + 1)
    axes.set_ylabel("safety gain", fontsize=SMALL + 1)
    axes.tick_params(labelsize=SMALL)
    axes.margins(x=0.01, y=0.08)


def _ceiling_words(curve: Curve) -> str:
    return f"hazard of the model alone: {significant(curve.hazard_alone)}"


def _legend(axes: Axes, curve: Curve, names: Sequence[str], others: int) -> None:
    from matplotlib.lines import Line2D

    keys = [Line2D([], [], color=colour, lw=1.8) for colour, _ in zip(COLOURS, names, strict=False)]
    words = [_short(name) for name in names]
    if others:
        keys.append(Line2D([], [], color=GREY, lw=0.9))
        words.append(counted(others, "other"))
    keys.append(Line2D([], [], color=INK, lw=0.9, ls="--"))
    words.append(_ceiling_words(curve))
    legend = axes.legend(keys, words, frameon=False, fontsize=SMALL, loc="lower right")
    for text in legend.get_texts():
        text.set_parse_math(False)


def _short(name: str) -> str:
    return shortened(visible(name), LONGEST_NAME)
