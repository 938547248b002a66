"""Figures as wide as a report: panels and their places, names, numbers and legends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.documents import shortened, visible
from surefoot.drawing import INK, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def titled(axes: Axes, title: str, note: str = "") -> Axes:
    """A panel with its name above, and a note on its signs."""
    axes.set_title(title, fontsize=9, loc="left", color=INK)
    axes.set_title(note, fontsize=SMALL - 1, loc="right", color=INK)
    axes.tick_params(labelsize=SMALL)
    return open_frame(axes)


def labelled(axes: Axes, xlabel: str = "", ylabel: str = "") -> None:
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
