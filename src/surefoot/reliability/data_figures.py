"""Figures of data by class beside their approximated operational profile (RAM, Figures 5 and 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters.classes import numbered
from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.documents import shortened, visible
from surefoot.drawing import BLUE, COLOURS
from surefoot.profile import Profile
from surefoot.reliability import inputs, layout
from surefoot.reliability import map_panels as panels
from surefoot.reliability.grid import bounds_of
from surefoot.reliability.projection import relative_density, views

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    """Points with their labels, the names of the classes, and the profile made from them on a domain."""

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
    """
    sample = _Checked.of(Sample(points, labels, classes, profile, domain), names)
    seen = views(sample.dimensions)
    if sample.dimensions == 1:
        figure = layout.new_figure(2.7)
        columns = figure.subplots(1, 2)
    elif sample.dimensions == 2:
        figure, columns = layout.tiles(2, [layout.BELOW_LEGEND])
    else:
        figure, grid = layout.tiles(len(seen), [BELOW_CLASSES, layout.BELOW_LEGEND])
        columns = grid.T
    for column, view in zip(np.reshape(columns, (-1, 2)), seen, strict=True):
        _draw(column, sample, view)
    layout.legend_below(figure, figure.axes[0], sample.entries, columns=3)
    return figure


def data_sets(named: Mapping[str, Sample], *, names: Sequence[str] | None = None) -> Figure:
    """Two or more data sets side by side, each above its operational profile (RAM, Figure 6); one or two features."""
    samples = [_Checked.of(sample, names) for sample in named.values()]
    unfit = [sample.dimensions for sample in samples if sample.dimensions > 2]
    if len(samples) < 2 or unfit:
        found = f"{unfit[0]} features" if unfit else f"sets: {len(samples)}"
        raise InvalidInput("give two or more sets of one or two features", where="data_sets", found=found)
    figure, grid = layout.tiles(len(samples), [BELOW_CLASSES, layout.BELOW_LEGEND])
    for name, column, sample in zip(named, grid.T, samples, strict=True):
        _draw(column, sample, views(sample.dimensions)[0])
        layout.titled(column[0], f"{shortened(visible(name), layout.MOST_NAME)}: {len(sample.points):,} points")
        layout.legend_below(figure, column[0], sample.entries, columns=2)
    return figure


@dataclass(frozen=True, eq=False)
class _Checked:
    points: FloatArray
    classes: NDArray[np.int64]
    names_of_classes: tuple[str, ...]
    profile: Profile
    lower: FloatArray
    upper: FloatArray
    features: list[str]

    @classmethod
    def of(cls, sample: Sample, names: Sequence[str] | None) -> _Checked:
        data = inputs.labelled(sample.points, sample.labels, name="points")
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
            layout.feature_names(names, dimensions),
        )

    @property
    def dimensions(self) -> int:
        return self.points.shape[1]

    @property
    def entries(self) -> list[tuple[str, str]]:
        """Names and colours of the first classes."""
        counts = np.bincount(self.classes, minlength=len(self.names_of_classes))
        named = [
            (f"{shortened(visible(name), layout.MOST_NAME)} ({count:,})", _colour(number))
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


def _draw(row: Sequence[Axes], sample: _Checked, view: tuple[int, ...]) -> None:
    """Data and profile along one or two features."""
    left, right = row
    edges = tuple(sample.edges[axis] for axis in view)
    others = tuple(axis for axis in range(sample.dimensions) if axis not in view)
    density = relative_density(sample.mass.sum(axis=others), edges)
    layout.titled(left, f"{len(sample.points):,} points")
    layout.titled(right, panels.DENSITY)
    if len(view) == 1:
        _bars(left, sample, view[0])
        panels.steps(right, edges[0], density, BLUE, panels.FLAT)
    else:
        _dots(left, sample, view)
        drawn = panels.image(right, edges, density, **panels.density_look(density))
        panels.colour_bar(drawn, panels.FLAT)
    for axes in row:
        axes.set_xlim(sample.lower[view[0]], sample.upper[view[0]])
        axes.set_xlabel(sample.features[view[0]], fontsize=layout.SMALL, parse_math=False)
        if len(view) == 2:
            axes.set_ylabel(sample.features[view[1]], fontsize=layout.SMALL, parse_math=False)


def _dots(axes: Axes, sample: _Checked, view: tuple[int, ...]) -> None:
    """Points as one small image, in no order, so that no class covers another."""
    order = np.random.default_rng(0).permutation(len(sample.points))
    shown = [_colour(number) for number in sample.classes[order]]
    x, y = sample.points[order][:, list(view)].T
    area, smooth = float(np.clip(6000 / len(order), 0.35, 10)), len(order) <= SMOOTH_DOTS
    axes.scatter(x, y, c=shown, s=area, lw=0, antialiased=smooth, rasterized=True)
    axes.set_ylim(sample.lower[view[1]], sample.upper[view[1]])


def _bars(axes: Axes, sample: _Checked, feature: int) -> None:
    """How many points of each class lie where, one above the other."""
    edges = np.linspace(sample.lower[feature], sample.upper[feature], BARS + 1)
    base = np.zeros(BARS)
    for number in range(len(sample.names_of_classes)):
        counts = np.histogram(sample.points[sample.classes == number, feature], edges)[0]
        axes.stairs(base + counts, edges, baseline=base, fill=True, color=_colour(number), alpha=0.75, lw=0)
        base = base + counts
    axes.set_ylim(0, None)
    axes.set_ylabel("points", fontsize=layout.SMALL)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]
