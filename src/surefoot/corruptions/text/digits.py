"""Numbers that are written out in words."""

from __future__ import annotations

import re

import numpy as np

from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.text.clusters import joined
from surefoot.corruptions.text.items import Generators
from surefoot.corruptions.text.numerals import cardinal, digit_by_digit, ordinal

NUMBERS = (0.2, 0.4, 0.6, 0.8, 1.0)
"""Probability to change a number: paper SYS (Wang et al. 2022, Table 1) at severities 1, 3 and 5; others halfway."""
NUMBER = re.compile(r"(?<!\w)(?<![0-9][.,:])([0-9]++(?:[.,:][0-9]++)*+)(st|nd|rd|th|am|pm)?(?!\w)", re.IGNORECASE)
GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
DECIMAL = re.compile(r"([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)\.([0-9]+)")
TIME = re.compile(r"([01]?[0-9]|2[0-4]):([0-5][0-9])")
LONGEST = 6
"""Digits that are read as one number where no commas part them."""
MOST = 15
"""Digits up to hundreds of trillions, for which there are words."""


@corruption(domain="text")
def digits_to_words(texts: list[str], severity: int, rngs: Generators) -> list[str]:
    """Numbers in English words, each with probability 0.2, 0.4, 0.6, 0.8, 1.

    Whole numbers, thousands with commas, decimals ("three point one four"), ordinals ("third") and times ("ten thirty",
    "ten oh five pm"); seven digits and more, as of telephones, and those that start with 0, digit by digit. Others with
    points, commas or colons are read part by part. Digits that touch letters ("A4"), and those of other scripts, stay.
    """
    return [_written_out(text, NUMBERS[severity - 1], rng) for text, rng in zip(texts, rngs, strict=True)]


def spoken(number: str, suffix: str = "") -> str:
    """A number in words; empty where it has none, as with the ordinal of a decimal.

    >>> spoken("1,250.5"), spoken("22", "nd"), spoken("9:05", "pm")
    ('one thousand two hundred fifty point five', 'twenty-second', 'nine oh five pm')
    """
    if suffix.lower() in ("st", "nd", "rd", "th"):
        whole = number.replace(",", "") if GROUPED.fullmatch(number) else number
        return ordinal(int(whole)) if whole.isdecimal() and len(whole) <= MOST else ""
    time = TIME.fullmatch(number)
    if suffix:
        read = _clock(time[1], time[2], even="") if time else cardinal(int(number)) if number.isdecimal() else ""
        return f"{read} {suffix}" if read and len(number) <= LONGEST else ""
    return _clock(time[1], time[2], even=" o'clock") if time else _figure(number)


def _written_out(text: str, share: float, rng: np.random.Generator) -> str:
    found = [(each, spoken(each[1], each[2] or "")) for each in NUMBER.finditer(text) if _stands_alone(text, each)]
    found = [(each, words) for each, words in found if words]
    pieces, end = [], 0
    for i in np.flatnonzero(rng.random(len(found)) < share):
        each, words = found[i]
        pieces += [text[end : each.start()], words]
        end = each.end()
    return "".join([*pieces, text[end:]])


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    """Whether no sign before or after belongs to the digits, as the key around one does in an emoji."""
    start, end = found.span()
    before = start > 0 and joined(text[start - 1], text[start])
    return not before and not (end < len(text) and joined(text[end - 1], text[end]))


def _figure(number: str) -> str:
    decimal = DECIMAL.fullmatch(number)
    if decimal:
        return f"{_figure(decimal[1])} point {digit_by_digit(decimal[2])}"
    if GROUPED.fullmatch(number):
        digits = number.replace(",", "")
        return digit_by_digit(digits) if len(digits) > MOST or digits[0] == "0" else cardinal(int(digits))
    if number.isdecimal():
        plain = len(number) <= LONGEST and (number[0] != "0" or number == "0")
        return cardinal(int(number)) if plain else digit_by_digit(number)
    return "".join(_figure(part) if part.isdecimal() else part for part in re.split(r"([.,:])", number))


def _clock(hour: str, minute: str, *, even: str) -> str:
    if minute == "00":
        return cardinal(int(hour)) + even
    return f"{cardinal(int(hour))} {'oh ' if minute[0] == '0' else ''}{cardinal(int(minute))}"
