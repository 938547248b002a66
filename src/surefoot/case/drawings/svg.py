"""A case as SVG, to be written to a file or put into a page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from surefoot.case.case import Case
from surefoot.case.drawings.looks import DARK, STYLE
from surefoot.case.drawings.outlines import short
from surefoot.case.drawings.picture import Picture, picture
from surefoot.case.drawings.scene import Group, Mark, Path
from surefoot.case.evaluation import Evaluation
from surefoot.case.notation import Notation
from surefoot.drawing import shortened, visible

TITLE_LENGTH = 2000


def svg(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    prefix: str = "case",
    styled: bool = True,
    legend: bool = True,
) -> str:
    """The case as one ``<svg>`` element, in its own notation unless another is asked for.

    Give drawings of one page different prefixes: ids begin with them. ``styled=False`` leaves the style sheet out, for
    a page that has ``STYLE`` already. Each node is a group with ``data-node`` and its full text as title. With a
    ``tag`` only nodes that carry it are drawn, and those above them.
    """
    drawn = picture(case, evaluation=evaluation, notation=notation, tag=tag, explained=legend)
    return "".join(_parts(drawn, escape(visible(prefix)), styled))


def _parts(drawn: Picture, prefix: str, styled: bool) -> Iterator[str]:
    width, height = f"{drawn.width:.0f}", f"{drawn.height:.0f}"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sf-graph" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="group" aria-labelledby="{prefix}-title {prefix}-desc">'
    )
    yield f'<title id="{prefix}-title">{_full(drawn.title)}</title>'
    yield f'<desc id="{prefix}-desc">{_full(drawn.description)}</desc>'
    if styled:
        yield f"<style>{STYLE}{DARK}</style>"
        yield f'<rect class="sheet" width="{width}" height="{height}"/>'
    place = 0
    for group in drawn.groups:
        yield "\n"
        yield _opened(group, f' id="{prefix}-{place}"' if group.node else "")
        yield from map(_mark, group.marks)
        yield "</g>"
        place += bool(group.node)
    yield "\n</svg>\n"


def _opened(group: Group, identity: str) -> str:
    named = f' data-node="{escape(visible(group.node))}"' if group.node else ""
    spoken = f' role="group" aria-label="{_full(group.label)}"' if group.label else ""
    moved = f' transform="translate({short(group.at[0])} {short(group.at[1])})"' if any(group.at) else ""
    title = f"<title>{_full(group.title)}</title>" if group.title else ""
    return f'<g{identity} class="{group.classes}"{named}{spoken}{moved}>{title}'


def _mark(mark: Mark) -> str:
    if isinstance(mark, Path):
        moved = f' transform="translate({short(mark.at[0])} {short(mark.at[1])})"' if any(mark.at) else ""
        return f'<path class="{mark.role}"{moved} d="{mark.steps}"/>'
    anchor = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
    place = f'x="{short(mark.x)}" y="{short(mark.y)}"'
    return f'<text class="{mark.role}" {place}{anchor}>{escape(visible(mark.text), quote=False)}</text>'


def _full(text: str) -> str:
    return escape(shortened(visible(text), TITLE_LENGTH))
