"""Words and numbers as people write them: yes and no, relations, numbers, levels in any case."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300})(?:[eE][-+]?[0-9]{1,9})?")
_SIGNS = {
    "<=": "at most",
    "≤": "at most",
    ">=": "at least",
    "≥": "at least",
    "<": "less than",
    ">": "more than",
    "=": "equals",
    "==": "equals",
}
TRUTH = {
    **dict.fromkeys(("true", "yes", "y", "x", "1"), True),
    **dict.fromkeys(("false", "no", "n", "0", ""), False),
}


def number(text: str) -> float | None:
    """The finite number that a text is, None where it is none.

    >>> [number(text) for text in ("2", "1e-3", "two", "1e999")]
    [2.0, 0.001, None, None]
    """
    value = float(text) if _NUMBER.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def number_text(value: float) -> str:
    """The shortest text that reads back as the number.

    >>> number_text(2.0), number_text(0.1)
    ('2', '0.1')
    """
    return repr(value).removesuffix(".0")


def relation(text: str) -> str:
    """A relation in words, from words in any case or from a sign."""
    return _SIGNS.get(text, text.casefold())


def level(text: str, scale: Iterable[str]) -> str | None:
    """The word of a scale that a text is, letter by letter or else in another case; None where it is none."""
    words = list(scale)
    return text if text in words else next((word for word in words if word.casefold() == text.casefold()), None)
