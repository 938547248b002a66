"""The closest two rows with different labels: by trees where features are few, block by block otherwise.

Labels are numbered. Two numbers differ in at least one bit, so the closest pair is the closest of those found
for each bit, between the rows that have it and the rows that do not: as many pairs of sets as a label has bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.profile.blockwise import closest_in_block

MOST_TREE_FEATURES = 16
MOST_TREE_FEATURES_MAXIMUM_NORM = 24
"""Measured on 20,000 normal rows; blocks are faster beyond."""
QUERIES = 4096
BLOCK = 1024
SAFE_BITS = 900
"""Powers with exponents up to this neither overflow nor vanish in double precision."""
LIKE_MAXIMUM = 1e15
"""From this p on, Lp and L-infinity are the same up to rounding."""
SMALLEST_UNIT = 1e-290


@dataclass(frozen=True)
class Pair:
    """Two rows by their numbers, and their distance."""

    distance: float = np.inf
    first: int = -1
    second: int = -1


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows with the numbers of their labels, and their own numbers in the data."""

    rows: NDArray[Any]
    codes: NDArray[np.int64]
    numbers: NDArray[np.int64]
    unit: float = 1.0
    """What the rows are divided by when distances are measured."""
    _trees: dict[tuple[int, int], Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def bits(self) -> int:
        """Bits of the largest label number."""
        return int(self.codes.max()).bit_length()

    def suits_trees(self, p: float) -> bool:
        """Whether rows have few features."""
        return self.rows.shape[1] <= (MOST_TREE_FEATURES_MAXIMUM_NORM if np.isinf(p) else MOST_TREE_FEATURES)

    def chosen(self, index: Any) -> Self:
        """Some of the rows."""
        return type(self)(self.rows[index], self.codes[index], self.numbers[index], self.unit)

    def measured_in(self, unit: float) -> Self:
        """The same rows in another unit."""
        return type(self)(self.rows, self.codes, self.numbers, unit)

    def floats(self, index: Any = slice(None)) -> FloatArray:
        """Some of the rows in their unit."""
        rows = self.rows[index].astype(float)
        return rows if self.unit == 1 else rows / self.unit

    def joined(self, other: Labelled) -> Self:
        """The rows of both."""
        return type(self)(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.numbers, other.numbers]),
            self.unit,
        )

    def where_bit(self, bit: int, value: int) -> NDArray[np.int64]:
        """Places of the rows whose label number has that bit."""
        return np.flatnonzero((self.codes >> bit) & 1 == value)

    def tree(self, bit: int, value: int) -> tuple[Any, NDArray[np.int64]] | None:
        """A tree over those rows, with their numbers; None where there are none."""
        if (bit, value) not in self._trees:
            from scipy.spatial import cKDTree

            at = self.where_bit(bit, value)
            found = (cKDTree(self.floats(at)), self.numbers[at]) if at.size else None
            self._trees[bit, value] = found
        return self._trees[bit, value]


def closest_within(data: Labelled, p: float, best: Pair) -> Pair:
    """The closest pair of the data, or ``best`` where none is closer."""
    return _in_safe_powers(_within, (data,), p, best)


def closest_between(one: Labelled, other: Labelled, p: float, best: Pair) -> Pair:
    """The closest pair with one row of each, or ``best`` where none is closer."""
    return _in_safe_powers(_between, (one, other), p, best)


def _in_safe_powers(search: Callable[..., Pair], sets: tuple[Labelled, ...], p: float, best: Pair) -> Pair:
    """Search; once more, with the answer as unit, where its power p overflows or vanishes.

    The smallest distance lies between that in L-infinity and ``features ** (1 / p)`` times as much.
    """
    norm = p if p < LIKE_MAXIMUM else np.inf
    found = search(*sets, norm, best)
    if np.isinf(norm) or _is_safe(found.distance, norm):
        return found
    nearest = search(*sets, np.inf, Pair())
    if nearest.distance == 0 or np.isinf(nearest.distance):
        return nearest if nearest.distance < best.distance else best
    unit = max(nearest.distance * sets[0].rows.shape[1] ** (1 / norm), SMALLEST_UNIT)
    start = Pair(min(best.distance / unit, 2.0), best.first, best.second)
    again = search(*(data.measured_in(unit) for data in sets), norm, start)
    return best if again is start else Pair(again.distance * unit, again.first, again.second)


def _is_safe(distance: float, p: float) -> bool:
    return distance > 0 and abs(p * np.log2(distance)) < SAFE_BITS


def _within(data: Labelled, p: float, best: Pair) -> Pair:
    if data.suits_trees(p):
        for bit in range(data.bits):
            best = _asked(data, data, bit, 1, p, best)
        return best
    data = data.chosen(np.argsort(data.codes, kind="stable"))
    blocks = list(_blocks(data))
    return _over_blocks(((one, other) for i, one in enumerate(blocks) for other in blocks[i:]), p, best)


def _between(one: Labelled, other: Labelled, p: float, best: Pair) -> Pair:
    if one.suits_trees(p):
        for bit in range(max(one.bits, other.bits)):
            for value in (0, 1):
                best = _asked(one, other, bit, value, p, best)
        return best
    return _over_blocks(((a, b) for a in _blocks(one) for b in _blocks(other)), p, best)


def _asked(one: Labelled, other: Labelled, bit: int, value: int, p: float, best: Pair) -> Pair:
    """Rows of ``one`` with that value of the bit ask the rows of ``other`` that have not."""
    tree, asking = other.tree(bit, 1 - value), one.where_bit(bit, value)
    for start in range(0, asking.size if tree else 0, QUERIES):
        if best.distance == 0:
            return best
        part = asking[start : start + QUERIES]
        best = _nearest(one.floats(part), one.numbers[part], tree, p, best)
    return best


def _nearest(rows: NDArray[Any], numbers: NDArray[np.int64], tree: Any, p: float, best: Pair) -> Pair:
    distances, nearest = tree[0].query(rows, p=p, distance_upper_bound=best.distance)
    at = int(distances.argmin())
    if not distances[at] < best.distance:
        return best
    return Pair(float(distances[at]), int(numbers[at]), int(tree[1][nearest[at]]))


def _blocks(data: Labelled) -> Iterator[Labelled]:
    return (data.chosen(slice(start, start + BLOCK)) for start in range(0, len(data), BLOCK))


def _over_blocks(pairs: Iterator[tuple[Labelled, Labelled]], p: float, best: Pair) -> Pair:
    for one, other in pairs:
        if best.distance == 0:
            return best
        found = closest_in_block(one.floats(), other.floats(), _apart(one.codes, other.codes), p, best.distance)
        if found:
            best = Pair(found[0], int(one.numbers[found[1]]), int(other.numbers[found[2]]))
    return best


def _apart(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    """Which labels differ, None where all do."""
    if one.max() < other.min() or other.max() < one.min():
        return None
    return one[:, None] != other
