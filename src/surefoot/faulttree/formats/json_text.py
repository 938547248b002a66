"""JSON text to plain data; the standard and nothing else: no NaN, no infinities, no key twice."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from surefoot.faulttree.formats.document import NAMED_SECTIONS, Keys
from surefoot.faulttree.formats.findings import Findings, shown

# Strings first, so that what stands inside them is no bracket.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass
class JsonDocument:
    """What JSON text says; problems that do not end the reading are in ``findings``."""

    text: str
    findings: Findings
    data: Any = None
    repeats: bool = False

    def __post_init__(self) -> None:
        try:
            self.data = json.loads(
                self.text, object_pairs_hook=self._mapping, parse_constant=self._refuse_number, parse_float=self._number
            )
        except json.JSONDecodeError as error:
            self.findings.stop("tree-syntax", f"this is not valid JSON: {error.msg}.", line=error.lineno)
        except RecursionError:
            self.findings.stop("tree-syntax", "values are nested too deep.", hint="Give inner formulas names.")
        except ValueError:
            self.findings.stop("tree-syntax", "a whole number has too many digits.")
        if "\\u" in self.text and _SURROGATE.search(json.dumps(self.data, ensure_ascii=False)):
            self.findings.stop("tree-syntax", "text holds half of a surrogate pair.", hint="Write the character out.")
        if self.repeats:
            self._say_what_repeats()

    @cached_property
    def places(self) -> dict[Keys, int]:
        """Lines, looked for only when a message needs them."""
        return dict(_places(self.text))

    def _mapping(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        self.repeats |= len(found) < len(pairs)
        return found

    def _say_what_repeats(self) -> None:
        seen: dict[Keys, int] = {}
        repeated: set[Keys] = set()
        for path, line in _places(self.text):
            if path in seen and not any(path[:depth] in repeated for depth in range(1, len(path))):
                repeated.add(path)
                code = "tree-duplicate" if len(path) == 2 and path[0] in NAMED_SECTIONS else "duplicate-key"
                text = f"{shown(path[-1])} appears twice, first in line {seen[path]}."
                self.findings.add(code, text, line=line, hint="Remove or rename one of them.")
            seen.setdefault(path, line)

    def _number(self, text: str) -> float:
        number = float(text)
        return number if math.isfinite(number) else self._refuse_number(text)

    def _refuse_number(self, text: str) -> NoReturn:
        line = self.text.count("\n", 0, self.text.find(text)) + 1
        self.findings.stop("tree-syntax", f"{shown(text)} is not a finite number.", line=line)


def _places(text: str) -> Iterator[tuple[Keys, int]]:
    """Each key and list item of valid JSON with its line, in the order of reading."""
    yield (), 1
    path: list[str | int] = []
    brackets: list[str] = []
    key_next = False
    for word, line in _words(text):
        if key_next and word[0] == '"':
            path[-1] = json.loads(word)
            key_next = False
            yield tuple(path), line
        elif word in "]}":
            brackets.pop()
            path.pop()
            key_next = False
        elif word == ",":
            key_next = brackets[-1] == "{"
            path[-1] = path[-1] if key_next else int(path[-1]) + 1
        elif word != ":":
            if brackets and brackets[-1] == "[":
                yield tuple(path), line
            if word in "[{":
                brackets.append(word)
                path.append(0)
                key_next = word == "{"


def _words(text: str) -> Iterator[tuple[str, int]]:
    line, end = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", end, token.start())
        end = token.start()
        yield token[0], line
