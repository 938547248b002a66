"""CSV as spreadsheets export it: commas, semicolons or tabs, UTF-8 with or without a byte order mark."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from surefoot.documents import Findings, decoded, read_text
from surefoot.hazards.files.csv_cells import unguarded
from surefoot.hazards.files.draft import Draft
from surefoot.hazards.files.headings import COLUMNS, plain
from surefoot.hazards.files.sheet import Sheet
from surefoot.hazards.files.sheets_reading import TITLES, draft_of_sheets

SIBLINGS = TITLES[1:]
_SEPARATORS = (",", ";", "\t")


def csv_draft(path: Path, content: bytes, findings: Findings) -> Draft:
    """What the file and those beside it say."""
    sheets = {"Worksheet": csv_sheet("Worksheet", decoded(content, findings), findings)}
    for title in SIBLINGS:
        place = sibling(path, title)
        if place.exists():
            sheets[title] = csv_sheet(title, read_text(place, Findings(place.name)), findings, file=place.name)
    return draft_of_sheets(path.stem, sheets, findings)


def sibling(path: Path, title: str) -> Path:
    """The file of another sheet: ``hazop.items.csv`` beside ``hazop.csv``."""
    return path.with_name(f"{path.stem}.{title.casefold()}{path.suffix}")


def csv_sheet(title: str, text: str, findings: Findings, *, file: str = "") -> Sheet:
    """The lines of one file."""
    file = file or findings.file

    def place(line: int, position: int) -> str:
        return f"{file}:{line}"

    lines = list(_lines(title, text, file, findings))
    return Sheet(title, lines, place)


def _lines(title: str, text: str, file: str, findings: Findings) -> Iterator[tuple[int, list[str]]]:
    stated, skipped = _stated_separator(text)
    text = text[skipped:]
    reader = _reader(text, stated or _separator(title, text))
    first, width = 1 + bool(skipped), 0
    before = first
    try:
        for cells in reader:
            if any(cells):
                width = width or len(cells)
                _check_width(cells, width, f"{file}:{before}", findings)
                yield before, [unguarded(cell) for cell in cells[:width]]
            before = first + reader.line_num
    except csv.Error as error:
        hint = "Close the quotes that were opened, and write a quote inside quotes twice."
        findings.stop("hazop-syntax", f"this is not valid CSV: {error}.", where=f"{file}:{before}", hint=hint)


def _reader(text: str, separator: str) -> Any:
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)


def _stated_separator(text: str) -> tuple[str, int]:
    """``sep=;`` in the first line, as Excel writes it, and the length of that line."""
    line = text.partition("\n")[0]
    said = line.rstrip("\r").removeprefix("sep=")
    return (said, len(line) + 1) if line.startswith("sep=") and said in _SEPARATORS else ("", 0)


def _separator(title: str, text: str) -> str:
    """The one that splits the first line into the most columns that are known, or else into the most."""

    def fit(separator: str) -> tuple[int, int]:
        try:
            headings: list[str] = next(_reader(text, separator), [])
        except csv.Error:
            return 0, 0
        return sum(plain(heading) in COLUMNS[title] for heading in headings), len(headings)

    return max(_SEPARATORS, key=fit)


def _check_width(cells: list[str], width: int, where: str, findings: Findings) -> None:
    if len(cells) < width or any(cells[width:]):
        text = f"the line has {len(cells)} cells, the headings are {width}."
        hint = "Put text that contains the separator in quotes, and keep empty cells."
        findings.add("hazop-cell", text, where=where, hint=hint)
