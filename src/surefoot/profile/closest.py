"""The closest two rows with different labels: by trees where features are few, block by block otherwise.

Labels are numbered. Two numbers differ in at least one bit, so the closest pair is the closest of those found
for each bit, between the rows that have it and the rows that do not: as many pairs of sets as a label has bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from surefoot.profile.blockwise import closest_in_block

MOST_TREE_FEATURES = 16
MOST_TREE_FEATURES_MAXIMUM_NORM = 24
"""Measured on 20,000 normal rows; blocks are faster beyond."""
QUERIES = 4096
BLOCK = 1024


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
        return type(self)(self.rows[index], self.codes[index], self.numbers[index])

    def joined(self, other: Labelled) -> Self:
        """The rows of both."""
        return type(self)(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.numbers, other.numbers]),
        )

    def where_bit(self, bit: int, value: int) -> NDArray[np.int64]:
        """Places of the rows whose label number has that bit."""
        return np.flatnonzero((self.codes >> bit) & 1 == value)

    def tree(self, bit: int, value: int) -> tuple[Any, NDArray[np.int64]] | None:
        """A tree over those rows, with their numbers; None where there are none."""
        if (bit, value) not in self._trees:
            from scipy.spatial import cKDTree

            at = self.where_bit(bit, value)
            found = (cKDTree(self.rows[at].astype(float)), self.numbers[at]) if at.size else None
            self._trees[bit, value] = found
        return self._trees[bit, value]


def closest_within(data: Labelled, p: float, best: Pair) -> Pair:
    """The closest pair of the data, or ``best`` where none is closer."""
    if data.suits_trees(p):
        for bit in range(data.bits):
            best = _asked(data, data, bit, 1, p, best)
        return best
    data = data.chosen(np.argsort(data.codes, kind="stable"))
    blocks = list(_blocks(data))
    return _over_blocks(((one, other) for i, one in enumerate(blocks) for other in blocks[i:]), p, best)


def closest_between(one: Labelled, other: Labelled, p: float, best: Pair) -> Pair:
    """The closest pair with one row of each, or ``best`` where none is closer."""
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
        best = _nearest(one.rows[part].astype(float), one.numbers[part], tree, p, best)
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
        found = closest_in_block(one.rows, other.rows, _apart(one.codes, other.codes), p, best.distance)
        if found:
            best = Pair(found[0], int(one.numbers[found[1]]), int(other.numbers[found[2]]))
    return best


def _apart(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    """Which labels differ, None where all do."""
    if one.max() < other.min() or other.max() < one.min():
        return None
    return one[:, None] != other
