"""Hints that stay short, however many names there are."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

MOST_COMPARED, MOST_LISTED = 1_000, 20


def suggestion(word: str, known: Iterable[str]) -> str:
    """The name that was probably meant, or what there is as far as that can be listed.

    >>> suggestion("R11", ["R1", "R2"]), suggestion("x", ["R1", "R2"]), suggestion("x", map(str, range(100)))
    ("Did you mean 'R1'?", 'Known are R1, R2.', 'Correct the name.')
    """
    from surefoot.faulttree.formats.findings import did_you_mean

    names = list(islice(known, MOST_COMPARED))
    hint = did_you_mean(word, names)
    return hint if len(names) <= MOST_LISTED or not hint.startswith("Known") else "Correct the name."
