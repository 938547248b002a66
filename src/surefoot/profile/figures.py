"""A density as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from surefoot.core import InvalidInput
from surefoot.drawing import BLUE, INK, new_axes, open_frame
from surefoot.profile.boundary import Domain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from surefoot.profile.kde import KDE

LINE, SIDE = 401, 161
"""Places shown along one feature, and along each of two."""
SHOWN = 2000
"""Points drawn at most, the same at every call."""


def plot_density(kde: KDE, frame: Domain, ax: Axes | None) -> Axes:
    """One feature: the density with two standard deviations to either side. Two: a map with the points."""
    dimensions = kde.points.shape[1]
    if dimensions > 2:
        raise InvalidInput("a density is drawn for one or two features", where="KDE.plot", found=f"{dimensions}")
    return (_line if dimensions == 1 else _map)(kde, frame, ax)


def _line(kde: KDE, frame: Domain, ax: Axes | None) -> Axes:
    axes = ax or new_axes(6.4, 3.6)
    places = np.linspace(frame.lower[0], frame.upper[0], LINE)
    density, deviation = kde.density(places[:, None]), np.sqrt(kde.variance(places[:, None]))
    low, high = np.maximum(density - 2 * deviation, 0), density + 2 * deviation
    axes.fill_between(places, low, high, color=BLUE, alpha=0.2, lw=0, label="2 standard deviations")
    axes.plot(places, density, color=BLUE, label="density")
    points = _some(kde)[:, 0]
    axes.plot(points, np.zeros_like(points), "|", color=INK, alpha=0.4, clip_on=False, label="points")
    axes.set(xlabel="feature", ylabel="density", xlim=(frame.lower[0], frame.upper[0]), ylim=(0, None))
    axes.legend(frameon=False)
    return open_frame(axes)


def _map(kde: KDE, frame: Domain, ax: Axes | None) -> Axes:
    axes = ax or new_axes(5.6, 4.6)
    sides = [np.linspace(low, high, SIDE) for low, high in zip(frame.lower, frame.upper, strict=True)]
    places = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
    density = kde.density(places).reshape(SIDE, SIDE)
    mesh = axes.pcolormesh(*sides, density.T, cmap="Blues", shading="gouraud", vmin=0, rasterized=True)
    axes.plot(*_some(kde).T, ".", color=INK, ms=2, alpha=0.35)
    axes.figure.colorbar(mesh, ax=axes, label="density")
    axes.set(xlabel="feature 0", ylabel="feature 1", xlim=tuple(sides[0][[0, -1]]), ylim=tuple(sides[1][[0, -1]]))
    return open_frame(axes)


def _some(kde: KDE) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    if len(kde.points) <= SHOWN:
        return kde.points
    return kde.points[np.random.default_rng(0).choice(len(kde.points), SHOWN, replace=False)]
