"""A set as the searches find it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Found(NamedTuple):
    """A set, ordered by falling probability and then by its labels; the probability is NaN where one is not known."""

    key: float
    labels: tuple[Any, ...]
    probability: float

    def probable(self, cutoff: float | None) -> bool:
        """Whether the set passes the cut-off."""
        return cutoff is None or self.probability >= cutoff


@dataclass(frozen=True)
class Namer:
    """Turns the columns on a path into a set with its probability."""

    labels: Sequence[Any]
    p: Sequence[float]

    def found(self, chosen: Any) -> Found:
        """The set of a linked list of columns; its probability does not depend on their order."""
        columns = []
        while chosen is not None:
            column, chosen = chosen
            columns.append(column)
        probability = math.prod(sorted([self.p[column] for column in columns]))
        key = 0.0 if math.isnan(probability) else -probability
        return Found(key, tuple(sorted([self.labels[column] for column in columns])), probability)
