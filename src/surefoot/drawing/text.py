"""Words and numbers as people read them: text made fit to show, wrapped by width, numbers rounded with care."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Literal

from surefoot.core.canonical import SIGNIFICANT_DIGITS

Rounding = Literal["nearest", "up", "down"]

SHOWN_DIGITS = 3
_LINE_BREAKS = re.compile("[\t\n\r\x0b\x0c\x85\u2028\u2029]")
# Controls, marks that turn the direction of writing, halves of surrogate pairs, and what XML forbids.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_ROUNDINGS = {"nearest": ROUND_HALF_EVEN, "up": ROUND_CEILING, "down": ROUND_FLOOR}
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NARROW, _WIDE = frozenset("fijlrtI.,:;'|!()[]{} -/\\`\""), frozenset("mwMW@%—…")
_JOINTS = re.compile(r"(?<=[-_./:])(?=[^-_./:])")
BOLD = 1.08
"""How much wider bold letters are."""
LEADING = 1.27
"""From one line to the next, in sizes of letters."""
MOST_CHARACTERS = 300
_OFTEN_WIDER = 1.06
"""A reader's font may be wider than the one these widths were taken from."""


def visible(text: str) -> str:
    """Text in which every character shows: line breaks become spaces, other controls a replacement mark."""
    return _INVISIBLE.sub("\ufffd", _LINE_BREAKS.sub(" ", text))


def shortened(text: str, most: int) -> str:
    """At most so many characters, an ellipsis where something was cut."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def sentence(text: str) -> str:
    """A capital first letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?', '…')) else '.'}"


def text_width(text: str, size: float) -> float:
    """Roughly how wide a text is in a sans-serif font of that size; on the wide side."""
    return size * _OFTEN_WIDER * _ems(text)


def wrapped(text: str, width: float, size: float, *, most: int) -> list[str]:
    """Lines no wider than ``width``; long words are broken, and after ``most`` lines the rest is cut."""
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


def significant(value: float, *, rounding: Rounding = "nearest") -> str:
    """A number to three significant digits; a bound is rounded to its cautious side.

    >>> significant(0.0383097), significant(0.0500001, rounding="up"), significant(3.14159e-7)
    ('0.0383', '0.0501', '3.14×10⁻⁷')
    """
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else "∞" if value > 0 else "−∞"
    short = Decimal(f"{value:.{SIGNIFICANT_DIGITS - 1}e}")
    if not short:
        return "0"
    rounded = short.quantize(Decimal(1).scaleb(short.adjusted() - SHOWN_DIGITS + 1), rounding=_ROUNDINGS[rounding])
    exponent = rounded.adjusted()
    if -4 <= exponent < 6:
        return _without_zeros(f"{rounded:,f}").replace("-", "−")
    mantissa = _without_zeros(f"{rounded.scaleb(-exponent):f}").replace("-", "−")
    return f"{mantissa}×10{str(exponent).translate(_SUPERSCRIPTS)}"


def percent(share: float) -> str:
    """A level or a share in percent, with as many digits as tell it from 100%.

    >>> percent(0.95), percent(1 - 0.05 / 3), percent(0.9999999)
    ('95%', '98.33%', '99.99999%')
    """
    rest = Decimal(f"{100 * (1 - share):.{SIGNIFICANT_DIGITS - 1}e}")
    digits = max(0, SHOWN_DIGITS - 1 - rest.adjusted()) if rest else 0
    return f"{_without_zeros(f'{100 * share:.{digits}f}')}%"


def _without_zeros(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


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
