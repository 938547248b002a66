"""A scene as PNG or PDF, drawn by matplotlib, one point for each pixel."""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

from surefoot.drawing.scene import Group, Mark, Path, Pen, Scene, Text
from surefoot.drawing.shapes import rectangle
from surefoot.drawing.text import shortened, visible
from surefoot.drawing.theme import SHEET, colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path as Outline

POINTS = 72.0
DOTS_PER_INCH = 144.0
MOST_PIXELS = 20_000.0
LONGEST = 14_400.0
"""Readers of PDF show no page longer than this, in points."""
FAMILY = ["Liberation Sans", "Arial", "Helvetica", "DejaVu Sans"]
LETTERS = 0.95
"""DejaVu Sans, which matplotlib brings along, is wider than the fonts of browsers."""
PAIRS = {"M": 1, "L": 1, "C": 3}
ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def printed(scene: Scene, kind: Literal["png", "pdf"]) -> bytes:
    """The content of a file; a very large picture is made smaller."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    scale = min(1.0, LONGEST / max(scene.width, scene.height))
    width, height = scene.width * scale, scene.height * scale
    dots = min(DOTS_PER_INCH, MOST_PIXELS * POINTS / max(width, height))
    with rc_context({"font.sans-serif": FAMILY, "pdf.fonttype": 42}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = Figure(figsize=(width / POINTS, height / POINTS))
        _fill(figure.add_axes((0, 0, 1, 1)), scene, scale)
        undated = {"CreationDate": None} if kind == "pdf" else {}
        content = BytesIO()
        title = shortened(visible(scene.title), 200)
        figure.savefig(content, format=kind, dpi=dots, metadata={"Title": title, **undated})
    return content.getvalue()


def _fill(axes: Axes, scene: Scene, scale: float) -> None:
    axes.set(xlim=(0, scene.width), ylim=(scene.height, 0))
    axes.axis("off")
    sheet = Group((Path(rectangle(0, 0, scene.width, scene.height), SHEET),))
    order = 0
    for group in (sheet, *scene.groups):
        for mark in group.marks:
            order += 1
            _add(axes, mark, group, order, scale)


def _add(axes: Axes, mark: Mark, group: Group, order: int, scale: float) -> None:
    from matplotlib import patches

    x, y = group.at
    if isinstance(mark, Text):
        letters = mark.letters
        weight = "bold" if letters.bold else "normal"
        style: dict[str, Any] = {"ha": ANCHORS[mark.anchor], "color": colour(letters.colour, "print"), "weight": weight}
        size = LETTERS * letters.size * scale
        text = visible(mark.text)
        axes.text(x + mark.x, y + mark.y, text, size=size, va="baseline", parse_math=False, zorder=order, **style)
    else:
        outline = _outline(mark.steps, x + mark.at[0], y + mark.at[1])
        axes.add_patch(patches.PathPatch(outline, zorder=order, **_ink(mark.pen, scale)))


def _ink(pen: Pen, scale: float) -> dict[str, Any]:
    dashes = {"linestyle": (0, (5, 4))} if pen.dashed else {}
    return {
        "facecolor": colour(pen.fill, "print"),
        "edgecolor": colour(pen.stroke, "print"),
        "linewidth": pen.width * scale,
        **dashes,
    }


def _outline(steps: str, x: float, y: float) -> Outline:
    from matplotlib.path import Path as Outline

    codes = {"M": Outline.MOVETO, "L": Outline.LINETO, "C": Outline.CURVE4}
    points: list[tuple[float, float]] = []
    kinds: list[Any] = []
    words = iter(steps.split())
    for step in words:
        if step == "Z":
            points.append(points[-1])
            kinds.append(Outline.CLOSEPOLY)
        elif step in "HV":
            end = float(next(words))
            points.append((x + end, points[-1][1]) if step == "H" else (points[-1][0], y + end))
            kinds.append(Outline.LINETO)
        else:
            pairs = [(x + float(next(words)), y + float(next(words))) for _ in range(PAIRS[step])]
            points += pairs
            kinds += [codes[step]] * len(pairs)
    return Outline(points, kinds)
