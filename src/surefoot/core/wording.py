"""Numbers and names inside sentences."""

from __future__ import annotations

from collections.abc import Collection

MOST_NAMED = 6


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "assumption"), counted(1200, "trial")
    ('1 assumption', '1,200 trials')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Collection[str], most: int = MOST_NAMED) -> str:
    """The first names, and how many there are more.

    >>> listed(["R1", "R2", "R3"], 2)
    'R1, R2 and 1 more'
    """
    first = list(names)[:most]
    more = len(names) - len(first)
    return f"{', '.join(first)} and {more:,} more" if more else ", ".join(first)
