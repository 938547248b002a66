"""A worksheet read from a file or written to one, by its ending; all problems of a file stand in one error.

A reader of a format gives a ``Draft``, what the file says before anybody has checked that it makes sense; the draft is
made into a ``Hazop`` here. What no file could give back is refused before anything is written.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.core.errors import InvalidInput
from surefoot.documents import Findings, Kind, decoded, read_bytes, shown
from surefoot.documents.files import FORBIDDEN
from surefoot.hazards.files import fields as words
from surefoot.hazards.files.fields import ITEM, MATRIX, NEEDED, PROPERTY, ROW
from surefoot.hazards.worksheet import NUMERIC, RELATIONS, STATUSES, Hazop, Item, Mitigation, Property, RiskMatrix, Row

Part = TypeVar("Part", Item, Property, Row)
_USUAL = RiskMatrix.usual()
SHEETS = (".csv", ".xlsx")
ENDINGS = (".yaml", ".yml", *SHEETS)
MOST_COMPARED = 60
"""Names among which a suggestion is looked for; more would take long where many are wrong."""
VERSION = "1"
FORMAT = "surefoot-hazop"
WORKSHEET = Kind(
    "hazop-syntax", cell="hazop-cell", beginning=f"The first line of a worksheet is '{FORMAT}: {VERSION}'."
)


def read(path: str | os.PathLike[str]) -> Hazop:
    """Read a worksheet: YAML, CSV (with the files ``name.items.csv`` and so on beside it) or XLSX, by the ending.

    Formulas of a workbook are refused, never evaluated.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Hazop
        The worksheet.

    Raises
    ------
    DiagnosticsError
        Every problem of the file, with its line or cell.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from surefoot.hazards import start
    >>> with TemporaryDirectory() as folder:
    ...     start("vehicle").write(f"{folder}/hazop.yaml")
    ...     read(f"{folder}/hazop.yaml") == start("vehicle")
    True

    """
    place = Path(path)
    ending = _ending(place)
    findings = Findings(place.name, WORKSHEET)
    return built(_draft(place, ending, read_bytes(place, WORKSHEET.largest), findings), findings)


def _ending(path: Path) -> str:
    ending = path.suffix.casefold()
    if ending not in ENDINGS:
        text = f"the ending {path.suffix!r} says no format of worksheets."
        hint = f"Use one of {', '.join(ENDINGS)}; save an older workbook (.xls) or an .ods file as .xlsx."
        raise DiagnosticsError.of("file-unreadable", text, where=str(path), hint=hint)
    return ending


def built(draft: Draft, findings: Findings) -> Hazop:
    """The worksheet; raises one error with every problem of the file."""
    _number(draft.rows)
    matrix = _matrix(draft.matrix, findings)
    items = _parts(draft.items, "item", "name", _item, findings)
    properties = _parts(draft.properties, "property", "id", _property, findings)
    rows = _parts(draft.rows, "row", "id", lambda entry: _row(entry, matrix), findings)
    hazop = Hazop(draft.name, items, rows, properties, matrix, draft.description)
    _add_misfits(hazop, draft, findings)
    findings.raise_if_any()
    return hazop


@dataclass
class Draft:
    """The parts of a worksheet; a matrix that was not given is the usual one."""

    name: str
    description: str = ""
    items: list[Entry] = field(default_factory=list)
    properties: list[Entry] = field(default_factory=list)
    matrix: Entry | None = None
    rows: list[Entry] = field(default_factory=list)


@dataclass(frozen=True)
class Entry:
    """Fields that were given, by their names in files; ``place`` says where a field stands, "" for the whole."""

    values: dict[str, Any]
    place: Callable[[str], str]

    def text(self, name: str) -> str:
        """The text of a field, empty where it was not given."""
        return self.values.get(name, "")


def _number(rows: list[Entry]) -> None:
    """Give ids ``R1``, ``R2`` and so on to rows without one, leaving out those that are taken."""
    taken = {entry.text("id") for entry in rows}
    free = (f"R{number}" for number in count(1) if f"R{number}" not in taken)
    for entry in rows:
        if not entry.text("id").strip():
            entry.values["id"] = next(free)


def _matrix(entry: Entry | None, findings: Findings) -> RiskMatrix:
    if entry is None:
        return _USUAL
    classes = entry.values.get("classes", {})
    given = {"severities": (), **entry.values, "likelihoods": tuple(classes), "classes": classes}
    try:
        return RiskMatrix(**given)
    except InvalidInput as error:
        text = f"{error.where}: {error.problem}; found {error.found}."
        findings.add("hazop-cell", text, where=entry.place(""), hint=error.remedy)
        return _USUAL


def _parts(
    entries: list[Entry], what: str, key: str, make: Callable[[Entry], Part], findings: Findings
) -> tuple[Part, ...]:
    """What could be made, without those that are defined before."""
    made: dict[str, Part] = {}
    first: dict[str, Entry] = {}
    for entry in entries:
        name = entry.text(key)
        if name and first.setdefault(name, entry) is not entry:
            text = f"{what} {shown(name)} is defined twice, first in {first[name].place(key)}."
            findings.add("hazop-duplicate", text, where=entry.place(key), hint="Rename or remove one of them.")
        elif not _lacks(entry, what, findings):
            try:
                made[name] = make(entry)
            except _Wrong as wrong:
                hint = wrong.hint or findings.suggestion(wrong.word, wrong.known)
                findings.add("hazop-cell", wrong.text, where=entry.place(wrong.field), hint=hint)
            except InvalidInput as error:
                findings.add(
                    "hazop-cell", f"{error.problem}; found {error.found}.", where=entry.place(""), hint=error.remedy
                )
    return tuple(made.values())


def _lacks(entry: Entry, what: str, findings: Findings) -> bool:
    missing = [name for name in NEEDED[what] if not entry.text(name).strip()]
    for name in missing:
        findings.add("hazop-cell", f"a {what} needs {name}.", where=entry.place(name), hint="Fill it in.")
    return bool(missing)


class _Wrong(Exception):
    """A field holds what it does not take; it takes the known words, or what the hint says."""

    def __init__(self, field: str, word: str, text: str, *, known: tuple[str, ...] = (), hint: str = "") -> None:
        super().__init__(text)
        self.field, self.word, self.text, self.known, self.hint = field, word, text, known, hint


def _item(entry: Entry) -> Item:
    return Item(**{ITEM[name]: value for name, value in entry.values.items()})


def _property(entry: Entry) -> Property:
    given = dict(entry.values)
    if "relation" in given:
        given["relation"] = _word("relation", words.relation(given["relation"]), RELATIONS)
    if given.get("relation") in NUMERIC and not isinstance(given.get("value"), float):
        text = f"{given['relation']!r} needs a number, found {shown(given.get('value'))}."
        raise _Wrong("value", "", text, hint="Give a number such as 0.5, or use 'is'.")
    return Property(**{PROPERTY[name]: value for name, value in given.items()})


def _word(field: str, text: str, known: tuple[str, ...]) -> str:
    word = words.level(text, known)
    if word is None:
        raise _Wrong(field, text, f"{shown(text)} is no {field}.", known=known)
    return word


def _row(entry: Entry, matrix: RiskMatrix) -> Row:
    given = {ROW[name]: value for name, value in entry.values.items()}
    if "status" in given:
        given["status"] = _word("status", given["status"], STATUSES)
    if "mitigations" in given:
        given["mitigations"] = tuple(map(Mitigation.parse, given["mitigations"]))
    for name, scale in (("severity", matrix.severities), ("likelihood", matrix.likelihoods)):
        if name in given:
            given[name] = words.level(given[name], scale) or given[name]
    return Row(**given, place=entry.place(""))


def _add_misfits(hazop: Hazop, draft: Draft, findings: Findings) -> None:
    """What is named and defined nowhere, not even by an entry that has problems of its own."""
    places = _places(draft)
    matrix_failed = draft.matrix is not None and hazop.matrix is _USUAL
    for misfit in misfits(hazop):
        level = misfit.field in ("severity", "likelihood")
        if matrix_failed if level else ("item", misfit.name) in places and misfit.part == "row":
            continue
        findings.add(
            "hazop-unknown",
            misfit.text,
            where=places[misfit.part, misfit.key].place(misfit.field),
            hint=misfit.hint(findings),
        )


def _places(draft: Draft) -> dict[tuple[str, str], Entry]:
    """Items and rows by name; of two with one name the first."""
    named = {("item", entry.text("name")): entry for entry in reversed(draft.items)}
    return named | {("row", entry.text("id")): entry for entry in reversed(draft.rows)}


def misfits(hazop: Hazop) -> Iterator[Misfit]:
    """Ends of flows that are no nodes, then items and levels that rows name and nobody defined.

    Rows of a worksheet without items may name any. A parameter or guide word that an item does not list is no misfit:
    a team may find more than was asked.
    """
    yield from _ends(hazop)
    for row in hazop.rows:
        if hazop.items and row.item not in hazop.item:
            text = f"item {shown(row.item)} is not defined."
            yield Misfit("row", row.id, "item", text, hazop.item, row.item)
        yield from _levels(hazop, row)


@dataclass(frozen=True)
class Misfit:
    """A field of an item or row that names what is not there."""

    part: str
    key: str
    field: str
    text: str
    known: Collection[str]
    name: str

    def hint(self, findings: Findings) -> str:
        """What was probably meant."""
        if self.known and len(self.known) <= MOST_COMPARED:
            return findings.suggestion(self.name, self.known)
        return "Define it, or correct the name."


def _ends(hazop: Hazop) -> Iterator[Misfit]:
    nodes = {item.name: None for item in hazop.items if item.kind == "node"}
    for item in hazop.items:
        for name, end in (("from", item.source), ("to", item.target)):
            if end and end not in nodes:
                text = f"the flow {shown(item.name)} names {shown(end)}, which is no node."
                yield Misfit("item", item.name, name, text, nodes, end)


def _levels(hazop: Hazop, row: Row) -> Iterator[Misfit]:
    scales = (
        ("severity", row.severity, hazop.matrix.severities),
        ("likelihood", row.likelihood, hazop.matrix.likelihoods),
    )
    for name, word, scale in scales:
        if word and word not in scale:
            yield Misfit("row", row.id, name, f"{name} {shown(word)} is no word of the scale.", scale, word)


def _draft(place: Path, ending: str, content: bytes, findings: Findings) -> Draft:
    if ending == ".csv":
        from surefoot.hazards.files.sheets import csv_draft

        return csv_draft(place, content, findings)
    if ending == ".xlsx":
        from surefoot.hazards.files.sheets import xlsx_draft

        return xlsx_draft(place, content, findings)
    from surefoot.hazards.files.yaml import yaml_draft

    return yaml_draft(place, decoded(content, findings), findings)


def write(hazop: Hazop, path: str | os.PathLike[str]) -> None:
    """Write a worksheet as YAML, CSV or XLSX, by the ending, so that ``read`` returns an equal one.

    Parameters
    ----------
    hazop
        The worksheet.
    path
        The file; it is complete or stays as it was.

    Returns
    -------
    None

    Raises
    ------
    DiagnosticsError
        Where the format cannot hold a text, or ``read`` would refuse the worksheet; nothing is written then.

    See Also
    --------
    read

    """
    place = Path(path)
    ending = _ending(place)
    refuse_unkeepable(hazop, place.name)
    if ending == ".csv":
        from surefoot.hazards.files.sheets import write_csv

        write_csv(hazop, place)
    elif ending == ".xlsx":
        from surefoot.hazards.files.sheets import write_xlsx

        write_xlsx(hazop, place)
    else:
        from surefoot.hazards.files.yaml import write_yaml

        write_yaml(hazop, place)


def refuse_unkeepable(hazop: Hazop, file: str) -> None:
    """Raise an error that names each text that no file could give back."""
    findings = Findings(file)
    for misfit in misfits(hazop):  # ``read`` would refuse them, so the file could not be used
        where = f"{file}, {misfit.part} {misfit.key!r}, {misfit.field}"
        findings.add("hazop-unknown", misfit.text, where=where, hint=misfit.hint(findings))
    for part, fields in _named_fields(hazop):
        for name, value in fields:
            problem = _problem(value)
            if problem:
                findings.add("hazop-cell", problem, where=f"{file}, {part}, {name}", hint="Change it.")
    findings.raise_if_any()


def _named_fields(hazop: Hazop) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Each part with its fields by name."""
    yield "worksheet", [("name", hazop.name), ("description", hazop.description)]
    yield "matrix", [(name, getattr(hazop.matrix, name)) for name in MATRIX]
    groups = (("item", hazop.items, ITEM), ("property", hazop.properties, PROPERTY), ("row", hazop.rows, ROW))
    for what, parts, fields in groups:
        for part in parts:
            key = part.name if isinstance(part, Item) else part.id
            yield f"{what} {key!r}", [(name, getattr(part, attribute)) for name, attribute in fields.items()]


def _problem(value: Any) -> str:
    if isinstance(value, str):
        found = FORBIDDEN.search(value)
        return f"{shown(value)} holds the character {found[0]!a}, which the file cannot keep." if found else ""
    if isinstance(value, Mapping):
        return next(filter(None, (_problem((key, each)) for key, each in value.items())), "")
    if isinstance(value, tuple):
        return next(filter(None, (_problem(each) for each in value)), "")
    if isinstance(value, Mitigation):
        return _mitigation_problem(value)
    if value is True or value is False or isinstance(value, float):
        return "" if math.isfinite(value) else f"{value} is no finite number."
    return f"{shown(value)} is no text."


def _mitigation_problem(mitigation: Mitigation) -> str:
    if not isinstance(mitigation.text, str) or not all(isinstance(name, str) for name in mitigation.creates or ()):
        return f"{shown(mitigation.text)} is no text."
    text = str(mitigation)
    if Mitigation.parse(text) != mitigation:
        return f"the mitigation {shown(text)} reads back differently; blanks around its parts or commas in names."
    return _problem(text)
