"""``Ordered``: rows by falling score, so that what holds at every threshold is a running sum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import validate
from surefoot.core.validate import FloatArray


@dataclass(frozen=True, eq=False)
class Ordered:
    """Scores, and how many rows raise an alarm (score above the threshold) at every threshold that matters.

    Thresholds are ``-inf`` (always an alarm), each score that occurs, and ``inf`` (never one). Rows with equal scores
    are never told apart.
    """

    scores: FloatArray

    @classmethod
    def of(cls, scores: ArrayLike, rows: int, *, where: str, name: str = "scores") -> Ordered:
        """Checked scores, one a row."""
        values = validate.vector(scores, where=where, name=name)
        validate.same_length(where, **{name: values, "rows": np.empty(rows)})
        return cls(values)

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Rows, the strangest first."""
        return np.argsort(self.scores, kind="stable")[::-1].astype(np.int64)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """In this order, the place of the last row of each run of equal scores."""
        falling = self.scores[self.order]
        return np.append(np.flatnonzero(falling[1:] != falling[:-1]), falling.size - 1)

    @cached_property
    def thresholds(self) -> FloatArray:
        """Rising."""
        return np.concatenate([[-np.inf], self.scores[self.order][self.ends][::-1], [np.inf]])

    @cached_property
    def alarms(self) -> NDArray[np.int64]:
        """How many rows raise an alarm at each threshold."""
        return np.concatenate([self.ends[::-1] + 1, [0, 0]])

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum of a figure over the rows with an alarm, at each threshold."""
        running = np.concatenate([[0.0], np.cumsum(values[self.order])])
        return np.asarray(running[self.alarms])

    def place(self, threshold: float) -> int:
        """Which of ``thresholds`` raises the same alarms."""
        return int(np.searchsorted(self.thresholds, threshold, side="right")) - 1
