"""Words and statements of Galileo text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from surefoot.documents import Findings

_WORD = re.compile(
    r"""(?P<nothing>\s+ | //[^\n]* | /\*.*?\*/)
    | (?P<unclosed>/\*)
    | "(?P<quoted>[^"\n]*)"
    | (?P<end>;)
    | (?P<bare>(?:(?!//|/\*)[^\s;"])+)
    | (?P<wrong>.)""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"(?!pand<=|por<=|pdep=)([A-Za-z]\w*)=(.*)")


class Word(NamedTuple):
    """A word, and whether it stood in quotes."""

    text: str
    quoted: bool

    @property
    def is_attribute(self) -> bool:
        """Whether it reads ``key=value``."""
        return not self.quoted and _ATTRIBUTE.fullmatch(self.text) is not None


class Statement(NamedTuple):
    """The words up to a semicolon, and the line of the first one."""

    words: list[Word]
    line: int


def statements(text: str, findings: Findings) -> Iterator[Statement]:
    """The statements of a file; what begins no word is noted and passed over."""
    words: list[Word] = []
    line, first = 1, 1
    for found in _WORD.finditer(text):
        kind = found.lastgroup
        if kind == "unclosed":
            findings.stop("tree-syntax", "a comment begins here and does not end.", line=line, hint="Close it with */.")
        if kind == "wrong":
            what = "a quote begins here and does not end" if found[0] == '"' else f"{found[0]!r} has no meaning here"
            findings.add("tree-syntax", f"{what}.", line=line)
        elif kind == "end" and words:
            yield Statement(_joined(words), first)
            words = []
        elif kind in ("quoted", "bare"):
            first = first if words else line
            words.append(Word(found[kind], kind == "quoted"))
        line += found[0].count("\n")
    if words:
        findings.add("tree-syntax", "the last statement does not end with a semicolon.", line=first)
        yield Statement(_joined(words), first)


def _joined(words: list[Word]) -> list[Word]:
    """``prob = 0.1`` as one word."""
    joined: list[Word] = []
    for word in words:
        last = joined[-1] if joined else None
        if last and not last.quoted and not word.quoted and _belong(last.text, word.text):
            joined[-1] = Word(last.text + word.text, False)
        else:
            joined.append(word)
    return joined


def _belong(left: str, right: str) -> bool:
    return (left.endswith("=") and not left.endswith("<=")) or right.startswith("=")
