"""Figures of opinions: the triangle, Beta densities, the sensitivity of a chain.

Each function draws on ``ax``, or on a new figure, and returns the axes. matplotlib is loaded when one is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.drawing import COLOURS, GREY, INK, PALE, new_axes, open_frame
from surefoot.opinions import checks
from surefoot.opinions.opinion import Opinion
from surefoot.opinions.trust import Sensitivity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = np.sqrt(3) / 2
DENSITY_POINTS = 2001
VISIBLE_SHARE = 0.9999
MANY = 12
NEAR_END = 1e-6


def opinion_triangle(opinions: Mapping[str, Opinion], *, ax: Axes | None = None) -> Axes:
    """Opinions as points in the triangle of uncertainty (top), disbelief (left) and belief (right).

    A dotted line, the projector, leads from each point parallel to the director (from the base rate to the top) down
    to its projected probability on the base line (Jøsang 2016, chapter 3).

    Parameters
    ----------
    opinions
        Single binomial opinions by name.
    ax
        Axes to draw on; a new figure without.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> import surefoot as sf
    >>> axes = sf.opinions.plots.opinion_triangle({"recall": sf.opinions.recall(47, 1)})

    """
    _check("opinion_triangle", opinions)
    axes = ax or new_axes(6.4, 5.6)
    _draw_frame(axes)
    for colour, (name, opinion) in zip(_colours(len(opinions)), opinions.items(), strict=True):
        x, y = _place(opinion)
        axes.plot([x, float(opinion.probability)], [y, 0.0], ":", color=colour, lw=1.2, zorder=2)
        axes.plot(float(opinion.probability), 0.0, "|", color=colour, ms=10, mew=1.6, zorder=3, clip_on=False)
        axes.plot(x, y, "o", color=colour, ms=8, mec="white", mew=1.0, label=name, zorder=4, clip_on=False)
    axes.legend(loc="upper left", bbox_to_anchor=(-0.03, 0.98), frameon=False, fontsize=9.5, handletextpad=0.3)
    return axes


def beta_densities(opinions: Mapping[str, Opinion], *, level: float = 0.95, ax: Axes | None = None) -> Axes:
    """Beta densities of opinions, with the central interval shaded and the mean dotted.

    This is the form of Figure 2 of Herd & Burton (2024). An opinion without uncertainty has no density and is an error.

    Parameters
    ----------
    opinions
        Single binomial opinions by name.
    level
        Probability of the interval.
    ax
        Axes to draw on; a new figure without.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.plots.beta_densities({"recall": sf.opinions.recall(47, 1)}).get_xlabel()
    'probability'

    """
    _check("beta_densities", opinions)
    share = validate.level(level, where="beta_densities")
    axes = ax or new_axes(7.2, 4.2)
    spans = [_span(opinion) for opinion in opinions.values()]
    grid = np.linspace(min(low for low, _ in spans), max(high for _, high in spans), DENSITY_POINTS)
    for colour, (name, opinion) in zip(_colours(len(opinions)), opinions.items(), strict=True):
        _draw_density(axes, grid, name, opinion, share, colour)
    axes.set(xlabel="probability", ylabel="density", xlim=(grid[0], min(1.0, grid[-1] + 0.01 * (grid[-1] - grid[0]))))
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper left", frameon=False, fontsize=9.5)
    return open_frame(axes)


def sensitivity_curve(sensitivity: Sensitivity, *, ax: Axes | None = None) -> Axes:
    """Mean and interval of a discounted opinion against the coverage that is missing (Figure 3, Herd & Burton 2024).

    Parameters
    ----------
    sensitivity
        What ``coverage_sensitivity`` returns.
    ax
        Axes to draw on; a new figure without.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> import surefoot as sf
    >>> found = sf.opinions.coverage_sensitivity(sf.opinions.recall(47, 1), [0.01, 0.1])
    >>> sf.opinions.plots.sensitivity_curve(found).get_xscale()
    'log'

    """
    if not isinstance(sensitivity, Sensitivity):
        found = type(sensitivity).__name__
        raise InvalidInput("what coverage_sensitivity returns is needed", where="sensitivity_curve", found=found)
    axes = ax or new_axes(7.2, 4.2)
    loss, colour = sensitivity.loss, COLOURS[0]
    name = f"{sensitivity.level:.0%} interval"
    axes.fill_between(loss, sensitivity.lower, sensitivity.upper, color=colour, alpha=0.15, lw=0, label=name)
    for limit in (sensitivity.lower, sensitivity.upper):
        axes.plot(loss, limit, color=colour, lw=1.2)
    axes.plot(loss, sensitivity.mean, color=INK, lw=1.8, label="mean")
    axes.legend(loc="lower left", frameon=False, fontsize=9.5)
    axes.set_xscale("log")
    axes.set(xlabel="coverage loss (1 − coverage)", ylabel="probability", xlim=(loss.min(), loss.max()))
    axes.grid(True, color=PALE, lw=0.8)
    return open_frame(axes)


def _draw_frame(axes: Axes) -> None:
    for share in np.arange(0.1, 1.0, 0.1):
        near, far = share / 2, 1 - share / 2
        axes.plot([near, far], [share * HEIGHT] * 2, color=PALE, lw=0.8, zorder=0)
        axes.plot([share, (1 + share) / 2], [0, (1 - share) * HEIGHT], color=PALE, lw=0.8, zorder=0)
        axes.plot([share, near], [0, share * HEIGHT], color=PALE, lw=0.8, zorder=0)
    axes.plot([0, 1, 0.5, 0], [0, 0, HEIGHT, 0], color=INK, lw=1.4, zorder=1, solid_joinstyle="round")
    axes.text(0.5, HEIGHT + 0.025, "uncertainty", ha="center", va="bottom", fontsize=11)
    axes.text(-0.02, -0.055, "disbelief", ha="center", va="top", fontsize=11)
    axes.text(1.02, -0.055, "belief", ha="center", va="top", fontsize=11)
    axes.text(0.5, -0.055, "projected probability", ha="center", va="top", fontsize=9.5, color=GREY)
    axes.set(xlim=(-0.1, 1.1), ylim=(-0.12, HEIGHT + 0.1), aspect="equal")
    axes.axis("off")


def _draw_density(axes: Axes, grid: FloatArray, name: str, opinion: Opinion, level: float, colour: str) -> None:
    low, high = opinion.interval(level)
    density = _density(opinion, grid)
    label = f"{name}: {float(opinion.probability):.3f}, {level:.0%} in {low:.3f} to {high:.3f}"
    axes.plot(grid, density, color=colour, lw=1.8, label=label)
    inside = np.linspace(low, high, DENSITY_POINTS)
    axes.fill_between(inside, _density(opinion, inside), color=colour, alpha=0.15, lw=0)
    axes.vlines(
        float(opinion.probability), 0, _density(opinion, opinion.probability), color=colour, linestyle=":", lw=1.3
    )


def _density(opinion: Opinion, x: FloatArray) -> FloatArray:
    alpha, beta = opinion.beta()
    logarithm = special.xlogy(alpha - 1, x) + special.xlog1py(beta - 1, -x) - special.betaln(alpha, beta)
    return np.exp(logarithm)


def _span(opinion: Opinion) -> tuple[float, float]:
    """Where the density can be seen, without the ends at which it may be infinite."""
    low, high = opinion.interval(VISIBLE_SHARE)
    return max(float(low), NEAR_END), min(float(high), 1 - NEAR_END)


def _place(opinion: Opinion) -> tuple[float, float]:
    return float(opinion.belief + opinion.uncertainty / 2), float(opinion.uncertainty * HEIGHT)


def _check(where: str, opinions: Mapping[str, Opinion]) -> None:
    if not 0 < len(checks.mapping(opinions, where=where, name="opinions")) <= MANY:
        raise InvalidInput(f"a figure holds 1 to {MANY} opinions", where=where, found=len(opinions))
    for name, opinion in opinions.items():
        checks.fitting(f"{where}, {name!r}", opinion, kind="binomial")
        if opinion.shape:
            raise InvalidInput(
                f"{name!r} must be a single opinion",
                where=where,
                found=f"shape {opinion.shape}",
                remedy="Index the opinions and draw each.",
            )


def _colours(count: int) -> list[str]:
    return [COLOURS[i % len(COLOURS)] for i in range(count)]
