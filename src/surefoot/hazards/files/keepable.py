"""What no file could give back, refused before anything is written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from surefoot.documents import Findings, shown
from surefoot.documents.files import FORBIDDEN
from surefoot.hazards.files.consistency import misfits
from surefoot.hazards.files.fields import ITEM, MATRIX, PROPERTY, ROW
from surefoot.hazards.worksheet import Hazop, Item, Mitigation


def refuse_unkeepable(hazop: Hazop, file: str) -> None:
    """Raise an error that names each text that no file could give back."""
    findings = Findings(file)
    _add_misfits(hazop, findings)
    for part, fields in _parts(hazop):
        for field, value in fields:
            problem = _problem(value)
            if problem:
                findings.add("hazop-cell", problem, where=f"{file}, {part}, {field}", hint="Change it.")
    findings.raise_if_any()


def _add_misfits(hazop: Hazop, findings: Findings) -> None:
    """``read`` would refuse them, so the file could not be used."""
    for misfit in misfits(hazop):
        where = f"{findings.file}, {misfit.part} {misfit.key!r}, {misfit.field}"
        findings.add("hazop-unknown", misfit.text, where=where, hint=misfit.hint(findings))


def _parts(hazop: Hazop) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
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
