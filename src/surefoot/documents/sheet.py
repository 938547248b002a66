"""A sheet of cells, in whatever file: its lines by the names of their columns, and the place of every cell."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from surefoot.core.validate import shown
from surefoot.documents.document import Findings
from surefoot.documents.files import FORBIDDEN, character

_REFUSED = ""


@dataclass(frozen=True)
class Headings:
    """The columns that a sheet may have, by each name that people give them.

    See Also
    --------
    Sheet.entries

    """

    columns: Mapping[str, str]
    """The column that a heading stands for, once it is ``plain``."""
    needed: tuple[str, ...] = ()
    sheet: str = "the sheet"
    """What messages call it."""
    others: bool = False
    """Whether columns of other names are passed over; else they are problems."""
    plain: Callable[[str], str] = str.strip
    """A heading without what does not matter."""
    blank: Callable[[str], bool] = field(default=lambda cell: not cell.strip())
    """Whether a cell says nothing."""


@dataclass(frozen=True)
class Line:
    """Cells of one line that say something, by their columns; ``place`` says where one stands, "" for the line.

    See Also
    --------
    Sheet.entries

    """

    number: int
    values: dict[str, str]
    place: Callable[[str], str]


@dataclass(frozen=True)
class Sheet:
    r"""Lines that say something, each with its number; the first holds the headings.

    Parameters
    ----------
    lines
        Numbers and cells.
    place
        Says where a cell stands, by the number of its line and the position of its column.

    Examples
    --------
    >>> from surefoot.documents import Findings, Headings, csv
    >>> findings = Findings("a.csv")
    >>> sheet = csv.read("gate;cause\nG1;fire\n", findings)
    >>> headings = Headings({"gate": "gate", "cause": "cause"}, needed=("gate",))
    >>> [(line.values, line.place("cause")) for line in sheet.entries(headings, findings)]
    [({'gate': 'G1', 'cause': 'fire'}, 'a.csv:2')]

    """

    lines: list[tuple[int, list[str]]]
    place: Callable[[int, int], str]

    def entries(self, headings: Headings, findings: Findings) -> Iterator[Line]:
        """The lines below the headings; nothing, with the problems told, where a column is missing."""
        number, first = self.lines[0] if self.lines else (1, [])
        columns = self._columns(number, first, headings, findings)
        if columns is not None:
            positions = {name: position for position, name in columns.items()}
            for line, cells in self.lines[1:]:
                yield self._line(line, cells, columns, positions, headings, findings)

    def _line(
        self,
        number: int,
        cells: list[str],
        columns: Mapping[int, str],
        positions: Mapping[str, int],
        headings: Headings,
        findings: Findings,
    ) -> Line:
        values = {}
        self._refuse_controls(number, cells, findings)
        for position, cell in enumerate(cells):
            if cell and not headings.blank(cell):
                column = columns.get(position)
                if column:
                    values[column] = cell
                elif column is None and not headings.others:
                    text = f"{shown(cell)} stands in a column without a heading."
                    where, hint = self.place(number, position), "Give it one, or clear it."
                    findings.add(findings.kind.cell_code, text, where=where, hint=hint)
        return Line(number, values, lambda column: self.place(number, positions.get(column, 0)))

    def _refuse_controls(self, line: int, cells: list[str], findings: Findings) -> None:
        if FORBIDDEN.search("".join(cells)):
            for position, cell in enumerate(cells):
                if found := FORBIDDEN.search(cell):
                    text, where = f"the cell holds {character(found[0])}.", self.place(line, position)
                    findings.add(findings.kind.cell_code, text, where=where, hint="Remove it.")

    def _columns(self, line: int, cells: list[str], headings: Headings, findings: Findings) -> dict[int, str] | None:
        """Names of the columns by position."""
        columns: dict[int, str] = {}
        self._refuse_controls(line, cells, findings)
        for position, heading in enumerate(cells):
            if not headings.blank(heading):
                where = self.place(line, position)
                columns[position] = _column(heading, columns.values(), headings, where, findings)
        missing = [name for name in headings.needed if name not in columns.values()]
        if missing:
            text = f"{headings.sheet} has no column {' and none '.join(map(repr, missing))}."
            hint = "Its first line holds the headings."
            findings.add(findings.kind.heading_code, text, where=self.place(line, 0), hint=hint)
        return None if missing else columns


def _column(heading: str, taken: Collection[str], headings: Headings, where: str, findings: Findings) -> str:
    """The column that a heading stands for; nothing, with the problem told, where it is refused."""
    known = headings.columns
    name = known.get(headings.plain(heading), _REFUSED)
    if name in taken and name:
        text = f"the column {shown(heading)} stands for {name!r}, as another one does."
        findings.add(findings.kind.heading_code, text, where=where, hint="Join or rename one.")
        return _REFUSED
    if not name and not headings.others:
        text = f"the column {shown(heading)} is not known in {headings.sheet}."
        hint = findings.suggestion(headings.plain(heading), known)
        if not hint.startswith("Did"):
            hint = f"Known are {', '.join(dict.fromkeys(known.values()))}."
        findings.add(findings.kind.heading_code, text, where=where, hint=f"{hint} Rename or remove it.")
    return name


def cell_name(line: int, position: int) -> str:
    """A cell by the letters of its column and the number of its line.

    Parameters
    ----------
    line
        Counted from 1.
    position
        Of the column, counted from 0.

    Returns
    -------
    str
        Its name in spreadsheets.

    Examples
    --------
    >>> cell_name(7, 1), cell_name(1, 27)
    ('B7', 'AB1')

    """
    letters = ""
    while position >= 0:
        position, letter = divmod(position, 26)
        letters = chr(ord("A") + letter) + letters
        position -= 1
    return f"{letters}{line}"
