"""Sheets to a draft; the fields of each kind of sheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from surefoot.documents import Findings, Sheet, shown
from surefoot.hazards.files.about_sheet import read_about
from surefoot.hazards.files.cell_text import list_of, text_of, value_of
from surefoot.hazards.files.draft import Draft, Entry
from surefoot.hazards.files.fields import LISTS
from surefoot.hazards.files.items_sheet import read_items
from surefoot.hazards.files.matrix_sheet import read_matrix
from surefoot.hazards.files.sheet import entries

TITLES = ("Worksheet", "Items", "Properties", "Matrix", "About")
_INHERITED = ("item", "parameter")


def draft_of_sheets(name: str, sheets: Mapping[str, Sheet], findings: Findings) -> Draft:
    """What the sheets say together; ``name`` is that of the worksheet unless they give one."""
    lines = {title: list(entries(title, sheet, findings)) for title, sheet in sheets.items()}
    draft = Draft(name)
    read_about(draft, lines.get("About", []), findings)
    draft.items = read_items(lines.get("Items", []), findings)
    draft.properties = [_property(entry) for entry in lines.get("Properties", []) if entry.values]
    if lines.get("Matrix"):
        draft.matrix = read_matrix(lines["Matrix"], findings)
    draft.rows = list(_rows(lines.get("Worksheet", [])))
    return draft


def title_of(name: str) -> str | None:
    """The kind of sheet that a name says, in any case; None for another name."""
    return next((title for title in TITLES if title.casefold() == name.strip().casefold()), None)


def refuse_misspelt(name: str, where: str, findings: Findings) -> None:
    """A problem where a name is nearly that of a sheet, so that its content is not left out unseen."""
    hint = findings.suggestion(name.strip().capitalize(), TITLES)
    if hint.startswith("Did"):
        findings.add("hazop-syntax", f"the sheet {shown(name)} is not known.", where=where, hint=hint)


def _rows(lines: Iterable[Entry]) -> Iterator[Entry]:
    """Item and parameter of a line that leaves them blank are those above, as where cells are merged."""
    above: dict[str, str] = {}
    for entry in lines:
        values = entry.values
        if values.get("item", above.get("item")) != above.get("item"):
            above = {}
        above |= {name: values[name] for name in _INHERITED if name in values}
        if values.keys() - set(_INHERITED):
            yield Entry({name: _cell(name, cell) for name, cell in (above | values).items()}, entry.place)


def _cell(name: str, cell: str) -> str | tuple[str, ...]:
    return list_of(cell) if name in LISTS else text_of(cell)


def _property(entry: Entry) -> Entry:
    values = {name: value_of(cell) if name == "value" else text_of(cell) for name, cell in entry.values.items()}
    return Entry(values, entry.place)
