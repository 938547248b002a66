"""The pages of a worksheet: sheets of texts, the same for CSV and XLSX."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents.xlsx import LONGEST_CELL, Page
from surefoot.hazards.files import about_sheet, items_sheet, matrix_sheet
from surefoot.hazards.files.cell_text import cell_of, cell_of_list, cell_of_value
from surefoot.hazards.files.fields import LISTS, PROPERTY, ROW
from surefoot.hazards.worksheet import Hazop, Property, RiskMatrix, Row

MOST_LINES = 1_000_000


def pages(hazop: Hazop, *, separator: str, file: str) -> Iterator[Page]:
    """The rows, then what else there is to say; ``separator`` stands between the entries of a list."""
    yield _checked(Page("Worksheet", tuple(ROW), [_row(row, separator) for row in hazop.rows]), file)
    if hazop.items:
        lines = list(items_sheet.item_lines(hazop, separator))
        yield _checked(Page("Items", items_sheet.HEADINGS, lines), file)
    if hazop.properties:
        yield _checked(Page("Properties", tuple(PROPERTY), list(map(_property, hazop.properties))), file)
    if hazop.matrix != RiskMatrix.usual():
        lines = list(matrix_sheet.matrix_lines(hazop.matrix, separator))
        yield _checked(Page("Matrix", matrix_sheet.HEADINGS, lines), file)
    yield _checked(Page("About", about_sheet.HEADINGS, about_sheet.about_lines(hazop)), file)


def _row(row: Row, separator: str) -> list[str]:
    cells = []
    for name, attribute in ROW.items():
        value = getattr(row, attribute)
        if not value:
            cells.append("")
        elif name in LISTS:
            cells.append(cell_of_list(map(str, value), separator))
        else:
            cells.append(cell_of(value))
    return cells


def _property(given: Property) -> list[str]:
    cells = []
    for name in PROPERTY:
        value = getattr(given, name)
        cells.append("" if value == "" else cell_of_value(value) if name == "value" else cell_of(value))
    return cells


def _checked(page: Page, file: str) -> Page:
    """The page, unless programs that open sheets would cut it."""
    if len(page.lines) > MOST_LINES:
        text = f"the sheet {page.title} has {len(page.lines):,} lines; it can hold {MOST_LINES:,}."
        raise DiagnosticsError.of("hazop-cell", text, where=file, hint="Write YAML.")
    for number, line in enumerate(page.lines, start=2):
        if max(map(len, line)) <= LONGEST_CELL:
            continue
        for heading, cell in zip(page.headings, line, strict=True):
            if len(cell) > LONGEST_CELL:
                text = f"a cell would have {len(cell):,} characters; it can hold {LONGEST_CELL:,}."
                where = f"{file}, {page.title}, line {number}, {heading}"
                raise DiagnosticsError.of("hazop-cell", text, where=where, hint="Shorten it, or write YAML.")
    return page
