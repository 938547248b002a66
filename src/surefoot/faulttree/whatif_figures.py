"""Figures of what-if: the tornado, and the top event as one or two numbers move.

Each function draws on ``ax``, or on a new figure, and returns the axes. matplotlib is loaded when one is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, shortened, significant
from surefoot.drawing import BLUE, GREEN, GREY, INK, PALE, RED, new_axes, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize

    from surefoot.faulttree.sweeps import Sweep
    from surefoot.faulttree.tornado import Tornado

LONGEST_NAME, LONGEST_TITLE = 40, 70
DECADES = 20.0
"""A range that spans more than this factor is drawn on a logarithmic scale."""
SHORT = 10
"""Lines of so few points have no room for a number."""


def tornado_chart(tornado: Tornado, *, most: int = 15, ax: Axes | None = None) -> Axes:
    """One bar an input, from the top event at its low value to that at its high one, the widest on top."""
    bars = tornado.bars[: validate.count(most, where="tornado_chart", name="most", at_least=1)]
    if not bars:
        raise InvalidInput(
            "no input is uncertain", where="tornado_chart", remedy="Give events distributions or counts."
        )
    axes = ax or new_axes(7.6, 1.3 + 0.36 * len(bars))
    for row, bar in enumerate(bars):
        for end, colour in ((bar.top_at_low, BLUE), (bar.top_at_high, RED)):
            axes.barh(row, end - tornado.value, left=tornado.value, height=0.62, color=colour, lw=0)
    axes.axvline(tornado.value, color=INK, lw=1.2)
    axes.set_yticks(range(len(bars)), [shortened(bar.input, LONGEST_NAME) for bar in bars])
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    _scale(axes, "x", np.array([[bar.top_at_low, bar.top_at_high] for bar in bars]))
    _legend_of_ends(axes, tornado.level)
    more = len(tornado.bars) - len(bars)
    rest = f"; {more:,} more inputs" if more else ""
    axes.set_xlabel(f"{shortened(tornado.top, LONGEST_TITLE)}, {significant(tornado.value)} as it stands{rest}")
    axes.grid(True, axis="x", color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    return open_frame(axes)


def sweep_plot(sweep: Sweep, *, ax: Axes | None = None) -> Axes:
    """The top event against the number that moves, with the target and where it is crossed."""
    axes = ax or new_axes(7.2, 4.2)
    order = np.argsort(sweep.first.values)
    axes.plot(sweep.first.values[order], sweep.top[order], color=BLUE, lw=2)
    shown = sweep.top if sweep.target is None else np.append(sweep.top, sweep.target)
    _scale(axes, "x", sweep.first.values)
    _scale(axes, "y", shown)
    if sweep.target is not None:
        _mark_target(axes, sweep, sweep.target)
    axes.set(xlabel=sweep.first.name, ylabel=shortened(sweep.title, LONGEST_TITLE))
    axes.grid(True, color=PALE, lw=0.8)
    return open_frame(axes)


def _mark_target(axes: Axes, sweep: Sweep, target: float) -> None:
    axes.axhline(target, color=GREEN, lw=1.4, ls="--", label=f"target {significant(target)}")
    for value in sweep.crossings:
        if sweep.first.values.min() <= value <= sweep.first.values.max():
            axes.plot(value, target, "o", color=INK, ms=7, label=f"crossed at {significant(value)}", zorder=4)
    axes.legend(loc="best", frameon=False, fontsize=9.5)


def sweep_map(sweep: Sweep, *, ax: Axes | None = None) -> Axes:
    """Lines of equal probability of the top event over two numbers; the target's is the thick one."""
    if sweep.second is None or min(sweep.top.shape) < 2 or np.ptp(sweep.top) == 0:
        raise InvalidInput("a map needs two values each way and a top event that moves", where="sweep_map")
    axes = ax or new_axes(7.2, 5.2)
    x, y = np.sort(sweep.first.values), np.sort(sweep.second.values)
    top = sweep.top[np.argsort(sweep.first.values)][:, np.argsort(sweep.second.values)].T
    _scale(axes, "x", x)
    _scale(axes, "y", y)
    levels = _levels(top)
    axes.contourf(
        x, y, top, levels=[float(top.min()), *levels, float(top.max())], cmap="Blues", norm=_norm(top), alpha=0.8
    )
    lines = axes.contour(x, y, top, levels=levels, colors=[GREY], linewidths=0.8)
    if sweep.target is not None and top.min() < sweep.target < top.max():
        axes.contour(x, y, top, levels=[sweep.target], colors=[GREEN], linewidths=2.4)
        axes.plot([], [], color=GREEN, lw=2.4, label=f"target {significant(sweep.target)}")
        _legend_above(axes)
    longest = [max(pieces, key=len) for pieces in lines.allsegs if pieces]
    middles = [line[len(line) // 2] for line in longest if len(line) > SHORT]
    axes.clabel(lines, fmt=significant, fontsize=8, colors=[INK], manual=middles)
    axes.set(xlabel=sweep.first.name, ylabel=sweep.second.name)
    axes.set_title(shortened(sweep.title, LONGEST_TITLE), loc="left", fontsize=11, pad=24)
    return axes


def _legend_of_ends(axes: Axes, level: float) -> None:
    from matplotlib.patches import Patch

    share = (1 - level) / 2
    ends = ((BLUE, share), (RED, 1 - share))
    handles = [Patch(color=colour, label=f"input at its {percent(quantile)} point") for colour, quantile in ends]
    _legend_above(axes, handles=handles, ncols=2)


def _legend_above(axes: Axes, **options: object) -> None:
    axes.legend(loc="lower left", bbox_to_anchor=(-0.01, 0.99), frameon=False, fontsize=9.5, **options)


def _wide(values: FloatArray) -> bool:
    return bool(values.min() > 0 and values.max() > DECADES * values.min())


def _scale(axes: Axes, which: Literal["x", "y"], values: FloatArray) -> None:
    """Logarithmic for a wide range; otherwise numbers written as everywhere else."""
    if _wide(values):
        axes.set(**{f"{which}scale": "log"})
        return
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_formatter(lambda value, _: significant(float(value)))
    axes.locator_params(axis=which, nbins=6)


def _levels(top: FloatArray) -> list[float]:
    """Round numbers between the extremes."""
    from matplotlib.ticker import Locator, LogLocator, MaxNLocator

    low, high = float(top.min()), float(top.max())
    locator: Locator = LogLocator(subs=(1.0, 3.0), numticks=20) if _wide(top) else MaxNLocator(8)
    return [float(value) for value in locator.tick_values(low, high) if low < value < high]


def _norm(top: FloatArray) -> Normalize:
    from matplotlib.colors import LogNorm, Normalize

    return (LogNorm if _wide(top) else Normalize)(float(top.min()), float(top.max()))
