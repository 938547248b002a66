"""Tests, one a threshold, of whether accepted items keep a target, and the order in which they are made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.bounds.capital import PluginCapital
from surefoot.core.validate import FloatArray
from surefoot.monitors.thresholds.families import fixed_sequence
from surefoot.monitors.thresholds.p_values import units_needed

STRICT = 2 / 3
"""Part of delta for the walk from the strictest threshold that can pass."""

SPARE = 1.5
"""Standard deviations by which more rows should be accepted than are needed, because their number scatters."""


@dataclass(frozen=True, eq=False)
class Trials:
    """Calibration rows: the score and the loss of each, and the independent group it belongs to, if rows have one.

    A row is accepted at a threshold where its score is at most that; a row without a score never is.
    """

    scores: FloatArray
    losses: FloatArray
    groups: NDArray[np.intp] | None
    largest: int
    """The largest group there can be."""

    @cached_property
    def exact(self) -> bool:
        """Whether rows are independent and have failed or not, with nothing between."""
        return self.groups is None and bool(np.isin(self.losses, (0, 1)).all())

    def part(self, rows: NDArray[np.bool_]) -> Trials:
        """Some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        return Trials(self.scores[rows], self.losses[rows], groups, self.largest)

    def accepted(self, threshold: float) -> NDArray[np.bool_]:
        """Rows at or below a threshold."""
        return self.scores <= threshold

    def p_values(self, grid: FloatArray, target: float, delta: float, seed: int) -> FloatArray:
        """For each threshold, the evidence against a mean loss of accepted rows above the target.

        Given how many rows are accepted, they are independent draws from those that operation would accept, so that
        their failures are binomial: exact. Losses between 0 and 1, and rows in groups, by betting (Waudby-Smith and
        Ramdas 2024) on losses over accepted rows.
        """
        if self.exact:
            counts = [(self.losses[rows].sum(), rows.sum()) for rows in map(self.accepted, grid)]
            return np.array([special.bdtr(lost, n, target) if n else 1.0 for lost, n in counts])
        return np.fromiter(self._bets(grid, target, delta, seed), dtype=np.float64, count=grid.size)

    def _bets(self, grid: FloatArray, target: float, delta: float, seed: int) -> Iterator[float]:
        groups = np.arange(self.scores.size) if self.groups is None else self.groups
        order = np.random.default_rng(seed).permutation(int(groups.max()) + 1)
        for threshold in grid:
            rows = self.accepted(threshold)
            sizes = np.bincount(groups[rows], minlength=order.size)[order] / self.largest
            losses = np.bincount(groups[rows], self.losses[rows], minlength=order.size)[order] / self.largest
            some = sizes > 0
            if not some.any():
                yield 1.0
                continue
            capital = PluginCapital.tuned(np.minimum(losses, sizes)[some], sizes[some], level=1 - delta)
            yield math.exp(-float(capital(np.array([target / (1 - target)]))[0]))

    def grid(self, points: int) -> FloatArray:
        """Thresholds at even shares of these scores."""
        scores = self.scores[~np.isnan(self.scores)]
        if not scores.size:
            return scores
        return np.unique(np.quantile(scores, np.linspace(0, 1, points), method="higher"))

    def starts(self, grid: FloatArray, target: float, delta: float, tested: int) -> dict[int, float]:
        """Where walks over thresholds begin, with their parts of ``delta``; none of these rows is ``tested``.

        One where enough rows will be accepted to show the target without a loss: the strictest that can pass. One where
        these rows speak most for the target, counting one loss more than seen: stricter ones are in the way where
        failures do not thin out. So tests are ordered by rows that are not tested (split fixed-sequence testing,
        Angelopoulos et al. 2021).
        """
        accepted = self.scores[:, None] <= grid
        counts, losses = accepted.sum(axis=0) / self.largest, self.losses @ accepted / self.largest
        likely = int(((target - (losses + 1) / (counts + 1)) * np.sqrt(counts)).argmax())
        needed = units_needed(0.0, target, STRICT * delta, two_valued=self.exact) or math.inf
        enough = np.flatnonzero(counts * tested / self.scores.size >= needed + SPARE * math.sqrt(needed))
        if not enough.size or enough[0] == likely:
            return {likely: delta}
        return {int(enough[0]): STRICT * delta, likely: (1 - STRICT) * delta}


def shown(p: FloatArray, starts: Mapping[int, float]) -> NDArray[np.bool_]:
    """Which thresholds are shown by walks, each with its part of delta; a walk ends at the first that fails."""
    found = np.zeros(p.size, bool)
    for start, part in starts.items():
        found[start:] |= fixed_sequence(p[start:], part)
    return found
