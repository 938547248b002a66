"""How the result follows the radius of the balls, as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from surefoot.core import Table
from surefoot.drawing import BLUE, GREY, INK, RED
from surefoot.reliability import layout

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def by_radius(table: Table, used: float) -> Figure:
    """Estimate and upper limit for each radius, as ``assess_radii`` gives them; red where classes meet in a ball."""
    radius, value = (
        np.array([row[table.columns.index(name)] for row in table.rows], float) for name in ("radius", "pmi")
    )
    limit = next(name for name in table.columns if name.startswith("at "))
    upper = np.array([row[table.columns.index(limit)] for row in table.rows], float)
    mixed = np.array([row[table.columns.index("holds one label")] == "no" for row in table.rows])
    figure = layout.new_figure(2.7)
    axes = layout.titled(figure.subplots(), "Failure probability by the radius of the balls")
    axes.fill_between(radius, value, upper, color=BLUE, alpha=0.18, lw=0)
    axes.plot(radius, upper, color=BLUE, lw=1.6, label=f"upper limit {limit.replace('at', 'at level')}")
    axes.plot(radius, value, color=INK, lw=1.4, marker="o", ms=4, label="estimate")
    if mixed.any():
        axes.plot(radius[mixed], value[mixed], "D", color=RED, ms=5, label="balls are too large to hold one class")
    axes.axvline(used, color=GREY, lw=1.1, ls="--", label="radius of the result")
    axes.set_ylim(0, None)
    layout.labelled(axes, "radius of the balls", "failure probability")
    axes.legend(frameon=False, fontsize=layout.SMALL)
    return figure
