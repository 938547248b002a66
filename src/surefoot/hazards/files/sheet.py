"""A sheet of cells, and its lines by the names of their columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from surefoot.documents import Findings, shown
from surefoot.hazards.files.cell_text import is_blank
from surefoot.hazards.files.draft import Entry
from surefoot.hazards.files.headings import COLUMNS, NEEDED, plain
from surefoot.hazards.files.keepable import control_character

_REFUSED = ""


@dataclass(frozen=True)
class Sheet:
    """Lines that say something, each with its number; the first holds the headings.

    ``place`` says where a line, or a cell of it by the position of its column, stands.
    """

    title: str
    lines: list[tuple[int, list[str]]]
    place: Callable[[int, int], str]

    def entries(self, findings: Findings) -> Iterator[Entry]:
        """The lines below the headings, with the cells that are not blank by the name of their column."""
        number, headings = self.lines[0] if self.lines else (1, [])
        columns = self._columns(number, headings, findings)
        if columns is not None:
            positions = {name: position for position, name in columns.items()}
            for line, cells in self.lines[1:]:
                yield self._entry(line, cells, columns, positions, findings)

    def _entry(
        self, line: int, cells: list[str], columns: dict[int, str], positions: dict[str, int], findings: Findings
    ) -> Entry:
        values = {}
        if control_character("".join(cells)):
            self._refuse_controls(line, cells, findings)
        for position, cell in enumerate(cells):
            if cell and not is_blank(cell):
                if position not in columns:
                    text = f"{shown(cell)} stands in a column without a heading."
                    findings.add("hazop-cell", text, where=self.place(line, position), hint="Give it one, or clear it.")
                elif columns[position] != _REFUSED:
                    values[columns[position]] = cell
        return Entry(values, lambda name: self.place(line, positions.get(name, 0)))

    def _refuse_controls(self, line: int, cells: list[str], findings: Findings) -> None:
        for position, cell in enumerate(cells):
            character = control_character(cell)
            if character:
                text = f"the cell holds the control character {character!a}."
                findings.add("hazop-cell", text, where=self.place(line, position), hint="Remove it.")

    def _columns(self, line: int, headings: list[str], findings: Findings) -> dict[int, str] | None:
        """Names of the columns by position; None, with the problems told, where a needed one is missing."""
        columns = dict[int, str]()
        for position, heading in enumerate(headings):
            if not is_blank(heading):
                where = self.place(line, position)
                columns[position] = self._column(heading, columns.values(), where, findings)
        missing = [name for name in NEEDED[self.title] if name not in columns.values()]
        if missing:
            text = f"the sheet {self.title} has no column {' and none '.join(map(repr, missing))}."
            findings.add("hazop-syntax", text, where=self.place(line, 0), hint="Its first line holds the headings.")
        return None if missing else columns

    def _column(self, heading: str, taken: Collection[str], where: str, findings: Findings) -> str:
        """The column that a heading stands for; nothing, with the problem told, where it is refused."""
        known = COLUMNS[self.title]
        name = known.get(plain(heading))
        if name is None:
            text = f"the column {shown(heading)} is not known in the sheet {self.title}."
            hint = findings.suggestion(plain(heading), known)
            if not hint.startswith("Did"):
                hint = f"Known are {', '.join(dict.fromkeys(known.values()))}."
            findings.add("hazop-syntax", text, where=where, hint=f"{hint} Rename or remove it.")
        elif name in taken:
            text = f"the column {shown(heading)} stands for {name!r}, as another one does."
            findings.add("hazop-syntax", text, where=where, hint="Join or rename one.")
        return _REFUSED if name is None or name in taken else name
