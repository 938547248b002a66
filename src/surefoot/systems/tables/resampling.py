"""Sums over resampled units, of all conditions at once, and intervals from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.monitors.evaluation.bootstrap import bias_corrected, drawn_counts
from surefoot.systems.tables.pairs import numbered

MOST_BLOCKS, FEWEST_BLOCKS = 20_000, 1_000
MOST_NUMBERS = 10_000_000
"""Sums kept at once: blocks x columns."""
AT_ONCE = 4_000_000
"""Counts drawn at a time."""
FEW_UNITS = 20
"""With fewer units than this, a bootstrap interval is too short."""


def few_units_notes(units: int, word: str = "unit") -> tuple[str, ...]:
    """What must be said of bootstrap intervals from few units; nothing where they are enough."""
    if units >= FEW_UNITS:
        return ()
    return (f"With {counted(units, word)} these intervals are too short; {FEW_UNITS} or more are needed.",)


@dataclass(frozen=True, eq=False)
class Blocks:
    """The block of each item: its unit, or where units are very many one of a fixed number of random pools of units.

    Sums over pools have the variance of sums over units, so pools may be drawn instead of units.
    """

    of_item: NDArray[np.int64]
    count: int
    units: int
    """How many units there are."""

    @classmethod
    def of(cls, items: int, units: NDArray[np.int64] | None, *, columns: int, rng: np.random.Generator) -> Blocks:
        """Blocks of items; the more columns are to be summed, the fewer."""
        own = np.arange(items) if units is None else numbered(units)
        count = int(own.max()) + 1 if items else 0
        most = int(np.clip(MOST_NUMBERS // columns, FEWEST_BLOCKS, MOST_BLOCKS))
        if count <= most:
            return cls(own, count, count)
        return cls(rng.permutation(np.arange(count) % most)[own], most, count)

    def sums(self, rows: FloatArray, kept: NDArray[np.bool_]) -> FloatArray:
        """Sums of the kept rows in each block (blocks x columns)."""
        blocks = self.of_item[kept]
        return np.column_stack([np.bincount(blocks, column[kept], minlength=self.count) for column in rows.T])


def resampled(sums: FloatArray, *, draws: int, rng: np.random.Generator) -> FloatArray:
    """Totals of as many blocks as there are, drawn with replacement (draws x columns)."""
    return np.concatenate([counts @ sums for counts in drawn_counts(len(sums), draws, rng, at_once=AT_ONCE)])


def bca(value: float, drawn: FloatArray, left_out: FloatArray, *, level: float) -> tuple[float, float] | None:
    """Bias-corrected and accelerated interval of a figure from its draws (Efron 1987, JASA 82(397)).

    It is widened for few blocks as t is against the normal (expanded percentiles, Hesterberg 2015, The American
    Statistician 69(4)). ``left_out`` are the figures without one block each. Draws in which the figure is undefined
    count as beyond either end. None where an end lies beyond the draws, or where they do not differ and so say nothing.
    """
    defined = np.isfinite(drawn)
    if not np.isfinite(value) or not defined.any() or np.ptp(drawn[defined]) == 0:
        return None
    count, known = left_out.size, left_out[np.isfinite(left_out)]
    influence = known.mean() - known if known.size else known
    wider = special.stdtrit(count - 1, [(1 - level) / 2, (1 + level) / 2]) * np.sqrt(count / (count - 1))
    shares = bias_corrected(wider, value, drawn[defined], influence)
    low = np.quantile(np.where(defined, drawn, -np.inf), shares[0], method="lower")
    high = np.quantile(np.where(defined, drawn, np.inf), shares[1], method="higher")
    return (float(low), float(high)) if np.isfinite(low) and np.isfinite(high) else None
