"""The rows of a worksheet as an HTML table; everything that users wrote is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from surefoot.core import validate
from surefoot.drawing import shortened, visible
from surefoot.hazards.drawing.risks import colour, letters_on
from surefoot.hazards.drawing.style import DARK, TABLE, WIDTHS
from surefoot.hazards.worksheet.item import Item
from surefoot.hazards.worksheet.matrix import RiskMatrix
from surefoot.hazards.worksheet.progress import risk_class
from surefoot.hazards.worksheet.row import Mitigation, Row

if TYPE_CHECKING:
    from surefoot.hazards.worksheet.hazop import Hazop

COLUMNS = (
    "row",
    "item",
    "parameter",
    "guide word",
    "causes",
    "consequences",
    "mitigations",
    "endangers",
    "risk",
    "status",
)
MOST_ROWS = 300
MOST_REPEATED = 30


def worksheet_html(hazop: Hazop, *, most: int | None = MOST_ROWS, styled: bool = True) -> str:
    """The first rows, or all with ``most=None``, as a fragment of HTML without scripts.

    ``styled=False`` leaves the style sheet out, for a page that has it already.
    """
    if most is not None:
        validate.count(most, where="worksheet_html", name="most", at_least=1)
    return "".join(fragments(hazop, most=most, style=TABLE + DARK if styled else ""))


def fragments(hazop: Hazop, *, most: int | None, style: str = "") -> Iterator[str]:
    """The table piece by piece, as a large one is better not held twice."""
    widths = "".join(f'<col style="width:{width:g}%">' for width in WIDTHS)
    head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
    yield f'<div class="sf-hazop">{f"<style>{style}</style>" if style else ""}'
    yield f"<table><caption>{text(hazop.name)}</caption><colgroup>{widths}</colgroup>"
    yield f"<thead><tr>{head}</tr></thead><tbody>"
    yield from _rows(hazop, islice(hazop.rows, most))
    yield "</tbody></table>"
    more = len(hazop.rows) - (most or len(hazop.rows))
    if more > 0 or not hazop.rows:
        yield f'<p class="more">{f"and {more:,} more rows" if hazop.rows else "There are no rows yet."}</p>'
    yield "</div>"


def text(said: str) -> str:
    """What users wrote, fit to stand in a page."""
    return escape(visible(said))


def _rows(hazop: Hazop, rows: Iterable[Row]) -> Iterator[str]:
    chips = {risk: risk_chip(hazop.matrix, risk) for risk in hazop.matrix.order}
    above = ""
    for row in rows:
        again = row.item == above
        classes = " ".join(filter(None, ("blank" if row.blank else "", "" if again else "new")))
        yield f'<tr class="{classes}">'
        yield from _cells(hazop, row, chips.get(risk_class(hazop, row), ""), again=again)
        yield "</tr>\n"
        above = row.item


def _cells(hazop: Hazop, row: Row, chip: str, *, again: bool) -> Iterator[str]:
    yield f'<th scope="row">{text(row.id)}</th>'
    yield _item(row.item, hazop.item.get(row.item), again=again)
    yield f"<td>{text(row.parameter)}</td><td>{text(row.guide_word)}</td>"
    yield f"<td>{_entries(map(text, row.causes))}</td><td>{_entries(map(text, row.consequences))}</td>"
    yield f"<td>{_entries(map(_mitigation, row.mitigations))}</td><td>{text(', '.join(row.endangers))}</td>"
    levels = text(", ".join(filter(None, (row.severity, row.likelihood))))
    yield f"<td>{chip}{f'<small>{levels}</small>' if levels else ''}</td>"
    remark = "".join(f"<small>{text(said)}</small>" for said in (row.reviewer, row.remark) if said)
    yield f"<td>{row.status}{remark}</td>"


def _item(name: str, item: Item | None, *, again: bool) -> str:
    """Name, and whence and whither a flow leads; a name that stands above already is muted."""
    if again:
        return f'<td class="again">{text(shortened(name, MOST_REPEATED))}</td>'
    learned = ' <span class="ml">ML</span>' if item and item.learned else ""
    ends = f"<small>{text(item.source)} → {text(item.target)}</small>" if item and item.source else ""
    return f"<td>{text(name)}{learned}{ends}</td>"


def _mitigation(mitigation: Mitigation) -> str:
    creates = mitigation.creates
    if creates is None:
        return text(mitigation.text)
    said = f"creates {text(', '.join(creates))}" if creates else "creates no property"
    return f"{text(mitigation.text)} <small>{said}</small>"


def _entries(entries: Iterable[str]) -> str:
    found = list(entries)
    return "".join(found) if len(found) < 2 else f"<ul>{''.join(f'<li>{entry}</li>' for entry in found)}</ul>"


def risk_chip(matrix: RiskMatrix, risk: str) -> str:
    """A class of risk in its colour."""
    style = f"background:{colour(matrix, risk)};color:{letters_on(matrix, risk)}"
    return f'<span class="risk" style="{style}">{text(risk)}</span>'
