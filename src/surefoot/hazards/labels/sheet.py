"""The sheet of rows to label: written for people to fill in, and read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.documents import Findings, Headings, Kind, csv, read_text

if TYPE_CHECKING:
    from surefoot.hazards.labels.plan import PlannedRow

COLUMNS = ("component", "data set", "digest", "row", "id", "answer", "score", "stratum", "share", "same as", "label")
NEEDED = ("component", "digest", "row", "label")
DIGEST_LENGTH = 12
UNKNOWN = "?"
"""In place of a label: nobody can tell. Such a row counts as a failure."""
MOST_NAMED = 20
_KIND = Kind("data-unreadable", cell="data-column", heading="data-column")
_HEADINGS = Headings({name: name for name in COLUMNS}, NEEDED, others=True)


@dataclass(frozen=True)
class Labelled:
    """A row of operation with the label it was given; None where nobody can tell."""

    component: str
    digest: str
    row: int
    label: str | None
    line: int
    stratum: str = ""
    share: str = ""
    """The stratum it was drawn from and its share of operation, as written; empty where the sheet does not say."""

    def drawn_from(self, stratum: str, share: float) -> bool:
        """Whether the sheet agrees, as far as it says, that the row was drawn from this stratum."""
        return self.stratum in ("", stratum) and self.share.replace(",", ".") in ("", shown_share(share))


def shown_share(share: float) -> str:
    """A share of operation as the sheet has it."""
    return f"{share:.6g}"


def write_sheet(rows: Iterable[PlannedRow], path: str | Path) -> None:
    """Write CSV in which no cell is a formula; the column ``label`` is empty."""
    csv.write(Path(path), COLUMNS, map(_cells, rows))


def read_labels(path: str | Path) -> list[Labelled]:
    """The labels of a filled sheet, or one error with everything that is wrong with it.

    Every row needs a label, because leaving out those that are hard to label would make the rest too good; ``?`` stands
    for a row that nobody can label. A row that is the ``same as`` another one may take its label.
    """
    place = Path(path)
    entries = _entries(place)
    given = {_key(entry): entry["label"] for _, entry in entries}
    problems: list[Diagnostic] = []
    seen: dict[tuple[str, ...], int] = {}
    found = []
    for line, entry in entries:
        label = entry["label"] or given.get((*_key(entry)[:2], entry.get("same as", "")), "")
        problem = _problem(entry, label, seen.setdefault(_key(entry), line), line)
        if problem:
            problems.append(Diagnostic("data-column", problem, "error", f"{place.name}:{line}"))
        else:
            known = None if label == UNKNOWN else label
            drawn = entry.get("stratum", ""), entry.get("share", "")
            found.append(Labelled(entry["component"], entry["digest"], int(entry["row"]), known, line, *drawn))
    DiagnosticsError.raise_if_any(_shortened(problems, place.name))
    return found


def _cells(row: PlannedRow) -> tuple[str, ...]:
    same = "" if row.same_as is None else str(row.same_as)
    known = (row.component, row.data, row.digest[:DIGEST_LENGTH], str(row.row), row.identifier, row.answer)
    return (*known, f"{row.score:.6g}", row.stratum, shown_share(row.share), same, "")


def _entries(place: Path) -> list[tuple[int, dict[str, str]]]:
    """Lines by the names of their columns; columns that people added are passed over."""
    findings = Findings(place.name, _KIND)
    sheet = csv.read(read_text(place, findings), findings, known=lambda name: name.strip() in COLUMNS, ragged=True)
    nothing = dict.fromkeys(NEEDED, "")
    found = [
        (line.number, nothing | {name: cell.strip() for name, cell in line.values.items()})
        for line in sheet.entries(_HEADINGS, findings)
        if line.values
    ]
    findings.raise_if_any()
    return found


def _key(entry: Mapping[str, str]) -> tuple[str, str, str]:
    return entry["component"], entry["digest"], entry["row"]


def _problem(entry: Mapping[str, str], label: str, first: int, line: int) -> str:
    if not (entry["row"].isascii() and entry["row"].isdigit()):
        return f"{entry['row']!r} is no number of a row."
    if first != line:
        return f"row {entry['row']} is there twice; it was first in line {first}."
    if not label:
        return f"row {entry['row']} has no label; write {UNKNOWN} where nobody can tell, which counts as a failure."
    return ""


def _shortened(problems: list[Diagnostic], name: str) -> list[Diagnostic]:
    more = len(problems) - MOST_NAMED
    if more <= 0:
        return problems
    return [*problems[:MOST_NAMED], Diagnostic("data-column", f"and {more:,} more such rows.", "error", name)]
