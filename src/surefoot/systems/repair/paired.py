"""Figures of several runs on the same items, with intervals over the same resampled units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.validate import FloatArray
from surefoot.systems.tables.resampling import Blocks, bca, resampled

Figure = Callable[[FloatArray], FloatArray]
"""Of sums of statistics (..., runs, k), one number each (...)."""


@dataclass(frozen=True)
class Figured:
    """A figure with its interval; None is what is undefined, or what the draws do not resolve."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @property
    def cells(self) -> tuple[float | None, float | None, float | None]:
        """Value and ends, as columns of a table."""
        return self.value, self.low, self.high


def heads_of(*names: str) -> tuple[str, ...]:
    """Columns of a table for the value and the ends of each figure."""
    return tuple(f"{name}{end}" for name in names for end in ("", " low", " high"))


def cells_of(*figures: Figured) -> tuple[float | None, ...]:
    """Value and ends of each figure, for the columns of ``heads_of``."""
    return tuple(cell for figure in figures for cell in figure.cells)


@dataclass(frozen=True, eq=False)
class PairedRuns:
    """Statistics of several runs on the same items; items that one of them has no answer for are left out of all."""

    sums: FloatArray
    """Blocks x runs x k."""
    drawn: FloatArray
    items: int
    left_out: int
    units: int
    """How many independent units they come from."""

    @classmethod
    def of(
        cls, runs: Sequence[FloatArray], units: NDArray[np.int64] | None, *, draws: int, seed: int, where: str
    ) -> PairedRuns:
        """Resample units (groups of items, or items), the same ones in every run."""
        draws = validate.count(draws, where=where, name="draws", at_least=100)
        rng = np.random.default_rng(validate.seed(seed, where=where))
        rows = np.stack([np.asarray(run, dtype=np.float64) for run in runs], axis=1)
        kept = np.asarray(np.isfinite(rows).all(axis=(1, 2)))
        flat = rows.reshape(len(rows), -1)
        blocks = Blocks.of(len(rows), units, columns=flat.shape[1], rng=rng)
        sums = blocks.sums(flat, kept)
        drawn = resampled(sums, draws=draws, rng=rng)
        shape = rows.shape[1:]
        return cls(
            sums.reshape(-1, *shape), drawn.reshape(-1, *shape), int(kept.sum()), int((~kept).sum()), blocks.units
        )

    def figure(self, figure: Figure, *, level: float) -> Figured:
        """A figure of all runs, with its interval."""
        total = self.sums.sum(axis=0)
        value = float(figure(total))
        if not np.isfinite(value):
            return Figured(None)
        ends = bca(value, np.asarray(figure(self.drawn)), np.asarray(figure(total - self.sums)), level=level)
        return Figured(value, *(ends or (None, None)))
