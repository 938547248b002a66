"""Words of a text, and what lies between them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import numpy as np

from surefoot.corruptions.text.clusters import clusters, is_letter

Word = list[str]
"""The characters of a word, as a reader sees them."""
APOSTROPHES = ("'", "’")


def change_words(
    text: str,
    share: float,
    rng: np.random.Generator,
    *,
    able: Callable[[Word], bool],
    change: Callable[[Word, np.random.Generator], Word],
    apostrophes: bool = False,
) -> str:
    """A text in which every word that is able to change does so with probability ``share``, by itself.

    What lies between words stays. Scripts that put no spaces between words, as Chinese and Thai, make long ones. A word
    whose characters would melt together stays too. A larger share changes the words of a smaller one, and more.
    """
    runs = split(text, apostrophes=apostrophes)
    words = [i for i, (is_word, run) in enumerate(runs) if is_word and able(run)]
    for i in (words[hit] for hit in np.flatnonzero(rng.random(len(words)) < share)):
        new = change(runs[i][1], rng)
        if _keeps_apart(new, runs[max(i - 1, 0) : i], runs[i + 1 : i + 2]):
            runs[i] = (True, new)
    return "".join("".join(run) for _, run in runs)


def split(text: str, *, apostrophes: bool = False) -> list[tuple[bool, Word]]:
    """Runs of characters, each with whether it is a word: letters and numbers, on demand with apostrophes inside."""
    runs = [(is_word, list(run)) for is_word, run in groupby(clusters(text), is_letter)]
    return _with_apostrophes(runs) if apostrophes else runs


def _keeps_apart(new: Word, before: list[tuple[bool, Word]], after: list[tuple[bool, Word]]) -> bool:
    together = [*(run[-1] for _, run in before), *new, *(run[0] for _, run in after)]
    return clusters("".join(together)) == together


def _with_apostrophes(runs: list[tuple[bool, Word]]) -> list[tuple[bool, Word]]:
    answer: list[tuple[bool, Word]] = []
    for is_word, run in runs:
        if (
            is_word
            and len(answer) > 1
            and answer[-2][0]
            and len(answer[-1][1]) == 1
            and answer[-1][1][0] in APOSTROPHES
        ):
            apostrophe, start = answer.pop()[1], answer.pop()[1]
            answer.append((True, start + apostrophe + run))
        else:
            answer.append((is_word, run))
    return answer
