"""A case as PDF and PNG, on one page as large as it needs."""

from __future__ import annotations

from surefoot import drawing
from surefoot.case.case import Case
from surefoot.case.drawings.looks import letters, pen
from surefoot.case.drawings.picture import Picture, picture
from surefoot.case.drawings.scene import Group, Mark, Path
from surefoot.case.evaluation import Evaluation
from surefoot.case.notation import Notation
from surefoot.drawing import visible


def pdf(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    legend: bool = True,
) -> bytes:
    """The case as PDF with its words as text; the same bytes for the same case."""
    return drawing.pdf(_scene(picture(case, evaluation=evaluation, notation=notation, tag=tag, explained=legend)))


def png(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    legend: bool = True,
) -> bytes:
    """The case as PNG; a very large one is made coarser."""
    return drawing.png(_scene(picture(case, evaluation=evaluation, notation=notation, tag=tag, explained=legend)))


def undrawable(case: Case) -> str:
    """Letters in what nodes say that no font here has, so that PDF and PNG show a box in their place."""
    return drawing.undrawable("".join(visible(f"{node.id}{node.text}{node.module}{node.of}") for node in case))


def _scene(shown: Picture) -> drawing.Scene:
    groups = tuple(
        drawing.Group(tuple(_mark(mark, group) for mark in group.marks), at=group.at) for group in shown.groups
    )
    return drawing.Scene(groups, shown.width, shown.height, shown.title, shown.description)


def _mark(mark: Mark, group: Group) -> drawing.Path | drawing.Text:
    if isinstance(mark, Path):
        ink = pen(mark.role, group.classes)
        look = drawing.Pen(mark.role, ink.stroke, ink.fill, ink.width, ink.dashed, "sign" in mark.role.split())
        return drawing.Path(mark.steps, look, mark.at)
    size, colour, bold = letters(mark.role, group.classes)
    return drawing.Text(mark.x, mark.y, mark.text, drawing.Letters(mark.role, size, colour, bold), mark.anchor)
