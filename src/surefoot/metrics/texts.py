"""Distances between two texts: edits, and BLEU."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any

from surefoot.core import InvalidInput
from surefoot.core.extras import require


def edit(a: Sequence[Hashable], b: Sequence[Hashable], *, words: bool) -> float:
    """Levenshtein distance divided by the longer length; two empty texts are at distance 0."""
    first, second = (_items(text, words) for text in (a, b))
    longer = max(len(first), len(second))
    return levenshtein(first, second) / longer if longer else 0.0


def levenshtein(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """The fewest insertions, deletions and replacements that turn ``a`` into ``b``.

    A column of the usual table is held in the bits of two numbers, its steps up and its steps down, and advanced by
    a few operations for each item of ``b`` (Myers 1999, in the form of Hyyrö 2003).
    """
    if not a or not b:
        return max(len(a), len(b))
    places: defaultdict[Hashable, int] = defaultdict(int)
    for place, item in enumerate(a):
        places[item] |= 1 << place
    last, full = 1 << (len(a) - 1), (1 << len(a)) - 1
    up, down, distance = full, 0, len(a)
    for item in b:
        equal = places.get(item, 0)
        diagonal = (((equal & up) + up) ^ up) | equal | down
        right_up, right_down = down | (full & ~(diagonal | up)), diagonal & up
        distance += bool(right_up & last) - bool(right_down & last)
        right_up, right_down = (right_up << 1) | 1, right_down << 1
        up, down = (right_down | ~(diagonal | right_up)) & full, right_up & diagonal & full
    return distance


def bleu(candidate: str, reference: str) -> float:
    """1 - sentence BLEU / 100; equal texts are at distance 0, however short."""
    _check(candidate)
    _check(reference)
    if candidate == reference:
        return 0.0
    score = _metric().sentence_score(candidate, [reference]).score
    return min(max(1 - score / 100, 0.0), 1.0)


def symmetric_bleu(a: str, b: str) -> float:
    """The mean of both orders."""
    return (bleu(a, b) + bleu(b, a)) / 2


@lru_cache
def _metric() -> Any:
    return require("sacrebleu", extra="text", purpose="BLEU").BLEU(effective_order=True)


def _items(text: Any, words: bool) -> Sequence[Hashable]:
    if not isinstance(text, Sequence):
        found = type(text).__name__
        raise InvalidInput("a prediction must be text or a sequence of tokens", where="edit", found=found)
    return text.split() if words and isinstance(text, str) else text


def _check(text: Any) -> None:
    if not isinstance(text, str):
        raise InvalidInput("a prediction must be text", where="bleu", found=f"{type(text).__name__}")
