"""CSV: the rows in one file, everything else in files beside it."""

from __future__ import annotations

from pathlib import Path

from surefoot.documents import Findings, Sheet, csv, decoded, read_text
from surefoot.hazards.files.draft import WORKSHEET, Draft
from surefoot.hazards.files.headings import COLUMNS, plain
from surefoot.hazards.files.sheets_reading import TITLES, draft_of_sheets

SIBLINGS = TITLES[1:]


def csv_draft(path: Path, content: bytes, findings: Findings) -> Draft:
    """What the file and those beside it say."""
    sheets = {"Worksheet": csv_sheet("Worksheet", decoded(content, findings), findings)}
    for title in SIBLINGS:
        place = sibling(path, title)
        if place.exists():
            sheets[title] = csv_sheet(title, _beside(place), findings, file=place.name)
    return draft_of_sheets(path.stem, sheets, findings)


def sibling(path: Path, title: str) -> Path:
    """The file of another sheet: ``hazop.items.csv`` beside ``hazop.csv``."""
    return path.with_name(f"{path.stem}.{title.casefold()}{path.suffix}")


def beside(title: str, place: Path) -> Sheet:
    """A file beside the rows."""
    return csv_sheet(title, _beside(place), Findings(place.name, WORKSHEET))


def csv_sheet(title: str, text: str, findings: Findings, *, file: str = "") -> Sheet:
    """The lines of one file."""
    return csv.read(text, findings, file=file, known=lambda heading: plain(heading) in COLUMNS[title])


def _beside(place: Path) -> str:
    return read_text(place, Findings(place.name, WORKSHEET))
