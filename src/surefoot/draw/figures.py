"""Colours and frames of figures made with matplotlib, which is loaded when one is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, RED, GREEN = "#1b6ca8", "#d1495b", "#2e933c"
INK, GREY, PALE = "#222222", "#8a8f98", "#e3e6ea"
COLOURS = (BLUE, RED, GREEN, "#b26e00", "#6a4c93", "#3d5a6c")
STATUS_COLOURS = {"supported": GREEN, "contradicted": RED, "unchecked": GREY}
DOTS_PER_INCH = 130


def new_axes(width: float, height: float) -> Axes:
    """Axes of a new figure, sizes in inches."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def open_frame(axes: Axes) -> Axes:
    """Remove the lines above and to the right."""
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def save(figure: Figure, path: Path) -> Path:
    """Write a figure and release it."""
    import matplotlib.pyplot as plt

    figure.savefig(path, dpi=DOTS_PER_INCH)
    plt.close(figure)
    return path
