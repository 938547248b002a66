"""Figures of limits, and the panels that all figures of reliability are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot import bounds
from surefoot.core import InvalidInput, Table
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, shortened, significant, visible
from surefoot.drawing import BLUE, GREY, INK, PALE, RED, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
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
    """Mean of the first k cells and its upper limit (RAM, Figure 7).

    Parameters
    ----------
    table
        As ``CellReliability.by_k`` gives it.
    level
        Of the limits in it.

    Returns
    -------
    Figure
        Of matplotlib, as wide as a report.

    """
    k, mean, upper = (np.array([row[column] for row in table.rows], float) for column in (0, 1, 3))
    figure = new_figure(2.9)
    axes = add_title(figure.subplots(), "The sum over cells, from k of them drawn at random")
    axes.fill_between(k, mean, upper, color=BLUE, alpha=0.18, lw=0)
    axes.plot(k, upper, color=BLUE, lw=1.6, label=f"upper limit, {percent(level)}, normal approximation")
    axes.plot(k, mean, color=INK, lw=1.4, label="mean")
    axes.set(xscale="log", ylim=(0, None))
    plain_numbers(axes, k[-1] / k[0])
    label_axes(axes, "cells looked at, k", "failure probability by cells alone")
    axes.legend(frameon=False, fontsize=SMALL)
    return figure


def limits_figure(table: Table, failed: int = 0, trials: int = 0) -> Figure:
    """All upper limits beside the error rate of held-out tests with its exact interval.

    A limit below the interval is contradicted by the tests: they fail more often than it allows.

    Parameters
    ----------
    table
        As ``Reliability.limits`` gives it.
    failed, trials
        Held-out tests that failed, and their number.

    Returns
    -------
    Figure
        Of matplotlib, as wide as a report.

    """
    rows = [_Row.of(row, table.columns) for row in table.rows]
    tests = _interval(failed, trials) if trials else ()
    figure = new_figure(1.5 + 0.27 * len(rows))
    axes = open_frame(figure.subplots())
    numbers = [*(number for row in rows for number in (row.value, *row.limits)), *tests]
    above = [number for number in numbers if number > 0]
    start = min(above) / SPACE if above else LOWEST
    _scale(axes, start, max(min(1.0, max(numbers, default=0.0) * SPACE), start * LEAST_RATIO))
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


def _scale(axes: Axes, start: float, end: float) -> None:
    axes.set(xscale="log", xlim=(start, end))
    plain_numbers(axes, end / start)
    axes.grid(True, axis="x", color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=SMALL)
    label_axes(axes, "failure probability")


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
        shape, colour = ("D", RED) if wrong else ("o", BLUE)
        value = max(row.value, start)
        axes.hlines(place, value, max(*row.limits, start), color=colour, lw=1.4)
        axes.plot(value, place, "|", color=INK, ms=9, mew=1.5, zorder=5)
        for limit, fill in zip(row.limits, _fills(colour, len(row.limits)), strict=True):
            mark = shape if limit > 0 else "<"
            axes.plot(max(limit, start), place, mark, color=colour, mfc=fill, ms=6, mew=1.3, clip_on=False, zorder=4)
    axes.set_yticks(places, [row.name for row in rows], fontsize=SMALL, parse_math=False)
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_fontweight("bold" if row.name.endswith(USED) else "normal")
    axes.set_ylim(-0.7, len(places) - 0.3)


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
        handles=handles, loc="outside lower left", ncols=2, frameon=False, fontsize=SMALL, columnspacing=1.6
    )


def _dot(shape: str, colour: str, fill: str, label: str) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, marker=shape, mfc=fill, ls="none", ms=6, mew=1.3, label=label)


# Panels as wide as a report, with their names, numbers and legends.

WIDTH = 7.0
SMALL = 8
MOST_NAME = 30
RASTER_DPI = 200
ROUNDING = 1e-9
RIGHT = 0.22
ABOVE, BESIDE, BETWEEN = 0.32, 0.72, 0.36
"""Inches for the title of a panel, for numbers and name of its axis on the left, and between panels that share them."""
BELOW_AXIS = 0.44
"""Inches from a panel past the numbers and the name of the axis."""
BELOW_ROW = 0.2
"""The same where the row below has no titles."""
BELOW_LEGEND = 1.08
"""Inches that a scale or a legend takes below a panel."""


def new_figure(height: float) -> Figure:
    """An empty figure of the width of a report."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height), layout="constrained", dpi=RASTER_DPI)


def tiles(columns: int, below: Sequence[float], *, shared: bool = False) -> tuple[Figure, NDArray[Any]]:
    """Square panels in rows with so many inches below each; where ``shared``, only the first column has numbers."""
    from matplotlib.figure import Figure

    left = [BESIDE if not shared or not column else BETWEEN for column in range(columns)]
    side = (WIDTH - RIGHT - sum(left)) / columns
    height = sum(below) + len(below) * (ABOVE + side)
    figure = Figure(figsize=(WIDTH, height), dpi=RASTER_DPI)
    grid = np.empty((len(below), columns), dtype=object)
    for row, column in np.ndindex(*grid.shape):
        x = sum(left[: column + 1]) + column * side
        y = height - (row + 1) * (ABOVE + side) - sum(below[:row])
        grid[row, column] = axes = figure.add_axes((x / WIDTH, y / height, side / WIDTH, side / height))
        axes.tick_params(labelleft=not shared or not column)
        _number(axes)
    return figure, grid


def _number(axes: Axes) -> None:
    """A few plain numbers along both axes, whatever their size."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda value, _, axis=axis: _plain(value, axis.get_view_interval())))


def _plain(value: float, ends: tuple[float, float]) -> str:
    """A number without the rounding errors of its computation; 3e-6 rather than 3e-06."""
    shown = 0.0 if abs(value) < ROUNDING * abs(ends[1] - ends[0]) else value
    mantissa, _, exponent = f"{shown:.10g}".partition("e")
    return (f"{mantissa}e{int(exponent)}" if exponent else mantissa).replace("-", "−")


def feature_names(names: Sequence[str] | None, dimensions: int) -> list[str]:
    """The given names made fit to show, or numbers."""
    given = [f"feature {axis}" for axis in range(dimensions)] if names is None else names
    if len(given) != dimensions:
        raise InvalidInput(f"names must be one for each of the {dimensions} features", where="names", found=list(given))
    return [shortened(visible(str(name)), MOST_NAME) for name in given]


def add_title(axes: Axes, title: str, note: str = "") -> Axes:
    """A panel with its name above, and a note on its signs."""
    axes.set_title(title, fontsize=9, loc="left", color=INK)
    axes.set_title(note, fontsize=SMALL - 1, loc="right", color=INK)
    axes.tick_params(labelsize=SMALL)
    return open_frame(axes)


def label_axes(axes: Axes, xlabel: str = "", ylabel: str = "") -> None:
    """Names of the axes, which may hold anything."""
    axes.set_xlabel(xlabel, fontsize=SMALL, parse_math=False)
    axes.set_ylabel(ylabel, fontsize=SMALL, parse_math=False)


def legend_below(figure: Figure, axes: Axes, entries: Sequence[tuple[str, str]], *, columns: int) -> None:
    """Names with their colours below a panel."""
    from matplotlib.patches import Patch
    from matplotlib.transforms import ScaledTranslation

    down = ScaledTranslation(0, -BELOW_AXIS, figure.dpi_scale_trans)
    handles = [Patch(facecolor=colour, edgecolor="none", label=name) for name, colour in entries]
    axes.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(-0.01, 0),
        bbox_transform=axes.transAxes + down,
        ncols=columns,
        frameon=False,
        fontsize=SMALL,
        handlelength=1.0,
        handleheight=1.0,
        handletextpad=0.5,
        columnspacing=1.2,
        labelspacing=0.3,
        borderaxespad=0,
    )


# What maps show in a panel: images on their colour scales, steps, rings.

FEWEST_DOTS = 360
"""Blocks are drawn as several dots each, because page and paper blur an image that they must enlarge."""
DECADES = 4
SMALLEST = 1e-290
FLATTEST = 2.0
"""Top of the scale of densities at least, so that an almost flat profile looks flat."""
_BLUES = ("#ffffff", "#cfe0ec", "#79acd0", BLUE, "#0c3350")
_REDS = ("#f9cdb5", "#eb8d7c", RED, "#8c1d35", "#5c0a22")


def density_look(values: FloatArray) -> dict[str, Any]:
    """Blue on a square-root scale from 0."""
    from matplotlib.colors import PowerNorm

    return {"cmap": colours(_BLUES), "norm": PowerNorm(0.5, 0.0, max(float(values.max()), FLATTEST))}


def risk_look() -> dict[str, Any]:
    """Red on a square-root scale from 0 to 1, and black above, where the risk was not found but set."""
    from matplotlib.colors import PowerNorm

    return {"cmap": colours(_REDS).with_extremes(over=INK), "norm": PowerNorm(0.5, 0.0, 1.0)}


def contribution_look(values: FloatArray) -> dict[str, Any]:
    """Red on a logarithmic scale of at most so many decades; what lies below is as pale as its end."""
    return {"cmap": colours(_REDS), "norm": _decades(values)}


def _decades(values: FloatArray) -> Normalize:
    from matplotlib.colors import LogNorm

    present = values[values > SMALLEST]
    if not present.size:
        return LogNorm(0.1, 1.0, clip=True)
    top = 10.0 ** np.ceil(np.log10(present.max()))
    lowest = 10.0 ** np.floor(np.log10(present.min()))
    return LogNorm(max(min(lowest, top / 10), top / 10**DECADES), top, clip=True)


def colours(of: Sequence[str]) -> Colormap:
    """A scale through these colours."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("surefoot", list(of))


def image(axes: Axes, edges: tuple[FloatArray, ...], values: NDArray[Any], **look: Any) -> AxesImage:
    """A square of colour for each block, first feature to the right; a last block that is cut off ends at the frame."""
    ends = [border[0] + (len(border) - 1) * (border[1] - border[0]) for border in edges]
    (left, *_, right), (bottom, *_, top) = edges
    dots = np.swapaxes(values, 0, 1)
    for axis in (0, 1):
        dots = dots.repeat(max(1, -(-FEWEST_DOTS // dots.shape[axis])), axis=axis)
    drawn = axes.imshow(
        dots, origin="lower", extent=(left, ends[0], bottom, ends[1]), interpolation="none", aspect="auto", **look
    )
    axes.set(xlim=(left, right), ylim=(bottom, top))
    return drawn


def steps(axes: Axes, edges: FloatArray, values: FloatArray, colour: str, label: str) -> None:
    """A filled step for each block, from 0."""
    axes.stairs(values, edges, fill=True, color=colour, alpha=0.35, lw=0)
    axes.stairs(values, edges, color=colour, lw=1.1)
    axes.set(xlim=(edges[0], edges[-1]), ylim=(0, None if values.max() > 0 else 1))
    axes.set_ylabel(label, fontsize=SMALL)


def present(values: FloatArray) -> NDArray[Any]:
    """Values above 0; nothing is drawn elsewhere."""
    return np.ma.masked_less_equal(values, 0)


def colour_bar(drawn: AxesImage, label: str, ticks: Sequence[float] | None = None) -> None:
    """A scale below the panel of an image, as wide as it."""
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    inch = 1 / drawn.axes.get_window_extent().height * RASTER_DPI
    below = drawn.axes.inset_axes((0.0, -0.6 * inch, 1.0, 0.11 * inch))
    plain = not isinstance(drawn.norm, LogNorm)
    bar = drawn.axes.figure.colorbar(
        drawn,
        cax=below,
        orientation="horizontal",
        ticks=ticks or (MaxNLocator(5, steps=[1, 2, 5, 10]) if plain else None),
        format=FuncFormatter(lambda value, _: significant(value)) if plain else None,
    )
    bar.set_label(label, fontsize=SMALL)
    below.tick_params(labelsize=SMALL)
    bar.outline.set_visible(False)


def rings(axes: Axes, places: FloatArray) -> None:
    """A ring around each place."""
    for colour, width in (("white", 2.6), (INK, 1.1)):
        axes.plot(*places.T, "o", mfc="none", mec=colour, ms=9, mew=width, ls="none")


MOST_MARKS = 30


def squares(axes: Axes, places: FloatArray) -> None:
    """A square around each place, unless they are so many that they are seen without."""
    if 0 < len(places) <= MOST_MARKS:
        axes.plot(*places.T, "s", mfc="none", mec=INK, ms=6, mew=0.8, ls="none")
