"""Charts: intervals and bands as scenes, which cost a step next to nothing, and all others made with matplotlib.

matplotlib is loaded when one of its charts is drawn; a figure of it takes fifty times as long as a scene.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.core import InvalidInput, validate
from surefoot.documents import visible
from surefoot.drawing.scene import Anchor, Group, Letters, Mark, Pen, Scene, Text
from surefoot.drawing.scene import Path as Line
from surefoot.drawing.text import text_width

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


@validate.arguments
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

    for name, size in (("width", width), ("height", height)):
        validate.positive(size, where="new_axes", name=name)
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


@validate.arguments
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
    _require(axes, "spines", where="open_frame")
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _require(drawn: Any, name: str, *, where: str) -> None:
    """Refuse what is no figure or axes, without loading matplotlib for its classes."""
    if isinstance(drawn, type) or not hasattr(drawn, name):
        raise InvalidInput("needs what matplotlib draws on", where=where, found=validate.shown(drawn))


def save_figure(figure: Figure, path: Path) -> Path:
    """Write a figure and release it."""
    import matplotlib.pyplot as plt

    _require(figure, "savefig", where="save")
    figure.savefig(path, dpi=DOTS_PER_INCH)
    plt.close(figure)
    return path


@validate.arguments
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
    rows = _checked(rows, where="draw_intervals")
    _require(axes, "hlines", where="draw_intervals")
    places = np.arange(len(rows))[::-1]
    lows, values, highs = np.array([row[1:] for row in rows], dtype=float).T
    axes.hlines(places, lows, highs, color=BLUE, lw=2.2)
    axes.plot(values, places, "o", color=INK, ms=5, zorder=3)
    axes.set_yticks(places, [name for name, *_ in rows], fontsize=fontsize, parse_math=False)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.grid(True, axis="x", color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    return axes


# Charts that many steps draw, as scenes.

WIDE, TALL, ROW = 461.0, 209.0, 23.0
"""As wide as figures of steps are, in points."""
EDGE, FOOT, LINE = 12.0, 36.0, 13.0
ROOM = 0.05
MOST_TICKS = 6
NOTHING = 1e-290
"""Smaller numbers are drawn as zero: dividing by them is no longer exact."""
NAME, NUMBER, TITLE = Letters("name", 10), Letters("number", 8, "muted"), Letters("title", 9)
BAR, BAND, GRID, FRAME = Pen("bar", BLUE, width=2.2), Pen("band", "none", "#d5e4f0"), Pen("grid", PALE), Pen("frame")
CURVE, VALUES, DOT = Pen("curve", BLUE, width=1.6), Pen("values", INK), Pen("dot", "none", INK)
ROUND = "M-2.6 0C-2.6 -1.4 -1.4 -2.6 0 -2.6C1.4 -2.6 2.6 -1.4 2.6 0C2.6 1.4 1.4 2.6 0 2.6C-1.4 2.6 -2.6 1.4 -2.6 0Z"


@validate.arguments
def interval_chart(rows: Sequence[Interval], label: str) -> Scene:
    """A line and a dot a row, the first on top, with names on the left.

    Parameters
    ----------
    rows
        Name, lower end, value and upper end of each; what is NaN stays empty.
    label
        What the numbers are.

    Returns
    -------
    Scene
        The chart.

    Examples
    --------
    >>> import surefoot as sf
    >>> chart = interval_chart([("car", 0.01, 0.02, 0.04), ("tree", 0.0, 0.01, 0.03)], "share of failures")
    >>> "tree" in sf.drawing.svg(chart)
    True

    """
    rows = _checked(rows, where="interval_chart")
    left = 2 * EDGE + max(text_width(visible(name), NAME.size) for name, *_ in rows)
    ends = [number for _, *numbers in rows for number in numbers if math.isfinite(number)] or [0.0, 1.0]
    across = _Axis.over(ends, min(left, WIDE / 2), WIDE - 2 * EDGE)
    bottom = EDGE + ROW * len(rows)
    marks: list[Mark] = []
    for place, (name, low, value, high) in enumerate(rows):
        y = EDGE + ROW * (place + 0.5)
        marks.append(Text(min(left, WIDE / 2) - EDGE / 2, y + 3.5, name, NAME, "end"))
        if all(map(math.isfinite, (low, value, high))):
            bar = f"M{across.place(low):.1f} {y:.1f}H{across.place(high):.1f}"
            marks += [Line(bar, BAR), Line(ROUND, DOT, (across.place(value), y))]
    return _framed(label, "", across, bottom, _grid(across, EDGE, bottom), marks)


def _checked(rows: Sequence[Interval], *, where: str) -> list[Interval]:
    """Rows of a name and three numbers, at least one."""
    found = list(rows)
    for row in found:
        if not isinstance(row, tuple | list) or len(row) != 4 or not isinstance(row[0], str):
            raise InvalidInput("needs a name and three numbers a row", where=where, found=validate.shown(row))
    if not found:
        raise InvalidInput("needs at least one row", where=where, found="none")
    return found


@validate.arguments
def band_chart(
    places: Sequence[float],
    lower: Sequence[float],
    values: Sequence[float],
    upper: Sequence[float],
    *,
    labels: tuple[str, str],
    words: tuple[str, str],
    title: str = "",
) -> Scene:
    """A curve inside a band, over numbers on a logarithmic axis.

    Parameters
    ----------
    places
        Above 0, rising.
    lower, values, upper
        At each place.
    labels
        What stands across and upwards.
    words
        What the band and the curve are.
    title
        Lines above.

    Returns
    -------
    Scene
        The chart.

    Examples
    --------
    >>> import surefoot as sf
    >>> found = [0.0, 0.01], [0.1, 0.02], [0.4, 0.03]
    >>> chart = band_chart([10, 100], *found, labels=("rows", "share"), words=("bounds", "share of failures"))
    >>> "share of failures" in sf.drawing.svg(chart)
    True

    """
    for name, several in (("places", places), ("lower", lower), ("values", values), ("upper", upper)):
        validate.vector(several, where="band_chart", name=name)
    validate.same_length("band_chart", places=places, lower=lower, values=values, upper=upper)
    if len(labels) != 2 or len(words) != 2 or min(places) <= 0:
        problem = "needs places above 0, and two labels and words"
        raise InvalidInput(problem, where="band_chart", found=f"{labels}, {words}, {min(places):g}")
    said = title.splitlines()
    top = EDGE + LINE * (len(said) + 1)
    bottom = TALL - FOOT
    up = _Axis.over([0.0, *(number for number in upper if math.isfinite(number))], bottom, top)
    sides = [(_round(number), number) for number in up.ticks()]
    left = 2 * EDGE + LINE + max(text_width(words, NUMBER.size) for words, _ in sides)
    across = _Axis(max(places[0], 1e-9), max(places[-1], places[0] * 1.1), left, WIDE - 2 * EDGE, log=True)
    above = [f"{across.place(x):.1f} {up.place(y):.1f}" for x, y in zip(places, upper, strict=True)]
    below = [f"{across.place(x):.1f} {up.place(y):.1f}" for x, y in zip(places, lower, strict=True)]
    curve = [f"{across.place(x):.1f} {up.place(y):.1f}" for x, y in zip(places, values, strict=True)]
    marks: list[Mark] = [
        *(Text(left, EDGE + LINE * (place + 0.5), line, TITLE) for place, line in enumerate(said)),
        Line(f"M{'L'.join([*above, *reversed(below)])}Z", BAND),
        Line(f"M{'L'.join(above)}", CURVE),
        Line(f"M{'L'.join(curve)}", VALUES),
        *(Text(left - 5, up.place(number) + 3, words, NUMBER, "end") for words, number in sides),
        Text(EDGE, top - LINE / 2, labels[1], TITLE),
        Line(f"M{left:.1f} {top:.1f}V{bottom:.1f}", FRAME),
        *_legend(words, top + LINE),
    ]
    return _framed(labels[0], title, across, bottom, [], marks, labels[1])


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    @classmethod
    def over(cls, numbers: Sequence[float], start: float, stop: float) -> _Axis:
        """Over all numbers, from 0 where that is not far."""
        low, high = min(numbers), max(numbers)
        room = next(size for size in (high - low, abs(high), 1.0) if size > NOTHING) * ROOM
        return cls(0.0 if 0 <= low < high / 3 or low == 0 else low - room, high + room, start, stop)

    def place(self, number: float) -> float:
        """Where a number stands."""
        low, high, at = (map(math.log, (self.low, self.high, number))) if self.log else (self.low, self.high, number)
        return self.start + (at - low) / (high - low) * (self.stop - self.start)

    def ticks(self) -> list[float]:
        """A few round numbers."""
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            decades = [10.0**power for power in range(first, last + 1)]
            return decades if len(decades) > 1 else [self.low, self.high]
        rough = (self.high - self.low) / MOST_TICKS
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(number * step, 15) for number in range(first, last + 1)]


def _round(number: float) -> str:
    return f"{number:,.10g}"


def _grid(across: _Axis, top: float, bottom: float) -> list[Mark]:
    return [Line(f"M{across.place(number):.1f} {top:.1f}V{bottom:.1f}", GRID) for number in across.ticks()]


def _legend(words: tuple[str, str], y: float) -> Iterator[Mark]:
    left = WIDE - 3 * EDGE - max(text_width(each, NUMBER.size) for each in words)
    yield Line(f"M{left - 26:.1f} {y - 7:.1f}h20v8h-20Z", BAND)
    yield Text(left, y, words[0], NUMBER)
    yield Line(f"M{left - 26:.1f} {y + LINE - 3:.1f}h20", VALUES)
    yield Text(left, y + LINE, words[1], NUMBER)


def _framed(
    label: str, title: str, across: _Axis, bottom: float, under: list[Mark], marks: list[Mark], upwards: str = ""
) -> Scene:
    """The marks on an axis with its numbers and its name."""
    axis: list[Mark] = [Line(f"M{across.start:.1f} {bottom:.1f}H{across.stop:.1f}", FRAME)]
    for number in across.ticks():
        x = across.place(number)
        axis += [Line(f"M{x:.1f} {bottom:.1f}v4", FRAME), Text(x, bottom + 14, _round(number), NUMBER, "middle")]
    middle: Anchor = "middle"
    axis.append(Text((across.start + across.stop) / 2, bottom + 29, label, TITLE, middle))
    said = f"{upwards} against {label}" if upwards else label
    told = ". ".join([said, *([" ".join(title.splitlines())] if title else [])])
    return Scene((Group((*under, *marks, *axis)),), WIDE, bottom + FOOT, visible(told), "")


@validate.arguments
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

    _require(figure, "savefig", where="figure_svg")
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
