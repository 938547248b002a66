"""Figures of an assessment in cells: maps of where the risk sits, data and profile, settling, and limits.

Each returns a matplotlib figure as wide as a report; matplotlib is loaded when one is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core import validate
from surefoot.core.validate import FloatArray
from surefoot.draw import BLUE, RED
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

    from surefoot.reliability.result import Reliability

__all__ = ["Sample", "data_and_profile", "data_sets", "growth_by_k", "limits_figure", "maps"]

MOST_PIXELS = 125
ALONG_A_LINE = 4
"""A line is read across the whole width, so it shows more blocks than a map does."""
RINGED = 5
CANDIDATES = 200
RING_SHARE = 0.08
"""Rings nearer than this share of the domain would lie on each other."""
RISK_TICKS = (0, 0.1, 0.25, 0.5, 1)


def maps(
    reliability: Reliability, *, names: Sequence[str] | None = None, most_pixels: int = MOST_PIXELS, top: int = RINGED
) -> Figure:
    """Operational profile, risk inside cells, and what the cells add to the failure probability.

    Two features give maps, and where labels come from beside them; three give maps of each pair, one or many a row of
    steps for each. Cells are put together in at most ``most_pixels`` blocks a feature: of the risk the highest is
    shown, the rest is summed. The ``top`` contributing cells are ringed, those that stand apart.
    """
    validate.count(most_pixels, where="maps", name="most_pixels", at_least=1)
    cells = reliability.cells
    dimensions = cells.grid.dimensions
    shown = panels.feature_names(names, dimensions)
    if dimensions == 1:
        return _line(project(cells, (0,), most=most_pixels * ALONG_A_LINE), cells, shown[0])
    seen = [project(cells, view, most=most_pixels) for view in views(dimensions)]
    if dimensions == 2:
        return _square(seen[0], cells, shown, top)
    return _pairs(seen, cells, shown, top) if dimensions == 3 else _marginals(seen, shown, dimensions)


def _square(seen: Projection, cells: Cells, names: list[str], top: int) -> Figure:
    figure = panels.new_figure(7.3)
    density, sources, risk, contribution = figure.subplots(2, 2).ravel()
    for axes in figure.axes:
        panels.labelled(axes, names[0], names[1])
    panels.colour_bar(_density(density, seen, seen.relative_density), density, panels.FLAT)
    _sources(sources, seen, cells)
    panels.colour_bar(_risk(risk, seen, cells), risk, _of_blocks("probability of failure", "highest", seen), RISK_TICKS)
    drawn = _contribution(contribution, seen, seen.contribution)
    panels.rings(contribution, places_of(top_cells(cells, top), cells, seen.features))
    panels.colour_bar(drawn, contribution, _of_blocks("failure probability", "sum", seen))
    return figure


def _pairs(seen: list[Projection], cells: Cells, names: list[str], top: int) -> Figure:
    figure = panels.new_figure(7.7)
    grid = figure.subplots(len(seen), 3)
    densities = np.concatenate([each.relative_density.ravel() for each in seen])
    parts = np.concatenate([each.contribution.ravel() for each in seen])
    best = top_cells(cells, top)
    for row, each in zip(grid, seen, strict=True):
        drawn = (_density(row[0], each, densities), _risk(row[1], each, cells), _contribution(row[2], each, parts))
        panels.rings(row[2], places_of(best, cells, each.features))
        for place, axes in enumerate(row):
            panels.labelled(axes, names[each.features[0]], "" if place else names[each.features[1]])
    words = (panels.FLAT, "probability of failure, highest", "failure probability, sum")
    for column, (scale, word) in enumerate(zip(drawn, words, strict=True)):
        panels.colour_bar(scale, list(grid[:, column]), word, RISK_TICKS if column == 1 else None)
    return figure


def _density(axes: Axes, seen: Projection, all_shown: FloatArray) -> AxesImage:
    panels.titled(axes, panels.DENSITY)
    return panels.image(axes, seen.edges, seen.relative_density, **panels.density_look(all_shown))


def _risk(axes: Axes, seen: Projection, cells: Cells) -> AxesImage:
    panels.titled(axes, panels.RISK)
    drawn = panels.image(axes, seen.edges, panels.present(seen.risk), **panels.risk_look())
    crossed = np.flatnonzero(cells.source == CROSS_BOUNDARY)
    panels.crosses(axes, places_of(crossed[: panels.MOST_MARKS + 1], cells, seen.features))
    return drawn


def _contribution(axes: Axes, seen: Projection, all_shown: FloatArray) -> AxesImage:
    panels.titled(axes, panels.CONTRIBUTION)
    return panels.image(axes, seen.edges, panels.present(seen.contribution), **panels.contribution_look(all_shown))


def _sources(axes: Axes, seen: Projection, cells: Cells) -> None:
    panels.titled(axes, "Where labels come from")
    panels.image(axes, seen.edges, panels.source_image(seen.sources))
    panels.legend_below(axes, source_entries(cells), columns=1)


def source_entries(cells: Cells) -> list[tuple[str, str]]:
    """Sources that occur, with their share of operation, and their colours."""
    mass = np.bincount(cells.source, cells.mass, minlength=len(SOURCES))
    counts = np.bincount(cells.source, minlength=len(SOURCES))
    return [
        (f"{SOURCES[source]}: {mass[source]:.3g} of operation, {counts[source]:,} cells", colour)
        for source, colour in panels.SOURCE_COLOURS.items()
        if counts[source]
    ]


def _line(seen: Projection, cells: Cells, name: str) -> Figure:
    figure = panels.new_figure(5.2)
    density, risk, contribution, sources = figure.subplots(4, 1, sharex=True, height_ratios=(5, 5, 5, 1))
    _step_panels((density, risk, contribution), seen)
    panels.titled(sources, "Where labels come from")
    strip = panels.source_image(seen.sources)[:, None]
    panels.image(sources, (*seen.edges, np.array([0.0, 1.0])), strip).axes.set_box_aspect(None)
    sources.set_yticks([])
    sources.spines["left"].set_visible(False)
    panels.labelled(sources, name)
    panels.legend_below(sources, source_entries(cells), columns=2)
    return figure


def _marginals(seen: list[Projection], names: list[str], dimensions: int) -> Figure:
    figure = panels.new_figure(0.5 + 1.15 * len(seen))
    for row, each in zip(figure.subplots(len(seen), 3, squeeze=False), seen, strict=True):
        _step_panels(row, each)
    for row, each in zip(np.reshape(figure.axes, (-1, 3)), seen, strict=True):
        for axes in row:
            panels.labelled(axes, names[each.features[0]])
    if len(seen) < dimensions:
        figure.suptitle(f"The first {len(seen)} of {dimensions} features", fontsize=9, x=0.01, ha="left")
    return figure


def _step_panels(row: Sequence[Axes], seen: Projection) -> None:
    density, risk, contribution = row
    edges = seen.edges[0]
    panels.steps(panels.titled(density, panels.DENSITY), edges, seen.relative_density, BLUE, "1 where flat")
    panels.steps(panels.titled(risk, panels.RISK), edges, seen.risk, RED, "highest")
    panels.steps(panels.titled(contribution, panels.CONTRIBUTION), edges, seen.contribution, RED, "sum")


def _of_blocks(name: str, how: str, seen: Projection) -> str:
    """Says what a block shows where it holds several cells."""
    if max(seen.cells_a_block) == 1:
        return name
    return f"{name}, {how} of {' × '.join(map(str, seen.cells_a_block))} cells"


def top_cells(cells: Cells, most: int) -> np.ndarray:
    """The cells that add most, leaving out those too near to one already taken."""
    candidates = np.array([row[0] for row in cells.top(CANDIDATES).rows], dtype=np.int64)
    spans = cells.grid.upper - cells.grid.lower
    places = places_of(candidates, cells, tuple(range(cells.grid.dimensions))) / spans
    taken: list[int] = []
    for place in range(len(candidates)):
        if len(taken) < most and all(np.abs(places[place] - places[other]).max() >= RING_SHARE for other in taken):
            taken.append(place)
    return candidates[taken]


def places_of(chosen: np.ndarray, cells: Cells, features: tuple[int, ...]) -> FloatArray:
    """Centres of the chosen cells along the features."""
    lower, upper = cells.grid.corners(chosen)
    return (lower + upper)[:, list(features)] / 2
