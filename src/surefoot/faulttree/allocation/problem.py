"""What an allocation asks: chosen events between two limits, the others held, a top-event target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray

if TYPE_CHECKING:
    from surefoot.faulttree.logic.compiled import Compiled

STEPS = 17
PASSES = 20
SMALLEST = -700.0
"""Logarithm of what is as good as 0: the smallest number is about exp(-745)."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Find probabilities of the chosen columns, from ``low`` to ``high``, with the top event at most at ``target``.

    ``base`` has every event where it is held, the chosen ones at today's value (1 where it is not known). The top
    event rises with every chosen event.
    """

    compiled: Compiled
    base: FloatArray
    chosen: NDArray[np.int64]
    low: FloatArray
    high: FloatArray
    target: float

    @property
    def today(self) -> FloatArray:
        """The chosen events as they are."""
        return self.base[self.chosen]

    def top(self, x: FloatArray) -> FloatArray:
        """Exact probability of the top event; ``x`` holds one value a chosen event, or columns of them."""
        return np.asarray(self.compiled.probability(self._whole(x)))

    def slope(self, x: FloatArray) -> FloatArray:
        """Its derivatives in the chosen events, none below 0."""
        return np.maximum(np.asarray(self.compiled.gradient(self._whole(x)))[self.chosen], 0.0)

    def within(self, x: FloatArray) -> FloatArray:
        """Cut to what is allowed."""
        return np.clip(x.T, self.low, self.high).T

    def only(self, kept: NDArray[np.bool_], x: FloatArray) -> Problem:
        """The same for some of the chosen events, the others held at ``x``."""
        return replace(self, base=self._whole(x), chosen=self.chosen[kept], low=self.low[kept], high=self.high[kept])

    def loosest(self, shape: FloatArray) -> FloatArray:
        """The largest multiple of ``exp(shape)``, cut to what is allowed, that meets the target.

        The top event rises with the multiple, whose logarithm is enclosed ever more narrowly, on a grid that is
        evaluated at once; the answer lies on the safe side. Minus and plus infinity keep an event at ``low`` or
        ``high``.
        """
        finite = shape[np.isfinite(shape)]
        start, end = (SMALLEST - finite.max(), -finite.min()) if finite.size else (0.0, 0.0)
        for _ in range(PASSES):
            grid = np.linspace(start, end, STEPS)
            met = np.flatnonzero(self.top(self._scaled(shape, grid)) <= self.target)
            if not met.size:
                return self.low
            start, end = grid[met[-1]], grid[min(met[-1] + 1, STEPS - 1)]
            if end - start <= np.spacing(abs(start)):
                break
        return self._scaled(shape, np.array([start]))[:, 0]

    def _scaled(self, shape: FloatArray, logs: FloatArray) -> FloatArray:
        return self.within(np.exp(np.minimum(shape[:, None] + logs, 0.0)))

    def _whole(self, x: FloatArray) -> FloatArray:
        whole = np.repeat(self.base[:, None], x.shape[1], axis=1) if x.ndim == 2 else self.base.copy()
        whole[self.chosen] = x
        return whole
