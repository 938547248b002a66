"""Numbers, names and values of others inside sentences, and the word that was probably meant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import islice

MOST_NAMED, MOST_KNOWN, MOST_COMPARED = 6, 30, 2_000
LONGEST_TEXT, LONGEST_VALUE = 500, 80


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "assumption"), counted(1200, "trial")
    ('1 assumption', '1,200 trials')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Collection[object], most: int = MOST_NAMED) -> str:
    """The first names, and how many there are more.

    >>> listed(["R1", "R2", "R3"], 2)
    'R1, R2 and 1 more'
    """
    first = [printable(name) for name in islice(names, most)]
    more = len(names) - len(first)
    return f"{', '.join(first)} and {more:,} more" if more else ", ".join(first)


def printable(text: object, longest: int = LONGEST_TEXT) -> str:
    """Text of others, of bounded length and with escapes for what cannot be printed."""
    raw = str(text)
    short = raw if len(raw) <= longest else f"{raw[: longest - 3]}..."
    if short.isprintable():
        return short
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in short)


def quoted(text: object, longest: int = LONGEST_TEXT) -> str:
    """Printable text in quotation marks."""
    return f"'{printable(text, longest)}'"


def shown(value: object, longest: int = LONGEST_VALUE) -> str:
    """A value of a file as a message shows it: text in quotes, the rest in a word or two.

    >>> shown("pump"), shown(True), shown(None), shown([1, 2])
    ("'pump'", 'true', 'nothing', 'a list')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    return printable(repr(value), longest)


def closest(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """The known word that was probably meant.

    >>> closest("watter", ["fire", "water"]), closest("earth", ["fire", "water"])
    ('water', None)
    """
    return next(iter(close(word, known, most=1, cutoff=cutoff)), None)


def close(word: str, known: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> list[str]:
    """Known words that may have been meant, the likeliest first; of very many words the first are compared."""
    from difflib import get_close_matches

    return get_close_matches(word[:LONGEST_VALUE], list(islice(known, MOST_COMPARED)), n=most, cutoff=cutoff)


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "Known are {}.") -> str:
    """A hint at the word that was probably meant, or at what there is.

    >>> did_you_mean("watter", ["fire", "water"]), did_you_mean("earth", ["fire", "water"])
    ("Did you mean 'water'?", 'Known are fire, water.')
    """
    words = list(known)
    meant = closest(word, words)
    if meant is not None:
        return f"Did you mean {shown(meant)}?"
    return otherwise.replace("{}", listed(words, MOST_KNOWN)) if words else ""
