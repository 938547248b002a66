"""The parts that maps of cells are made of: colour scales, images, steps and rings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.documents import significant
from surefoot.drawing import BLUE, COLOURS, INK, PALE, RED
from surefoot.reliability.cells.grid import ASKED, CROSS_BOUNDARY, EMPTY, NORMAL, SOURCES
from surefoot.reliability.cells.table import Cells
from surefoot.reliability.limit_plots import RASTER_DPI, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.image import AxesImage


FEWEST_DOTS = 360
"""Blocks are drawn as several dots each, because page and paper blur an image that they must enlarge."""
DECADES = 4
SMALLEST = 1e-290
FLATTEST = 2.0
"""Top of the scale of densities at least, so that an almost flat profile looks flat."""
MOST_MARKS = 30
SOURCE_COLOURS = {EMPTY: PALE, NORMAL: BLUE, ASKED: COLOURS[3], CROSS_BOUNDARY: INK}
_BLUES = ("#ffffff", "#cfe0ec", "#79acd0", BLUE, "#0c3350")
_REDS = ("#f9cdb5", "#eb8d7c", RED, "#8c1d35", "#5c0a22")
FLAT = "density, 1 where flat"
DENSITY, RISK, CONTRIBUTION = "Operational profile", "Risk inside cells", "Contribution of cells"


def colours(of: Sequence[str]) -> Colormap:
    """A scale through these colours."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("surefoot", list(of))


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


def source_image(sources: FloatArray) -> FloatArray:
    """Colours of sources mixed by their share of a block; a cross-boundary cell colours its whole block."""
    from matplotlib.colors import to_rgb

    palette = np.array([to_rgb(SOURCE_COLOURS[source]) for source in range(len(SOURCES))])
    mixed = np.clip(sources @ palette, 0, 1)
    mixed[sources[..., CROSS_BOUNDARY] > 0] = palette[CROSS_BOUNDARY]
    return np.asarray(mixed)


def rings(axes: Axes, places: FloatArray) -> None:
    """A ring around each place."""
    for colour, width in (("white", 2.6), (INK, 1.1)):
        axes.plot(*places.T, "o", mfc="none", mec=colour, ms=9, mew=width, ls="none")


def squares(axes: Axes, places: FloatArray) -> None:
    """A square around each place, unless they are so many that they are seen without."""
    if 0 < len(places) <= MOST_MARKS:
        axes.plot(*places.T, "s", mfc="none", mec=INK, ms=6, mew=0.8, ls="none")


# Cells seen along one or two features, put together in blocks that are large enough to see.

MOST_ROWS = 8
"""More features than this make no figure that anybody reads."""


@dataclass(frozen=True, eq=False)
class Projection:
    """What the cells hold along the chosen features, one entry a block.

    Mass and contribution are summed, of the risk the highest is kept, so that one failing cell stays in sight.
    """

    features: tuple[int, ...]
    cells_a_block: tuple[int, ...]
    """Cells along each chosen feature; fewer in the last block where they do not divide."""
    edges: tuple[FloatArray, ...]
    mass: FloatArray
    risk: FloatArray
    contribution: FloatArray
    sources: FloatArray
    """Share of cells with each source of a label, the sources along the last axis."""

    @property
    def crossed(self) -> NDArray[np.bool_]:
        """Blocks with a cross-boundary cell, whose risk nobody measured."""
        return np.asarray(self.sources[..., CROSS_BOUNDARY] > 0)

    @property
    def relative_density(self) -> FloatArray:
        """Density over that of a flat profile on the domain."""
        return relative_density(self.mass, self.edges)


def project(cells: Cells, features: tuple[int, ...], *, most: int) -> Projection:
    """The cells along one or two features, in at most so many blocks along each."""
    grid = cells.grid
    sizes = tuple(-(-grid.shape[feature] // most) for feature in features)
    edges = tuple(_block_edges(grid.edges[feature], size) for feature, size in zip(features, sizes, strict=True))

    def seen(values: NDArray[np.generic], combine: np.ufunc) -> FloatArray:
        return _blocks(values.reshape(grid.shape), features, sizes, combine)

    counts = np.stack([seen((cells.source == source).astype(float), np.add) for source in range(len(SOURCES))], axis=-1)
    return Projection(
        features,
        sizes,
        edges,
        seen(cells.mass, np.add),
        seen(cells.risk, np.maximum),
        seen(cells.contribution, np.add),
        counts / counts.sum(axis=-1, keepdims=True),
    )


def views(dimensions: int) -> tuple[tuple[int, ...], ...]:
    """Which features are looked at together: pairs of two or three, else one at a time."""
    if dimensions in (2, 3):
        return tuple(combinations(range(dimensions), 2))
    return tuple((feature,) for feature in range(min(dimensions, MOST_ROWS)))


def relative_density(mass: FloatArray, edges: tuple[FloatArray, ...]) -> FloatArray:
    """Mass of blocks over their share of the domain."""
    shares = np.ones(())
    for border in edges:
        shares = np.multiply.outer(shares, np.diff(border) / (border[-1] - border[0]))
    return np.asarray(mass / shares)


def _block_edges(edges: FloatArray, size: int) -> FloatArray:
    return np.append(edges[:-1:size], edges[-1])


def _blocks(
    cube: NDArray[np.generic], features: tuple[int, ...], sizes: tuple[int, ...], combine: np.ufunc
) -> FloatArray:
    others = tuple(axis for axis in range(cube.ndim) if axis not in features)
    found = combine.reduce(cube, axis=others) if others else cube
    for axis, size in enumerate(sizes):
        found = combine.reduceat(found, np.arange(0, found.shape[axis], size), axis=axis)
    return np.asarray(found, dtype=float)
