"""The cells of one sheet as texts, by line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from surefoot.documents import Findings, shown
from surefoot.hazards.files.xlsx.dates import date_text
from surefoot.hazards.files.xlsx.markup import Handler
from surefoot.hazards.files.xlsx.workbook import Workbook, unescaped

MOST_COLUMNS, MOST_LINES, MOST_CELLS = 16_384, 1_000_000, 5_000_000
_DIGITS = "0123456789"


def column_letters(position: int) -> str:
    """The letters of a column.

    >>> column_letters(0), column_letters(27)
    ('A', 'AB')
    """
    letters = ""
    while position >= 0:
        position, letter = divmod(position, 26)
        letters = chr(ord("A") + letter) + letters
        position -= 1
    return letters


@dataclass
class Cells(Handler):
    """Lines that hold something, as lists from the first column on."""

    book: Workbook
    place: Callable[[int, int], str]
    findings: Findings
    lines: list[tuple[int, list[str]]] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    line: int = 0
    column: int = -1
    count: int = 0
    kind: str = "n"
    style: str = ""
    value: str = ""
    formula: bool = False
    collecting: bool = False
    spoken: bool = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._begin_cell(attributes)
        elif name in ("v", "t"):
            self.collecting = not self.spoken
        elif name == "row":
            self._begin_line(attributes.get("r", ""))
        elif name == "f":
            self.formula = True
        elif name == "rPh":
            self.spoken = True

    def end(self, name: str) -> None:
        if name == "c":
            self._end_cell()
        elif name in ("v", "t"):
            self.collecting = False
        elif name == "row":
            if self.cells:
                self.lines.append((self.line, self.cells))
                self._refuse_too_many()
            self.column = -1
        elif name == "rPh":
            self.spoken = False

    def text(self, text: str) -> None:
        if self.collecting:
            self.value += text

    def _begin_line(self, number: str) -> None:
        self.line = int(number) if number.isascii() and number.isdigit() and len(number) < 8 else self.line + 1
        self.cells, self.column = [], -1

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        letters = attributes.get("r", "").rstrip(_DIGITS)
        if letters:
            column = self.known.get(letters)
            self.column = self._position(letters) if column is None else column
        else:
            self.column += 1
        self.kind, self.style = attributes.get("t", "n"), attributes.get("s", "")
        self.value, self.formula = "", False

    def _position(self, letters: str) -> int:
        position = 0
        for letter in letters:
            position = 26 * position + ord(letter) - ord("A") + 1 if "A" <= letter <= "Z" else MOST_COLUMNS + 1
        if position > MOST_COLUMNS:
            text = f"a cell has the column {shown(letters)}, which no sheet has."
            self.findings.stop("hazop-syntax", text, where=self.place(self.line, 0), hint="Save it again.")
        self.known[letters] = position - 1
        return position - 1

    def _end_cell(self) -> None:
        text = self._text()
        if text:
            short = self.column + 1 - len(self.cells)
            if short > 0:
                self.cells.extend([""] * short)
                self.count += short
            self.cells[self.column] = text

    def _text(self) -> str:
        if self.formula:
            self._refuse("the cell holds a formula, which is not calculated here.", "Paste it as a value.")
            return ""
        if self.kind == "s":
            return self._shared_text()
        if self.kind == "n":
            return self._number_text() if self.value else ""
        if self.kind == "e":
            self._refuse(f"the cell holds the error {shown(self.value)}.", "Correct or clear it.")
            return ""
        if self.kind == "b":
            return "TRUE" if self.value == "1" else "FALSE"
        return unescaped(self.value)

    def _shared_text(self) -> str:
        try:
            return self.book.texts[int(self.value)]
        except (ValueError, IndexError):
            self._refuse(f"the cell refers to the text {shown(self.value)}, which is not there.", "Save it again.")
            return ""

    def _number_text(self) -> str:
        try:
            number = float(self.value)
            if self.style.isdigit() and int(self.style) in self.book.dates:
                return date_text(number, epoch_1904=self.book.epoch_1904)
        except (ValueError, OverflowError):
            self._refuse(f"{shown(self.value)} is no number.", "Type it again.")
            return ""
        return f"{number:.15g}"

    def _refuse(self, text: str, hint: str) -> None:
        self.findings.add("hazop-cell", text, where=self.place(self.line, self.column), hint=hint)

    def _refuse_too_many(self) -> None:
        if len(self.lines) > MOST_LINES or self.count > MOST_CELLS:
            text = f"the sheet has more than {MOST_LINES:,} lines or {MOST_CELLS:,} cells."
            self.findings.stop("hazop-syntax", text, where=self.place(self.line, 0), hint="Split it.")
