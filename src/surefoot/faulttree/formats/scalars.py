"""Words and numbers as YAML that every reader reads back as they were."""

from __future__ import annotations

import re

from surefoot.core.yaml_words import WORDS

OLDER_CONSTANTS = frozenset({"y", "yes", "n", "no", "on", "off"})
"""Truth values of YAML 1.1; text that looks like them is written in quotes, for readers that still hold to it."""
LARGEST_WHOLE = 1e15
_PLAIN = re.compile(r"[^\W\d][\w./()+-]*( [\w./()+-]+)*")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def written(value: str | float | bool | None) -> str:
    """A word or number in the form that keeps it.

    >>> [written(value) for value in ("pump A", "no", "1e-3", "a: b", 1e-5, None)]
    ['pump A', '"no"', '"1e-3"', '"a: b"', '1.0e-05', 'null']
    """
    if isinstance(value, str):
        return value if _is_plain(value) else _quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) and value.is_integer() and 0 < abs(value) < LARGEST_WHOLE:
        return repr(int(value))
    text = repr(value)
    # YAML 1.1 takes 1e-05 for text and 1.0e-05 for a number.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _is_plain(text: str) -> bool:
    return (
        bool(_PLAIN.fullmatch(text))
        and text.isprintable()
        and text.casefold() not in OLDER_CONSTANTS
        and text.casefold() not in WORDS
    )


def _quoted(text: str) -> str:
    if text.isprintable():
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    number = ord(character)
    # Half of a surrogate pair has no escape; whoever encodes the text refuses it.
    if character.isprintable() or 0xD800 <= number < 0xE000:
        return character
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else f"\\U{number:08x}"
