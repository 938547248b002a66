"""Plain data as text that reads well, whose differences stand in single lines, and that every reader reads back.

Text that no document may hold is written as it is; ``write_whole`` refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surefoot.documents import json
from surefoot.documents.files import FORBIDDEN

STEP = "  "
COMPACT, FOLDED = 110, 100
"""Widths of the two layouts of YAML."""
LARGEST_WHOLE = 1e15
# Words of YAML that are no text, those of YAML 1.1 too, for readers that still hold to it.
_CONSTANTS = frozenset({"", "~", "null", "true", "false", "y", "yes", "n", "no", "on", "off"})
_PLAIN = re.compile(r"[^\W\d][\w./()+-]*( [\w./()+-]+)*")
# After a key, where, unlike inside brackets, a comma is only a comma.
_PLAIN_LINE = re.compile(r"[^\W\d_][\w./()+,;'%=<>*!?-]*( [\w./()+,;'%=<>*!?-]+)*")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_SENTENCE = re.compile(r"(?<=[.;:!?]) (?=\S)")
_BREAK = re.compile(r"(?<=\S) (?=\S)")


def as_json(data: Mapping[str, Any]) -> str:
    """JSON with one entry of each section a line, so that differences stand in single lines.

    Parameters
    ----------
    data
        Sections by name.

    Returns
    -------
    str
        The text of a file.

    Examples
    --------
    >>> print(as_json({"version": 1, "gates": {"G1": [1, 2]}}), end="")
    {
    "version": 1,
    "gates": {
      "G1": [1, 2]
    }
    }

    """
    body = ",\n".join(f"{json.written(key)}: {_json_section(value)}" for key, value in data.items())
    return f"{{\n{body}\n}}\n"


def as_yaml(data: Mapping[str, Any] | Sequence[Mapping[str, Any]], *, blocks: int | None = None) -> str:
    """YAML whose values stand in one line where they fit.

    Parameters
    ----------
    data
        Mappings, lists, texts, numbers, truth values and None; the whole is a mapping, or a list of mappings.
    blocks
        With a number, mappings are written one key a line down to that depth, and long texts sentence by sentence;
        without one, only the sections of the whole are.

    Returns
    -------
    str
        The text of a file.

    Examples
    --------
    >>> print(as_yaml({"target": {"at most": 0.05, "level": 0.95}}), end="")
    target:
      at most: 0.05
      level: 0.95

    """
    if not isinstance(data, Mapping):
        lines = _items(data, blocks or 1)
    else:
        lines = _compact(data, "") if blocks is None else _folded(data, "", blocks)
    return "".join(f"{line}\n" for line in lines)


def scalar(value: str | float | bool | None) -> str:
    """A word or number of YAML in the form that keeps it.

    Parameters
    ----------
    value
        A text, a number, a truth value or None.

    Returns
    -------
    str
        In quotes where it would be read as something else.

    Examples
    --------
    >>> [scalar(value) for value in ("pump A", "no", "1e-3", "a: b", 1e-5, None)]
    ['pump A', '"no"', '"1e-3"', '"a: b"', '1.0e-05', 'null']

    """
    if isinstance(value, str):
        return value if _is_plain(value, _PLAIN) else _quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) and value.is_integer() and 0 < abs(value) < LARGEST_WHOLE:
        return repr(int(value))
    text = repr(value)
    # YAML 1.1 takes 1e-05 for text and 1.0e-05 for a number.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def flow(value: Any) -> str:
    """A value of YAML in one line.

    Parameters
    ----------
    value
        Plain data.

    Returns
    -------
    str
        With brackets around mappings and lists.

    Examples
    --------
    >>> flow({"gate": ["a", "b: c"]})
    '{gate: [a, "b: c"]}'

    """
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{scalar(key)}: {flow(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(flow, value))}]"
    return scalar(value)


def _json_section(value: Any) -> str:
    if not isinstance(value, Mapping):
        return json.written(value)
    return (
        "{\n" + ",\n".join(f"{STEP}{json.written(name)}: {json.written(item)}" for name, item in value.items()) + "\n}"
    )


def _compact(data: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in data.items():
        yield from _compact_entry(f"{indent}{scalar(key)}:", value, indent)


def _compact_entry(start: str, value: Any, indent: str) -> Iterator[str]:
    """What follows a key or a dash: in the same line where it fits and is not one of the large sections."""
    line = _fitting(value, COMPACT - len(start)) if indent or not isinstance(value, Mapping) or not value else None
    if line is not None:
        yield f"{start} {line}"
        return
    if isinstance(value, Mapping) and start.endswith("-"):
        first, *others = _compact(value, indent + STEP)
        yield from (f"{start} {first.lstrip()}", *others)
        return
    yield start
    if isinstance(value, Mapping):
        yield from _compact(value, indent + STEP)
    else:
        for item in value:
            yield from _compact_entry(f"{indent}{STEP}-", item, indent + STEP)


def _fitting(value: Any, room: int) -> str | None:
    """The value in one line, None where it needs more room; texts and numbers always fit."""
    if not isinstance(value, Mapping | list):
        return scalar(value)
    parts = []
    for key in value:
        inner = _fitting(value[key] if isinstance(value, Mapping) else key, room)
        part = inner if inner is None or isinstance(value, list) else f"{scalar(key)}: {inner}"
        room -= len(part or "") + 2
        if part is None or room < 0:
            return None
        parts.append(part)
    return f"[{', '.join(parts)}]" if isinstance(value, list) else f"{{{', '.join(parts)}}}"


def _items(data: Sequence[Mapping[str, Any]], blocks: int) -> Iterator[str]:
    for each in data:
        first, *others = _folded(each, STEP, blocks)
        yield from (f"- {first.lstrip()}", *others)


def _folded(data: Mapping[str, Any], indent: str, blocks: int) -> Iterator[str]:
    for key, value in data.items():
        yield from _folded_entry(f"{indent}{scalar(key)}:", value, indent, blocks)


def _folded_entry(start: str, value: Any, indent: str, blocks: int) -> Iterator[str]:
    if isinstance(value, str):
        yield from _text(start, value, indent)
    elif isinstance(value, Mapping) and value and blocks > 1:
        yield start
        yield from _folded(value, indent + STEP, blocks - 1)
    elif len(line := f"{start} {flow(value)}") <= FOLDED or not isinstance(value, Mapping | list) or not value:
        yield line
    elif isinstance(value, Mapping):
        yield start
        yield from _folded(value, indent + STEP, 1)
    else:
        yield start
        yield from (f"{indent}{STEP}- {flow(item)}" for item in value)


def _text(start: str, text: str, indent: str) -> Iterator[str]:
    """Text after a key; what is long in a folded block, sentence by sentence, so that a changed word changes a line."""
    if (len(start) + len(text) < FOLDED and "\n" not in text) or not _folds(text):
        yield f"{start} {text if _is_plain(text, _PLAIN_LINE) else scalar(text)}"
        return
    yield f"{start} >-"
    for number, paragraph in enumerate(text.split("\n")):
        if number:
            yield ""
        for sentence in _SENTENCE.split(paragraph) if paragraph else ():
            yield from (f"{indent}{STEP}{line}" for line in _wrapped(sentence, FOLDED - len(indent) - len(STEP)))


def _folds(text: str) -> bool:
    """Whether a folded block gives the text back as it is."""
    lines = text.split("\n")
    return bool(lines[0] and lines[-1]) and all(line.isprintable() and line == line.strip() for line in lines)


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


def _is_plain(text: str, form: re.Pattern[str]) -> bool:
    return bool(form.fullmatch(text)) and text.isprintable() and text.casefold() not in _CONSTANTS


def _quoted(text: str) -> str:
    if text.isprintable():
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    number = ord(character)
    if character.isprintable() or FORBIDDEN.match(character):
        return character
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else f"\\U{number:08x}"
