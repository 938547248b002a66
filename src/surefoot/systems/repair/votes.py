"""One answer from several: the median of numbers, the middle of vectors, the most frequent of texts and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from surefoot.core import InvalidInput
from surefoot.systems.graph.identity import version_of
from surefoot.systems.graph.ports import as_kind

WHERE = "vote"
MEDIANS = ("number", "vector")


def vote(answers: Mapping[str, Sequence[Any]], kind: str) -> list[Any]:
    """For each item one answer from those of several configurations, the most trusted first.

    Numbers and vectors: the median. Everything else: the answer that most give; where no answer has more than all
    others, that of the most trusted among them. An answer of None is none; where all are, so is the vote.
    """
    as_kind(kind, where=WHERE)
    columns = [list(column) for column in answers.values()]
    lengths = {len(column) for column in columns}
    if len(columns) < 2 or len(lengths) != 1:
        found = f"{len(columns)} with lengths {sorted(lengths)}"
        raise InvalidInput("needs two or more configurations with the same items", where=WHERE, found=found)
    chosen = _median if kind in MEDIANS else _plurality
    return [chosen([a for a in row if a is not None]) for row in zip(*columns, strict=True)]


def _median(answers: list[Any]) -> Any:
    if not answers:
        return None
    shapes = sorted({np.shape(answer) for answer in answers})
    if len(shapes) > 1:
        found = ", ".join(map(str, shapes))
        raise InvalidInput("vectors must be of one length", where=WHERE, found=found, remedy="Vote with kind='array'.")
    return np.median(np.asarray(answers, dtype=np.float64), axis=0)


def _plurality(answers: list[Any]) -> Any:
    if not answers:
        return None
    counts = Counter(map(_hashable, answers))
    most = max(counts.values())
    return next(answer for answer in answers if counts[_hashable(answer)] == most)


def _hashable(answer: Any) -> Any:
    return answer if isinstance(answer, str | int | float | np.generic) else version_of(answer)
