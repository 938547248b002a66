"""Strata of operation by what the model says of each input."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.validate import FloatArray

BINS = 3
TAPER = 0.25
"""Each stratum has a quarter of all rows that are at most as sure; chosen by measurement (docs/labels.md)."""


@dataclass(frozen=True)
class RiskStrata:
    """Strata from the most doubtful inputs to the surest; ``edges`` fall, and a row at an edge is above it."""

    edges: tuple[float, ...]

    @classmethod
    def of(cls, suspicion: FloatArray, bins: int = BINS) -> RiskStrata:
        """Edges from operational rows: the most doubtful strata are the smallest, and none is empty.

        Ties are never split: where many rows are equally doubtful, there are fewer strata.
        """
        bins = validate.count(bins, where="RiskStrata", name="bins", at_least=1)
        falling = np.sort(suspicion)[::-1]
        shares = TAPER ** np.arange(bins - 1, 0, -1)
        places = np.ceil(falling.size * shares).astype(int) - 1
        edges = np.unique(falling[places])[::-1] if bins > 1 else np.empty(0)
        return cls(tuple(edges[edges > falling[-1]].tolist()))

    @property
    def names(self) -> tuple[str, ...]:
        """Numbers, with words for the ends."""
        size = len(self.edges) + 1
        if size == 1:
            return ("all",)
        return ("1 (most doubtful)", *map(str, range(2, size)), f"{size} (surest)")

    def assign(self, suspicion: FloatArray) -> NDArray[np.intp]:
        """The number of each row's stratum."""
        rising = np.asarray(self.edges[::-1])
        return np.asarray(rising.size - np.searchsorted(rising, suspicion, side="right"), dtype=np.intp)
