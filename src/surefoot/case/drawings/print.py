"""A case as PDF and PNG, on one page as large as it needs, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from surefoot.case.case import Case
from surefoot.case.drawings.looks import letters, pen
from surefoot.case.drawings.outlines import polygon
from surefoot.case.drawings.picture import Picture, picture
from surefoot.case.drawings.scene import Group, Mark, Path
from surefoot.case.evaluation import Evaluation
from surefoot.case.notation import Notation
from surefoot.drawing import shortened, visible
from surefoot.faulttree.drawing import scene
from surefoot.faulttree.drawing.raster import FAMILY, drawn

LONGEST = 14_400.0
"""Readers of PDF show no page longer than this, in points."""


def pdf(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    legend: bool = True,
) -> bytes:
    """The case as PDF with its words as text; the same bytes for the same case."""
    return _printed(picture(case, evaluation=evaluation, notation=notation, tag=tag, explained=legend), "pdf")


def png(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    legend: bool = True,
) -> bytes:
    """The case as PNG; a very large one is made coarser."""
    return _printed(picture(case, evaluation=evaluation, notation=notation, tag=tag, explained=legend), "png")


def undrawable(case: Case) -> str:
    """Letters in what nodes say that no font here has, so that PDF and PNG show a box in their place."""
    said = {letter for node in case for letter in visible(f"{node.id}{node.text}{node.module}{node.of}")}
    wanted = {letter for letter in said if not letter.isascii() and not letter.isspace()}
    return "".join(sorted(wanted - _letters())) if wanted else ""


def _letters() -> set[str]:
    from matplotlib import font_manager

    known: set[str] = set()
    for family in FAMILY:
        with suppress(ValueError):
            path = font_manager.findfont(family, fallback_to_default=False)
            known.update(map(chr, font_manager.get_font(path).get_charmap()))
    return known


def _printed(shown: Picture, kind: Literal["pdf", "png"]) -> bytes:
    scale = min(1.0, LONGEST / max(shown.width, shown.height))
    width, height = shown.width * scale, shown.height * scale
    sheet = scene.Path(polygon([(0, 0), (width, 0), (width, height), (0, height)]), pen("sheet", ""))
    groups = (scene.Group((sheet,)), *(_group(group, scale) for group in shown.groups))
    title = shortened(visible(shown.title), 200)
    return drawn(scene.Scene(groups, width, height, title, shown.description, width), kind)


def _group(group: Group, scale: float) -> scene.Group:
    return scene.Group(tuple(_mark(mark, group, scale) for mark in group.marks))


def _mark(mark: Mark, group: Group, scale: float) -> scene.Mark:
    x, y = group.at
    if isinstance(mark, Path):
        ink = pen(mark.role, group.classes)
        steps = " ".join(_moved(mark.steps, x + mark.at[0], y + mark.at[1], scale))
        return scene.Path(steps, replace(ink, width=ink.width * scale))
    size, colour, bold = letters(mark.role, group.classes)
    text = visible(mark.text)
    return scene.Text((x + mark.x) * scale, (y + mark.y) * scale, text, size * scale, mark.anchor, colour, bold)


def _moved(steps: str, x: float, y: float, scale: float) -> Iterator[str]:
    """Steps at another place; numbers come in pairs."""
    across = True
    for step in steps.split():
        if step in "MLCZ":
            yield step
        else:
            yield f"{(float(step) + (x if across else y)) * scale:.2f}"
            across = not across
