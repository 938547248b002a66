"""The filled worksheet as a page that a team can print: summary, system, risk matrix, properties and all rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surefoot.hazards.drawing.matrix import draw_matrix
from surefoot.hazards.drawing.style import PAGE, PROPERTY_WIDTHS, TABLE
from surefoot.hazards.drawing.system import draw_parts
from surefoot.hazards.drawing.table import fragments, text
from surefoot.hazards.worksheet.loop import Loop
from surefoot.hazards.worksheet.matrix import RiskMatrix
from surefoot.hazards.worksheet.progress import Progress
from surefoot.hazards.worksheet.properties import Property

if TYPE_CHECKING:
    from surefoot.hazards.worksheet.hazop import Hazop

PAGE_WIDTH, PAGE_HEIGHT = 1040.0, 620.0
"""About the room on A4 landscape between its margins, in CSS pixels."""


def worksheet_page(hazop: Hazop) -> str:
    """A whole HTML page, A4 landscape in print; it holds everything it shows and runs nothing."""
    return "".join(_page(hazop))


def _page(hazop: Hazop) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
    yield f"<title>{text(hazop.name)}: HAZOP worksheet</title><style>{TABLE}{PAGE}</style></head><body>"
    yield f'<header><p class="eyebrow">HAZOP worksheet</p><h1>{text(hazop.name)}</h1>'
    yield f'<p class="lead">{text(hazop.description)}</p>' if hazop.description else ""
    yield f"{_stats(Progress.of(hazop))}</header><main>"
    yield "<section><h2>System</h2>"
    for picture in draw_parts(hazop, width=PAGE_WIDTH, tallest=PAGE_HEIGHT):
        yield f'<figure class="system">{picture}</figure>'
    yield "</section>"
    yield f'<section><h2>Risk matrix</h2><div class="risks"><figure>{draw_matrix(hazop)}</figure>'
    yield f"{_meanings(hazop.matrix)}</div></section>"
    yield from _properties(hazop)
    yield '<section class="worksheet"><h2>Rows</h2>'
    yield from fragments(hazop, most=None)
    yield "</section></main></body></html>\n"


def _stats(progress: Progress) -> str:
    shown = [
        ("deviations considered", progress.considered, f"of {progress.deviations:,}"),
        ("rows reviewed", progress.statuses["reviewed"], f"of {progress.rows:,}"),
        ("rows filled, not reviewed", progress.statuses["filled"], ""),
        ("rows open", progress.statuses["open"], ""),
        ("rows not credible", progress.statuses["not credible"], ""),
        ("open ends of the first loop", progress.open_ends, ""),
    ]
    cells = (f"<div><dt>{name}</dt><dd>{count:,} <small>{of}</small></dd></div>" for name, count, of in shown)
    return f'<dl class="stats">{"".join(cells)}</dl>'


def _meanings(matrix: RiskMatrix) -> str:
    """What the words of both scales mean, the worst first."""
    words = (*reversed(matrix.severities), *reversed(matrix.likelihoods))
    said = (f"<dt>{text(word)}</dt><dd>{text(matrix.meaning[word])}</dd>" for word in words if word in matrix.meaning)
    return f"<dl>{''.join(said)}</dl>"


def _properties(hazop: Hazop) -> Iterator[str]:
    yield "<section><h2>Safety properties</h2>"
    if hazop.properties:
        created = Loop.of(hazop).created
        names = ("id", "what shall hold", "verification", "evidence", "source", "endangered by")
        widths = "".join(f'<col style="width:{width:g}%">' for width in PROPERTY_WIDTHS)
        yield f'<div class="sf-hazop"><table><colgroup>{widths}</colgroup><thead><tr>'
        yield from (f'<th scope="col">{name}</th>' for name in names)
        yield "</tr></thead><tbody>"
        endangered = _endangered(hazop)
        for each in hazop.properties:
            origin = each.source or (str(created[each.id][0]) if each.id in created else "")
            yield _property(each, origin, ", ".join(endangered.get(each.id, ())))
        yield "</tbody></table></div>"
    else:
        yield '<p class="none">None is stated.</p>'
    yield "</section>"


def _endangered(hazop: Hazop) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in hazop.rows:
        for name in row.endangers:
            found.setdefault(name, []).append(row.id)
    return found


def _property(each: Property, origin: str, rows: str) -> str:
    cells = "".join(f"<td>{text(said)}</td>" for said in (str(each), each.verification, each.evidence, origin, rows))
    return f'<tr><th scope="row">{text(each.id)}</th>{cells}</tr>'
