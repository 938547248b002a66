"""JSON by the standard and nothing else: no NaN, no infinities, no key twice.

``parse`` and ``written`` are for documents of people, with places and findings; ``loads`` and ``dumps`` for what
programs keep, of which nothing needs to be told but that it is damaged.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from surefoot.core.validate import printable
from surefoot.documents.document import START, Document, Findings, Keys, Place
from surefoot.documents.files import FORBIDDEN, character, place_of, refuse_controls

_CORRECT, _NUMBER = "Correct the file there.", "Write for example 0.001."
# Strings first, so that what stands inside them is no bracket.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
_CONTROL_ESCAPE = re.compile(r"\\(?:u(?:00[0189]|[dD][89a-fA-F]|[fF]{3})|u007[fF]|[bf])")
_ESCAPE = re.compile(r"\\(?:(u00[01][0-9a-f])|([bf])|.)")


def parse(text: str, findings: Findings) -> Document:
    """What JSON text says; problems that do not end the reading go to ``findings``, the others are raised with them."""
    refuse_controls(text, findings)
    found = Document(_Reader(text, findings).read(), lambda: dict(_places(text)))
    if _CONTROL_ESCAPE.search(text):
        _refuse_escapes(found, findings)
    return found


def loads(
    content: str | bytes, restored: Callable[[dict[str, Any]], Any] | None = None, *, undefined: bool = False
) -> Any:
    """What a program wrote as JSON; ``ValueError`` where it is damaged, has a key twice or nests too deep.

    ``restored`` gives what a mapping stands for, where a program wrote one for something that JSON has no form for.
    ``undefined`` reads NaN and infinities, for files in which their place is told later on.
    """

    def refuse(word: str) -> NoReturn:
        raise ValueError(f"{word} is no number")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("a key appears twice")
        return found if restored is None else restored(found)

    try:
        return json.loads(content, object_pairs_hook=once, parse_constant=float if undefined else refuse)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def dumps(data: Any, *, ensure_ascii: bool = False, **layout: Any) -> str:
    """Data as JSON for programs, which keep every character; NaN and infinities raise ``ValueError``."""
    return json.dumps(data, ensure_ascii=ensure_ascii, allow_nan=False, **layout)


def written(data: Any, *, ascii_only: bool = False, **layout: Any) -> str:
    """Data as JSON for people; what no document holds stays as it is, so that whoever writes the file refuses it."""
    text = dumps(data, **layout)
    plain = _ESCAPE.sub(_unescaped, text) if _CONTROL_ESCAPE.search(text) else text
    return json.dumps(data, allow_nan=False, **layout) if ascii_only and not FORBIDDEN.search(plain) else plain


def _unescaped(escape: re.Match[str]) -> str:
    return str(json.loads(f'"{escape[0]}"')) if escape[1] or escape[2] else escape[0]


class _Reader:
    """Reads data, and looks at places only where something is wrong."""

    def __init__(self, text: str, findings: Findings) -> None:
        self.text, self.findings = text, findings
        self.repeats = False

    def read(self) -> Any:
        findings = self.findings
        try:
            data = json.loads(
                self.text, object_pairs_hook=self._mapping, parse_constant=self._refuse_number, parse_float=self._number
            )
        except json.JSONDecodeError as error:
            place = error.lineno, error.colno
            findings.unparsable(f"this is not valid JSON: {error.msg}.", line=place, hint=_CORRECT)
        except RecursionError:
            findings.refuse("values are nested too deep.", hint=findings.kind.flatter)
        except ValueError:
            findings.unparsable("a whole number has too many digits.", hint=_NUMBER)
        self._refuse_large(data)
        if self.repeats:
            self._say_what_repeats()
        return data

    def _mapping(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        self.repeats |= len(found) < len(pairs)
        return found

    def _number(self, text: str) -> float:
        number = float(text)
        return number if math.isfinite(number) else self._refuse_number(text)

    def _refuse_number(self, text: str) -> NoReturn:
        place = place_of(self.text, self.text.find(text))
        self.findings.unparsable(f"{printable(text, 60)!r} is not a finite number.", line=place, hint=_NUMBER)

    def _refuse_large(self, data: Any) -> None:
        kind = self.findings.kind
        level, depth, values = [data], 0, 0
        while level:
            depth += 1
            inner = []
            for each in level:
                if isinstance(each, dict):
                    values += len(each)
                    inner += [item for item in each.values() if isinstance(item, dict | list)]
                elif isinstance(each, list):
                    values += len(each)
                    inner += [item for item in each if isinstance(item, dict | list)]
            if depth > kind.deepest + 1:
                self.findings.refuse(f"values are nested more than {kind.deepest} deep.", hint=kind.flatter)
            level = inner
        if values > kind.most_values:
            self.findings.refuse(f"the file has more than {kind.most_values:,} values.")

    def _say_what_repeats(self) -> None:
        seen: dict[Keys, Place] = {}
        repeated: set[Keys] = set()
        for path, place in _places(self.text):
            if path in seen and not any(path[:depth] in repeated for depth in range(1, len(path))):
                repeated.add(path)
                self.findings.twice(path, place, seen[path])
            seen.setdefault(path, place)


def _refuse_escapes(document: Document, findings: Findings) -> None:
    """Escapes of what no document holds."""
    waiting: list[tuple[Keys, Any]] = [((), document.data)]
    while waiting:
        path, value = waiting.pop()
        texts = [value] if isinstance(value, str) else list(value) if isinstance(value, Mapping) else []
        found = next((found for text in texts if (found := FORBIDDEN.search(text))), None)
        if found:
            findings.add(
                "wrong-value", f"a text holds {character(found[0])}.", line=document.place(path), hint="Remove it."
            )
        if isinstance(value, Mapping):
            waiting += [((*path, key), item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, number), item) for number, item in enumerate(value)]


def _places(text: str) -> Iterator[tuple[Keys, Place]]:
    """Each key and list item of valid JSON with its place, in the order of reading."""
    yield (), START
    path: list[str | int] = []
    brackets: list[str] = []
    key_next = False
    for word, place in _words(text):
        if key_next and word[0] == '"':
            path[-1] = json.loads(word)
            key_next = False
            yield tuple(path), place
        elif word in "]}":
            brackets.pop()
            path.pop()
            key_next = False
        elif word == ",":
            key_next = brackets[-1] == "{"
            path[-1] = path[-1] if key_next else int(path[-1]) + 1
        elif word != ":":
            if brackets and brackets[-1] == "[":
                yield tuple(path), place
            if word in "[{":
                brackets.append(word)
                path.append(0)
                key_next = word == "{"


def _words(text: str) -> Iterator[tuple[str, Place]]:
    line, begun, end = 1, 0, 0
    for token in _TOKEN.finditer(text):
        start = token.start()
        breaks = text.count("\n", end, start)
        if breaks:
            line, begun = line + breaks, text.rfind("\n", end, start) + 1
        end = start
        yield token[0], (line, start - begun + 1)
