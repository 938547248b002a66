"""Values with their intervals, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from surefoot.draw.figures import BLUE, INK, PALE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Interval = tuple[str, float, float, float]
"""Name, lower end, value, upper end; a row whose figures are NaN stays empty."""


def draw_intervals(axes: Axes, rows: Sequence[Interval], *, fontsize: float | None = None) -> Axes:
    """A line and a dot a row, the first on top, with names on the left."""
    places = np.arange(len(rows))[::-1]
    lows, values, highs = np.array([row[1:] for row in rows], dtype=float).T
    axes.hlines(places, lows, highs, color=BLUE, lw=2.2)
    axes.plot(values, places, "o", color=INK, ms=5, zorder=3)
    axes.set_yticks(places, [name for name, *_ in rows], fontsize=fontsize, parse_math=False)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.grid(True, axis="x", color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    return axes
