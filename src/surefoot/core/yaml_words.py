"""What strict readers of YAML share: the meaning of plain words, characters they refuse, hints for syntax errors.

Words are those of the core schema of YAML 1.2, in which ``no`` is a word and ``1e-3`` a number.
"""

from __future__ import annotations

import math
import re

WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
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
}
# No number of a file has more digits; longer ones stay text.
_WHOLE = re.compile(r"[-+]?[0-9]{1,300}")
_OTHER_BASE = re.compile(r"0o[0-7]{1,300}|0x[0-9a-fA-F]{1,240}")
_DECIMAL = re.compile(r"[-+]?(\.[0-9]{1,300}|[0-9]{1,300}(\.[0-9]{0,300})?)([eE][-+]?[0-9]{1,9})?")


def resolve(text: str) -> str | int | float | bool | None:
    """The value of an unquoted word; what is no finite number stays text.

    >>> [resolve(text) for text in ("no", "true", "1e-3", "012", "2024-01-31", "12:30")]
    ['no', True, 0.001, 12, '2024-01-31', '12:30']
    """
    if text in WORDS:
        return WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _OTHER_BASE.fullmatch(text):
        return int(text, 0)
    if _DECIMAL.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def syntax_hint(problem: str) -> str:
    """What to do about a syntax error, from the words of the parser."""
    return next((hint for part, hint in _HINTS.items() if part in problem), "")
