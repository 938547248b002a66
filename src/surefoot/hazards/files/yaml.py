"""Worksheets as YAML: read into a draft with the line of each field, written so that differences are single lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import Document, Findings, Keys, Refused, as_yaml, scalar, shown, write_whole, yaml
from surefoot.documents.yaml import LONGEST_KEY, Word, is_nothing
from surefoot.hazards.files.fields import ITEM, LISTS, MATRIX, PROPERTY, ROW, TRUTH, number
from surefoot.hazards.files.hazop_files import FORMAT, VERSION, WORKSHEET, Draft, Entry
from surefoot.hazards.guide_words import GUIDE_WORDS
from surefoot.hazards.worksheet import CLASSES, Hazop, Item, Property, RiskMatrix, Row

Taker = Callable[[Any], Any]
_SECTIONS = (FORMAT, "name", "description", "items", "properties", "matrix", "rows")


def yaml_draft(path: Path, text: str, findings: Findings) -> Draft:
    """What the text says."""
    document = yaml.parse(text, findings, meaning=yaml.as_written)
    return _Reader(document, findings).draft(path.stem)


def text(given: Any) -> str | None:
    """A text; a number without quotes is one too."""
    if type(given) is str:
        return given
    if _nothing(given):
        return None
    if not isinstance(given, str):
        raise _unfit(given, "a text", "Put it in quotes.")
    return str(given)


def _nothing(given: Any) -> bool:
    return given is None or is_nothing(given)


def _unfit(given: Any, wanted: str, hint: str) -> Refused:
    return Refused("hazop-cell", f"expected {wanted}, found {shown(given)}.", hint)


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
        said = self._taken(text, self.document.data.get(section), (), section)
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


def value(given: Any) -> float | str | None:
    """A number, or a text where it is in quotes or is none."""
    word = text(given)
    amount = number(word) if isinstance(given, Word) and word is not None else None
    return word if amount is None else amount


_PROPERTY: dict[str, Taker] = {
    **{name: text for name in PROPERTY if name != "id"},
    "value": value,
}


def texts(given: Any) -> tuple[str, ...] | None:
    """A list of texts; a single text is a list of one."""
    if isinstance(given, list):
        return tuple(map(_said, given))
    single = text(given)
    return None if single is None else (single,)


_ROW: dict[str, Taker] = {name: texts if name in LISTS else text for name in ROW}


def _said(given: Any) -> str:
    if type(given) is str:
        return given
    said = text(given)
    if said is None:
        raise _unfit(given, "a text", 'Write "" for an empty one.')
    return said


def truth(given: Any) -> bool | None:
    """True or false, yes or no."""
    word = text(given)
    if word is not None and word.casefold() not in TRUTH:
        raise _unfit(given, "true or false", "Write true, or leave it out.")
    return None if word is None else TRUTH[word.casefold()]


def texts_by_name(given: Any) -> dict[str, tuple[str, ...]] | None:
    """Lists of texts by name."""
    return {name: texts(each) or () for name, each in _mapping(given).items()}


def _mapping(given: Any) -> dict[str, Any]:
    if _nothing(given):
        return {}
    if not isinstance(given, dict):
        raise _unfit(given, "a mapping", "Write name: value.")
    return given


def text_by_name(given: Any) -> dict[str, str] | None:
    """Texts by name."""
    return {name: _said(each) for name, each in _mapping(given).items()}


_MATRIX: dict[str, Taker] = {
    **dict.fromkeys(MATRIX, texts),
    "classes": texts_by_name,
    "meaning": text_by_name,
    "source": text,
}


def guide_words_by_parameter(given: Any) -> dict[str, tuple[str, ...]] | None:
    """For each parameter a list of guide words, or the name of a set of them."""
    return {name: _guide_words(each) for name, each in _mapping(given).items()}


_ITEM: dict[str, Taker] = {
    **{name: text for name in ITEM if name != "name"},
    "learned": truth,
    "parameters": guide_words_by_parameter,
}


def _guide_words(given: Any) -> tuple[str, ...]:
    single = None if isinstance(given, list) else text(given)
    if single is None:
        return texts(given) or ()
    if single not in GUIDE_WORDS:
        hint = f"Sets are {', '.join(GUIDE_WORDS)}; put words in brackets."
        raise Refused("hazop-unknown", f"{shown(single)} is no set of guide words.", hint)
    return GUIDE_WORDS[single]


# YAML that reads well and whose differences stand in single lines.


def write_yaml(hazop: Hazop, path: Path) -> None:
    """Write the worksheet with the fields that say something."""
    data = {FORMAT: int(VERSION), "name": hazop.name, **_filled(_sections(hazop))}
    for section in ("items", "properties", "matrix"):
        _refuse_long_keys(data.get(section, {}), f"{path.name}, {section}")
    write_whole(path, as_yaml(data), code="hazop-cell")


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value or isinstance(value, float)}


def _sections(hazop: Hazop) -> dict[str, Any]:
    return {
        "description": hazop.description,
        "items": {item.name: _item(item) for item in hazop.items},
        "properties": {each.id: _property(each) for each in hazop.properties},
        "matrix": {} if hazop.matrix == RiskMatrix.usual() else _matrix(hazop.matrix),
        "rows": [_row(row) for row in hazop.rows],
    }


def _item(item: Item) -> dict[str, Any]:
    fields = {name: getattr(item, attribute) for name, attribute in ITEM.items() if name != "name"}
    fields["parameters"] = {parameter: list(words) for parameter, words in item.parameters.items()}
    return _filled(fields)


def _property(given: Property) -> dict[str, Any]:
    return _filled({name: getattr(given, name) for name in PROPERTY if name != "id"})


def _matrix(matrix: RiskMatrix) -> dict[str, Any]:
    fields = {
        "severities": list(matrix.severities),
        "classes": {likelihood: list(classes) for likelihood, classes in matrix.classes.items()},
        "order": [] if matrix.order == CLASSES else list(matrix.order),
        "meaning": dict(matrix.meaning),
        "source": matrix.source,
    }
    return _filled(fields)


def _row(row: Row) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, attribute in ROW.items():
        value = getattr(row, attribute)
        if value and not (name == "status" and value == "open"):
            fields[name] = list(map(str, value)) if isinstance(value, tuple) else value
    return fields


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
