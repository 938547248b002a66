"""Long texts as folded blocks of YAML, each sentence on lines of its own, so that a changed word is a changed line."""

from __future__ import annotations

import re
from collections.abc import Iterator

WIDEST = 100
_SENTENCE = re.compile(r"(?<=[.;:!?]) (?=\S)")
_BREAK = re.compile(r"(?<=\S) (?=\S)")


def folds(text: str) -> bool:
    """Whether a folded block gives the text back as it is."""
    lines = text.split("\n")
    return bool(lines[0] and lines[-1]) and all(line.isprintable() and line == line.strip() for line in lines)


def folded(text: str, indent: str) -> Iterator[str]:
    """The lines below ``>-``; a line break of the text is an empty line more.

    >>> list(folded("One sentence. Another.", "  "))
    ['  One sentence.', '  Another.']
    """
    for index, paragraph in enumerate(text.split("\n")):
        if index:
            yield ""
        for sentence in _SENTENCE.split(paragraph) if paragraph else ():
            yield from (f"{indent}{line}" for line in _wrapped(sentence, WIDEST - len(indent)))


def _wrapped(sentence: str, width: int) -> Iterator[str]:
    """Broken at single spaces, which is where a reader of YAML puts one back."""
    line = ""
    for part in _BREAK.split(sentence):
        if line and len(line) + 1 + len(part) > width:
            yield line
            line = part
        else:
            line = f"{line} {part}" if line else part
    yield line
