"""How the cells of a written workbook look: headings, wrapped texts, colours of risk."""

from __future__ import annotations

from surefoot.hazards.worksheet import Hazop

HEADING, TEXT, UNUSED, FIRST_RISK = 1, 2, 3, 4
"""Positions of the styles: of headings, texts, cells that nobody filled yet, and classes of risk, the mildest first."""
_MILD, _FAIR, _WORST = (0xE2, 0xF0, 0xD9), (0xFF, 0xF2, 0xCC), (0xF8, 0xCB, 0xAD)
_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_WRAPPED = '<alignment vertical="top" wrapText="1"/>'


def risk_styles(hazop: Hazop) -> list[int]:
    """The style of the levels of each row."""
    order = {name: FIRST_RISK + rank for rank, name in enumerate(hazop.matrix.order)}
    return [order.get(hazop.risk(row), TEXT) if row.severity and row.likelihood else TEXT for row in hazop.rows]


def styles_xml(classes: int) -> str:
    """The part with the styles; texts are marked as such, so that no program takes them for a formula."""
    fills = "".join(_fill(_colour(rank, classes)) for rank in range(classes))
    texts = _text(0) + _text(0, quoted=False) + "".join(_text(3 + rank) for rank in range(classes))
    return (
        f'<styleSheet xmlns="{_NAMESPACE}">'
        '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
        '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
        f'<fills count="{3 + classes}"><fill><patternFill patternType="none"/></fill>'
        f'<fill><patternFill patternType="gray125"/></fill>{_fill("D9E2F3")}{fills}</fills>'
        '<borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border>'
        f"<border>{_line('left')}{_line('right')}{_line('top')}{_line('bottom')}<diagonal/></border></borders>"
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
        f'<cellXfs count="{FIRST_RISK + classes}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
        '<xf numFmtId="49" fontId="1" fillId="2" borderId="1" xfId="0" applyFont="1" applyFill="1" applyBorder="1" '
        f'applyAlignment="1">{_WRAPPED}</xf>{texts}</cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
    )


def _text(fill: int, *, quoted: bool = True) -> str:
    quote = ' quotePrefix="1"' if quoted else ""
    return (
        f'<xf numFmtId="49" fontId="0" fillId="{fill}" borderId="1" xfId="0"{quote} applyFill="1" '
        f'applyNumberFormat="1" applyBorder="1" applyAlignment="1">{_WRAPPED}</xf>'
    )


def _fill(colour: str) -> str:
    return f'<fill><patternFill patternType="solid"><fgColor rgb="FF{colour}"/></patternFill></fill>'


def _line(side: str) -> str:
    return f'<{side} style="thin"><color rgb="FFBFBFBF"/></{side}>'


def _colour(rank: int, classes: int) -> str:
    """From green over yellow to red."""
    share = 2 * rank / max(classes - 1, 1)
    low, high = (_MILD, _FAIR) if share <= 1 else (_FAIR, _WORST)
    part = share if share <= 1 else share - 1
    return "".join(f"{round(a + (b - a) * part):02X}" for a, b in zip(low, high, strict=True))
