"""Text measured and wrapped by its width."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from surefoot.core import InvalidInput, validate
from surefoot.documents import shortened, visible

_NARROW, _WIDE = frozenset("fijlrtI.,:;'|!()[]{} -/\\`\""), frozenset("mwMW@%—…")
_JOINTS = re.compile(r"(?<=[-_./:])(?=[^-_./:])")
BOLD = 1.08
"""How much wider bold letters are."""
LEADING = 1.27
"""From one line to the next, in sizes of letters."""
MOST_CHARACTERS = 300
_OFTEN_WIDER = 1.06
"""A reader's font may be wider than the one these widths were taken from."""
MOST_PIXELS = 1e9


def text_width(text: str, size: float) -> float:
    """Roughly how wide a text is in a sans-serif font; on the wide side.

    Parameters
    ----------
    text
        One line.
    size
        Of its letters, in pixels.

    Returns
    -------
    float
        Pixels.

    Examples
    --------
    >>> round(text_width("pump A", 12.0), 1)
    45.7

    """
    _require_text(text, size, where="text_width")
    return size * _OFTEN_WIDER * _ems(text)


def _require_text(text: str, *sizes: float, where: str) -> None:
    """Cheap, since layouts measure every word."""
    if not isinstance(text, str) or not all(
        isinstance(size, float | int) and abs(size) < MOST_PIXELS for size in sizes
    ):
        raise InvalidInput("needs a text and sizes in pixels", where=where, found=validate.listed([text, *sizes]))


def wrapped(text: str, width: float, size: float, *, most: int) -> list[str]:
    """Lines that fit into a width; long words are broken, and what does not fit is cut.

    Parameters
    ----------
    text
        Any.
    width
        Of the room, in pixels.
    size
        Of the letters, in pixels.
    most
        How many lines there is room for; the last one ends in an ellipsis where the rest is cut.

    Returns
    -------
    list of str
        The lines.

    Examples
    --------
    >>> wrapped("a pump that does not start", 80.0, 12.0, most=2)
    ['a pump that', 'does not…']

    """
    _require_text(text, width, size, where="wrapped")
    lines: list[str] = []
    room, used = width / (size * _OFTEN_WIDER), 0.0
    for piece, wide in _pieces(visible(text), room):
        if lines and used + _EMS[" "] + wide <= room:
            lines[-1] += f" {piece}"
            used += _EMS[" "] + wide
        elif len(lines) == most:
            while text_width(f"{lines[-1]}…", size) > width:
                lines[-1] = lines[-1][:-1]
            lines[-1] += "…"
            return lines
        else:
            lines.append(piece)
            used = wide
    return lines


def name_lines(text: str, width: float, size: float, *, most: int) -> list[str]:
    """Lines that fit; a name without spaces is broken behind its hyphens, dots and underscores."""
    short = shortened(visible(text), MOST_CHARACTERS)
    if " " in short or text_width(short, size) <= width:
        return wrapped(short, width, size, most=most)
    first, *others = _JOINTS.split(short)
    found = [first]
    for piece in others:
        if text_width(found[-1] + piece, size) <= width:
            found[-1] += piece
        else:
            found.append(piece)
    fits = all(text_width(line, size) <= width for line in found)
    return wrapped(" ".join(found) if fits else short, width, size, most=most)


def fitted(text: str, width: float, size: float, *, bold: bool = True) -> str:
    """A name in one line, cut to the room for it."""
    text = shortened(visible(text), 80)
    while len(text) > 2 and text_width(text, size) * (BOLD if bold else 1.0) > width:
        text = f"{text[:-2].rstrip('…')}…"
    return text


class _Ems(dict[str, float]):
    """Widths of characters in sizes of letters, reckoned once for each."""

    def __missing__(self, character: str) -> float:
        found = self[character] = _em(character)
        return found


_EMS = _Ems()


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


def _ems(text: str) -> float:
    return sum(map(_EMS.__getitem__, text))


def _pieces(text: str, room: float) -> Iterator[tuple[str, float]]:
    """Words with their widths, those wider than a line broken."""
    for word in text.split():
        wide = _ems(word)
        if wide <= room:
            yield word, wide
            continue
        start, used = 0, 0.0
        for place, character in enumerate(word):
            step = _EMS[character]
            if used + step > room and place > start:
                yield word[start:place], used
                start, used = place, 0.0
            used += step
        yield word[start:], used
