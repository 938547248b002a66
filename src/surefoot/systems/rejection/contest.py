"""``Contest``: strategies that reject from the same rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.systems.rejection.resampled import BLOCK, Drawn, weights_of
from surefoot.systems.rejection.rows import Rows, Suspicion
from surefoot.systems.rejection.strategies import STRATEGIES, Lists, Order, suspicious_first
from surefoot.systems.tables.measured import Score

LARGEST_ERRORS, RANDOM = "largest errors", "random"
"""What knowing every error would reject, and what a blind choice would."""


@dataclass(frozen=True, eq=False)
class Contest:
    """The five strategies, others that reject by one suspicion, and knowing the errors themselves."""

    rows: Rows
    lists: Lists
    others: Mapping[str, Order]

    @classmethod
    def of(cls, rows: Rows, uncertainty: Score, strangeness: Score, others: Mapping[str, Suspicion]) -> Contest:
        """Sorted scores of rows."""
        taken = sorted({*STRATEGIES, LARGEST_ERRORS, RANDOM} & set(others))
        if taken:
            raise InvalidInput("these names are taken", where="others", found=", ".join(taken))
        lists = Lists.of(rows.score(uncertainty), rows.score(strangeness))
        orders = {name: suspicious_first(rows.suspicion(name, values)) for name, values in others.items()}
        return cls(rows, lists, {**orders, LARGEST_ERRORS: suspicious_first(rows.errors)})

    @cached_property
    def strategies(self) -> tuple[str, ...]:
        """Names, the errors themselves last."""
        return (*STRATEGIES, *self.others)

    def order(self, strategy: str) -> Order:
        """Items as a strategy rejects them."""
        return self.others[strategy] if strategy in self.others else self.lists.order(strategy)

    def accepted(self, strategy: str) -> FloatArray:
        """The metric of accepted items where 0, 1, 2 ... and all are rejected; NaN where it is undefined."""
        ordered = self.rows.statistics[self.order(strategy)]
        sums = np.vstack([ordered[::-1].cumsum(axis=0)[::-1], np.zeros(ordered.shape[1])])
        return np.asarray(self.rows.measured.metric.value(sums))

    def redrawn(
        self, rates: Sequence[float], draws: int, seed: int, strategies: Sequence[str]
    ) -> tuple[FloatArray, dict[str, FloatArray]]:
        """The metric of resampled items (draws), and of those that each strategy accepts (draws x rates)."""
        everything: list[FloatArray] = [np.empty(0)]
        accepted: dict[str, list[FloatArray]] = {name: [np.empty((0, len(rates)))] for name in strategies}
        for weights in weights_of(self.rows.units, draws, np.random.default_rng(seed)):
            everything.append(self._value(weights))
            for name, found in self._redone(weights, rates, strategies):
                accepted[name].append(found)
        return np.concatenate(everything), {name: np.concatenate(blocks) for name, blocks in accepted.items()}

    def _redone(
        self, weights: FloatArray, rates: Sequence[float], strategies: Sequence[str]
    ) -> Iterator[tuple[str, FloatArray]]:
        counts = [count_of(rate, weights.sum(axis=1)) for rate in rates]
        drawn = Drawn(self.lists, weights)
        for name in strategies:
            order = self.others.get(name)
            source, strategy = (drawn, name) if order is None else (Drawn(Lists(order, order), weights), "S1")
            kept = (weights - source.rejected(strategy, count) for count in counts)
            yield name, np.column_stack([self._value(each) for each in kept])

    def blind(self, counts: Sequence[int], draws: int, seed: int) -> FloatArray:
        """The metric of accepted items where rejected ones are drawn at random (draws x counts)."""
        rng, size = np.random.default_rng(seed), len(self.rows)
        step = max(BLOCK // size, 1)
        blocks = []
        for start in range(0, draws, step):
            keys = rng.random((min(step, draws - start), size))
            blocks.append(np.column_stack([self._value(_but_smallest(keys, count)) for count in counts]))
        return np.concatenate(blocks)

    def _value(self, weights: FloatArray) -> FloatArray:
        return np.asarray(self.rows.measured.metric.value(weights @ self.rows.statistics))


def count_of(rate: float, items: FloatArray) -> FloatArray:
    """How many of so many items a rate rejects: the nearest whole number, halves up."""
    return np.floor(rate * items + 0.5)


def _but_smallest(keys: FloatArray, count: int) -> FloatArray:
    """1 for all but the ``count`` smallest keys of each row, which get 0."""
    if not count:
        return np.ones_like(keys)
    return (keys > np.partition(keys, count - 1, axis=1)[:, count - 1 : count]).astype(np.float64)
