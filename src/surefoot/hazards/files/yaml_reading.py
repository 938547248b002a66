"""YAML to a draft."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.documents import Document, Findings, Keys, Refused, shown, yaml
from surefoot.hazards.files import yaml_values
from surefoot.hazards.files.draft import FORMAT, VERSION, WORKSHEET, Draft, Entry
from surefoot.hazards.files.fields import ITEM, LISTS, MATRIX, PROPERTY, ROW

Taker = Callable[[Any], Any]
_ROW: dict[str, Taker] = {name: yaml_values.texts if name in LISTS else yaml_values.text for name in ROW}
_ITEM: dict[str, Taker] = {
    **{name: yaml_values.text for name in ITEM if name != "name"},
    "learned": yaml_values.truth,
    "parameters": yaml_values.guide_words_by_parameter,
}
_PROPERTY: dict[str, Taker] = {
    **{name: yaml_values.text for name in PROPERTY if name != "id"},
    "value": yaml_values.value,
}
_MATRIX: dict[str, Taker] = {
    **dict.fromkeys(MATRIX, yaml_values.texts),
    "classes": yaml_values.texts_by_name,
    "meaning": yaml_values.text_by_name,
    "source": yaml_values.text,
}
_SECTIONS = (FORMAT, "name", "description", "items", "properties", "matrix", "rows")


def yaml_draft(path: Path, text: str, findings: Findings) -> Draft:
    """What the text says."""
    document = yaml.parse(text, findings, meaning=yaml.as_written)
    return _Reader(document, findings).draft(path.stem)


@dataclass
class _Reader:
    document: Document
    findings: Findings

    def draft(self, name: str) -> Draft:
        data = self.document.data
        if not isinstance(data, Mapping) or FORMAT not in data:
            self.findings.stop("hazop-syntax", "this is no worksheet.", line=1, hint=WORKSHEET.beginning)
        self._check_version(data[FORMAT])
        self._refuse_unknown(data, _SECTIONS, ())
        return Draft(
            self._text("name", name),
            self._text("description", ""),
            self._named("items", "name", _ITEM),
            self._named("properties", "id", _PROPERTY),
            self._entry(data["matrix"], _MATRIX, ("matrix",)) if data.get("matrix") else None,
            self._listed(),
        )

    def _text(self, section: str, otherwise: str) -> str:
        said = self._taken(yaml_values.text, self.document.data.get(section), (), section)
        return otherwise if said is None else said

    def _check_version(self, found: Any) -> None:
        if found != VERSION:
            text = f"the format has version {shown(found)}; this Surefoot reads version {VERSION}."
            self.findings.stop("unsupported-version", text, line=self._line((FORMAT,)), hint="Use a newer Surefoot.")

    def _named(self, section: str, key: str, takers: Mapping[str, Taker]) -> list[Entry]:
        """Entries of a mapping from names."""
        data = self.document.data.get(section) or {}
        if not isinstance(data, Mapping):
            hint = f"Write each {key} followed by a colon, and its fields below."
            self._add("hazop-cell", f"{section} must be a mapping, found {shown(data)}.", (section,), hint)
            return []
        return [self._entry(fields, takers, (section, name), {key: name}) for name, fields in data.items()]

    def _listed(self) -> list[Entry]:
        data = self.document.data.get("rows") or []
        if not isinstance(data, list):
            hint = "Begin each row with a dash."
            self._add("hazop-cell", f"rows must be a list, found {shown(data)}.", ("rows",), hint)
            return []
        return [self._entry(fields, _ROW, ("rows", index)) for index, fields in enumerate(data)]

    def _entry(
        self, fields: Any, takers: Mapping[str, Taker], path: Keys, named: Mapping[str, str] | None = None
    ) -> Entry:
        values: dict[str, Any] = dict(named or {})
        if fields and not isinstance(fields, Mapping):
            self._add("hazop-cell", f"expected fields, found {shown(fields)}.", path, "Write field: value.")
        elif fields:
            self._refuse_unknown(fields, takers, path)
            for name, value in fields.items():
                if name in takers and (taken := self._taken(takers[name], value, path, name)) is not None:
                    values[name] = taken
        return Entry(values, lambda name: self.findings.place(self._line((*path, name) if name else path)))

    def _taken(self, take: Taker, value: Any, path: Keys, name: str) -> Any:
        try:
            return take(value)
        except Refused as refused:
            self._add(refused.code, refused.text, (*path, name), refused.hint)
            return None

    def _refuse_unknown(self, fields: Mapping[str, Any], known: Collection[str], path: Keys) -> None:
        for name in fields:
            if name not in known:
                hint = self.findings.suggestion(name, known)
                self._add("unknown-key", f"{shown(name)} is not known here.", (*path, name), hint)

    def _add(self, code: str, text: str, path: Keys, hint: str) -> None:
        self.findings.add(code, text, line=self._line(path), hint=hint)

    def _line(self, path: Keys) -> int:
        return self.document.line(path)
