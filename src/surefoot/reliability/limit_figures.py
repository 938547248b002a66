"""Figures of limits: how the answer settles as cells are looked at, and all upper limits against the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from surefoot import bounds
from surefoot.core import Table
from surefoot.draw import BLUE, GREY, INK, PALE, RED, open_frame, percent, significant
from surefoot.reliability import map_panels as panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

USED = " (used)"
TEST_LEVEL = 0.975
SPACE = 1.5
LOWEST = 1e-6
BAND = 0.25
DECADES_WITH_STEPS = 2.5


def growth_by_k(table: Table, *, level: float = 0.975) -> Figure:
    """Mean of the first k cells and its upper limit, as ``Reliability.by_k`` gives them (RAM, Figure 7)."""
    k, mean, upper = (np.array([row[column] for row in table.rows], float) for column in (0, 1, 3))
    figure = panels.new_figure(2.9)
    axes = panels.titled(figure.subplots(), "The sum over cells, from k of them drawn at random")
    axes.fill_between(k, mean, upper, color=BLUE, alpha=0.18, lw=0)
    axes.plot(k, upper, color=BLUE, lw=1.6, label=f"upper limit, {percent(level)}, normal approximation")
    axes.plot(k, mean, color=INK, lw=1.4, label="mean")
    axes.set(xscale="log", ylim=(0, None))
    panels.labelled(axes, "cells looked at, k", "failure probability by cells alone")
    axes.legend(frameon=False, fontsize=panels.SMALL)
    return figure


def limits_figure(table: Table, failed: int | None = None, trials: int | None = None) -> Figure:
    """All upper limits of ``Reliability.limits`` beside the error rate of held-out tests with its exact interval.

    A limit below the interval is contradicted by the tests: they fail more often than it allows.
    """
    numbers = [float(number) for row in table.rows for number in row[2:]]
    tests = () if failed is None or trials is None else _interval(failed, trials)
    figure = panels.new_figure(1.4 + 0.27 * len(table.rows))
    axes = open_frame(figure.subplots())
    start = _start([*numbers, *tests])
    _scale(axes, start, _end([*numbers, *tests], start))
    highest = np.array([row[-1] for row in table.rows], float)
    contradicted = highest < (tests[0] if tests else 0.0)
    tested = ""
    if tests:
        axes.axvspan(max(tests[0], start), tests[2], color=GREY, alpha=BAND, lw=0)
        axes.axvline(max(tests[1], start), color=GREY, lw=1.2)
        tested = f"held-out tests, {failed:,} of {trials:,} failed: {percent(2 * TEST_LEVEL - 1)} interval"
    _rows(axes, table, start, contradicted)
    _legend(axes, table, tested, wrong=bool(contradicted.any()))
    return figure


def _interval(failed: int, trials: int) -> tuple[float, float, float]:
    """Exact lower limit, rate and exact upper limit of the tests, each side at the same level."""
    found = bounds.clopper_pearson(failed, trials, level=TEST_LEVEL)
    return found.lower(TEST_LEVEL), failed / trials, found.upper(TEST_LEVEL)


def _start(values: list[float]) -> float:
    """Left end of the axis: below all that is above 0."""
    above = [value for value in values if value > 0]
    return min(above) / SPACE if above else LOWEST


def _end(values: list[float], start: float) -> float:
    return max(min(1.0, max(values, default=0.0) * SPACE), start * 10)


def _scale(axes: Axes, start: float, end: float) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    many = np.log10(end / start) > DECADES_WITH_STEPS
    axes.set(xscale="log", xlim=(start, end))
    axes.xaxis.set_major_locator(LogLocator(subs=(1,) if many else (1, 2, 5), numticks=9))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: significant(value)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(True, axis="x", color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=panels.SMALL)
    panels.labelled(axes, "failure probability")


def _rows(axes: Axes, table: Table, start: float, contradicted: NDArray[np.bool_]) -> None:
    places = np.arange(len(table.rows))[::-1]
    for place, row, wrong in zip(places, table.rows, contradicted, strict=True):
        shape, colour = _look(bool(wrong))
        value, *limits = (max(number, start) for number in row[2:])
        axes.hlines(place, value, max(limits), color=colour, lw=1.4)
        axes.plot(value, place, "|", color=INK, ms=9, mew=1.5)
        for limit, fill in zip(limits, _fills(colour, len(limits)), strict=True):
            axes.plot(limit, place, shape, color=colour, mfc=fill, ms=6, mew=1.3, clip_on=False, zorder=4)
    axes.set_yticks(places, [str(row[0]) for row in table.rows], fontsize=panels.SMALL, parse_math=False)
    for label, row in zip(axes.get_yticklabels(), table.rows, strict=True):
        label.set_fontweight("bold" if str(row[0]).endswith(USED) else "normal")
    axes.set_ylim(-0.7, len(places) - 0.3)


def _look(contradicted: bool) -> tuple[str, str]:
    return ("D", RED) if contradicted else ("o", BLUE)


def _fills(colour: str, count: int) -> list[str]:
    """Only the limit at the highest level is filled."""
    return ["white"] * (count - 1) + [colour]


def _legend(axes: Axes, table: Table, tested: str, *, wrong: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    levels = [percent(float(column.removeprefix("at "))) for column in table.columns[3:]]
    handles: list[Line2D | Patch] = [Line2D([], [], color=INK, marker="|", ls="none", ms=9, mew=1.5, label="estimate")]
    for level, fill in zip(levels, _fills(BLUE, len(levels)), strict=True):
        handles.append(_dot("o", BLUE, fill, f"upper limit at {level}"))
    if wrong:
        handles.append(_dot("D", RED, RED, "contradicted by the tests"))
    if tested:
        handles.append(Patch(facecolor=GREY, alpha=BAND, label=tested))
    axes.figure.legend(
        handles=handles, loc="outside lower left", ncols=3, frameon=False, fontsize=panels.SMALL, columnspacing=1.6
    )


def _dot(shape: str, colour: str, fill: str, label: str) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, marker=shape, mfc=fill, ls="none", ms=6, mew=1.3, label=label)
