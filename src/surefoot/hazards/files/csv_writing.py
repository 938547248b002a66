"""CSV: the rows in one file, everything else in files beside it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import Findings, read_text, write_whole
from surefoot.hazards.files.csv_cells import guarded
from surefoot.hazards.files.csv_reading import SIBLINGS, csv_sheet, sibling
from surefoot.hazards.files.sheet import Sheet
from surefoot.hazards.files.sheets_writing import Page, pages
from surefoot.hazards.worksheet import Hazop

_BYTE_ORDER_MARK = "\ufeff"
"""Tells spreadsheets that the text is UTF-8."""


def write_csv(hazop: Hazop, path: Path) -> None:
    """Write ``name.csv``, and ``name.items.csv`` and so on where there is something to say.

    A file beside it that an earlier worksheet of this name left is removed. One that is no such sheet is somebody
    else's: it stays, and nothing is written.
    """
    said = {page.title: page for page in pages(hazop, separator="; ", file=path.name)}
    if hazop.name == path.stem and not hazop.description:
        del said["About"]
    beside = {title: sibling(path, title) for title in SIBLINGS}
    for title, place in beside.items():
        _refuse_foreign(title, place)
    contents = {beside.get(title, path): _content(page) for title, page in said.items()}
    for place, content in reversed(contents.items()):
        write_whole(place, content)
    for title, place in beside.items():
        if title not in said:
            _remove(place)


def _content(page: Page) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(page.headings)
    writer.writerows([[guarded(cell) for cell in line] for line in page.lines])
    return (_BYTE_ORDER_MARK + text.getvalue()).encode()


def _refuse_foreign(title: str, place: Path) -> None:
    if not place.exists():
        return
    try:
        sheet = csv_sheet(title, read_text(place, Findings(place.name)), Findings(place.name))
        findings = Findings(place.name)
        list(Sheet(title, sheet.lines[:1], sheet.place).entries(findings))
        findings.raise_if_any()
    except DiagnosticsError as error:
        text = f"the file {place.name!r} would be replaced, and it is no sheet {title} of a worksheet."
        hint = "Move it, or choose another name for the worksheet."
        raise DiagnosticsError.of("store-unwritable", text, where=str(place), hint=hint) from error


def _remove(place: Path) -> None:
    try:
        place.unlink(missing_ok=True)
    except OSError as error:
        text = f"a file of an earlier worksheet cannot be removed: {error.strerror or error}."
        raise DiagnosticsError.of("store-unwritable", text, where=str(place), hint="Remove it.") from error
