"""Levers of several events, or whose inputs others share: the tree is evaluated anew for each what-if."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surefoot.bounds.whatif import most
from surefoot.core.validate import FloatArray
from surefoot.hazards.improvement.ground import Ground
from surefoot.hazards.improvement.levers import Lever


@dataclass(frozen=True, eq=False)
class Move:
    """A lever and the tree that it moves."""

    ground: Ground
    lever: Lever

    @cached_property
    def good(self) -> float:
        """The end that makes the top event rarer."""
        if self.lever.direction:
            return 0.0 if self.lever.direction > 0 else 1.0
        return min((0.0, 1.0), key=lambda end: self._replaced(end))

    @property
    def own_bound(self) -> float:
        """The probability of its first event on the bad side."""
        drawn, row = self.ground.drawn(), self.lever.rows[0]
        p = np.concatenate([self.ground.rows(drawn, block)[row] for block in self.ground.blocks()])
        return abs(self.good - self.ground.bound(abs(p - self.good)))

    @property
    def perfect(self) -> float:
        """The bound with the lever at its good end."""
        return self._replaced(self.good)

    @cached_property
    def known(self) -> float:
        """The bound with what is uncertain about the lever at its mean, wherever it is used."""
        return self.ground.bound(self.ground.tops(self.ground.drawn(known=self.lever.inputs)))

    def scaled(self, share: float) -> float:
        """The bound with the lever at a share of today's distance from its good end."""
        rows, good = list(self.lever.rows), self.good

        def closer(p: FloatArray) -> None:
            p[rows] = good + share * (p[rows] - good)

        return self.ground.bound(self.ground.tops(self.ground.drawn(), closer))

    def farthest(self, limit: float) -> tuple[float | None, float | None]:
        """The largest distance, and the largest share of today's, that keeps to a limit; to four digits, safe side."""
        if not self.lever.direction or self.perfect > limit:
            return None, None
        side = 1 - 2 * self.good
        known = most(lambda distance: self._replaced(self.good + side * distance) <= limit, 0.0, 1.0)
        share = most(lambda part: self.scaled(part) <= limit, 0.0, 1.0)
        return known, share

    def _replaced(self, value: float) -> float:
        rows = list(self.lever.rows)

        def at_value(p: FloatArray) -> None:
            p[rows] = value

        return self.ground.bound(self.ground.tops(self._without_inputs, at_value))

    @cached_property
    def _without_inputs(self) -> dict[str, FloatArray]:
        """Inputs that only this lever has count no longer once it is known."""
        return self.ground.drawn(fewer=self.ground.counted(self.lever.own_inputs))
