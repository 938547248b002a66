"""``Sample``: which event settled each row, and the same for resampled units of rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.bootstrap import Resampled
from surefoot.systems.tables.pairs import numbered

PRIOR = 1
"""Tells random numbers of the prior from those of the units drawn."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows that weigh something, in independent units; each is settled by one of several events, or by none."""

    settles: NDArray[np.bool_]
    """Events x rows; no row by two."""
    weights: FloatArray
    units: NDArray[np.int64]
    draws: int
    seed: int
    key: str
    """Digest of all this: samples that differ must not be drawn by the same random numbers."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.weights.size

    @cached_property
    def count(self) -> int:
        """How many units there are."""
        return len(self._sums)

    def settled(self, event: int) -> tuple[float, FloatArray]:
        """How often an event settles what those before it did not, as measured and as drawn."""
        whole = self._sums.sum(axis=0)
        drawn = self._drawn
        return float(whole[event] / whole[event:].sum()), drawn[:, event] / drawn[:, event:].sum(axis=1)

    @cached_property
    def _sums(self) -> FloatArray:
        """Weight of each event, and of none, in each unit."""
        units = numbered(self.units)
        by_event = [*self.settles, ~self.settles.any(axis=0)]
        return np.column_stack([np.bincount(units, self.weights * some) for some in by_event])

    @cached_property
    def _drawn(self) -> FloatArray:
        """Draws x events, all of the same units, with half a unit of each event and of none: what is unseen may be."""
        own = int(self.key[:12], 16)
        sums = self._sums
        means = Resampled(sums, np.ones(len(sums)), self.draws, own).means
        prior = np.random.default_rng([own, PRIOR]).gamma(0.5, size=means.shape)
        return means + prior * sums.sum() / len(sums) ** 2
