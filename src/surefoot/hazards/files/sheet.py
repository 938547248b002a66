"""The lines of a sheet of a worksheet, by the names of their columns."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.documents import Findings, Headings, Sheet
from surefoot.hazards.files.cell_text import is_blank
from surefoot.hazards.files.draft import Entry
from surefoot.hazards.files.headings import COLUMNS, NEEDED, plain


def entries(title: str, sheet: Sheet, findings: Findings) -> Iterator[Entry]:
    """The lines below the headings, with the cells that are not blank."""
    headings = Headings(COLUMNS[title], NEEDED[title], f"the sheet {title}", plain=plain, blank=is_blank)
    for line in sheet.entries(headings, findings):
        yield Entry(line.values, line.place)
