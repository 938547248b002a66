"""A picture as PNG or PDF."""

from __future__ import annotations

from surefoot import drawing
from surefoot.drawing.shapes import circle
from surefoot.faulttree.drawing.scene import Circle, Ink, Mark, Path, Scene


def drawn(scene: Scene, kind: str) -> bytes:
    """The content of a file of that format, ``png`` or ``pdf``."""
    groups = tuple(drawing.Group(tuple(map(_mark, group.marks))) for group in scene.groups)
    shown = drawing.Scene(groups, scene.width, scene.height, scene.title, scene.description)
    return drawing.pdf(shown) if kind == "pdf" else drawing.png(shown)


def _mark(mark: Mark) -> drawing.Path | drawing.Text:
    if isinstance(mark, Path):
        return drawing.Path(mark.steps, _pen(mark.ink))
    if isinstance(mark, Circle):
        return drawing.Path(circle(mark.x, mark.y, mark.radius), _pen(mark.ink))
    letters = drawing.Letters("", mark.size, mark.colour, mark.bold)
    return drawing.Text(mark.x, mark.y, mark.text, letters, mark.anchor)


def _pen(ink: Ink) -> drawing.Pen:
    return drawing.Pen("", ink.stroke, ink.fill, ink.width, ink.dashed)
