"""CSV as spreadsheets export it: commas, semicolons or tabs, and no cell that a spreadsheet takes for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from surefoot.core.evidence import FORMULA_STARTS, guarded
from surefoot.documents.document import Findings
from surefoot.documents.files import write_whole
from surefoot.documents.sheet import Sheet

_SEPARATORS = (",", ";", "\t")
_BYTE_ORDER_MARK = "\ufeff"
"""Tells spreadsheets that the text is UTF-8."""
_LONGEST_CELL = 1 << 17
"""Said at each reading, since it holds for the whole process, and tables of data have longer ones."""


def read(
    text: str, findings: Findings, *, file: str = "", known: Callable[[str], bool] = bool, ragged: bool = False
) -> Sheet:
    """The lines of a file, by default the one of the findings.

    The separator is the one that ``sep=;`` in the first line states, or else that splits the headings into the most
    that are ``known``. Lines shorter or longer than the headings are problems unless they may be ``ragged``.
    """
    file = file or findings.file
    return Sheet(list(_lines(text, findings, file, known, ragged)), lambda line, position: f"{file}:{line}")


def row(line: str) -> list[str]:
    """The cells of one line with commas, as programs send it; ``ValueError`` where it is none."""
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error as error:
        raise ValueError(str(error)) from error


def write(path: Path, headings: Iterable[str], lines: Iterable[Iterable[str]], *, code: str = "wrong-value") -> None:
    """Write a file whole or not at all, in which no cell is a formula."""
    write_whole(path, written(headings, lines), code=code)


def written(headings: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """The text of a file, with the mark that shows spreadsheets its encoding."""
    text = io.StringIO(newline="")
    text.write(_BYTE_ORDER_MARK)
    csv.writer(text).writerows([guarded(cell) for cell in line] for line in (headings, *lines))
    return text.getvalue()


def unguarded(cell: str) -> str:
    """The cell without the apostrophe that guards it."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(FORMULA_STARTS) else cell


def _lines(
    text: str, findings: Findings, file: str, known: Callable[[str], bool], ragged: bool
) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(_LONGEST_CELL)
    stated, skipped = _stated_separator(text)
    text = text[skipped:]
    reader = _reader(text, stated or _separator(text, known))
    first, width = 1 + bool(skipped), 0
    before = first
    try:
        for cells in reader:
            if any(cells):
                width = width or len(cells)
                if not ragged:
                    _check_width(cells, width, f"{file}:{before}", findings)
                yield before, [unguarded(cell) for cell in cells[:width]]
            before = first + reader.line_num
    except csv.Error as error:
        hint = "Close the quotes that were opened, and write a quote inside quotes twice."
        findings.stop(findings.kind.syntax, f"this is not valid CSV: {error}.", where=f"{file}:{before}", hint=hint)


def _reader(text: str, separator: str) -> Any:
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)


def _stated_separator(text: str) -> tuple[str, int]:
    """``sep=;`` in the first line, as Excel writes it, and the length of that line."""
    line = text.partition("\n")[0]
    said = line.rstrip("\r").removeprefix("sep=")
    return (said, len(line) + 1) if line.startswith("sep=") and said in _SEPARATORS else ("", 0)


def _separator(text: str, known: Callable[[str], bool]) -> str:
    """The one that splits the first line into the most columns that are known, or else into the most."""

    def fit(separator: str) -> tuple[int, int]:
        try:
            headings: list[str] = next(_reader(text, separator), [])
        except csv.Error:
            return 0, 0
        return sum(map(known, headings)), len(headings)

    return max(_SEPARATORS, key=fit)


def _check_width(cells: list[str], width: int, where: str, findings: Findings) -> None:
    if len(cells) < width or any(cells[width:]):
        text = f"the line has {len(cells)} cells, the headings are {width}."
        hint = "Put text that contains the separator in quotes, and keep empty cells."
        findings.add(findings.kind.cell_code, text, where=where, hint=hint)
