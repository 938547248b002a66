"""Text and numbers as people read them: made fit to show, shortened, rounded with care."""

from __future__ import annotations

import math
import re
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


def visible(text: str) -> str:
    r"""Text in which every character shows: line breaks become spaces, other controls a replacement mark.

    Parameters
    ----------
    text
        Of anybody.

    Returns
    -------
    str
        As long as before.

    Examples
    --------
    >>> visible("two\nlines")
    'two lines'

    """
    return _INVISIBLE.sub("\ufffd", _LINE_BREAKS.sub(" ", text))


def shortened(text: str, most: int) -> str:
    """At most so many characters, an ellipsis where something was cut.

    Parameters
    ----------
    text
        Any.
    most
        How many characters there is room for.

    Returns
    -------
    str
        The text, or its beginning.

    Examples
    --------
    >>> shortened("a long sentence", 7)
    'a long…'

    """
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def hyphenated(words: str) -> str:
    """Words as one name, for classes of style sheets.

    Parameters
    ----------
    words
        With spaces between them.

    Returns
    -------
    str
        With hyphens between them.

    Examples
    --------
    >>> hyphenated("not shown")
    'not-shown'

    """
    return words.replace(" ", "-")


def sentence(text: str) -> str:
    """A text with a capital first letter and a full stop.

    Parameters
    ----------
    text
        Any.

    Returns
    -------
    str
        A sentence.

    Examples
    --------
    >>> sentence("the gate has no inputs")
    'The gate has no inputs.'

    """
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?', '…')) else '.'}"


def significant(value: float, *, rounding: Rounding = "nearest") -> str:
    """A number to three significant digits; a bound is rounded to its cautious side.

    Parameters
    ----------
    value
        The number; whole numbers of type ``int`` keep all their digits.
    rounding
        ``nearest``, or ``up`` and ``down`` for upper and lower bounds.

    Returns
    -------
    str
        As people read it.

    Examples
    --------
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

    Parameters
    ----------
    share
        Between 0 and 1.

    Returns
    -------
    str
        With its sign.

    Examples
    --------
    >>> percent(0.95), percent(1 - 0.05 / 3), percent(0.9999999)
    ('95%', '98.33%', '99.99999%')

    """
    rest = Decimal(f"{100 * (1 - share):.{SIGNIFICANT_DIGITS - 1}e}")
    digits = max(0, SHOWN_DIGITS - 1 - rest.adjusted()) if rest else 0
    return f"{_without_zeros(f'{100 * share:.{digits}f}')}%"


def _without_zeros(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number
