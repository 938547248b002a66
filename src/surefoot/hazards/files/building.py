"""A draft as a ``Hazop``, or all of its problems in one error."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TypeVar

from surefoot.core.errors import InvalidInput
from surefoot.documents import Findings, shown
from surefoot.hazards.files import words
from surefoot.hazards.files.consistency import misfits
from surefoot.hazards.files.draft import Draft, Entry
from surefoot.hazards.files.fields import ITEM, NEEDED, PROPERTY, ROW
from surefoot.hazards.worksheet import Hazop, Item, Mitigation, Property, RiskMatrix, Row
from surefoot.hazards.worksheet.properties import NUMERIC, RELATIONS
from surefoot.hazards.worksheet.row import STATUSES

Part = TypeVar("Part", Item, Property, Row)
_USUAL = RiskMatrix.usual()


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


def _number(rows: list[Entry]) -> None:
    """Give ids ``R1``, ``R2`` and so on to rows without one, leaving out those that are taken."""
    taken = {entry.text("id") for entry in rows}
    free = (f"R{number}" for number in count(1) if f"R{number}" not in taken)
    for entry in rows:
        if not entry.text("id").strip():
            entry.values["id"] = next(free)


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


def _word(field: str, text: str, known: tuple[str, ...]) -> str:
    word = words.level(text, known)
    if word is None:
        raise _Wrong(field, text, f"{shown(text)} is no {field}.", known=known)
    return word


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
