"""Characters that are removed, changed for look-alikes, or swapped.

Paper SYS (Wang et al. 2022, Table 1) prints two numbers: c = 0.15, 0.45, 0.75, "the probability to change a word", and
p = 0.1, "randomly (p = 0.1) remove a character in a word". We read p as the probability of each character of a chosen
word, with at least one character changed, as in the source of the paper's corruptions (Rychalska et al., "Models in the
wild", 2019); otherwise a chosen word of five letters would stay as it was in six cases of ten. Severities 2 and 4 lie
halfway. A character is what a reader sees: a letter with its marks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.text.items import Generators
from surefoot.corruptions.text.similar import TABLES, similar
from surefoot.corruptions.text.words import Word, change_words

WORDS = (0.15, 0.3, 0.45, 0.6, 0.75)
"""Probability to change a word: paper SYS, Table 1, at severities 1, 3 and 5."""
CHARACTERS = 0.1
"""Probability to change a character of such a word (there)."""


@corruption(domain="text")
def remove_characters(texts: list[str], severity: int, rngs: Generators) -> list[str]:
    """Words that lack characters: each word with probability 0.15, 0.3, 0.45, 0.6, 0.75, each character of it with 0.1.

    At least one character goes and at least one remains: words of one character stay.
    """
    share = WORDS[severity - 1]
    return [
        change_words(text, share, rng, able=_longer, change=_shortened) for text, rng in zip(texts, rngs, strict=True)
    ]


@corruption(domain="text")
def change_characters(texts: list[str], severity: int, rngs: Generators, *, by: str = "sight") -> list[str]:
    """Words with characters that look alike: each word with probability 0.15 to 0.75, each character of it with 0.1.

    ``by`` is ``sight`` (o and 0, e and c) or ``keyboard`` (neighbours on a QWERTY keyboard). At least one character of
    a chosen word changes. Characters without a similar one stay, and so do words of such; marks stay where they are.
    """
    table = validate.choice(by, TABLES, where="change_characters", name="kind of similarity")

    def spots(word: Word) -> list[int]:
        return [i for i, character in enumerate(word) if similar(character[0], table)]

    def change(word: Word, rng: np.random.Generator) -> Word:
        able, new = spots(word), list(word)
        for i in (able[hit] for hit in _hits(len(able), rng)):
            options = similar(word[i][0], table)
            new[i] = options[rng.integers(len(options))] + word[i][1:]
        return new

    share = WORDS[severity - 1]
    return [
        change_words(text, share, rng, able=lambda word: bool(spots(word)), change=change)
        for text, rng in zip(texts, rngs, strict=True)
    ]


@corruption(domain="text")
def swap_characters(texts: list[str], severity: int, rngs: Generators) -> list[str]:
    """Words in which two neighbouring characters change places: each word with probability 0.15, 0.3, 0.45, 0.6, 0.75.

    The two differ from each other; words without such neighbours stay.
    """
    share = WORDS[severity - 1]
    return [
        change_words(text, share, rng, able=lambda word: bool(_unlike(word)), change=_swapped)
        for text, rng in zip(texts, rngs, strict=True)
    ]


def _hits(number: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Which of some characters change: each with probability 0.1, and at least one."""
    hits = np.flatnonzero(rng.random(number) < CHARACTERS)
    return hits if len(hits) else np.array([rng.integers(number)])


def _longer(word: Word) -> bool:
    return len(word) > 1


def _shortened(word: Word, rng: np.random.Generator) -> Word:
    gone = set(_hits(len(word), rng)[: len(word) - 1].tolist())
    return [character for i, character in enumerate(word) if i not in gone]


def _unlike(word: Word) -> list[int]:
    return [i for i in range(len(word) - 1) if word[i] != word[i + 1]]


def _swapped(word: Word, rng: np.random.Generator) -> Word:
    able = _unlike(word)
    i = able[rng.integers(len(able))]
    return [*word[:i], word[i + 1], word[i], *word[i + 2 :]]
