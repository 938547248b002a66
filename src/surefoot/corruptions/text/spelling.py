"""Words as they are commonly misspelt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from surefoot.core import InvalidInput
from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.text.clusters import clusters
from surefoot.corruptions.text.common_misspellings import common_misspellings
from surefoot.corruptions.text.items import Generators
from surefoot.corruptions.text.words import Word, change_words

WORDS = (0.2, 0.4, 0.6, 0.8, 1.0)
"""Probability to replace a word: paper SYS (Wang et al. 2022, Table 1) at severities 1, 3 and 5; others halfway."""
WHERE = "misspellings"
Words = Mapping[str, Sequence[str]]


@corruption(domain="text")
def misspellings(texts: list[str], severity: int, rngs: Generators, *, words: Words | None = None) -> list[str]:
    """Words with a known common misspelling, replaced by it with probability 0.2, 0.4, 0.6, 0.8, 1.

    ``words`` gives the wrong spellings of each right one; without it, those of a few hundred English words are known,
    and ``surefoot.datasets.misspellings`` has many more. Capitals at the start, or of the whole word, are kept.
    """
    known = common_misspellings() if words is None else _checked(words)
    share = WORDS[severity - 1]

    def able(word: Word) -> bool:
        return bool(_wrong(known, "".join(word)))

    def change(word: Word, rng: np.random.Generator) -> Word:
        right = "".join(word)
        wrong = _wrong(known, right)
        return clusters(_in_capitals(wrong[rng.integers(len(wrong))], right))

    return [
        change_words(text, share, rng, able=able, change=change, apostrophes=True)
        for text, rng in zip(texts, rngs, strict=True)
    ]


def _checked(words: Words) -> Words:
    if isinstance(words, Mapping):
        return words
    remedy = 'For example {"receive": ["recieve"]}.'
    raise InvalidInput(
        "words must map right spellings to wrong ones", where=WHERE, found=type(words).__name__, remedy=remedy
    )


def _wrong(known: Words, right: str) -> list[str]:
    spellings = next((known[form] for form in (right, right.lower(), right.capitalize()) if form in known), ())
    listed = isinstance(spellings, Sequence) and not isinstance(spellings, str)
    if not listed or not all(isinstance(wrong, str) and wrong for wrong in spellings):
        raise InvalidInput("wrong spellings must be a list of words", where=WHERE, found=f"{spellings!r} for {right!r}")
    return [wrong for wrong in spellings if wrong.lower() != right.lower()]


def _in_capitals(wrong: str, right: str) -> str:
    if len(right) > 1 and right.isupper():
        return wrong.upper()
    return wrong[0].upper() + wrong[1:] if right[0].isupper() else wrong
