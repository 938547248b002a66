"""Text wrapped by its width; words and numbers as ``surefoot.documents`` makes them fit to show."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from surefoot.documents import Rounding, percent, sentence, shortened, significant, visible

__all__ = ["Rounding", "percent", "sentence", "shortened", "significant", "text_width", "visible", "wrapped"]

_NARROW, _WIDE = frozenset("fijlrtI.,:;'|!()[]{} -/\\`\""), frozenset("mwMW@%—…")
_OFTEN_WIDER = 1.06
"""A reader's font may be wider than the one these widths were taken from."""


def text_width(text: str, size: float) -> float:
    """Roughly how wide a text is in a sans-serif font of that size; on the wide side."""
    return size * _OFTEN_WIDER * sum(map(_em, text))


def wrapped(text: str, width: float, size: float, *, most: int) -> list[str]:
    """Lines no wider than ``width``; long words are broken, and after ``most`` lines the rest is cut."""
    lines: list[str] = []
    for piece in _pieces(visible(text), width, size):
        if lines and text_width(f"{lines[-1]} {piece}", size) <= width:
            lines[-1] = f"{lines[-1]} {piece}"
        elif len(lines) == most:
            while text_width(f"{lines[-1]}…", size) > width:
                lines[-1] = lines[-1][:-1]
            lines[-1] += "…"
            return lines
        else:
            lines.append(piece)
    return lines


def _em(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    if unicodedata.combining(character):
        return 0.0
    if character in _NARROW:
        return 0.33
    if character in _WIDE:
        return 0.92
    return 0.69 if character.isupper() else 0.55


def _pieces(text: str, width: float, size: float) -> Iterator[str]:
    """Words, those wider than a line broken."""
    for word in text.split():
        start, used = 0, 0.0
        for place, character in enumerate(word):
            step = text_width(character, size)
            if used + step > width and place > start:
                yield word[start:place]
                start, used = place, 0.0
            used += step
        yield word[start:]
