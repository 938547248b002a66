"""Rejection done again on items drawn with replacement.

The choice of what to reject is part of what is measured, so each resample ranks and rejects its own items. A resample
is a row of weights, how often each item was drawn. Copies of an item stand side by side in every list, so that what is
rejected is a weight too, of the last item in part: the same as the strategies on the copies themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.bootstrap import drawn_counts
from surefoot.systems.rejection.strategies import Lists, Order

BLOCK = 100_000
"""Weights held at once; few, so that they stay near the processor."""


def weights_of(units: NDArray[np.intp], draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Blocks of draws x items: how often the unit of each item was drawn."""
    count = int(units.max()) + 1
    for counts in drawn_counts(count, draws, rng, at_once=max(BLOCK * count // units.size, 1)):
        yield counts[:, units].astype(np.float64)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Resampled items, as weights (draws x items), in two lists."""

    lists: Lists
    weights: FloatArray

    def rejected(self, strategy: str, counts: FloatArray) -> FloatArray:
        """Rejected weight of each item (draws x items), ``counts`` in all for each draw."""
        wanted = counts[:, None]
        if strategy == "S5":
            return self._common(wanted)
        ahead, other = self._uncertain_ahead, self.lists.strange
        if strategy in ("S2", "S4"):
            ahead, other = self._strange_ahead, self.lists.uncertain
        if strategy in ("S1", "S2"):
            return _top(self.weights, ahead, wanted)
        first = _top(self.weights, ahead, np.ceil(wanted / 2))
        left = self.weights - first
        return first + _top(left, _ahead(left, other), wanted // 2)

    @cached_property
    def _uncertain_ahead(self) -> FloatArray:
        return _ahead(self.weights, self.lists.uncertain)

    @cached_property
    def _strange_ahead(self) -> FloatArray:
        return _ahead(self.weights, self.lists.strange)

    @cached_property
    def _later(self) -> FloatArray:
        """How far both lists must go before the first copy of an item is in both."""
        return np.maximum(self._uncertain_ahead, self._strange_ahead)

    @cached_property
    def _shared(self) -> NDArray[np.int64]:
        """How many items the first 0, 1, 2 ... of both lists share."""
        draws, width = len(self.weights), int(self.weights.sum(axis=1).max()) + 2
        base = width * np.arange(draws)[:, None] + 1
        starts, stops = (base + at.astype(np.int64) for at in (self._later, self._later + self.weights))
        entering = np.bincount(starts.ravel(), minlength=draws * width + 1)
        entering -= np.bincount(stops.ravel(), minlength=draws * width + 1)
        return np.asarray(entering[: draws * width].reshape(draws, width).cumsum(axis=1).cumsum(axis=1))

    def _common(self, wanted: FloatArray) -> FloatArray:
        enough = (self._shared < wanted).sum(axis=1)[:, None]
        found = _top(self.weights, self._later, enough)
        rows = np.flatnonzero(np.take_along_axis(self._shared, enough, axis=1) > wanted)
        if rows.size:
            later, reach = self._later[rows], enough[rows]
            last = (later < reach) & (later + self.weights[rows] >= reach)
            ranks = (self._uncertain_ahead + self._strange_ahead)[rows] + 2 * (reach - later)
            losing = np.where(last, ranks, -1.0)[:, ::-1].argmax(axis=1)
            found[rows, found.shape[1] - 1 - losing] -= 1
        return found


def _ahead(weights: FloatArray, order: Order) -> FloatArray:
    """The weight that stands ahead of each item in a list."""
    ordered = weights[:, order]
    ahead = np.empty_like(weights)
    ahead[:, order] = ordered.cumsum(axis=1) - ordered
    return ahead


def _top(weights: FloatArray, ahead: FloatArray, counts: NDArray[np.generic]) -> FloatArray:
    found = np.subtract(counts, ahead)
    np.maximum(found, 0.0, out=found)
    return np.minimum(found, weights, out=found)
