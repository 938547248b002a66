"""Figures of the steps as SVG, a few kilobytes each however many rows there are."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import Artefact, Check
from surefoot.core.validate import FloatArray
from surefoot.documents import shortened, visible
from surefoot.drawing import BLUE, GREY, INK, RED, STATUS_COLOURS, Interval, draw_intervals, open_frame
from surefoot.opinions import Opinion
from surefoot.opinions.figures import opinion_triangle
from surefoot.project.steps.tables import one_sided

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 6.4
MOST_BARS = 50
MOST_MARGIN_BARS = 24
MOST_POINTS = 80
MOST_QUANTILES = 50
MOST_NAME = 40
FIXED = "Each bound holds for a number of tests fixed beforehand,\nnot for stopping where it looks good"


def intervals(rows: Sequence[Interval], label: str) -> Artefact:
    """Values with their intervals, one below the other."""
    figure, axes = _new(0.9 + 0.32 * len(rows))
    draw_intervals(axes, [(shortened(visible(name), MOST_NAME), low, at, high) for name, low, at, high in rows])
    if 0 <= min(low for _, low, _, _ in rows) < max(high for *_, high in rows) / 3:
        axes.set_xlim(left=0)
    axes.set_xlabel(label, parse_math=False)
    return drawn(figure)


def growth(
    sizes: NDArray[np.int64], shares: FloatArray, lower: FloatArray, upper: FloatArray, *, level: float
) -> Artefact:
    """A share and its bounds as rows come in."""
    figure, axes = _new(2.9)
    axes.fill_between(
        sizes, lower, upper, color=BLUE, alpha=0.18, lw=0, label=f"between lower and upper bound ({one_sided(level)})"
    )
    axes.plot(sizes, upper, color=BLUE, lw=1.6)
    axes.plot(sizes, shares, color=INK, lw=1.3, label="share of failures")
    axes.set(xscale="log", xlabel="rows, in the order in which they came", ylabel="failure probability", ylim=(0, None))
    axes.set_title(FIXED, fontsize=9, loc="left")
    axes.legend(frameon=False, fontsize=8)
    return drawn(figure)


def margins(values: FloatArray, normality: Check | None) -> Artefact:
    """Histogram of margins under the fitted normal density, and their normal probability plot."""
    figure, left = _new(3.1, panels=2)
    right = figure.axes[1]
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    _histogram(left, values, mean, sd)
    left.set_title(f"{values.size:,} margins and the fitted normal density", fontsize=9, loc="left")
    _probability_plot(right, values, mean, sd)
    if normality:
        colour = STATUS_COLOURS[normality.status]
        right.set_title(f"normality: {normality.status}", fontsize=9, loc="left", color=colour)
    return drawn(figure)


def losses(values: FloatArray, mean: float, upper: float | None, *, level: float) -> Artefact:
    """Histogram of losses with their mean and its bound."""
    figure, axes = _new(2.6)
    counts, edges = np.histogram(values, bins=MOST_BARS, range=(0, 1))
    axes.stairs(counts, edges, fill=True, color=BLUE, alpha=0.4)
    axes.axvline(mean, color=INK, lw=1.4, label="mean")
    if upper is not None:
        axes.axvline(upper, color=RED, lw=1.4, ls="--", label=f"upper bound of the mean ({one_sided(level)})")
    axes.set(xlabel="loss of a row", ylabel="number of rows", yscale="log", xlim=(0, 1), ylim=(0.5, None))
    axes.legend(frameon=False, fontsize=8)
    return drawn(figure)


def triangle(named: Mapping[str, Opinion]) -> Artefact:
    """Opinions in their triangle."""
    figure, axes = _new(4.6)
    opinion_triangle(named, ax=axes)
    axes.set_title("Opinions along the chain of doubts", fontsize=9, loc="left")
    return drawn(figure)


def drawn(figure: Figure) -> Artefact:
    """The figure as SVG; a character that the font lacks is the reader's font's business."""
    from surefoot.drawing import figure_svg

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        return Artefact("image/svg+xml", figure_svg(figure))


def _new(height: float, *, panels: int = 1) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    for axes in np.atleast_1d(figure.subplots(1, panels)):
        open_frame(axes).tick_params(labelsize=8)
    return figure, figure.axes[0]


def _histogram(axes: Axes, values: FloatArray, mean: float, sd: float) -> None:
    bars = int(np.clip(2.4 * np.cbrt(values.size), 8, MOST_MARGIN_BARS))
    density, edges = np.histogram(values, bins=bars, density=True)
    axes.stairs(density, edges, fill=True, color=BLUE, alpha=0.35)
    grid = np.linspace(min(edges[0], mean - 3.5 * sd), max(edges[-1], mean + 3.5 * sd), MOST_POINTS)
    axes.plot(grid, np.exp(-(((grid - mean) / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi)), color=INK, lw=1.2)
    axes.axvline(0, color=RED, lw=1.2)
    axes.set(xlabel="margin (failures are left of the red line)", ylabel="density")


def _probability_plot(axes: Axes, values: FloatArray, mean: float, sd: float) -> None:
    n = values.size
    wanted = special.ndtr(np.linspace(special.ndtri(0.625 / (n + 0.25)), 0, MOST_QUANTILES // 2))
    low = np.unique(np.clip(np.rint(wanted * (n + 0.25) + 0.375), 1, n).astype(int)) - 1
    ranks = np.union1d(low, n - 1 - low)
    expected = special.ndtri((ranks + 0.625) / (n + 0.25))
    found = (np.sort(values)[ranks] - mean) / sd
    axes.plot(expected[[0, -1]], expected[[0, -1]], color=GREY, lw=1.1, ls="--")
    axes.plot(expected, found, "o", color=BLUE, ms=3, mec="none")
    axes.set(xlabel="normal quantile", ylabel="standardised margin")
