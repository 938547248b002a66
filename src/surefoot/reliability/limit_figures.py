"""Figures of limits: how the answer settles as cells are looked at, and all upper limits against the tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot import bounds
from surefoot.core import Table
from surefoot.documents import percent, significant
from surefoot.drawing import BLUE, GREY, INK, PALE, RED, open_frame
from surefoot.reliability import layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

USED = " (used)"
AT = "at "
TEST_LEVEL = 0.975
SPACE = 1.5
LOWEST = 1e-6
BAND = 0.25
DECADES_WITH_STEPS = 2.5
LEAST_RATIO = 4


def growth_by_k(table: Table, *, level: float = 0.975) -> Figure:
    """Mean of the first k cells and its upper limit, as ``Reliability.by_k`` gives them (RAM, Figure 7)."""
    k, mean, upper = (np.array([row[column] for row in table.rows], float) for column in (0, 1, 3))
    figure = layout.new_figure(2.9)
    axes = layout.titled(figure.subplots(), "The sum over cells, from k of them drawn at random")
    axes.fill_between(k, mean, upper, color=BLUE, alpha=0.18, lw=0)
    axes.plot(k, upper, color=BLUE, lw=1.6, label=f"upper limit, {percent(level)}, normal approximation")
    axes.plot(k, mean, color=INK, lw=1.4, label="mean")
    axes.set(xscale="log", ylim=(0, None))
    plain_numbers(axes, k[-1] / k[0])
    layout.labelled(axes, "cells looked at, k", "failure probability by cells alone")
    axes.legend(frameon=False, fontsize=layout.SMALL)
    return figure


def limits_figure(table: Table, failed: int = 0, trials: int = 0) -> Figure:
    """All upper limits of ``Reliability.limits`` beside the error rate of held-out tests with its exact interval.

    A limit below the interval is contradicted by the tests: they fail more often than it allows.
    """
    rows = [_Row.of(row, table.columns) for row in table.rows]
    tests = _interval(failed, trials) if trials else ()
    figure = layout.new_figure(1.5 + 0.27 * len(rows))
    axes = open_frame(figure.subplots())
    numbers = [*(number for row in rows for number in (row.value, *row.limits)), *tests]
    start = _start(numbers)
    _scale(axes, start, _end(numbers, start))
    contradicted = [row.limits[-1] < (tests[0] if tests else 0.0) for row in rows]
    tested = ""
    if tests:
        axes.axvspan(max(tests[0], start), tests[2], color=GREY, alpha=BAND, lw=0)
        axes.axvline(max(tests[1], start), color=GREY, lw=1.2)
        tested = f"held-out tests, {failed:,} of {trials:,} failed: rate, {percent(2 * TEST_LEVEL - 1)} interval"
    _draw_rows(axes, rows, start, contradicted)
    _legend(axes, table.columns, tested, wrong=any(contradicted))
    return figure


@dataclass(frozen=True)
class _Row:
    name: str
    value: float
    limits: tuple[float, ...]

    @classmethod
    def of(cls, row: tuple[Any, ...], columns: tuple[str, ...]) -> _Row:
        limits = tuple(float(number) for number, column in zip(row, columns, strict=True) if column.startswith(AT))
        return cls(str(row[0]), float(row[columns.index("value")]), limits)


def _interval(failed: int, trials: int) -> tuple[float, float, float]:
    """Exact lower limit, rate and exact upper limit of the tests, each side at the same level."""
    found = bounds.clopper_pearson(failed, trials, level=TEST_LEVEL)
    return found.lower(TEST_LEVEL), failed / trials, found.upper(TEST_LEVEL)


def _start(values: list[float]) -> float:
    """Left end of the axis: below all that is above 0."""
    above = [value for value in values if value > 0]
    return min(above) / SPACE if above else LOWEST


def _end(values: list[float], start: float) -> float:
    return max(min(1.0, max(values, default=0.0) * SPACE), start * LEAST_RATIO)


def _scale(axes: Axes, start: float, end: float) -> None:
    axes.set(xscale="log", xlim=(start, end))
    plain_numbers(axes, end / start)
    axes.grid(True, axis="x", color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=layout.SMALL)
    layout.labelled(axes, "failure probability")


def plain_numbers(axes: Axes, ratio: float) -> None:
    """Numbers on a logarithmic axis as people write them, steps between decades where there are few."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    steps = (1.0,) if np.log10(ratio) > DECADES_WITH_STEPS else (1.0, 2.0, 5.0)
    axes.xaxis.set_major_locator(LogLocator(subs=steps, numticks=9))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: significant(value)))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _draw_rows(axes: Axes, rows: list[_Row], start: float, contradicted: list[bool]) -> None:
    places = np.arange(len(rows))[::-1]
    for place, row, wrong in zip(places, rows, contradicted, strict=True):
        shape, colour = _look(wrong)
        value = max(row.value, start)
        axes.hlines(place, value, max(*row.limits, start), color=colour, lw=1.4)
        axes.plot(value, place, "|", color=INK, ms=9, mew=1.5, zorder=5)
        for limit, fill in zip(row.limits, _fills(colour, len(row.limits)), strict=True):
            mark = shape if limit > 0 else "<"
            axes.plot(max(limit, start), place, mark, color=colour, mfc=fill, ms=6, mew=1.3, clip_on=False, zorder=4)
    axes.set_yticks(places, [row.name for row in rows], fontsize=layout.SMALL, parse_math=False)
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_fontweight("bold" if row.name.endswith(USED) else "normal")
    axes.set_ylim(-0.7, len(places) - 0.3)


def _look(contradicted: bool) -> tuple[str, str]:
    return ("D", RED) if contradicted else ("o", BLUE)


def _fills(colour: str, count: int) -> list[str]:
    """Only the limit at the highest level is filled."""
    return ["white"] * (count - 1) + [colour]


def _legend(axes: Axes, columns: tuple[str, ...], tested: str, *, wrong: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    levels = [percent(float(column.removeprefix(AT))) for column in columns if column.startswith(AT)]
    handles: list[Line2D | Patch] = [Line2D([], [], color=INK, marker="|", ls="none", ms=9, mew=1.5, label="estimate")]
    for level, fill in zip(levels, _fills(BLUE, len(levels)), strict=True):
        handles.append(_dot("o", BLUE, fill, f"upper limit at {level}"))
    if wrong:
        handles.append(_dot("D", RED, RED, "contradicted by the tests"))
    if tested:
        handles.append(Patch(facecolor=GREY, alpha=BAND, label=tested))
    axes.figure.legend(
        handles=handles, loc="outside lower left", ncols=2, frameon=False, fontsize=layout.SMALL, columnspacing=1.6
    )


def _dot(shape: str, colour: str, fill: str, label: str) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, marker=shape, mfc=fill, ls="none", ms=6, mew=1.3, label=label)
