"""YAML text to plain data, with the line of every key.

A project file needs nothing of YAML but mappings, lists, texts and numbers. Everything that makes YAML dangerous or
surprising is refused while it is met: anchors and aliases (which can blow up), tags (which can name Python objects),
several documents, keys that appear twice. Words are read as in YAML 1.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import yaml

from surefoot.adapters.wording import shown
from surefoot.core import DiagnosticsError
from surefoot.core.yaml_words import FORBIDDEN, resolve, syntax_hint
from surefoot.project.problem import LONGEST, Keys

LARGEST_FILE = 1_000_000
MOST_VALUES = 50_000
DEEPEST = 50
# step.quantity[scope], which between braces ends at its bracket.
_SCOPED = re.compile(r"[A-Za-z][\w-]*\.[^,:{}\[\]\"']*\[[^\]]*\]")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Document:
    """What a file says, and the line of each key and list item; ``()`` is the line of the whole."""

    data: Mapping[str, Any]
    places: Mapping[Keys, int]


def read(path: Path) -> Document:
    """Read a file; whatever is wrong with it is an error with a code and a place."""
    return parse(_text(path), shown(path.name))


def parse(text: str, name: str) -> Document:
    """Read YAML text; ``name`` is how messages call the file."""
    return _Reader(name).read(text)


def _text(path: Path) -> str:
    name = shown(path.name)
    try:
        content = _content(path)
    except OSError as error:
        problem = f"the file cannot be read: {error.strerror or error}."
        raise DiagnosticsError.of("file-unreadable", problem, where=name, hint="Check its permissions.") from error
    if len(content) > LARGEST_FILE:
        problem = f"the file is larger than {LARGEST_FILE:,} bytes."
        raise DiagnosticsError.of("file-unreadable", problem, where=name, hint="Keep data in files of their own.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"the file is not UTF-8 text (byte 0x{content[error.start]:02x})."
        raise DiagnosticsError.of(
            "file-unreadable", problem, where=f"{name}:{line}", hint="Save it with the encoding UTF-8."
        ) from error


def _content(path: Path) -> bytes:
    if not path.is_file():
        # A pipe or a device could block for ever.
        raise OSError("it is not a plain file")
    with open(path, "rb") as stream:
        return stream.read(LARGEST_FILE + 1)


@dataclass
class _Reader:
    """Builds data from the events of the YAML parser, so that nothing refused is ever expanded."""

    name: str
    lines: list[str] = field(default_factory=list)
    places: dict[Keys, int] = field(default_factory=lambda: {(): 1})
    values: int = 0

    def read(self, text: str) -> Document:
        control = FORBIDDEN.search(text)
        if control:
            before = text[: control.start()]
            line, column = before.count("\n") + 1, control.start() - before.rfind("\n")
            self._refuse_at(line, column, "yaml-syntax", f"the file holds the control character {control[0]!r}.")
        self.lines = text.splitlines()
        try:
            events = yaml.parse(text, Loader=_LOADER)
            return Document(self._document(events), self.places)
        except yaml.MarkedYAMLError as error:
            self._syntax_error(error)
        except yaml.YAMLError as error:
            raise DiagnosticsError.of("yaml-syntax", f"{shown(str(error), LONGEST)}.", where=self.name) from error

    def _document(self, events: Iterator[yaml.Event]) -> dict[str, Any]:
        next(events)
        first = next(events)
        if isinstance(first, yaml.StreamEndEvent):
            self._refuse(first, "missing-key", "the file is empty.", "surefoot init writes a project to start from.")
        data = self._value(next(events), events, ())
        next(events)
        end = next(events)
        if not isinstance(end, yaml.StreamEndEvent):
            self._refuse(end, "yaml-forbidden", "a second document begins here.", "Keep one project in one file.")
        if not isinstance(data, dict):
            self._refuse_at(1, 1, "wrong-value", "the file must be a mapping of keys and values.", "Begin: version: 1")
        return data

    def _value(self, event: Any, events: Iterator[yaml.Event], path: Keys) -> Any:
        self._check(event, path)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(events, path)
        return self._mapping(events, path)

    def _check(self, event: Any, path: Keys) -> None:
        self.values += 1
        if isinstance(event, yaml.AliasEvent):
            self._refuse(event, "yaml-forbidden", f"the alias *{event.anchor} is used.", "Write the value out.")
        if event.anchor:
            self._refuse(event, "yaml-forbidden", f"the anchor &{event.anchor} is used.", "Remove it.")
        if event.tag:
            self._refuse(event, "yaml-forbidden", f"the tag {shown(event.tag, LONGEST)} is used.", "Remove it.")
        if len(path) > DEEPEST:
            self._refuse(event, "yaml-forbidden", f"values are nested more than {DEEPEST} deep.")
        if self.values > MOST_VALUES:
            self._refuse(event, "yaml-forbidden", f"the file has more than {MOST_VALUES:,} values.")

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        control = FORBIDDEN.search(event.value)
        if control:
            self._refuse(event, "wrong-value", f"text holds the control character {control[0]!r}.", "Remove it.")
        return resolve(event.value) if event.implicit[0] else event.value

    def _list(self, events: Iterator[yaml.Event], path: Keys) -> list[Any]:
        items: list[Any] = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            place = (*path, len(items))
            self.places[place] = _position(event)[0]
            items.append(self._value(event, events, place))
        return items

    def _mapping(self, events: Iterator[yaml.Event], path: Keys) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._key(event, path)
            place = (*path, key)
            if key in found:
                first = self.places[place]
                problem = f"the key {shown(repr(key), LONGEST)} appears twice, first in line {first}."
                self._refuse(event, "duplicate-key", problem, "Remove or rename one of them.")
            self.places[place] = _position(event)[0]
            found[key] = self._value(next(events), events, place)
        return found

    def _key(self, event: yaml.Event, path: Keys) -> str:
        self._check(event, path)
        if not isinstance(event, yaml.ScalarEvent):
            self._refuse(event, "wrong-value", "a list or mapping stands where a key is expected.", "Use text.")
        key = self._scalar(event)
        if not isinstance(key, str):
            found = shown(event.value, LONGEST) or "nothing"
            self._refuse(event, "wrong-value", f"a key must be text; found {found}.", "Put it in quotes.")
        return key

    def _syntax_error(self, error: yaml.MarkedYAMLError) -> NoReturn:
        problem = error.problem or "this is not valid YAML"
        line, column = _counted(error.problem_mark or error.context_mark)
        written = self.lines[line - 1] if line <= len(self.lines) else ""
        hint = syntax_hint(problem)
        if "',' or" in problem and (result := _SCOPED.search(written)):
            hint = f'Put quotes around it: "{shown(result[0].strip(), LONGEST)}".'
        self._refuse_at(line, column, "yaml-syntax", f"{shown(problem, LONGEST)}.", hint)

    def _refuse(self, event: yaml.Event, code: str, problem: str, hint: str = "") -> NoReturn:
        self._refuse_at(*_position(event), code, problem, hint)

    def _refuse_at(self, line: int, column: int, code: str, problem: str, hint: str = "") -> NoReturn:
        raise DiagnosticsError.of(code, problem, where=f"{self.name}:{line}:{column}", hint=hint)


def _position(event: yaml.Event) -> tuple[int, int]:
    return _counted(event.start_mark)


def _counted(mark: Any) -> tuple[int, int]:
    """Line and column, both counted from 1."""
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)
