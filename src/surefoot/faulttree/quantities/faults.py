"""What is wrong with a value, in words that name it."""

from __future__ import annotations

from collections.abc import Iterator


def not_above(limit: float, **values: float) -> Iterator[str]:
    """Values that should exceed the limit."""
    for name, value in values.items():
        if not value > limit:
            yield f"{_words(name)} must exceed {limit:g}, and is {value:g}"


def not_below(limit: float, **values: float) -> Iterator[str]:
    """Values that should lie below the limit."""
    for name, value in values.items():
        if not value < limit:
            yield f"{_words(name)} must lie below {limit:g}, and is {value:g}"


def negative(**values: float) -> Iterator[str]:
    """Values that should not be negative."""
    for name, value in values.items():
        if not value >= 0:
            yield f"{_words(name)} must not be negative, and is {value:g}"


def outside(**values: float) -> Iterator[str]:
    """Values that should be probabilities."""
    for name, value in values.items():
        if not 0 <= value <= 1:
            yield f"{_words(name)} must lie in [0, 1], and is {value:g}"


def _words(name: str) -> str:
    return name.replace("_", " ")
