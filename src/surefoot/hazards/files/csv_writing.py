"""A worksheet as CSV files."""

from __future__ import annotations

from pathlib import Path

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import Findings, Sheet, csv
from surefoot.hazards.files.csv_reading import SIBLINGS, beside, sibling
from surefoot.hazards.files.draft import WORKSHEET
from surefoot.hazards.files.sheet import entries
from surefoot.hazards.files.sheets_writing import pages
from surefoot.hazards.worksheet import Hazop


def write_csv(hazop: Hazop, path: Path) -> None:
    """Write ``name.csv``, and ``name.items.csv`` and so on where there is something to say.

    A file beside it that an earlier worksheet of this name left is removed. One that is no such sheet is somebody
    else's: it stays, and nothing is written.
    """
    said = {page.title: page for page in pages(hazop, separator="; ", file=path.name)}
    if hazop.name == path.stem and not hazop.description:
        del said["About"]
    places = {title: sibling(path, title) for title in SIBLINGS}
    for title, place in places.items():
        _refuse_foreign(title, place)
    for title, page in reversed(said.items()):
        csv.write(places.get(title, path), page.headings, page.lines)
    for title, place in places.items():
        if title not in said:
            _remove(place)


def _refuse_foreign(title: str, place: Path) -> None:
    if not place.exists():
        return
    findings = Findings(place.name, WORKSHEET)
    try:
        sheet = beside(title, place)
        list(entries(title, Sheet(sheet.lines[:1], sheet.place), findings))
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
