"""Maps of an assessment in cells: where the risk sits, and the data beside their profile (RAM, Figures 5 and 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters.labels import numbered
from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import shortened, significant, visible
from surefoot.drawing import BLUE, COLOURS, INK, PALE, RED
from surefoot.profile import Profile
from surefoot.reliability import panels
from surefoot.reliability.cells.assessment import labelled_points
from surefoot.reliability.cells.table import ASKED, CROSS_BOUNDARY, EMPTY, NORMAL, SOURCES, Cells, bounds_of
from surefoot.reliability.panels import growth_by_k, limits_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

    from surefoot.reliability.cells.result import CellReliability


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
FLAT = "density, 1 where flat"
DENSITY, RISK, CONTRIBUTION = "Operational profile", "Risk inside cells", "Contribution of cells"
SOURCE_COLOURS = {EMPTY: PALE, NORMAL: BLUE, ASKED: COLOURS[3], CROSS_BOUNDARY: INK}


def maps(
    reliability: CellReliability,
    *,
    names: Sequence[str] | None = None,
    most_pixels: int = MOST_PIXELS,
    top: int = RINGED,
) -> Figure:
    """Operational profile, risk inside cells, and what the cells add to the failure probability.

    Two features give maps, and where labels come from beside them; three give maps of each pair, one or many a row of
    steps for each. ``CellReliability.plot`` calls it.

    Parameters
    ----------
    reliability
        As ``assess_cells`` returns it.
    names
        Of the features.
    most_pixels
        Cells are put together in at most so many blocks a feature: of the risk the highest is shown, the rest is
        summed.
    top
        How many of the contributing cells are ringed, those that stand apart.

    Returns
    -------
    Figure
        Of matplotlib, as wide as a report.

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
    figure, grid = panels.tiles(2, [panels.BELOW_LEGEND, panels.BELOW_LEGEND])
    density, sources, risk, contribution = grid.ravel()
    for axes in figure.axes:
        panels.label_axes(axes, *names)
    panels.colour_bar(_density(density, seen, seen.relative_density), FLAT)
    panels.add_title(sources, SOURCES_TITLE)
    panels.image(sources, seen.edges, source_image(seen.sources))
    panels.legend_below(figure, sources, source_entries(cells), columns=1)
    panels.colour_bar(_risk(risk, seen, cells), _of_blocks("probability of failure", "highest", seen), RISK_TICKS)
    drawn = _contribution(contribution, seen, seen.contribution, places_of(top_cells(cells, top), cells, seen.features))
    panels.colour_bar(drawn, _of_blocks("failure probability", "sum", seen))
    return figure


def _pairs(seen: list[Projection], cells: Cells, names: list[str], top: int) -> Figure:
    figure, grid = panels.tiles(3, [panels.BELOW_ROW, panels.BELOW_ROW, panels.BELOW_LEGEND], shared=True)
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
            panels.add_title(axes, axes.get_title(loc="left") if each is seen[0] else "")
            panels.label_axes(axes, names[each.features[0]], "" if place else names[each.features[1]])
    panels.colour_bar(drawn[0], FLAT)
    crossed = any(each.crossed.any() for each in seen)
    panels.colour_bar(drawn[1], f"highest{'; black: cross-boundary' if crossed else ' probability'}", RISK_TICKS)
    panels.colour_bar(drawn[2], f"sum{'; ringed: the largest' if best.size else ''}")
    return figure


def _density(axes: Axes, seen: Projection, all_shown: FloatArray) -> AxesImage:
    panels.add_title(axes, DENSITY)
    return panels.image(axes, seen.edges, seen.relative_density, **panels.density_look(all_shown))


def _risk(axes: Axes, seen: Projection, cells: Cells) -> AxesImage:
    crossed = np.flatnonzero(cells.source == CROSS_BOUNDARY)
    panels.add_title(axes, RISK, "black: cross-boundary" if crossed.size else "")
    drawn = panels.image(axes, seen.edges, risk_shown(seen), **panels.risk_look())
    panels.squares(axes, places_of(crossed[: panels.MOST_MARKS + 1], cells, seen.features))
    return drawn


def risk_shown(seen: Projection) -> NDArray[Any]:
    """Risk where there is one, and more than 1 in blocks with a cross-boundary cell."""
    return panels.present(np.where(seen.crossed, ABOVE_ALL, seen.risk))


def _contribution(axes: Axes, seen: Projection, all_shown: FloatArray, ringed: FloatArray) -> AxesImage:
    panels.add_title(axes, CONTRIBUTION, "ringed: the largest" if len(ringed) else "")
    panels.rings(axes, ringed)
    return panels.image(axes, seen.edges, panels.present(seen.contribution), **panels.contribution_look(all_shown))


def _line(seen: Projection, cells: Cells, name: str) -> Figure:
    figure = panels.new_figure(5.6)
    density, risk, contribution, sources = figure.subplots(4, 1, sharex=True, height_ratios=(5, 5, 5, 1))
    _steps((density, risk, contribution), seen, ("1 where flat", "probability", "probability"))
    panels.add_title(density, DENSITY)
    panels.add_title(risk, _of_blocks(RISK, "highest", seen))
    panels.add_title(contribution, _of_blocks(CONTRIBUTION, "sum", seen))
    panels.add_title(sources, SOURCES_TITLE)
    panels.image(sources, (*seen.edges, np.array([0.0, 1.0])), source_image(seen.sources)[:, None])
    sources.set_yticks([])
    sources.spines["left"].set_visible(False)
    panels.label_axes(sources, name)
    panels.legend_below(figure, sources, source_entries(cells), columns=2)
    return figure


def _marginals(seen: list[Projection], names: list[str], dimensions: int) -> Figure:
    figure = panels.new_figure(0.6 + 1.2 * len(seen))
    for row, each in zip(figure.subplots(len(seen), 3), seen, strict=True):
        _steps(row, each, ("1 where flat", "highest", "sum"))
        for axes, title in zip(row, (DENSITY, RISK, CONTRIBUTION), strict=True):
            panels.add_title(axes, title if each is seen[0] else "")
            axes.set_xlabel(names[each.features[0]], fontsize=panels.SMALL, parse_math=False)
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


def source_image(sources: FloatArray) -> FloatArray:
    """Colours of sources mixed by their share of a block; a cross-boundary cell colours its whole block."""
    from matplotlib.colors import to_rgb

    palette = np.array([to_rgb(SOURCE_COLOURS[source]) for source in range(len(SOURCES))])
    mixed = np.clip(sources @ palette, 0, 1)
    mixed[sources[..., CROSS_BOUNDARY] > 0] = palette[CROSS_BOUNDARY]
    return np.asarray(mixed)


def source_entries(cells: Cells) -> list[tuple[str, str]]:
    """Sources that occur, with their share of operation, and their colours."""
    mass = np.bincount(cells.source, cells.mass, minlength=len(SOURCES))
    counts = np.bincount(cells.source, minlength=len(SOURCES))
    return [
        (f"{SOURCES[source]}, {significant(100 * mass[source])}% of operation", colour)
        for source, colour in SOURCE_COLOURS.items()
        if counts[source]
    ]


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


# Data by class beside their approximated operational profile.

BLOCKS = (240, 120, 40)
"""Blocks along each feature, by the number of features."""
MOST_FEATURES = len(BLOCKS)
BARS = 40
MOST_CLASSES = 8
BELOW_CLASSES = 0.85
SMOOTH_DOTS = 2000
"""Fewer points than this are worth the bytes of smooth edges."""
WHERE = "data_and_profile"


@dataclass(frozen=True, eq=False)
class Sample:
    """Points with their labels, the names of the classes, and the profile made from them on a domain.

    Parameters
    ----------
    points, labels
        Inputs of one to three features, and the class of each.
    classes
        Names of all classes.
    profile
        Fitted to the points.
    domain
        Low and high of each feature, or one pair for all.

    """

    points: ArrayLike
    labels: ArrayLike
    classes: Sequence[str]
    profile: Profile
    domain: Any


def data_and_profile(
    points: ArrayLike,
    labels: ArrayLike,
    classes: Sequence[str],
    profile: Profile,
    domain: Any,
    *,
    names: Sequence[str] | None = None,
) -> Figure:
    """Points in the colour of their class, and their operational profile (RAM, Figure 5); up to three features.

    One or two features give the data on the left and the profile on the right, three a column for each pair of them.

    Parameters
    ----------
    points, labels, classes, profile, domain
        As for ``Sample``.
    names
        Of the features.

    Returns
    -------
    Figure
        Of matplotlib, as wide as a report.

    """
    sample = _CheckedSample.of(Sample(points, labels, classes, profile, domain), names)
    seen = views(sample.dimensions)
    if sample.dimensions == 1:
        figure = panels.new_figure(2.7)
        columns = figure.subplots(1, 2)
    elif sample.dimensions == 2:
        figure, columns = panels.tiles(2, [panels.BELOW_LEGEND])
    else:
        figure, grid = panels.tiles(len(seen), [BELOW_CLASSES, panels.BELOW_LEGEND])
        columns = grid.T
    for column, view in zip(np.reshape(columns, (-1, 2)), seen, strict=True):
        _draw(column, sample, view)
    panels.legend_below(figure, figure.axes[0], sample.entries, columns=3)
    return figure


def data_sets(named: Mapping[str, Sample], *, names: Sequence[str] | None = None) -> Figure:
    """Two or more data sets side by side, each above its operational profile (RAM, Figure 6); one or two features.

    Parameters
    ----------
    named
        Data sets by their names.
    names
        Of the features.

    Returns
    -------
    Figure
        Of matplotlib, as wide as a report.

    """
    samples = [_CheckedSample.of(sample, names) for sample in named.values()]
    unfit = [sample.dimensions for sample in samples if sample.dimensions > 2]
    if len(samples) < 2 or unfit:
        found = f"{unfit[0]} features" if unfit else f"sets: {len(samples)}"
        raise InvalidInput("give two or more sets of one or two features", where="data_sets", found=found)
    figure, grid = panels.tiles(len(samples), [BELOW_CLASSES, panels.BELOW_LEGEND])
    for name, column, sample in zip(named, grid.T, samples, strict=True):
        _draw(column, sample, views(sample.dimensions)[0])
        panels.add_title(column[0], f"{shortened(visible(name), panels.MOST_NAME)}: {len(sample.points):,} points")
        panels.legend_below(figure, column[0], sample.entries, columns=2)
    return figure


@dataclass(frozen=True, eq=False)
class _CheckedSample:
    points: FloatArray
    classes: NDArray[np.int64]
    names_of_classes: tuple[str, ...]
    profile: Profile
    lower: FloatArray
    upper: FloatArray
    features: list[str]

    @classmethod
    def of(cls, sample: Sample, names: Sequence[str] | None) -> _CheckedSample:
        data = labelled_points(sample.points, sample.labels, name="points")
        classes = tuple(map(str, sample.classes))
        dimensions = data.points.shape[1]
        if dimensions > MOST_FEATURES:
            raise InvalidInput(
                f"a figure shows up to {MOST_FEATURES} features",
                where=WHERE,
                found=f"{dimensions}",
                remedy="Choose columns, and a profile fitted to them.",
            )
        return cls(
            data.points,
            numbered(data.labels, classes, where=WHERE).numbers,
            classes,
            sample.profile,
            *bounds_of(sample.domain, dimensions),
            panels.feature_names(names, dimensions),
        )

    @property
    def dimensions(self) -> int:
        return self.points.shape[1]

    @property
    def entries(self) -> list[tuple[str, str]]:
        """Names and colours of the first classes."""
        counts = np.bincount(self.classes, minlength=len(self.names_of_classes))
        named = [
            (f"{shortened(visible(name), panels.MOST_NAME)} ({count:,})", _colour(number))
            for number, (name, count) in enumerate(zip(self.names_of_classes, counts, strict=True))
        ]
        more = len(named) - MOST_CLASSES
        return named if more <= 0 else [*named[:MOST_CLASSES], (f"and {more} more", "none")]

    @cached_property
    def edges(self) -> tuple[FloatArray, ...]:
        """Edges of blocks along each feature."""
        count = BLOCKS[self.dimensions - 1] + 1
        return tuple(np.linspace(low, high, count) for low, high in zip(self.lower, self.upper, strict=True))

    @cached_property
    def mass(self) -> FloatArray:
        """Share of the profile in each block; the domain holds all of it."""
        # Exact masses of a kernel with correlated features take minutes in three dimensions.
        mass = self.profile.grid_mass(self.edges, rule="exact" if self.dimensions < MOST_FEATURES else "centre")
        return np.asarray(mass / mass.sum())


def _draw(row: Sequence[Axes], sample: _CheckedSample, view: tuple[int, ...]) -> None:
    """Data and profile along one or two features."""
    left, right = row
    edges = tuple(sample.edges[axis] for axis in view)
    others = tuple(axis for axis in range(sample.dimensions) if axis not in view)
    density = relative_density(sample.mass.sum(axis=others), edges)
    panels.add_title(left, f"{len(sample.points):,} points")
    panels.add_title(right, DENSITY)
    if len(view) == 1:
        _bars(left, sample, view[0])
        panels.steps(right, edges[0], density, BLUE, FLAT)
    else:
        _dots(left, sample, view)
        drawn = panels.image(right, edges, density, **panels.density_look(density))
        panels.colour_bar(drawn, FLAT)
    for axes in row:
        axes.set_xlim(sample.lower[view[0]], sample.upper[view[0]])
        axes.set_xlabel(sample.features[view[0]], fontsize=panels.SMALL, parse_math=False)
        if len(view) == 2:
            axes.set_ylabel(sample.features[view[1]], fontsize=panels.SMALL, parse_math=False)


def _dots(axes: Axes, sample: _CheckedSample, view: tuple[int, ...]) -> None:
    """Points as one small image, in no order, so that no class covers another."""
    order = np.random.default_rng(0).permutation(len(sample.points))
    shown = [_colour(number) for number in sample.classes[order]]
    x, y = sample.points[order][:, list(view)].T
    area, smooth = float(np.clip(6000 / len(order), 0.35, 10)), len(order) <= SMOOTH_DOTS
    axes.scatter(x, y, c=shown, s=area, lw=0, antialiased=smooth, rasterized=True)
    axes.set_ylim(sample.lower[view[1]], sample.upper[view[1]])


def _bars(axes: Axes, sample: _CheckedSample, feature: int) -> None:
    """How many points of each class lie where, one above the other."""
    edges = np.linspace(sample.lower[feature], sample.upper[feature], BARS + 1)
    base = np.zeros(BARS)
    for number in range(len(sample.names_of_classes)):
        counts = np.histogram(sample.points[sample.classes == number, feature], edges)[0]
        axes.stairs(base + counts, edges, baseline=base, fill=True, color=_colour(number), alpha=0.75, lw=0)
        base = base + counts
    axes.set_ylim(0, None)
    axes.set_ylabel("points", fontsize=panels.SMALL)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


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
    edges = tuple(
        np.append(grid.edges[feature][:-1:size], grid.edges[feature][-1])
        for feature, size in zip(features, sizes, strict=True)
    )

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


def _blocks(
    cube: NDArray[np.generic], features: tuple[int, ...], sizes: tuple[int, ...], combine: np.ufunc
) -> FloatArray:
    others = tuple(axis for axis in range(cube.ndim) if axis not in features)
    found = combine.reduce(cube, axis=others) if others else cube
    for axis, size in enumerate(sizes):
        found = combine.reduceat(found, np.arange(0, found.shape[axis], size), axis=axis)
    return np.asarray(found, dtype=float)
