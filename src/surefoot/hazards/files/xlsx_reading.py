"""A workbook to a draft."""

from __future__ import annotations

from pathlib import Path

from surefoot.documents import Findings, shown, xlsx
from surefoot.hazards.files.draft import Draft
from surefoot.hazards.files.sheets_reading import TITLES, draft_of_sheets, refuse_misspelt, title_of


def xlsx_draft(path: Path, content: bytes, findings: Findings) -> Draft:
    """What the sheets of a workbook say; the rows are in ``Worksheet``, or in the only sheet of another name."""
    book = xlsx.Workbook(content, findings)
    chosen = _chosen(book, findings)
    sheets = dict(zip(chosen, book.sheets(chosen.values()), strict=True))
    return draft_of_sheets(path.stem, sheets, findings)


def _chosen(book: xlsx.Workbook, findings: Findings) -> dict[str, str]:
    """The names of the sheets to read, by kind."""
    chosen: dict[str, str] = {}
    others = []
    for name in book.names:
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
        refuse_misspelt(name, book.place(name), findings)
    return {title: chosen[title] for title in TITLES if title in chosen}
