"""``Ranking``: which monitor is best, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import InvalidInput, Table
from surefoot.core.validate import FloatArray
from surefoot.documents import percent

WHERE = "ranking"


@dataclass(frozen=True)
class Pair:
    """Two monitors on the same rows: how far the first is ahead of the second."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    p_value: float
    adjusted: float
    """After Holm's correction for all pairs."""
    apart: bool
    """Whether they are told apart, all pairs together at the level."""


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """Ranks of monitors by a figure of which more is better, with what resampling says about them.

    ``drawn`` has one row a draw and one column a monitor, all monitors on the same resampled units.
    """

    names: tuple[str, ...]
    values: FloatArray
    drawn: FloatArray
    by: str = "safety gain"
    level: float = 0.95

    def __post_init__(self) -> None:
        defined = self.drawn[np.isfinite(self.drawn).all(axis=1)]
        if len(self.names) != len(self.values) or defined.shape[1:] != (len(self.names),) or len(defined) < 2:
            found = f"{len(self.names)} names, {len(self.values)} values, draws of shape {defined.shape}"
            raise InvalidInput("needs a value and a column of draws for each name", where=WHERE, found=found)
        object.__setattr__(self, "drawn", defined)

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """1 for the best; equal ones share the better rank."""
        return _ranks(self.values[None])[0]

    @cached_property
    def first(self) -> FloatArray:
        """Share of draws in which each is first; a shared first place is divided."""
        leads = self.drawn == self.drawn.max(axis=1, keepdims=True)
        return np.asarray((leads / leads.sum(axis=1, keepdims=True)).mean(axis=0))

    @cached_property
    def intervals(self) -> NDArray[np.int64]:
        """Smallest and largest rank of each over draws, its own tails cut at the level."""
        tails = [(1 - self.level) / 2, (1 + self.level) / 2]
        ranks = _ranks(self.drawn)
        low = np.quantile(ranks, tails[0], axis=0, method="lower")
        return np.stack([low, np.quantile(ranks, tails[1], axis=0, method="higher")], axis=1)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs, the better one first.

        Two-sided normal tests with the standard error of paired resamples (Efron and Tibshirani 1993), corrected by
        Holm (1979).
        """
        placed = list(combinations(self.order.tolist(), 2))
        found = [self._compared(a, b) for a, b in placed]
        adjusted = holm(np.array([p for *_, p in found]))
        return tuple(
            Pair(self.names[a], self.names[b], *numbers, float(q), bool(q <= 1 - self.level))
            for (a, b), numbers, q in zip(placed, found, adjusted, strict=True)
        )

    @cached_property
    def certain(self) -> NDArray[np.int64]:
        """Smallest and largest rank of each that no pair told apart contradicts, all monitors together at the level.

        Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility across
        neighbourhoods and academic achievement across countries".
        """
        ahead = {name: sum(p.apart and p.second == name for p in self.pairs) for name in self.names}
        behind = {name: sum(p.apart and p.first == name for p in self.pairs) for name in self.names}
        return np.array([(1 + ahead[name], len(self.names) - behind[name]) for name in self.names])

    @property
    def order(self) -> NDArray[np.int64]:
        """Places of the monitors, the best first."""
        return np.argsort(-self.values, kind="stable")

    def beaten_by(self, name: str) -> tuple[str, ...]:
        """Monitors that a monitor is told apart from as the better one."""
        return tuple(pair.second for pair in self.pairs if pair.apart and pair.first == name)

    def table(self) -> Table:
        """A row for each monitor, the best first."""
        head = ("monitor", "rank", self.by, f"rank from ({percent(self.level)})", "to", "first in draws", "surely from")
        rows = [
            (
                self.names[i],
                int(self.ranks[i]),
                float(self.values[i]),
                *self.intervals[i].tolist(),
                float(self.first[i]),
                *self.certain[i].tolist(),
            )
            for i in self.order.tolist()
        ]
        return Table((*head, "surely to"), tuple(rows))

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return f"Ranking({len(self.names)} monitors by {self.by}, best {self.names[int(self.order[0])]!r})"

    def _compared(self, a: int, b: int) -> tuple[float, float, float, float]:
        difference, drawn = float(self.values[a] - self.values[b]), self.drawn[:, a] - self.drawn[:, b]
        low, high = np.quantile(drawn, [(1 - self.level) / 2, (1 + self.level) / 2])
        spread = float(drawn.std(ddof=1))
        if spread > 0:
            return difference, float(low), float(high), float(2 * special.ndtr(-abs(difference) / spread))
        return difference, float(low), float(high), 1.0 if difference == 0 else 0.0


def holm(p_values: FloatArray) -> FloatArray:
    """P-values that hold for all tests together (Holm 1979, Scandinavian Journal of Statistics 6(2))."""
    order, count = np.argsort(p_values, kind="stable"), p_values.size
    raised = np.maximum.accumulate(p_values[order] * np.arange(count, 0, -1))
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def _ranks(values: FloatArray) -> NDArray[np.int64]:
    """One more than the number of better ones, in each row."""
    ordered = np.sort(values, axis=1)
    above = [row.size - np.searchsorted(row, given, side="right") for row, given in zip(ordered, values, strict=True)]
    return np.asarray(above, dtype=np.int64) + 1
