"""The five strategies of paper SYS (section 4.5) that reject the answers a system is likely to get wrong.

Each rejects ``count`` items, from two scores of every item: its uncertainty, and how far it is out of distribution
(``strangeness``). Higher is more suspicious. An item without a score (NaN) cannot be accepted on it and comes first; of
equal scores the earlier item comes first. What a strategy rejects at one count it rejects at every higher count as
well, so that it is an order of all items.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

Order = NDArray[np.intp]
Mask = NDArray[np.bool_]


def suspicious_first(scores: FloatArray) -> Order:
    """Items by falling score, those without one before all others."""
    missing = np.isnan(scores)
    return np.lexsort((-np.where(missing, 0.0, scores), ~missing))


@dataclass(frozen=True, eq=False)
class Lists:
    """Items by each falling score, uncertainty and out-of-distribution; a strategy is an order made of the two."""

    uncertain: Order
    strange: Order

    @classmethod
    def of(cls, uncertainty: FloatArray, strangeness: FloatArray) -> Lists:
        """Sorted scores."""
        return cls(suspicious_first(uncertainty), suspicious_first(strangeness))

    def order(self, strategy: str) -> Order:
        """Items in the order in which a strategy rejects them as the count grows."""
        return _ORDERS[strategy](self)

    @cached_property
    def both(self) -> Order:
        """Items as they enter both lists; of two that enter together, the smaller sum of ranks first."""
        ranks = np.empty((2, self.uncertain.size), dtype=np.intp)
        for row, order in zip(ranks, (self.uncertain, self.strange), strict=True):
            row[order] = np.arange(order.size)
        return np.lexsort((ranks.sum(axis=0), ranks.max(axis=0)))


def most_uncertain(uncertainty: ArrayLike, strangeness: ArrayLike, count: int) -> Mask:
    """Strategy 1: the most uncertain."""
    return _rejected("S1", uncertainty, strangeness, count)


def strangest(uncertainty: ArrayLike, strangeness: ArrayLike, count: int) -> Mask:
    """Strategy 2: the strangest."""
    return _rejected("S2", uncertainty, strangeness, count)


def uncertain_then_strange(uncertainty: ArrayLike, strangeness: ArrayLike, count: int) -> Mask:
    """Strategy 3: the most uncertain for one half, then the strangest of those left; an odd one goes to the first."""
    return _rejected("S3", uncertainty, strangeness, count)


def strange_then_uncertain(uncertainty: ArrayLike, strangeness: ArrayLike, count: int) -> Mask:
    """Strategy 4: the strangest for one half, then the most uncertain of those left; an odd one goes to the first."""
    return _rejected("S4", uncertainty, strangeness, count)


def uncertain_and_strange(uncertainty: ArrayLike, strangeness: ArrayLike, count: int) -> Mask:
    """Strategy 5: what the m most uncertain and the m strangest have in common, for the smallest m that suffices.

    Where that m gives one item too many, two items entered together: the one with the smaller sum of its two ranks is
    rejected, or the earlier of equal ones.
    """
    return _rejected("S5", uncertainty, strangeness, count)


STRATEGIES: dict[str, Callable[[ArrayLike, ArrayLike, int], Mask]] = {
    "S1": most_uncertain,
    "S2": strangest,
    "S3": uncertain_then_strange,
    "S4": strange_then_uncertain,
    "S5": uncertain_and_strange,
}


def _by_halves(first: Order, second: Order) -> Order:
    """One list and the other by turns, as the two halves grow.

    Where the item by which the first half grows is rejected already, it leaves the second half, which takes its next.
    """
    taken = bytearray(first.size)
    heads, others = iter(first.tolist()), iter(second.tolist())
    order = np.empty(first.size, dtype=np.intp)
    for step in range(first.size):
        item = -1 if step % 2 else next(heads)
        if item < 0 or taken[item]:
            item = next(other for other in others if not taken[other])
        taken[item], order[step] = 1, item
    return order


_ORDERS: dict[str, Callable[[Lists], Order]] = {
    "S1": lambda lists: lists.uncertain,
    "S2": lambda lists: lists.strange,
    "S3": lambda lists: _by_halves(lists.uncertain, lists.strange),
    "S4": lambda lists: _by_halves(lists.strange, lists.uncertain),
    "S5": lambda lists: lists.both,
}


def _rejected(strategy: str, uncertainty: ArrayLike, strangeness: ArrayLike, count: int) -> Mask:
    where = STRATEGIES[strategy].__name__
    first = as_scores(uncertainty, where=where, name="uncertainty")
    second = as_scores(strangeness, where=where, name="strangeness")
    validate.same_length(where, uncertainty=first, strangeness=second)
    number = validate.count(count, where=where, name="count")
    if number > first.size:
        raise InvalidInput("cannot reject more items than there are", where=where, found=f"{number} of {first.size}")
    mask = np.zeros(first.size, dtype=bool)
    mask[Lists.of(first, second).order(strategy)[:number]] = True
    return mask


def as_scores(values: ArrayLike, *, where: str, name: str) -> FloatArray:
    """One number an item, NaN where it has none."""
    array = np.asarray(values)
    if array.dtype.kind not in "buif" or array.ndim != 1:
        found = f"shape {array.shape} of {array.dtype}"
        raise InvalidInput(f"{name} must be one number an item", where=where, found=found, remedy="Give a list.")
    return array.astype(np.float64)
