"""Figures of the normal-score bounds: one for each check of an assumption, and the surface of g_N.

Each function draws on ``ax``, or on a new figure, and returns the axes. matplotlib is loaded when one is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.bounds import assumption_tests
from surefoot.bounds.score_function import checked_sizes, minimise, score_bound
from surefoot.bounds.statement import plain_array
from surefoot.core import Check, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.drawing import BLUE, INK, RED, STATUS_COLOURS, new_axes, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


CHECK_SIZE = (4.6, 3.6)
SURFACE_POINTS = 240
SHOWN_COPIES = 8
SHOWN_POINTS = 4000


def plot_anderson_darling(margins: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Empirical and fitted distribution function, with their largest distance.

    Parameters
    ----------
    margins
        How far the best acceptable score of each row is ahead of its best undesired one; see ``margins``.
    ax
        Axes to draw on; a new figure without.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    plot_assumption_checks : All of them side by side, with an example.

    """
    z, axes = _sorted_standard(margins, "plot_anderson_darling"), ax or new_axes(*CHECK_SIZE)
    fitted, rank = special.ndtr(z), np.arange(1, z.size + 1) / z.size
    grid = np.linspace(z[0] - 0.3, z[-1] + 0.3, 400)
    axes.step(*_thinned(z, rank), where="post", color=BLUE, lw=1.6, label="margins")
    axes.plot(grid, special.ndtr(grid), color=INK, lw=1.1, ls="--", label="fitted normal")
    above, below = rank - fitted, fitted - rank + 1 / z.size
    worst = int(np.argmax(np.maximum(above, below)))
    step = rank[worst] if above[worst] >= below[worst] else rank[worst] - 1 / z.size
    axes.vlines(z[worst], float(step), float(fitted[worst]), color=RED, lw=3, label="largest distance")
    axes.set(xlabel="standardised margin", ylabel="share at or below", ylim=(0, 1))
    axes.legend(frameon=False, fontsize=8, loc="best")
    return _titled(axes, assumption_tests.anderson_darling(margins), "distance {distance:.3f}, p = {p_value:.2g}")


def plot_jarque_bera(margins: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Histogram of the margins under the density of the fitted normal; failures are left of the red line.

    Parameters
    ----------
    margins
        How far the best acceptable score of each row is ahead of its best undesired one; see ``margins``.
    ax
        Axes to draw on; a new figure without.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    plot_assumption_checks : All of them side by side, with an example.

    """
    values, axes = (
        validate.vector(margins, where="plot_jarque_bera", name="margins", at_least=3),
        ax or new_axes(*CHECK_SIZE),
    )
    check = assumption_tests.jarque_bera(values)
    bins = int(np.clip(2 * np.cbrt(values.size) * 1.2, 8, 80))
    axes.hist(values, bins=bins, density=True, color=BLUE, alpha=0.35, edgecolor="white", lw=0.5)
    mean, sd = values.mean(), values.std(ddof=1)
    grid = np.linspace(min(values.min(), mean - 3.5 * sd), max(values.max(), mean + 3.5 * sd), 400)
    axes.plot(grid, np.exp(-(((grid - mean) / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi)), color=INK, lw=1.3)
    if grid[0] < 0 < grid[-1]:
        axes.axvline(0, color=RED, lw=1.2)
    axes.set(xlabel="margin", ylabel="density")
    return _titled(axes, check, "skewness {skewness:.2f}, excess kurtosis {excess_kurtosis:.2f}, p = {p_value:.2g}")


def plot_shapiro_wilk(margins: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Normal probability plot: normal margins lie on the line.

    Parameters
    ----------
    margins
        How far the best acceptable score of each row is ahead of its best undesired one; see ``margins``.
    ax
        Axes to draw on; a new figure without.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    plot_assumption_checks : All of them side by side, with an example.

    """
    z, axes = _sorted_standard(margins, "plot_shapiro_wilk"), ax or new_axes(*CHECK_SIZE)
    expected = special.ndtri((np.arange(1, z.size + 1) - 0.375) / (z.size + 0.25))
    ends = np.array([expected[0] - 0.2, expected[-1] + 0.2])
    axes.plot(ends, ends, color=INK, lw=1.1, ls="--")
    axes.plot(*_thinned(expected, z), "o", color=BLUE, ms=3.5, alpha=0.7, mec="none")
    axes.set(xlabel="normal quantile", ylabel="standardised margin")
    return _titled(axes, assumption_tests.shapiro_wilk(margins), "W = {statistic:.4f}, p = {p_value:.2g}")


@validate.arguments
def plot_duplicates(rows: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """How many distinct rows occur once, twice, and so on.

    Parameters
    ----------
    rows
        Margins or feature rows.
    ax
        Axes to draw on; a new figure without.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    plot_assumption_checks : All of them side by side, with an example.

    """
    check = assumption_tests.duplicates(rows)
    axes = new_axes(*CHECK_SIZE) if ax is None else open_frame(ax)
    table = plain_array(rows, where="plot_duplicates", name="rows")
    _, copies = np.unique(table.reshape(len(table), -1), axis=0, return_counts=True)
    counts = np.bincount(np.minimum(copies, SHOWN_COPIES), minlength=SHOWN_COPIES + 1)[1:]
    shown = np.flatnonzero(counts)[-1] + 1
    bars = axes.bar(np.arange(1, shown + 1), counts[:shown], width=0.7, color=[BLUE] + [RED] * (shown - 1))
    axes.bar_label(bars, labels=[f"{c:,}" if c else "" for c in counts[:shown]], fontsize=8, color=INK)
    names = [f"{k}" if k < SHOWN_COPIES else f"{k}+" for k in range(1, shown + 1)]
    axes.set_xticks(np.arange(1, shown + 1), names)
    axes.set(xlabel="times a row occurs", ylabel="distinct rows", xlim=(0.3, max(shown, 3) + 0.7))
    axes.margins(y=0.12)
    return _titled(axes, check, "{copies:,} of {rows:,} rows repeat an earlier one", name="duplicate rows")


def plot_split_half_drift(margins: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Distribution functions of the first and the second half of the rows.

    Parameters
    ----------
    margins
        Margins, in the order in which they came.
    ax
        Axes to draw on; a new figure without.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    plot_assumption_checks : All of them side by side, with an example.

    """
    check, axes = assumption_tests.split_half_drift(margins), ax or new_axes(*CHECK_SIZE)
    values = np.asarray(margins, dtype=float)
    halves = {"first half": values[: values.size // 2], "second half": values[values.size // 2 :]}
    for (name, half), colour in zip(halves.items(), (BLUE, RED), strict=True):
        shares = np.arange(1, half.size + 1) / half.size
        axes.step(*_thinned(np.sort(half), shares), where="post", color=colour, lw=1.5, label=name)
    axes.set(xlabel="margin", ylabel="share at or below", ylim=(0, 1))
    axes.legend(frameon=False, fontsize=8, loc="best")
    found = "distance {distance:.3f}, mean shift {mean_shift:.2f} sd, p = {p_shift:.2g}"
    return _titled(axes, check, found, name="drift between halves")


def plot_assumption_checks(margins: ArrayLike, rows: ArrayLike | None = None, *, title: str = "") -> Figure:
    """All five checks side by side.

    Parameters
    ----------
    margins
        How far the best acceptable score of each row is ahead of its best undesired one; see ``margins``.
    rows
        Feature rows in which to look for duplicates; without them the margins serve.
    title
        Stands above the figure.

    Returns
    -------
    Figure
        With five axes.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> figure = sf.bounds.plot_assumption_checks(np.random.default_rng(0).normal(1.0, 1.0, 200))
    >>> len(figure.axes)
    5

    """
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 5, figsize=(18, 3.6), layout="constrained")
    plot_anderson_darling(margins, ax=axes[0])
    plot_jarque_bera(margins, ax=axes[1])
    plot_shapiro_wilk(margins, ax=axes[2])
    plot_duplicates(margins if rows is None else rows, ax=axes[3])
    plot_split_half_drift(margins, ax=axes[4])
    if title:
        figure.suptitle(title, fontsize=12, x=0.01, ha="left", color=INK)
    return figure


@validate.arguments
def plot_score_surface(ratio: float, n: int, *, ax: Axes | None = None) -> Axes:
    """Contours of g_N over gamma and eta on logarithmic axes, with its minimum (NRB, Figure 3).

    Parameters
    ----------
    ratio
        Mean over standard deviation of margins.
    n
        Number of margins.
    ax
        Axes to draw on; a new figure without.

    Returns
    -------
    Axes
        What was drawn on.

    References
    ----------
    NRB, Figure 3.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.bounds.plot_score_surface(1.5, 100).get_xscale()
    'log'

    """
    checked_sizes(ratio, n, where="plot_score_surface")
    lowest = minimise(ratio, n)
    if not lowest.exists:
        raise Undefined(
            "g_N has no minimum below 0.5",
            where="plot_score_surface",
            found=f"mean/sd = {ratio:g}, N = {n}",
            remedy="Collect more margins.",
        )
    axes = ax or new_axes(6.4, 5.0)
    gamma, eta = (_around(float(centre)) for centre in (lowest.gamma, lowest.eta))
    surface = score_bound(ratio, n, gamma[None, :], eta[:, None])
    lift = float(surface.max() - lowest.value)
    levels = float(lowest.value) + lift * np.linspace(0, 1, 25) ** 2
    filled = axes.contourf(gamma, eta, surface, levels=levels, cmap="viridis_r")
    axes.contour(gamma, eta, surface, levels=levels[::3], colors="white", linewidths=0.5, alpha=0.7)
    axes.plot(lowest.gamma, lowest.eta, "o", color=RED, ms=9, mec="white", mew=1.4, zorder=3)
    axes.set(xscale="log", yscale="log", xlabel=r"$\gamma$ (mean)", ylabel=r"$\eta$ (spread)")
    bar = axes.figure.colorbar(filled, ax=axes, label="$g_N$", format="%.3g")
    bar.set_ticks([float(v) for v in levels[::4]])
    text = f"minimum {float(lowest.value):.4g}"
    axes.set_title(f"$g_N$ for mean/sd = {ratio:.3g}, N = {n:,}: {text}", fontsize=10, loc="left")
    return axes


def _around(centre: float) -> FloatArray:
    return np.geomspace(centre / 30, min(centre * 30, 0.6), SURFACE_POINTS)


def _sorted_standard(margins: ArrayLike, where: str) -> FloatArray:
    return np.sort(assumption_tests.standardised(margins, where=where))


def _thinned(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Evenly chosen points where there are too many to see, both ends kept."""
    if x.size <= SHOWN_POINTS:
        return x, y
    chosen = np.linspace(0, x.size - 1, SHOWN_POINTS).astype(int)
    return x[chosen], y[chosen]


def _titled(axes: Axes, check: Check, text: str, *, name: str = "") -> Axes:
    axes.set_title(
        f"{name or check.method}: {check.status}", fontsize=10, loc="left", color=STATUS_COLOURS[check.status], pad=18
    )
    axes.text(0, 1.02, text.format(**check.figures), transform=axes.transAxes, fontsize=8, color=INK, va="bottom")
    axes.tick_params(labelsize=8)
    return open_frame(axes)
