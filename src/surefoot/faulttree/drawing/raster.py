"""A picture as PNG or PDF, drawn by matplotlib, one point for each pixel."""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any

from surefoot.faulttree.drawing.scene import Circle, Ink, Mark, Path, Scene, Text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path as Outline

POINTS = 72.0
DOTS_PER_INCH = 144.0
MOST_PIXELS = 20_000.0
FAMILY = ["Liberation Sans", "Arial", "Helvetica", "DejaVu Sans"]
LETTERS = 0.95
"""DejaVu Sans, which matplotlib brings along, is wider than the fonts of browsers."""
PAIRS = {"M": 1, "L": 1, "C": 3}
ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def drawn(scene: Scene, kind: str) -> bytes:
    """The content of a file of that format, ``png`` or ``pdf``."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    dots = min(DOTS_PER_INCH, MOST_PIXELS * POINTS / max(scene.width, scene.height))
    with rc_context({"font.sans-serif": FAMILY, "pdf.fonttype": 42}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = Figure(figsize=(scene.width / POINTS, scene.height / POINTS))
        _fill(figure.add_axes((0, 0, 1, 1)), scene)
        undated = {"CreationDate": None} if kind == "pdf" else {}
        content = BytesIO()
        figure.savefig(content, format=kind, dpi=dots, metadata={"Title": scene.title, **undated})
    return content.getvalue()


def _fill(axes: Axes, scene: Scene) -> None:
    axes.set(xlim=(0, scene.width), ylim=(scene.height, 0))
    axes.axis("off")
    order = 0
    for group in scene.groups:
        for mark in group.marks:
            order += 1
            _add(axes, mark, order)


def _add(axes: Axes, mark: Mark, order: int) -> None:
    from matplotlib import patches

    if isinstance(mark, Text):
        weight = "bold" if mark.bold else "normal"
        style: dict[str, Any] = {"ha": ANCHORS[mark.anchor], "color": mark.colour, "weight": weight}
        axes.text(
            mark.x, mark.y, mark.text, size=LETTERS * mark.size, va="baseline", parse_math=False, zorder=order, **style
        )
    elif isinstance(mark, Circle):
        axes.add_patch(patches.Circle((mark.x, mark.y), mark.radius, zorder=order, **_ink(mark.ink)))
    else:
        axes.add_patch(patches.PathPatch(outline(mark), zorder=order, **_ink(mark.ink)))


def _ink(ink: Ink) -> dict[str, Any]:
    dashes = {"linestyle": (0, (5, 4))} if ink.dashed else {}
    return {"facecolor": ink.fill, "edgecolor": ink.stroke, "linewidth": ink.width, **dashes}


def outline(mark: Path) -> Outline:
    """The steps of a path as matplotlib has them."""
    from matplotlib.path import Path as Outline

    codes = {"M": Outline.MOVETO, "L": Outline.LINETO, "C": Outline.CURVE4}
    points: list[tuple[float, float]] = []
    kinds: list[Any] = []
    words = iter(mark.steps.split())
    for step in words:
        x, y = points[-1] if points else (0.0, 0.0)
        if step == "Z":
            points.append((x, y))
            kinds.append(Outline.CLOSEPOLY)
        elif step in "HV":
            end = float(next(words))
            points.append((end, y) if step == "H" else (x, end))
            kinds.append(Outline.LINETO)
        else:
            pairs = [(float(next(words)), float(next(words))) for _ in range(PAIRS[step])]
            points += pairs
            kinds += [codes[step]] * len(pairs)
    return Outline(points, kinds)
