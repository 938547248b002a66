"""YAML as people mean it, and nothing of it that is dangerous or surprising.

Files need nothing of YAML but mappings, lists, texts and numbers. Refused while they are met, so that nothing of them
is ever expanded: anchors and aliases (which can blow up), tags (which can name Python objects), several documents, keys
that appear twice. Words without quotes mean what the core schema of YAML 1.2 says, in which ``no`` is a word and
``1e-3`` a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import yaml

from surefoot.core.validate import printable, shown
from surefoot.documents.document import START, Document, Findings, Keys, Place
from surefoot.documents.files import FORBIDDEN, character, refuse_controls

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LONGEST_KEY = 1000
"""Readers of YAML look no further than 1,024 characters for the end of a key."""
WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_START = frozenset("+-.0123456789")
# No number of a file has more digits; longer ones stay text.
_WHOLE = re.compile(r"[-+]?[0-9]{1,300}")
_OTHER_BASE = re.compile(r"0o[0-7]{1,300}|0x[0-9a-fA-F]{1,240}")
_DECIMAL = re.compile(r"[-+]?(\.[0-9]{1,300}|[0-9]{1,300}(\.[0-9]{0,300})?)([eE][-+]?[0-9]{1,9})?")
_HINTS = {
    "mapping values are not allowed": "Put text that contains ': ' in quotes.",
    "cannot start any token": "Indent with spaces, not tabs; put text that starts with @, ` or % in quotes.",
    "end of stream": "Close the quote that was opened.",
    "',' or": "Close the bracket that was opened, or add a comma.",
    "expected key": "Indent the keys of one mapping alike.",
    "block end": "Indent the keys of one mapping alike.",
    "'-' indicator": "Indent the items of one list alike.",
    "document start": "Remove what follows the closing bracket.",
    "expected ':'": "Write key: value, with a space after the colon.",
    "": "Correct the file there.",
}
# A name with brackets behind it, such as step.quantity[scope], which between braces ends at its bracket.
_BRACKETED = re.compile(r"[A-Za-z][\w-]*\.[^,:{}\[\]\"']*\[[^\]]*\]")


class Word(str):
    """A word without quotes that is no text: a number, a truth value or nothing."""

    __slots__ = ()


def parse(text: str, findings: Findings, *, meaning: Callable[[str], Any] | None = None) -> Document:
    """What YAML text says.

    Parameters
    ----------
    text
        The text of a file.
    findings
        Where problems go that do not end the reading; the others are raised with them.
    meaning
        The value of a word without quotes, that of YAML 1.2 where it is left out; ``as_written`` keeps its letters.

    """
    refuse_controls(text, findings)
    reader = _Reader(findings, meaning or resolve)
    try:
        data = reader.document(yaml.parse(text, Loader=LOADER))
    except yaml.MarkedYAMLError as error:
        _syntax_error(error, text, findings)
    except yaml.YAMLError as error:
        findings.unparsable(f"this is not valid YAML: {printable(error, 80)}.", hint=_HINTS[""])
    return Document(data, reader.places)


def resolve(text: str) -> str | int | float | bool | None:
    """The value of a word without quotes; what is no finite number stays text.

    >>> [resolve(text) for text in ("no", "true", "1e-3", "012", "2024-01-31", "12:30")]
    ['no', True, 0.001, 12, '2024-01-31', '12:30']
    """
    if text in WORDS:
        return WORDS[text]
    if text[0] not in _NUMBER_START:
        return text
    if _WHOLE.fullmatch(text):
        return int(text)
    if _OTHER_BASE.fullmatch(text):
        return int(text, 0)
    if _DECIMAL.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def as_written(text: str) -> str:
    """A word without quotes as it is written, so that ``007`` and ``1.10`` can be ids, marked where it may be more."""
    return Word(text) if text in WORDS or text[0] in _NUMBER_START else text


def is_nothing(given: Any) -> bool:
    """Whether ``as_written`` found nothing behind the colon, or a word for it."""
    return isinstance(given, Word) and given in WORDS and WORDS[given] is None


class _Reader:
    """Builds data from the events of the parser."""

    def __init__(self, findings: Findings, meaning: Callable[[str], Any]) -> None:
        self.findings, self.meaning = findings, meaning
        self.places: dict[Keys, Place] = {(): START}

    def document(self, events: Iterator[Any]) -> Any:
        next(events)
        if isinstance(next(events), yaml.StreamEndEvent):
            kind = self.findings.kind
            place = START if kind.columns else None
            text = "the file is empty, or holds comments only."
            self.findings.stop(kind.empty or kind.syntax, text, line=place, hint=kind.beginning)
        data = self._built(events)
        next(events)
        end = next(events)
        if not isinstance(end, yaml.StreamEndEvent):
            self._refuse(end, "a second document begins here.", "Keep one document in one file.")
        return data

    def _built(self, events: Iterator[Any]) -> Any:
        """The next value; containers that are still open wait on a stack, so that depth costs no recursion."""
        places, meaning, most = self.places, self.meaning, self.findings.kind.most_values
        deepest = self.findings.kind.deepest
        path: list[str | int] = []
        open_: list[Any] = []
        count = 0
        for event in events:
            kind = type(event)
            if kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                value = open_.pop()
            else:
                if open_:
                    container = open_[-1]
                    if type(container) is list:
                        path.append(len(container))
                        mark = event.start_mark
                        places[tuple(path)] = mark.line + 1, mark.column + 1
                    else:
                        self._enter(event, container, path)
                        event = next(events)
                        kind = type(event)
                count += 1
                if event.anchor or event.tag or len(path) > deepest or count > most:
                    self._refuse_value(event, len(path))
                if kind is not yaml.ScalarEvent:
                    open_.append([] if kind is yaml.SequenceStartEvent else {})
                    continue
                value = event.value
                if event.implicit[0]:
                    value = meaning(value)
                elif event.style == '"':
                    self._check_text(event)
            if not open_:
                return value
            key, container = path.pop(), open_[-1]
            if type(container) is list:
                container.append(value)
            else:
                container[key] = value
        raise AssertionError("unreachable: the parser ends every value")

    def _enter(self, event: Any, container: dict[str, Any], path: list[str | int]) -> None:
        """Note where the next key of a mapping stands."""
        if event.anchor or event.tag:
            self._refuse_value(event, len(path))
        if type(event) is not yaml.ScalarEvent:
            text = "a list or mapping stands where a key is expected."
            self.findings.stop("wrong-value", text, line=_place(event.start_mark), hint="Use text.")
        key: str = event.value
        mark: Any = event.start_mark
        if event.implicit[0]:
            meant = self.meaning(key)
            if not isinstance(meant, str):
                text = f"a key must be text, found {shown(meant)}."
                self.findings.add("wrong-value", text, line=_place(mark), hint="Put it in quotes.")
        elif event.style == '"':
            self._check_text(event)
        path.append(key)
        keys = tuple(path)
        if key in container:
            self.findings.twice(keys, _place(mark), self.places[keys])
        else:
            self.places[keys] = mark.line + 1, mark.column + 1

    def _check_text(self, event: Any) -> None:
        """Text in double quotes may hold escapes of what no document holds."""
        found = FORBIDDEN.search(event.value)
        if found:
            text = f"a text holds {character(found[0])}."
            self.findings.add("wrong-value", text, line=_place(event.start_mark), hint="Remove it.")

    def _refuse_value(self, event: Any, depth: int) -> NoReturn:
        kind = self.findings.kind
        if isinstance(event, yaml.AliasEvent):
            self._refuse(event, f"the alias *{printable(event.anchor, 60)} is used.", "Write the value out.")
        if event.anchor:
            self._refuse(event, f"the anchor &{printable(event.anchor, 60)} is used.", "Remove it.")
        if event.tag:
            self._refuse(event, f"the tag {printable(event.tag, 60)} is used.", "Remove it.")
        if depth > kind.deepest:
            self._refuse(event, f"values are nested more than {kind.deepest} deep.", kind.flatter)
        self._refuse(event, f"the file has more than {kind.most_values:,} values.", "Keep data in files of their own.")

    def _refuse(self, event: Any, text: str, hint: str) -> NoReturn:
        self.findings.refuse(text, line=_place(event.start_mark), hint=hint)


def _place(mark: Any) -> Place:
    """Line and column, both counted from 1."""
    return (mark.line + 1, mark.column + 1) if mark else START


def _syntax_error(error: yaml.MarkedYAMLError, text: str, findings: Findings) -> NoReturn:
    problem = error.problem or "this is not valid YAML"
    place = _place(error.problem_mark or error.context_mark)
    hint = next(hint for part, hint in _HINTS.items() if part in problem)
    lines = text.splitlines()
    written = lines[place[0] - 1] if place[0] <= len(lines) else ""
    if "',' or" in problem and (bracketed := _BRACKETED.search(written)):
        hint = f'Put quotes around it: "{printable(bracketed[0].strip(), 80)}".'
    findings.unparsable(f"{printable(problem, 80)}.", line=place, hint=hint)
