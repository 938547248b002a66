"""The parts that maps of cells are made of: colour scales, images, steps, rings and legends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.draw import BLUE, COLOURS, INK, PALE, RED, open_frame
from surefoot.draw.text import shortened, visible
from surefoot.reliability.labelling import ASKED, CROSS_BOUNDARY, EMPTY, NORMAL, SOURCES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

WIDTH = 7.0
SMALL = 8
MOST_NAME = 24
FEWEST_DOTS = 360
"""Blocks are drawn as several dots each, because page and paper blur an image that they must enlarge."""
RASTER_DPI = 200
DECADES = 4
MOST_MARKS = 30
SOURCE_COLOURS = {EMPTY: PALE, NORMAL: BLUE, ASKED: COLOURS[3], CROSS_BOUNDARY: INK}
_BLUES = ("#ffffff", "#cfe0ec", "#79acd0", BLUE, "#0c3350")
_REDS = ("#f9cdb5", "#eb8d7c", RED, "#8c1d35", "#5c0a22")
FLAT = "density, 1 where flat"
DENSITY, RISK, CONTRIBUTION = "Operational profile", "Risk inside cells", "Contribution of cells"


def new_figure(height: float) -> Figure:
    """An empty figure of the width of a report."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height), layout="constrained", dpi=RASTER_DPI)


def feature_names(names: Sequence[str] | None, dimensions: int) -> list[str]:
    """The given names made fit to show, or numbers."""
    given = [f"feature {axis}" for axis in range(dimensions)] if names is None else names
    return [shortened(visible(str(name)), MOST_NAME) for name in given]


def titled(axes: Axes, title: str) -> Axes:
    """A panel with its name above."""
    axes.set_title(title, fontsize=9, loc="left", color=INK)
    axes.tick_params(labelsize=SMALL)
    return open_frame(axes)


def labelled(axes: Axes, xlabel: str = "", ylabel: str = "") -> None:
    """Names of the axes, which may hold anything."""
    axes.set_xlabel(xlabel, fontsize=SMALL, parse_math=False)
    axes.set_ylabel(ylabel, fontsize=SMALL, parse_math=False)


def colours(of: Sequence[str]) -> Colormap:
    """A scale through these colours."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("surefoot", list(of))


def density_look(values: FloatArray) -> dict[str, Any]:
    """Blue on a square-root scale from 0."""
    from matplotlib.colors import PowerNorm

    return {"cmap": colours(_BLUES), "norm": PowerNorm(0.5, 0.0, max(float(values.max()), 1.0))}


def risk_look() -> dict[str, Any]:
    """Red on a square-root scale from 0 to 1; nothing is drawn where there is no risk."""
    from matplotlib.colors import PowerNorm

    return {"cmap": colours(_REDS), "norm": PowerNorm(0.5, 0.0, 1.0)}


def contribution_look(values: FloatArray) -> dict[str, Any]:
    """Red on a logarithmic scale of at most so many decades; what lies below is as pale as its end."""
    return {"cmap": colours(_REDS), "norm": _decades(values)}


def _decades(values: FloatArray) -> Normalize:
    from matplotlib.colors import LogNorm

    present = values[values > 0]
    if not present.size:
        return LogNorm(0.1, 1.0, clip=True)
    top = 10.0 ** np.ceil(np.log10(present.max()))
    lowest = 10.0 ** np.floor(np.log10(present.min()))
    return LogNorm(max(min(lowest, top / 10), top / 10**DECADES), top, clip=True)


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
    axes.set_box_aspect(1)
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


def colour_bar(drawn: AxesImage, axes: Any, label: str, ticks: Sequence[float] | None = None) -> None:
    """A scale below one panel or a column of them."""
    first = axes if not isinstance(axes, list) else axes[0]
    bar = first.figure.colorbar(drawn, ax=axes, location="bottom", aspect=28, pad=0.03, ticks=ticks)
    bar.set_label(label, fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL)
    bar.outline.set_visible(False)


def source_image(sources: FloatArray) -> FloatArray:
    """Colours of sources mixed by their share of a block; a cross-boundary cell colours its whole block."""
    from matplotlib.colors import to_rgb

    palette = np.array([to_rgb(SOURCE_COLOURS[source]) for source in range(len(SOURCES))])
    mixed = np.clip(sources @ palette, 0, 1)
    mixed[sources[..., CROSS_BOUNDARY] > 0] = palette[CROSS_BOUNDARY]
    return np.asarray(mixed)


def legend_below(axes: Axes, entries: Sequence[tuple[str, str]], *, columns: int) -> None:
    """Names with their colours below a panel."""
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=colour, edgecolor="none", label=name) for name, colour in entries]
    axes.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(-0.02, -0.17),
        ncols=columns,
        frameon=False,
        fontsize=SMALL,
        handlelength=1.0,
        handleheight=1.0,
        handletextpad=0.5,
        columnspacing=1.2,
        borderaxespad=0,
    )


def rings(axes: Axes, places: FloatArray) -> None:
    """A ring around each place."""
    axes.plot(*places.T, "o", mfc="none", mec=INK, ms=9, mew=1.0, ls="none")


def crosses(axes: Axes, places: FloatArray) -> None:
    """A mark at each place, unless they are so many that they are seen without."""
    if 0 < len(places) <= MOST_MARKS:
        axes.plot(*places.T, "s", mfc="none", mec=INK, ms=6, mew=0.8, ls="none")
