"""Charts made with matplotlib, which is loaded when one is drawn: colours, frames, intervals, and files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from surefoot.documents import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, RED, GREEN = "#1b6ca8", "#d1495b", "#2e933c"
INK, GREY, PALE = "#222222", "#8a8f98", "#e3e6ea"
COLOURS = (BLUE, RED, GREEN, "#b26e00", "#6a4c93", "#3d5a6c")
STATUS_COLOURS = {"supported": GREEN, "contradicted": RED, "unchecked": GREY}
DOTS_PER_INCH = 130
# matplotlib writes millionths of a point, which make a figure twice as large.
_PATH, _DIGITS = re.compile(rb'(?<= d=")[^"]*(?=")'), re.compile(rb"(\.\d\d)\d+")
_UNTURNED = re.compile(rb' transform="rotate\(-0 [^"]*"')
_ROOT = re.compile(rb"<svg [^>]*>")
_FAMILY = ["DejaVu Sans"]
"""Ten names of fonts at every word make a figure half as large again; the generic family stays."""

Interval = tuple[str, float, float, float]
"""Name, lower end, value, upper end; a row whose figures are NaN stays empty."""


def new_axes(width: float, height: float) -> Axes:
    """Axes of a new figure of matplotlib.

    Parameters
    ----------
    width, height
        In inches.

    Returns
    -------
    Axes
        Whose ``figure`` is new.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> axes = open_frame(new_axes(4, 2))
    >>> axes.spines["top"].get_visible()
    False
    >>> plt.close(axes.figure)

    """
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def open_frame(axes: Axes) -> Axes:
    """Remove the lines above and to the right.

    Parameters
    ----------
    axes
        What is changed.

    Returns
    -------
    Axes
        The same.

    See Also
    --------
    new_axes

    """
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def save_figure(figure: Figure, path: Path) -> Path:
    """Write a figure and release it."""
    import matplotlib.pyplot as plt

    figure.savefig(path, dpi=DOTS_PER_INCH)
    plt.close(figure)
    return path


def draw_intervals(axes: Axes, rows: Sequence[Interval], *, fontsize: float | None = None) -> Axes:
    """Draw a line and a dot a row, the first on top, with names on the left.

    Parameters
    ----------
    axes
        Where they are drawn.
    rows
        Name, lower end, value and upper end of each; what is NaN stays empty.
    fontsize
        Of the names.

    Returns
    -------
    Axes
        The same.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> axes = draw_intervals(new_axes(4, 2), [("car", 0.01, 0.02, 0.04), ("tree", 0.0, 0.01, 0.03)])
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['car', 'tree']
    >>> plt.close(axes.figure)

    """
    places = np.arange(len(rows))[::-1]
    lows, values, highs = np.array([row[1:] for row in rows], dtype=float).T
    axes.hlines(places, lows, highs, color=BLUE, lw=2.2)
    axes.plot(values, places, "o", color=INK, ms=5, zorder=3)
    axes.set_yticks(places, [name for name, *_ in rows], fontsize=fontsize, parse_math=False)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.grid(True, axis="x", color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    return axes


def figure_svg(figure: Figure) -> bytes:
    """A matplotlib figure as SVG with its words as text, the same bytes for the same figure; it is then released.

    Parameters
    ----------
    figure
        Which is closed.

    Returns
    -------
    bytes
        The content of a file.

    Examples
    --------
    >>> figure_svg(new_axes(4, 2).figure)[:5]
    b'<?xml'

    """
    import matplotlib.pyplot as plt
    from matplotlib import rc_context

    target = BytesIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "surefoot", "font.sans-serif": _FAMILY}):
        figure.savefig(target, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    plt.close(figure)
    short = _PATH.sub(lambda path: b" ".join(_DIGITS.sub(rb"\1", path[0]).split()), target.getvalue())
    said = _described(figure)
    title = f"<title>{escape(said)}</title>".encode() if said else b""
    return _ROOT.sub(lambda root: root[0] + title, _UNTURNED.sub(b"", short), count=1)


def _described(figure: Figure) -> str:
    """What the axes of a figure show, from their labels and titles."""
    return visible("; ".join(filter(None, map(_axes_words, figure.axes))))


def _axes_words(axes: Axes) -> str:
    titles = filter(None, (axes.get_title(loc=place) for place in ("left", "center", "right")))
    labels = " against ".join(filter(None, (axes.get_ylabel(), axes.get_xlabel())))
    return ". ".join([*([labels] if labels else []), *titles]).replace("$", "").replace("\\", "")
