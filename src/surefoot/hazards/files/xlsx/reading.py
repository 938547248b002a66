"""A workbook to a draft."""

from __future__ import annotations

from pathlib import Path

from surefoot.documents import Findings, shown
from surefoot.hazards.files.draft import Draft
from surefoot.hazards.files.sheet import Sheet
from surefoot.hazards.files.sheets_reading import TITLES, draft_of_sheets, refuse_misspelt, title_of
from surefoot.hazards.files.xlsx.cells import Cells, column_letters
from surefoot.hazards.files.xlsx.markup import parse
from surefoot.hazards.files.xlsx.package import Package
from surefoot.hazards.files.xlsx.workbook import Workbook


def xlsx_draft(path: Path, content: bytes, findings: Findings) -> Draft:
    """What the sheets of a workbook say; the rows are in ``Worksheet``, or in the only sheet of another name."""
    package = Package.of(content, findings)
    book = Workbook.of(package)
    sheets = {title: _sheet(title, name, package, book) for title, name in _chosen(book, findings).items()}
    return draft_of_sheets(path.stem, sheets, findings)


def _chosen(book: Workbook, findings: Findings) -> dict[str, str]:
    """The names of the sheets to read, by kind."""
    chosen: dict[str, str] = {}
    others = []
    for name in book.sheets:
        title = title_of(name)
        if title is None or title in chosen:
            others.append(name)
        else:
            chosen[title] = name
    if "Worksheet" not in chosen:
        if len(others) != 1:
            names = f" but {', '.join(map(shown, others))}" if others else ""
            text = f"the workbook has no sheet 'Worksheet'{names}."
            findings.stop("hazop-syntax", text, hint="Give the sheet with the rows that name.")
        chosen["Worksheet"] = others.pop()
    for name in others:
        refuse_misspelt(name, f"{findings.file}, {_quoted(name)}", findings)
    return {title: chosen[title] for title in TITLES if title in chosen}


def _sheet(title: str, name: str, package: Package, book: Workbook) -> Sheet:
    start = f"{package.findings.file}, {_quoted(name)}!"

    def place(line: int, position: int) -> str:
        return f"{start}{column_letters(position)}{line}"

    part = book.sheets[name]
    cells = Cells(book, place, package.findings)
    parse(package.part(part), cells, part, package.findings)
    return Sheet(title, cells.lines, place)


def _quoted(name: str) -> str:
    """The name of a sheet as references have it."""
    return name if name.isidentifier() else f"'{name}'"
