"""The filled worksheet as an HTML table, and as a page to print: summary, system, risk matrix, properties, rows.

Everything that users wrote is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from surefoot.core import validate
from surefoot.documents import shortened, visible
from surefoot.hazards.completeness import Loop, Progress, risk_class
from surefoot.hazards.drawing.risk_matrix import colour, draw_matrix, letters_on
from surefoot.hazards.drawing.system import draw_parts
from surefoot.hazards.worksheet import Item, Mitigation, Property, RiskMatrix, Row

if TYPE_CHECKING:
    from surefoot.hazards.worksheet import Hazop

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
PAGE_WIDTH, PAGE_HEIGHT = 1040.0, 620.0
"""About the room on A4 landscape between its margins, in CSS pixels."""
WIDTHS = (4.5, 11.5, 7.5, 9.0, 12.5, 13.5, 15.5, 7.0, 9.0, 10.0)
"""Of the columns of rows, in percent."""
PROPERTY_WIDTHS = (5.0, 35.0, 18.0, 12.0, 18.0, 12.0)
"""Of the columns of safety properties."""
TABLE = """
.sf-hazop{color:var(--sf-ink,#17212b);font:13px/1.4 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,
"Liberation Sans",sans-serif;overflow-x:auto}
.sf-hazop table{border-collapse:collapse;width:100%;min-width:900px;table-layout:fixed;font-size:1em}
.sf-hazop caption{text-align:left;font-weight:600;padding:0 0 6px}
.sf-hazop th,.sf-hazop td{text-align:left;vertical-align:top;padding:4px 6px;overflow-wrap:break-word;
border-bottom:1px solid var(--sf-line,#dbe1e8);white-space:normal}
.sf-hazop thead th{font-weight:600;color:var(--sf-muted,#55616e);border-bottom:1.5px solid
var(--sf-line-strong,#aab4c0)}
.sf-hazop tbody th{font-weight:600}
.sf-hazop .new>*{border-top:1.5px solid var(--sf-line-strong,#aab4c0)}
.sf-hazop small{color:var(--sf-muted,#55616e);font-size:.88em;display:block}
.sf-hazop ul{margin:0;padding-left:1.05em}
.sf-hazop .again,.sf-hazop .blank td{color:var(--sf-muted,#55616e)}
.sf-hazop .risk{display:inline-block;padding:0 6px;border-radius:4px;border:1px solid #55616e;
-webkit-print-color-adjust:exact;print-color-adjust:exact}
.sf-hazop .ml{color:#6a4c93;font-weight:700;font-size:.85em;border:1.5px solid #6a4c93;border-radius:3px;padding:0 3px}
.sf-hazop .more{color:var(--sf-muted,#55616e);margin:.5em 0}
"""
DARK = """
@media screen and (prefers-color-scheme:dark){.sf-hazop{--sf-ink:#e7ecf2;--sf-muted:#a3afbb;--sf-line:#2d3844;
--sf-line-strong:#56636f}.sf-hazop .ml{color:#c3a9e8;border-color:#c3a9e8}}
"""
PAGE = """
:root{color-scheme:light;--sf-ink:#17212b;--sf-muted:#55616e;--sf-line:#dbe1e8;--sf-line-strong:#aab4c0}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1500px;padding:28px 32px 48px;background:#fff;color:var(--sf-ink);
font:15px/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",sans-serif;
overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
h1,h2{line-height:1.22;font-weight:650;letter-spacing:-.012em;margin:0}
h1{font-size:2rem;margin:.1em 0 .25em}
h2{font-size:1.3rem;margin:0 0 .5em}
.eyebrow{margin:0;color:var(--sf-muted);font-size:.8rem;letter-spacing:.09em;text-transform:uppercase}
.lead{color:var(--sf-muted);max-width:80ch;margin:.2em 0}
section{margin:32px 0}
.stats{display:flex;flex-wrap:wrap;gap:10px 36px;margin:18px 0 0;padding:12px 0;border-top:1px solid var(--sf-line);
border-bottom:1px solid var(--sf-line)}
.stats dt{color:var(--sf-muted);font-size:.85rem}
.stats dd{margin:0;font-size:1.45rem;font-weight:650;line-height:1.25}
.stats small{font-size:.85rem;font-weight:400;color:var(--sf-muted)}
figure{margin:0}
figure svg{display:block;max-width:100%;height:auto}
.none{color:var(--sf-muted)}
.risks{display:flex;flex-wrap:wrap;gap:16px 40px;align-items:flex-start}
.risks dl{flex:1 1 300px;margin:0;max-width:64ch;font-size:.88rem}
.risks dt{font-weight:600}
.risks dd{margin:0 0 .35em;color:var(--sf-muted)}
@media print{
@page{size:A4 landscape;margin:10mm 10mm 13mm;@bottom-right{content:counter(page) " / " counter(pages);
font:8pt sans-serif;color:#55616e}@bottom-left{content:"HAZOP worksheet";font:8pt sans-serif;color:#55616e}}
body{padding:0;max-width:none;font-size:10pt}
h1{font-size:18pt}
h2{font-size:13pt;break-after:avoid}
section{margin:6mm 0}
.stats{margin-top:3mm;padding:2mm 0}
.stats dd{font-size:14pt}
figure{break-inside:avoid}
figure svg{max-height:172mm}
.system svg{max-height:164mm}
.system:first-of-type svg{max-height:128mm}
.risks{break-inside:avoid;flex-wrap:nowrap;gap:8mm}
.risks figure{flex:0 0 122mm}
.risks dl{flex:1 1 0;font-size:8.5pt;line-height:1.3}
.worksheet{break-before:page}
.sf-hazop{font-size:8.2pt;line-height:1.3;overflow:visible}
.sf-hazop table{min-width:0}
.sf-hazop thead{display:table-header-group}
.sf-hazop tr{break-inside:avoid}
.sf-hazop .blank td{height:9mm}
.sf-hazop th,.sf-hazop td{padding:1.1mm 1.4mm}}
"""


def worksheet_page(hazop: Hazop) -> str:
    """The filled sheet as a whole HTML page, A4 landscape in print; it holds everything it shows and runs nothing.

    Parameters
    ----------
    hazop
        The worksheet.

    Returns
    -------
    str
        Summary, system, risk matrix, safety properties and all rows.

    Examples
    --------
    >>> from surefoot.hazards import start
    >>> worksheet_page(start("vehicle")).startswith("<!doctype html>")
    True

    """
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


def text(said: str) -> str:
    """What users wrote, fit to stand in a page."""
    return escape(visible(said))


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


def risk_chip(matrix: RiskMatrix, risk: str) -> str:
    """A class of risk in its colour."""
    style = f"background:{colour(matrix, risk)};color:{letters_on(matrix, risk)}"
    return f'<span class="risk" style="{style}">{text(risk)}</span>'


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


def _entries(entries: Iterable[str]) -> str:
    found = list(entries)
    return "".join(found) if len(found) < 2 else f"<ul>{''.join(f'<li>{entry}</li>' for entry in found)}</ul>"


def _mitigation(mitigation: Mitigation) -> str:
    creates = mitigation.creates
    if creates is None:
        return text(mitigation.text)
    said = f"creates {text(', '.join(creates))}" if creates else "creates no property"
    return f"{text(mitigation.text)} <small>{said}</small>"


def worksheet_html(hazop: Hazop, *, most: int | None = MOST_ROWS, styled: bool = True) -> str:
    """The rows of a worksheet as a fragment of HTML without scripts.

    Parameters
    ----------
    hazop
        The worksheet.
    most
        How many rows, all with None.
    styled
        Whether the style sheet is part of it; leave it out for a page that has it already.

    Returns
    -------
    str
        One ``<div>`` with a table.

    Examples
    --------
    >>> from surefoot.hazards import start
    >>> "and 14 more rows" in worksheet_html(start("vehicle"), most=1)
    True

    """
    if most is not None:
        validate.count(most, where="worksheet_html", name="most", at_least=1)
    return "".join(fragments(hazop, most=most, style=TABLE + DARK if styled else ""))
