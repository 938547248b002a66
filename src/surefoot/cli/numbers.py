"""Numbers that people type, refused in plain words."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Context

import typer


def share(text: str, option: str, example: str) -> float:
    """A number between 0 and 1, both left out."""
    number = as_number(text)
    if not 0 < number < 1:
        message = f"{option} is {text}. Give a share between 0 and 1, such as {example}."
        raise typer.BadParameter(message)
    return number


def positive(number: float, option: str) -> float:
    """A number above 0 that is finite."""
    if not 0 < number < math.inf:
        raise typer.BadParameter(f"{option} is {number:g}. Give a number above 0.")
    return number


def as_number(text: str) -> float:
    """The number that a text is; NaN for other texts."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def figure(value: float | None, *, digits: int = 4, rounding: str = ROUND_HALF_EVEN) -> str:
    """A number as it can be typed again, bounds rounded to their cautious side; a dash for none.

    >>> figure(1.23456e-7), figure(0.0500001, digits=3, rounding="ROUND_CEILING"), figure(None)
    ('1.235e-07', '0.0501', '-')
    """
    if value is None:
        return "-"
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(value)):.{digits}g}"
