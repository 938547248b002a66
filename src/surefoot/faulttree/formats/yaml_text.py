"""YAML text to plain data.

Fault trees and worksheets need nothing of YAML but mappings, lists, texts and numbers. Everything that makes YAML
dangerous or surprising is refused while it is met: anchors and aliases (which can blow up), tags (which can name Python
objects), several documents, keys that appear twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from surefoot.core.yaml_words import FORBIDDEN, resolve, syntax_hint
from surefoot.faulttree.formats.document import DEEPEST, NAMED_SECTIONS, Keys
from surefoot.faulttree.formats.findings import Findings, shown

_ENDS = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


@dataclass
class YamlDocument:
    """What YAML text says; problems that do not end the reading are in ``findings``.

    ``code`` is that of what a strict reader refuses; ``meaning`` gives the value of a word without quotes.
    """

    text: str
    findings: Findings
    data: Any = None
    places: dict[Keys, int] = field(default_factory=lambda: {(): 1})
    code: str = "tree-syntax"
    meaning: Callable[[str], Any] = resolve

    def __post_init__(self) -> None:
        control = FORBIDDEN.search(self.text)
        if control:
            line = self.text.count("\n", 0, control.start()) + 1
            self.findings.stop(self.code, f"the file holds the control character {control[0]!r}.", line=line)
        try:
            self.data = _Reader(self.findings, self.places, self.code, self.meaning).document(self._events())
        except yaml.MarkedYAMLError as error:
            self._syntax_error(error)
        except yaml.YAMLError as error:
            self.findings.stop(self.code, f"this is not valid YAML: {shown(str(error))}.")

    def _events(self) -> Iterator[yaml.Event]:
        return yaml.parse(self.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))

    def _syntax_error(self, error: yaml.MarkedYAMLError) -> None:
        problem = error.problem or "this is not valid YAML"
        mark = error.problem_mark or error.context_mark
        hint = syntax_hint(problem)
        self.findings.stop(self.code, f"{problem}.", line=mark.line + 1 if mark else 1, hint=hint)


@dataclass
class _Reader:
    """Builds data from the events of the parser, so that nothing refused is ever expanded."""

    findings: Findings
    places: dict[Keys, int]
    code: str
    meaning: Callable[[str], Any]

    def document(self, events: Iterator[Any]) -> Any:
        next(events)
        first = next(events)
        if isinstance(first, yaml.StreamEndEvent):
            self.findings.stop(self.code, "the file holds comments only.")
        data = self._built(events)
        next(events)
        end = next(events)
        if not isinstance(end, yaml.StreamEndEvent):
            self._stop(end, "a second document begins here.", "Keep one document in one file.")
        return data

    def _built(self, events: Iterator[Any]) -> Any:
        """The next value; containers that are still open wait on a stack, so that depth costs no recursion."""
        path: list[str | int] = []
        open_: list[dict[str, Any] | list[Any]] = []
        value: Any = None
        for event in events:
            if isinstance(event, _ENDS):
                value = open_.pop()
            else:
                if open_:
                    self._enter(event, open_[-1], path)
                    if isinstance(open_[-1], dict):
                        event = next(events)
                self._check(event, path)
                if not isinstance(event, yaml.ScalarEvent):
                    open_.append([] if isinstance(event, yaml.SequenceStartEvent) else {})
                    continue
                value = self.meaning(event.value) if event.implicit[0] else event.value
            if not open_:
                return value
            self._keep(value, open_[-1], path)
        return value

    def _enter(self, event: Any, container: dict[str, Any] | list[Any], path: list[str | int]) -> None:
        """Note where the next item or key of a container stands."""
        if isinstance(container, list):
            path.append(len(container))
            self.places[tuple(path)] = event.start_mark.line + 1
            return
        path.append(self._key(event, path))
        if path[-1] in container:
            self._twice(event, tuple(path))
        else:
            self.places[tuple(path)] = event.start_mark.line + 1

    def _keep(self, value: Any, container: dict[str, Any] | list[Any], path: list[str | int]) -> None:
        if isinstance(container, list):
            container.append(value)
        else:
            container[str(path[-1])] = value
        path.pop()

    def _check(self, event: Any, path: list[str | int]) -> None:
        if event.anchor or event.tag or len(path) > DEEPEST:
            self._refuse(event)

    def _refuse(self, event: Any) -> None:
        if isinstance(event, yaml.AliasEvent):
            self._stop(event, f"the alias *{shown(event.anchor)} is used.", "Write the value out.")
        if event.anchor:
            self._stop(event, f"the anchor &{shown(event.anchor)} is used.", "Remove it.")
        if event.tag:
            self._stop(event, f"the tag {shown(event.tag)} is used.", "Remove it.")
        self._stop(event, f"values are nested more than {DEEPEST} deep.", "Give inner formulas names.")

    def _key(self, event: Any, path: list[str | int]) -> str:
        self._check(event, path)
        if not isinstance(event, yaml.ScalarEvent):
            self._stop(event, "a list or mapping stands where a key is expected.", "Use text.")
        key = self.meaning(event.value) if event.implicit[0] else event.value
        if not isinstance(key, str):
            self._add(event, "wrong-value", f"a key must be text, found {shown(key)}.", "Put it in quotes.")
        return event.value

    def _twice(self, event: Any, place: Keys) -> None:
        code = "tree-duplicate" if len(place) == 2 and place[0] in NAMED_SECTIONS else "duplicate-key"
        text = f"{shown(place[-1])} appears twice, first in line {self.places[place]}."
        self._add(event, code, text, "Remove or rename one of them.")

    def _add(self, event: Any, code: str, text: str, hint: str) -> None:
        self.findings.add(code, text, line=event.start_mark.line + 1, hint=hint)

    def _stop(self, event: Any, text: str, hint: str) -> None:
        self.findings.stop(self.code, text, line=event.start_mark.line + 1, hint=hint)
