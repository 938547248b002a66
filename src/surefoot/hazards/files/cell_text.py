r"""Texts, lists and numbers in the cells of a sheet, so that they read back as they were.

A cell without a backslash means what it shows: entries of a list end at a semicolon or line break, blanks around them
do not count, and ``...`` says that something was left blank. A backslash before a semicolon or line break makes it part
of the text; one at the edge keeps blanks, an empty text or dots. Backslashes elsewhere, as in a path, are themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from surefoot.hazards.files.words import number, number_text

DOTS = frozenset({"...", "…"})
_STOP = re.compile(r"(?<!\\)(\\*)([;\n])")


def is_blank(cell: str) -> bool:
    """Whether a cell says nothing."""
    shown = cell.strip()
    return not shown or shown in DOTS


def cell_of(text: str) -> str:
    r"""A cell that keeps blanks at the edges, an empty text and dots.

    >>> cell_of("pump"), cell_of(" pump"), cell_of("")
    ('pump', '\\ pump', '\\')
    """
    if text and text[0].isalnum() and text[-1].isalnum():
        return text
    text = f"\\{text}" if _open_start(text) else text
    return f"{text}\\" if _open_end(text) else text


def text_of(cell: str) -> str:
    """The text that a cell says."""
    text = cell.strip()
    if "\\" not in text:
        return text
    if text.endswith("\\") and _open_end(text):
        text = text[:-1]
    return text[1:] if text.startswith("\\") and _open_start(text) else text


def cell_of_list(texts: Iterable[str], separator: str) -> str:
    r"""A cell with an entry for each text.

    >>> cell_of_list(["a", "b; c"], "; ")
    'a; b\\; c'
    """
    *others, last = [_STOP.sub(r"\1\1\\\2", cell_of(text)) for text in texts] or [""]
    ends = (f"{cell}{_last_slashes(cell)}{separator}" for cell in others)
    return "".join(ends) + last


def list_of(cell: str) -> tuple[str, ...]:
    r"""The entries of a cell, without those that say nothing.

    >>> list_of("a; b;\n...")
    ('a', 'b')
    """
    return tuple(text_of(entry) for entry in _entries(cell) if not is_blank(entry))


def cell_of_value(value: float | str) -> str:
    r"""A number as it is, a text so that it does not look like one.

    >>> cell_of_value(2.0), cell_of_value("2")
    ('2', '\\2')
    """
    if isinstance(value, float):
        return number_text(value)
    return f"\\{value}" if number(value.lstrip("\\")) is not None else cell_of(value)


def value_of(cell: str) -> float | str:
    """The number or text that a cell says."""
    text = cell.strip()
    if text.startswith("\\") and number(text.lstrip("\\")) is not None:
        return text[1:]
    amount = number(text)
    return text_of(cell) if amount is None else amount


def _entries(cell: str) -> Iterator[str]:
    entry, start = "", 0
    for stop in _STOP.finditer(cell):
        slashes = len(stop[1])
        entry += cell[start : stop.start()] + "\\" * (slashes // 2)
        start = stop.end()
        if slashes % 2:
            entry += stop[2]
        else:
            yield entry
            entry = ""
    yield entry + cell[start:]


def _open_start(text: str) -> bool:
    rest = text.lstrip("\\")
    return not rest or rest[0].isspace() or rest in DOTS


def _open_end(text: str) -> bool:
    return text.rstrip("\\")[-1:].isspace()


def _last_slashes(text: str) -> str:
    return "\\" * (len(text) - len(text.rstrip("\\")))
