"""Figures of data by class beside their approximated operational profile (RAM, Figures 5 and 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters.classes import numbered
from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.draw import COLOURS, shortened, visible
from surefoot.profile import Profile
from surefoot.reliability import inputs
from surefoot.reliability import map_panels as panels
from surefoot.reliability.grid import bounds_of
from surefoot.reliability.projection import relative_density, views

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLOCKS = 120
BARS = 40
COLUMNS = 3
MOST_CLASSES = 8
HEIGHTS = {1: 1.8, 2: 3.5}
"""Of a row of panels, in inches, by the number of features it shows."""
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
    """Points in the colour of their class on the left, their operational profile on the right (RAM, Figure 5).

    Three features give a row for each pair of them; one, or more than three, a row for each.
    """
    sample = _Checked.of(Sample(points, labels, classes, profile, domain), names)
    seen = views(sample.dimensions)
    figure = panels.new_figure((0.8 if len(seen[0]) == 1 else 0.5) + HEIGHTS[len(seen[0])] * len(seen))
    for row, view in zip(figure.subplots(len(seen), 2, squeeze=False), seen, strict=True):
        _draw_pair(row, sample, view)
    panels.legend_below(figure.axes[2 * len(seen) - 2], sample.entries, columns=COLUMNS)
    return figure


def data_sets(named: Mapping[str, Sample], *, names: Sequence[str] | None = None) -> Figure:
    """Several data sets side by side, each above its operational profile (RAM, Figure 6); one or two features."""
    samples = [_Checked.of(sample, names) for sample in named.values()]
    wide = [sample.dimensions for sample in samples if sample.dimensions > 2]
    if not samples or wide:
        found = f"{wide[0]} features" if wide else "no set"
        raise InvalidInput("data_sets draws sets of one or two features", where="data_sets", found=found)
    figure = panels.new_figure(1.0 + 12.6 / len(samples) if len(samples) > 1 else 12.0)
    columns = figure.subplots(2, len(samples), squeeze=False).T
    for name, column, sample in zip(named, columns, samples, strict=True):
        _draw_pair(column, sample, views(sample.dimensions)[0])
        panels.titled(column[0], f"{shortened(visible(name), panels.MOST_NAME)}: {len(sample.points):,} points")
        panels.legend_below(column[0], sample.entries, columns=COLUMNS)
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

    def blocks(self, view: tuple[int, ...]) -> tuple[tuple[FloatArray, ...], FloatArray]:
        """Edges along the features of a view, and the density there over that of a flat profile."""
        count = BLOCKS if len(view) == 2 else BLOCKS * 2
        edges = [np.linspace(*ends, count + 1 if axis in view else 2) for axis, ends in enumerate(self._spans)]
        mass = self.profile.grid_mass(edges)
        seen = tuple(edges[axis] for axis in view)
        return seen, relative_density(np.squeeze(mass / mass.sum()), seen)

    @property
    def _spans(self) -> list[tuple[float, float]]:
        return list(zip(self.lower.tolist(), self.upper.tolist(), strict=True))


def _draw_pair(row: Sequence[Axes], sample: _Checked, view: tuple[int, ...]) -> None:
    """Data and profile along one or two features."""
    left, right = row
    edges, density = sample.blocks(view)
    panels.titled(left, f"{len(sample.points):,} points")
    panels.titled(right, panels.DENSITY)
    if len(view) == 1:
        _bars(left, sample, view[0])
        panels.steps(right, edges[0], density, panels.BLUE, panels.FLAT)
    else:
        _dots(left, sample, view)
        drawn = panels.image(right, edges, density, **panels.density_look(density))
        panels.colour_bar(drawn, right, panels.FLAT)
    for axes in row:
        axes.set_xlim(sample.lower[view[0]], sample.upper[view[0]])
        axes.set_xlabel(sample.features[view[0]], fontsize=panels.SMALL, parse_math=False)
        if len(view) == 2:
            axes.set_ylabel(sample.features[view[1]], fontsize=panels.SMALL, parse_math=False)


def _dots(axes: Axes, sample: _Checked, view: tuple[int, ...]) -> None:
    """Points as one small image, in no order, so that no class covers another."""
    order = np.random.default_rng(0).permutation(len(sample.points))
    shown = [_colour(number) for number in sample.classes[order]]
    x, y = sample.points[order][:, list(view)].T
    area = float(np.clip(9000 / len(order), 0.35, 12))
    axes.scatter(x, y, c=shown, s=area, lw=0, alpha=0.8, rasterized=True)
    axes.set_ylim(sample.lower[view[1]], sample.upper[view[1]])
    axes.set_box_aspect(1)


def _bars(axes: Axes, sample: _Checked, feature: int) -> None:
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
