"""The part of one sheet: frozen headings, widths, cells of text, filter, lists to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from surefoot.hazards.files.sheets_writing import Page
from surefoot.hazards.files.xlsx.cells import column_letters
from surefoot.hazards.files.xlsx.styles import HEADING, TEXT, UNUSED

NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_WIDTHS = {"id": 8, "from": 18, "to": 18, "learned": 10, "value": 10, "unit": 10, "relation": 12, "scale": 12}
_WIDTHS |= dict.fromkeys(("severity", "likelihood", "status", "reviewer", "endangers", "about"), 14)
_WIDTHS |= dict.fromkeys(("item", "parameter", "guide word", "name", "word", "object", "property"), 22)
_WIDEST = 40
_LONGEST_CHOICE = 255


@dataclass
class Texts:
    """Texts of all sheets, each kept once."""

    positions: dict[str, int] = field(default_factory=dict)

    def position(self, text: str) -> int:
        """Where the text stands."""
        return self.positions.setdefault(text, len(self.positions))


def sheet_xml(
    page: Page, texts: Texts, *, levels: Sequence[int] = (), choices: dict[str, tuple[str, ...]] | None = None
) -> str:
    """The XML of a page; ``levels`` are the styles of severity and likelihood, ``choices`` lists for columns."""
    last = f"{column_letters(len(page.headings) - 1)}{len(page.lines) + 1}"
    return (
        f'<worksheet xmlns="{NAMESPACE}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews>'
        '<sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
        f"</sheetView></sheetViews><cols>{''.join(_columns(page))}</cols>"
        f"<sheetData>{''.join(_lines(page, texts, levels))}</sheetData>"
        f'<autoFilter ref="A1:{last}"/>{_validations(page, choices or {})}'
        '<pageSetup orientation="landscape" fitToHeight="0"/></worksheet>'
    )


def _columns(page: Page) -> Iterator[str]:
    for number, heading in enumerate(page.headings, start=1):
        width = _WIDTHS.get(heading, _WIDEST)
        yield f'<col min="{number}" max="{number}" width="{width}" style="{UNUSED}" customWidth="1"/>'


def _lines(page: Page, texts: Texts, levels: Sequence[int]) -> Iterator[str]:
    letters = [column_letters(position) for position in range(len(page.headings))]
    coloured = {position for position, name in enumerate(page.headings) if name in ("severity", "likelihood")}
    position = texts.position
    yield _line(
        1, [_cell(f"{letter}1", HEADING, position(name)) for letter, name in zip(letters, page.headings, strict=True)]
    )
    for number, line in enumerate(page.lines, start=2):
        level = levels[number - 2] if levels else TEXT
        cells = [
            f'<c r="{letters[at]}{number}" s="{level if at in coloured else TEXT}" t="s"><v>{position(cell)}</v></c>'
            for at, cell in enumerate(line)
            if cell
        ]
        yield _line(number, cells)


def _line(number: int, cells: list[str]) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def _cell(name: str, style: int, text: int) -> str:
    return f'<c r="{name}" s="{style}" t="s"><v>{text}</v></c>'


def _validations(page: Page, choices: dict[str, tuple[str, ...]]) -> str:
    """Lists to choose from where the words fit; other words stay possible, as in files of any format."""
    lists = []
    for position, heading in enumerate(page.headings):
        words = choices.get(heading, ())
        said = ",".join(words)
        if words and len(said) <= _LONGEST_CHOICE and not any(set(word) & set(',"\n\r\t') for word in words):
            letter = column_letters(position)
            lists.append(
                f'<dataValidation type="list" allowBlank="1" showErrorMessage="0" sqref="{letter}2:{letter}1048576">'
                f"<formula1>{escape(chr(34) + said + chr(34))}</formula1></dataValidation>"
            )
    return f'<dataValidations count="{len(lists)}">{"".join(lists)}</dataValidations>' if lists else ""
