"""Figures of an assessment in cells: maps of where the risk sits, data and profile, settling, and limits.

Each returns a matplotlib figure as wide as a report; matplotlib is loaded when one is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.validate import FloatArray
from surefoot.documents import significant
from surefoot.drawing import BLUE, RED
from surefoot.reliability import layout
from surefoot.reliability import map_panels as panels
from surefoot.reliability.cells import Cells
from surefoot.reliability.data_figures import Sample, data_and_profile, data_sets
from surefoot.reliability.labelling import CROSS_BOUNDARY, SOURCES
from surefoot.reliability.limit_figures import growth_by_k, limits_figure
from surefoot.reliability.projection import Projection, project, views

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

    from surefoot.reliability.result import CellReliability

__all__ = ["Sample", "data_and_profile", "data_sets", "growth_by_k", "limits_figure", "maps"]

MOST_PIXELS = 125
ALONG_A_LINE = 4
"""A line is read across the whole width, so it shows more blocks than a map does."""
RINGED = 5
CANDIDATES = 200
RING_SHARE = 0.08
"""Rings nearer than this share of the domain would lie on each other."""
ABOVE_ALL = 2.0
SOURCES_TITLE = "Where labels come from"
RISK_TICKS = (0, 0.1, 0.25, 0.5, 1)


def maps(
    reliability: CellReliability,
    *,
    names: Sequence[str] | None = None,
    most_pixels: int = MOST_PIXELS,
    top: int = RINGED,
) -> Figure:
    """Operational profile, risk inside cells, and what the cells add to the failure probability.

    Two features give maps, and where labels come from beside them; three give maps of each pair, one or many a row of
    steps for each. Cells are put together in at most ``most_pixels`` blocks a feature: of the risk the highest is
    shown, the rest is summed. The ``top`` contributing cells are ringed, those that stand apart.
    """
    validate.count(most_pixels, where="maps", name="most_pixels", at_least=1)
    cells = reliability.cells
    dimensions = cells.grid.dimensions
    shown = layout.feature_names(names, dimensions)
    if dimensions == 1:
        return _line(project(cells, (0,), most=most_pixels * ALONG_A_LINE), cells, shown[0])
    seen = [project(cells, view, most=most_pixels) for view in views(dimensions)]
    if dimensions == 2:
        return _square(seen[0], cells, shown, top)
    return _pairs(seen, cells, shown, top) if dimensions == 3 else _marginals(seen, shown, dimensions)


def _square(seen: Projection, cells: Cells, names: list[str], top: int) -> Figure:
    figure, grid = layout.tiles(2, [layout.BELOW_LEGEND, layout.BELOW_LEGEND])
    density, sources, risk, contribution = grid.ravel()
    for axes in figure.axes:
        layout.labelled(axes, *names)
    panels.colour_bar(_density(density, seen, seen.relative_density), panels.FLAT)
    layout.titled(sources, SOURCES_TITLE)
    panels.image(sources, seen.edges, panels.source_image(seen.sources))
    layout.legend_below(figure, sources, source_entries(cells), columns=1)
    panels.colour_bar(_risk(risk, seen, cells), _of_blocks("probability of failure", "highest", seen), RISK_TICKS)
    drawn = _contribution(contribution, seen, seen.contribution, places_of(top_cells(cells, top), cells, seen.features))
    panels.colour_bar(drawn, _of_blocks("failure probability", "sum", seen))
    return figure


def _pairs(seen: list[Projection], cells: Cells, names: list[str], top: int) -> Figure:
    figure, grid = layout.tiles(3, [layout.BELOW_ROW, layout.BELOW_ROW, layout.BELOW_LEGEND], shared=True)
    densities = np.concatenate([each.relative_density.ravel() for each in seen])
    parts = np.concatenate([each.contribution.ravel() for each in seen])
    best = top_cells(cells, top)
    for row, each in zip(grid, seen, strict=True):
        ringed = places_of(best, cells, each.features)
        drawn = (
            _density(row[0], each, densities),
            _risk(row[1], each, cells),
            _contribution(row[2], each, parts, ringed),
        )
        for place, axes in enumerate(row):
            layout.titled(axes, axes.get_title(loc="left") if each is seen[0] else "")
            layout.labelled(axes, names[each.features[0]], "" if place else names[each.features[1]])
    panels.colour_bar(drawn[0], panels.FLAT)
    crossed = any(each.crossed.any() for each in seen)
    panels.colour_bar(drawn[1], f"highest{'; black: cross-boundary' if crossed else ' probability'}", RISK_TICKS)
    panels.colour_bar(drawn[2], f"sum{'; ringed: the largest' if best.size else ''}")
    return figure


def _density(axes: Axes, seen: Projection, all_shown: FloatArray) -> AxesImage:
    layout.titled(axes, panels.DENSITY)
    return panels.image(axes, seen.edges, seen.relative_density, **panels.density_look(all_shown))


def _risk(axes: Axes, seen: Projection, cells: Cells) -> AxesImage:
    crossed = np.flatnonzero(cells.source == CROSS_BOUNDARY)
    layout.titled(axes, panels.RISK, "black: cross-boundary" if crossed.size else "")
    drawn = panels.image(axes, seen.edges, risk_shown(seen), **panels.risk_look())
    panels.squares(axes, places_of(crossed[: panels.MOST_MARKS + 1], cells, seen.features))
    return drawn


def risk_shown(seen: Projection) -> NDArray[Any]:
    """Risk where there is one, and more than 1 in blocks with a cross-boundary cell."""
    return panels.present(np.where(seen.crossed, ABOVE_ALL, seen.risk))


def _contribution(axes: Axes, seen: Projection, all_shown: FloatArray, ringed: FloatArray) -> AxesImage:
    layout.titled(axes, panels.CONTRIBUTION, "ringed: the largest" if len(ringed) else "")
    panels.rings(axes, ringed)
    return panels.image(axes, seen.edges, panels.present(seen.contribution), **panels.contribution_look(all_shown))


def source_entries(cells: Cells) -> list[tuple[str, str]]:
    """Sources that occur, with their share of operation, and their colours."""
    mass = np.bincount(cells.source, cells.mass, minlength=len(SOURCES))
    counts = np.bincount(cells.source, minlength=len(SOURCES))
    return [
        (f"{SOURCES[source]}, {significant(100 * mass[source])}% of operation", colour)
        for source, colour in panels.SOURCE_COLOURS.items()
        if counts[source]
    ]


def _line(seen: Projection, cells: Cells, name: str) -> Figure:
    figure = layout.new_figure(5.6)
    density, risk, contribution, sources = figure.subplots(4, 1, sharex=True, height_ratios=(5, 5, 5, 1))
    _steps((density, risk, contribution), seen, ("1 where flat", "probability", "probability"))
    layout.titled(density, panels.DENSITY)
    layout.titled(risk, _of_blocks(panels.RISK, "highest", seen))
    layout.titled(contribution, _of_blocks(panels.CONTRIBUTION, "sum", seen))
    layout.titled(sources, SOURCES_TITLE)
    panels.image(sources, (*seen.edges, np.array([0.0, 1.0])), panels.source_image(seen.sources)[:, None])
    sources.set_yticks([])
    sources.spines["left"].set_visible(False)
    layout.labelled(sources, name)
    layout.legend_below(figure, sources, source_entries(cells), columns=2)
    return figure


def _marginals(seen: list[Projection], names: list[str], dimensions: int) -> Figure:
    figure = layout.new_figure(0.6 + 1.2 * len(seen))
    for row, each in zip(figure.subplots(len(seen), 3), seen, strict=True):
        _steps(row, each, ("1 where flat", "highest", "sum"))
        for axes, title in zip(row, (panels.DENSITY, panels.RISK, panels.CONTRIBUTION), strict=True):
            layout.titled(axes, title if each is seen[0] else "")
            axes.set_xlabel(names[each.features[0]], fontsize=layout.SMALL, parse_math=False)
    if len(seen) < dimensions:
        figure.suptitle(f"The first {len(seen)} of {dimensions} features", fontsize=9, x=0.01, ha="left")
    return figure


def _steps(row: Sequence[Axes], seen: Projection, labels: tuple[str, str, str]) -> None:
    shown = ((seen.relative_density, BLUE), (seen.risk, RED), (seen.contribution, RED))
    for axes, (values, colour), label in zip(row, shown, labels, strict=True):
        panels.steps(axes, seen.edges[0], values, colour, label)


def _of_blocks(name: str, how: str, seen: Projection) -> str:
    """Says what a block shows where it holds several cells."""
    if max(seen.cells_a_block) == 1:
        return name
    return f"{name}, {how} of {' × '.join(map(str, seen.cells_a_block))} cells"


def top_cells(cells: Cells, most: int) -> NDArray[np.int64]:
    """The cells that add most, leaving out those too near to one already taken."""
    candidates = np.array([row[0] for row in cells.top(CANDIDATES).rows], dtype=np.int64)
    spans = cells.grid.upper - cells.grid.lower
    places = places_of(candidates, cells, tuple(range(cells.grid.dimensions))) / spans
    taken: list[int] = []
    for place in range(len(candidates)):
        if len(taken) < most and all(np.abs(places[place] - places[other]).max() >= RING_SHARE for other in taken):
            taken.append(place)
    return candidates[taken]


def places_of(chosen: NDArray[np.int64], cells: Cells, features: tuple[int, ...]) -> FloatArray:
    """Centres of the chosen cells along the features."""
    lower, upper = cells.grid.corners(chosen)
    return (lower + upper)[:, list(features)] / 2
