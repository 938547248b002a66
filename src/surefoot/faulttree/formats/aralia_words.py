"""Words and statements of Aralia text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from surefoot.documents import Findings, Refused, shown

_WORD = re.compile(
    r"""(?P<nothing>[^\S\n]+ | //[^\n]* | /\*.*?\*/)
    | (?P<unclosed>/\*)
    | (?P<newline>\n)
    | (?P<number>(?:\d+\.?\d* | \.\d+)(?:[eE][-+]?\d+)?(?!\w))
    | (?P<name>[^\W\d][\w.]*(?:-\w[\w.]*)*)
    | (?P<symbol>:= | <=> | => | [()\[\],;&|^~@\#=-])""",
    re.VERBOSE | re.DOTALL,
)
_OPEN, _CLOSED = "([", ")]"
_GOES_ON = (":=", "&", "|", "^", "~", "-", "=>", "<=>", ",", "=")


class Word(NamedTuple):
    """A name, number or symbol, and its line."""

    kind: str
    text: str
    line: int


@dataclass
class Words:
    """The words of one statement, read from the left."""

    words: list[Word]
    position: int = 0

    @property
    def at_end(self) -> bool:
        """Whether all words were read."""
        return self.position >= len(self.words)

    @property
    def line(self) -> int:
        """The line of the next word, or of the last one."""
        return self.words[min(self.position, len(self.words) - 1)].line

    @property
    def ahead(self) -> str:
        """The next word, empty at the end."""
        return "" if self.at_end else self.words[self.position].text

    def accept(self, text: str) -> bool:
        """Go past a word if it is the next one."""
        found = self.ahead == text
        self.position += found
        return found

    def expect(self, text: str) -> None:
        """Go past a word that must come."""
        if not self.accept(text):
            raise self.unexpected(f"{text!r}")

    def next(self, wanted: str) -> Word:
        """The next word, whatever it is."""
        if self.at_end:
            raise self.unexpected(wanted)
        self.position += 1
        return self.words[self.position - 1]

    def name(self, wanted: str) -> Word:
        """The next word, which must be a name."""
        if self.at_end or self.words[self.position].kind != "name":
            raise self.unexpected(wanted)
        return self.next(wanted)

    def unexpected(self, wanted: str) -> Refused:
        """The complaint about the next word."""
        return Refused("tree-syntax", f"expected {wanted}, found {shown(self.ahead) if self.ahead else 'the end'}.")


def statements(text: str, findings: Findings) -> Iterator[list[Word]]:
    """The words of each statement; characters that begin no word are noted and passed over."""
    words = list(_words(text, findings))
    by_semicolon = any(word.text == ";" for word in words)
    statement: list[Word] = []
    depth, titled = 0, False
    for word in words:
        depth = max(depth + (word.text in _OPEN) - (word.text in _CLOSED), 0) if word.kind == "symbol" else depth
        is_title = not titled and len(statement) == 1
        ends = word.text == ";" or (word.kind == "newline" and (is_title or not by_semicolon) and not depth)
        if ends and statement and not (word.kind == "newline" and statement[-1].text in _GOES_ON):
            yield statement
            statement, depth, titled = [], 0, True
        elif word.kind != "newline" and word.text != ";":
            statement.append(word)
    if statement:
        yield statement


def _words(text: str, findings: Findings) -> Iterator[Word]:
    position, line = 0, 1
    while position < len(text):
        found = _WORD.match(text, position)
        if found is None:
            findings.add("tree-syntax", f"{shown(text[position])} has no meaning here.", line=line)
            position += 1
            continue
        kind = str(found.lastgroup)
        if kind == "unclosed":
            findings.stop("tree-syntax", "a comment begins here and does not end.", line=line, hint="Close it with */.")
        if kind != "nothing":
            yield Word(kind, found[0], line)
        line += found[0].count("\n")
        position = found.end()
