"""Errors of reading and typing: letters that a machine takes for others, capitals where none belong.

Not in paper SYS: the numbers are ours.
"""

from __future__ import annotations

import numpy as np

from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.text.clusters import clusters
from surefoot.corruptions.text.items import Generators
from surefoot.corruptions.text.words import Word, change_words

MISREAD = (0.03, 0.06, 0.12, 0.2, 0.3)
"""Probability that a character, or the pair that starts with it, is misread where it can be."""
CONFUSIONS = {
    "rn": "m", "nn": "m", "cl": "d", "vv": "w", "li": "h", "ri": "n", "ii": "u", "fi": "h", "tl": "d", "in": "m",
    "m": "rn", "w": "vv", "d": "cl", "h": "b", "b": "h", "n": "u", "u": "n", "e": "c", "c": "e", "a": "o",
    "f": "t", "t": "f", "l": "1", "i": "l", "o": "0", "s": "5", "g": "9", "z": "2", "q": "g", "y": "v",
    "O": "0", "D": "O", "I": "l", "S": "5", "B": "8", "Z": "2", "G": "6", "E": "F", "Q": "O", "T": "7",
    "0": "O", "1": "l", "2": "Z", "5": "S", "6": "G", "8": "B", "9": "g",
}  # fmt: skip
WORDS = (0.15, 0.3, 0.45, 0.6, 0.75)
"""Probability that a word has wrong capitals."""


@corruption(domain="text")
def ocr_errors(texts: list[str], severity: int, rngs: Generators) -> list[str]:
    """Characters as a machine misreads print: rn as m, cl as d, l as 1, O as 0, and the like.

    Each that can be misread is with probability 0.03, 0.06, 0.12, 0.2, 0.3; letters of other scripts stay.
    """
    return [_misread(text, MISREAD[severity - 1], rng) for text, rng in zip(texts, rngs, strict=True)]


@corruption(domain="text")
def case_errors(texts: list[str], severity: int, rngs: Generators) -> list[str]:
    """Words with wrong capitals, each with probability 0.15, 0.3, 0.45, 0.6, 0.75: small, all capitals, or exchanged.

    A chosen word has all letters small, all large, its first exchanged, or all exchanged, whichever of these is new.
    Letters without capitals stay, and so do those whose capital has another length (as of ß).
    """
    share = WORDS[severity - 1]
    return [
        change_words(text, share, rng, able=lambda word: bool(_other_cases(word)), change=_recased)
        for text, rng in zip(texts, rngs, strict=True)
    ]


def _misread(text: str, share: float, rng: np.random.Generator) -> str:
    characters = clusters(text)
    hit, kind = rng.random(len(characters)) < share, rng.random(len(characters))
    answer, i = [], 0
    while i < len(characters):
        seen = _confusable(characters, i) if hit[i] else []
        taken = seen[int(kind[i] * len(seen))] if seen else characters[i]
        answer.append(CONFUSIONS[taken] if seen else taken)
        i += len(taken) if seen else 1
    return "".join(answer)


def _confusable(characters: list[str], at: int) -> list[str]:
    return [seen for seen in (characters[at], "".join(characters[at : at + 2])) if seen in CONFUSIONS]


def _recased(word: Word, rng: np.random.Generator) -> Word:
    others = _other_cases(word)
    return others[rng.integers(len(others))]


def _other_cases(word: Word) -> list[Word]:
    exchanged = [_swapped(character) for character in word]
    first = next((i for i, character in enumerate(word) if exchanged[i] != character), 0)
    forms = (
        [_same_length(character, character.lower()) for character in word],
        [_same_length(character, character.upper()) for character in word],
        [*word[:first], exchanged[first], *word[first + 1 :]],
        exchanged,
    )
    return [form for i, form in enumerate(forms) if form != word and form not in forms[:i]]


def _swapped(character: str) -> str:
    return _same_length(character, character.swapcase())


def _same_length(old: str, new: str) -> str:
    return new if len(new) == len(old) else old
