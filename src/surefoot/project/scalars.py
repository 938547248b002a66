"""What a plain word of YAML means: the core schema of YAML 1.2, in which ``no`` is a word and ``1e-3`` a number."""

from __future__ import annotations

import math
import re

WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# No number of a project file has more digits; longer ones stay text.
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
