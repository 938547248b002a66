"""YAML that reads well and whose differences stand in single lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import as_yaml, scalar, write_whole
from surefoot.documents.yaml import LONGEST_KEY
from surefoot.hazards.files.draft import FORMAT, VERSION
from surefoot.hazards.files.fields import ITEM, PROPERTY, ROW
from surefoot.hazards.worksheet import Hazop, Item, Property, RiskMatrix, Row
from surefoot.hazards.worksheet.matrix import CLASSES


def write_yaml(hazop: Hazop, path: Path) -> None:
    """Write the worksheet with the fields that say something."""
    data = {FORMAT: int(VERSION), "name": hazop.name, **_filled(_sections(hazop))}
    for section in ("items", "properties", "matrix"):
        _refuse_long_keys(data.get(section, {}), f"{path.name}, {section}")
    write_whole(path, as_yaml(data), code="hazop-cell")


def _sections(hazop: Hazop) -> dict[str, Any]:
    return {
        "description": hazop.description,
        "items": {item.name: _item(item) for item in hazop.items},
        "properties": {each.id: _property(each) for each in hazop.properties},
        "matrix": {} if hazop.matrix == RiskMatrix.usual() else _matrix(hazop.matrix),
        "rows": [_row(row) for row in hazop.rows],
    }


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value or isinstance(value, float)}


def _item(item: Item) -> dict[str, Any]:
    fields = {name: getattr(item, attribute) for name, attribute in ITEM.items() if name != "name"}
    fields["parameters"] = {parameter: list(words) for parameter, words in item.parameters.items()}
    return _filled(fields)


def _property(given: Property) -> dict[str, Any]:
    return _filled({name: getattr(given, name) for name in PROPERTY if name != "id"})


def _row(row: Row) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, attribute in ROW.items():
        value = getattr(row, attribute)
        if value and not (name == "status" and value == "open"):
            fields[name] = list(map(str, value)) if isinstance(value, tuple) else value
    return fields


def _matrix(matrix: RiskMatrix) -> dict[str, Any]:
    fields = {
        "severities": list(matrix.severities),
        "classes": {likelihood: list(classes) for likelihood, classes in matrix.classes.items()},
        "order": [] if matrix.order == CLASSES else list(matrix.order),
        "meaning": dict(matrix.meaning),
        "source": matrix.source,
    }
    return _filled(fields)


def _refuse_long_keys(data: Mapping[str, Any], where: str) -> None:
    for key in _keys(data):
        if len(scalar(key)) > LONGEST_KEY:
            text = f"the name {key[:40]!r} and so on has {len(key):,} characters; YAML takes {LONGEST_KEY:,} at most."
            raise DiagnosticsError.of("hazop-cell", text, where=where, hint="Shorten it, and use the description.")


def _keys(data: Mapping[str, Any]) -> Iterator[str]:
    """Names at every depth."""
    waiting = [data]
    while waiting:
        here = waiting.pop()
        yield from here
        waiting.extend(value for value in here.values() if isinstance(value, Mapping))
