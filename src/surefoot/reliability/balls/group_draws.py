"""What was drawn from groups of the frame, and the means that follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.bound import Side
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.capitals import TINY, Capital, GroupCapital
from surefoot.reliability.balls.drawn import Drawn


@dataclass(frozen=True, eq=False)
class GroupDraws(Drawn):
    """Groups of the frame, some balls of each without replacement."""

    group: NDArray[np.int64]
    """Group of each draw."""
    sizes: NDArray[np.int64]
    """Balls in each group of the frame."""
    heaviest: FloatArray
    """Largest weight in each group of the frame."""

    def mean(self) -> tuple[float, float]:
        return self._total(self.own * self.risk)

    def flat_mean(self) -> tuple[float, float]:
        return self._total(self.risk / self.balls)

    def _total(self, parts: FloatArray) -> tuple[float, float]:
        """Sum over the frame, with the variance of stratified sampling (Cochran 1977, Theorem 5.3)."""
        total = variance = 0.0
        for group, size in enumerate(self.sizes):
            seen = parts[self.group == group]
            total += size * float(seen.mean())
            variance += size * (size - seen.size) * (float(seen.var(ddof=1)) if seen.size > 1 else 0.0) / seen.size
        return total, variance

    def sequence(self, *, flat: bool) -> tuple[FloatArray, FloatArray]:
        return self.expansion, self.risk if flat else self.balls * self.own * self.risk

    def capital(self, side: Side, level: float) -> Capital | None:
        heaviest = self.heaviest[self.group]
        values, sizes = self.own * self.risk / np.maximum(heaviest, TINY), self.expansion * heaviest
        return GroupCapital.tuned(values, sizes, level=level, side=side)

    @property
    def like_operation(self) -> bool:
        return self.sizes.size == 1
