"""Rows that repeat: whether independent draws would repeat like that, or rows were copied.

Independent draws repeat where values are few: classes, whole numbers, two decimals, a sensor that rests at 0. A copy
repeats a row that nothing says could come twice. Three things tell them apart, none of which asks for a distribution:

- **Resolution.** Where values are few, repeats come with near misses: neighbouring values of a scale, or rows that
  share many of their columns but not all. Rows that repeat without near misses were not drawn from few values.
- **Counts.** How often a value occurs is a Poisson mixture, and given that it occurs, its count is even with a
  probability below 1/2, whatever the mixture (and divisible by k about once in k times). A table that was doubled has
  only even counts.
- **Order.** A few values of otherwise fine rows that occur very often may be where a sensor rests, unless they come
  side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core.validate import FloatArray

NARROW = 64
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)

FEW_REPEATED = 3
"""So many rows that repeat, or fewer, say nothing about how finely rows are resolved."""
ATOMS = ((8, 3.0), (32, 5.0))
"""At most so many values, each occurring so often on average, may be where independent rows come to rest."""
EVEN, ALIKE, RARE, ROUNDING = 1.1, 1.03, 1e-4, 16
"""Factors up to which steps of a scale are alike, how rarely those of continuous values may seem so, and rounding."""
IDENTIFIES = 0.9
"""A scale with so many values for each distinct row stands for the whole row."""
HALVES, COLUMNS_MOST, SEED = 8, 256, 20250101
LARGEST_FOLD = 50
SIGNIFICANCE = 0.001
LARGE_EXCESS = 0.1


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The distinct rows of a table: where each first stands, how often it occurs, and which one each row is."""

    first: NDArray[np.intp]
    counts: NDArray[np.int64]
    which: NDArray[np.intp]

    @property
    def repeated(self) -> int:
        """Distinct rows that occur more than once."""
        return int((self.counts > 1).sum())


def occurrences(table: NDArray[Any]) -> Occurrences:
    """Distinct rows of a two-dimensional array, the same as ``np.unique(table, axis=0)`` finds, without sorting rows.

    Rows with different fingerprints differ; rows with the same one are compared.
    """
    marks = _fingerprints(np.ascontiguousarray(table))
    order = np.argsort(marks, kind="stable")
    new = np.concatenate([[True], marks[order[1:]] != marks[order[:-1]]])
    same = np.flatnonzero(~new)
    if not (table[order[same]] == table[order[same - 1]]).all():
        # Two fingerprints met by chance, or rows hold NaN, which equals nothing.
        _, first, which, counts = np.unique(table, axis=0, return_index=True, return_inverse=True, return_counts=True)
        return Occurrences(first, counts, which.ravel())
    which = np.empty(len(table), dtype=np.intp)
    which[order] = np.cumsum(new) - 1
    starts = np.flatnonzero(new)
    return Occurrences(order[starts], np.diff(np.append(starts, len(table))), which)


def why_copied(table: NDArray[Any], found: Occurrences) -> str | None:
    """What shows that rows were copied; None where independent draws can repeat as these rows do."""
    fold = _folded(found.counts)
    if fold is not None:
        return f"rows come in multiples of {fold}"
    repeated = found.repeated
    often = float(found.counts[found.counts > 1].mean())
    if any(repeated <= most and often >= heavy for most, heavy in ATOMS):
        return "identical rows stand side by side" if _side_by_side(table, found) else None
    if repeated <= FEW_REPEATED or _few_values(table[found.first], repeated):
        return None
    return "the rows are resolved too finely to repeat by chance"


def _folded(counts: NDArray[np.int64]) -> int | None:
    """A number by which far more counts are divisible than those of independent draws can be; the largest such."""
    folds = np.arange(2, LARGEST_FOLD + 1)
    seen = np.array([(counts % fold == 0).sum() for fold in folds])
    expected = counts.size * _divisible()
    # The tail of a binomial, which that of independent indicators with these means at most does not exceed.
    p = special.betainc(np.maximum(seen, 1), counts.size - seen + 1, _divisible())
    large = (seen > 0) & (p < SIGNIFICANCE / folds.size) & (seen - expected > LARGE_EXCESS * counts.size)
    return int(folds[large][-1]) if large.any() else None


@cache
def _divisible() -> FloatArray:
    """For each fold, the largest probability that a Poisson count is divisible by it, given that it is not 0.

    For 2 it is (1 - exp(-mean)) / 2, below 1/2 for every mean; a mixture of means cannot exceed the largest.
    """
    means = np.geomspace(1e-3, 200, 2000)[:, None]
    counts = np.arange(1, 400)
    given = np.exp(counts * np.log(means) - means - special.gammaln(counts + 1)) / -np.expm1(-means)
    return np.array([given[:, fold - 1 :: fold].sum(axis=1).max() for fold in range(2, LARGEST_FOLD + 1)])


def _side_by_side(table: NDArray[Any], found: Occurrences) -> bool:
    """Whether repeated rows follow each other more often than in random order, in a table that is not sorted."""
    n = found.which.size
    adjacent = int((found.which[1:] == found.which[:-1]).sum())
    expected = float((found.counts * (found.counts - 1.0)).sum()) / n
    if 2 * adjacent < n - found.counts.size or special.gammainc(max(adjacent, 1), expected) >= SIGNIFICANCE:
        return False
    return table.shape[1] > 1 or not _is_sorted(table[:, 0])


def _is_sorted(values: NDArray[Any]) -> bool:
    return bool((values[1:] >= values[:-1]).all() or (values[1:] <= values[:-1]).all())


def _few_values(distinct: NDArray[Any], repeated: int) -> bool:
    """Whether distinct rows are so close to each other that as many as ``repeated`` can coincide by chance."""
    scales, fine = [], False
    for column in _columns(distinct):
        values, counts = np.unique(column, return_counts=True)
        if column.dtype.kind not in "iufb" or _is_scale(values, repeated):
            scales.append(values.size / len(distinct))
        else:
            fine = fine or bool((counts == 1).sum() >= repeated and 2 * (counts > 1).sum() < repeated)
    # Where one scale alone tells all rows apart, finer columns follow from it.
    if fine:
        return 1.0 in scales
    return distinct.shape[1] == 1 or max(scales, default=0.0) >= IDENTIFIES or _share_parts(distinct, repeated)


def _columns(table: NDArray[Any]) -> Iterator[NDArray[Any]]:
    width = table.shape[1]
    chosen = np.arange(width)
    if width > COLUMNS_MOST:
        chosen = np.random.default_rng(SEED).choice(width, COLUMNS_MOST, replace=False)
    return (table[:, number] for number in chosen)


def _is_scale(values: NDArray[Any], repeated: int) -> bool:
    """Whether sorted values are marks on a scale, even or bent (such as logarithms of whole numbers).

    On an even scale the smallest steps are alike, half as many of them as there are repeated rows or more. On any
    smooth one steps that follow each other are alike, more often than between independent continuous values, where
    the ratio of two steps lies within a factor r with probability (r - 1) / (r + 1).
    """
    numbers = values.astype(np.float64)
    kind = values.dtype if values.dtype.kind == "f" else np.dtype(np.float64)
    steps = np.diff(numbers)
    steps = steps[steps > ROUNDING * float(np.finfo(kind).eps) * float(np.abs(numbers).max())]
    needed = (repeated + 1) // 2
    if steps.size < needed:
        return True
    smallest = np.partition(steps, needed - 1)[:needed]
    if smallest[-1] <= EVEN * smallest.min():
        return True
    alike = int((np.abs(np.log(steps[1:] / steps[:-1])) <= np.log(ALIKE)).sum())
    chance = (ALIKE - 1) / (ALIKE + 1)
    return bool(special.betainc(max(alike, 1), max(steps.size - alike, 1), chance) < RARE)


def _share_parts(distinct: NDArray[Any], repeated: int) -> bool:
    """Whether enough distinct rows agree with another one in some half of their columns."""
    rng, width = np.random.default_rng(SEED), distinct.shape[1]
    for _ in range(HALVES):
        half = np.sort(rng.permutation(width)[: (width + 1) // 2])
        counts = occurrences(np.ascontiguousarray(distinct[:, half])).counts
        if counts[counts > 1].sum() >= repeated:
            return True
    return False


def _fingerprints(table: NDArray[Any]) -> NDArray[np.uint64]:
    width = table.dtype.itemsize * table.shape[1]
    if not width:
        return np.zeros(len(table), dtype=np.uint64)
    size = next(size for size in (8, 4, 2, 1) if width % size == 0)
    if width // size > NARROW:
        return np.fromiter((hash(_plain(row).tobytes()) for row in table), np.int64, len(table)).view(np.uint64)
    marks = np.zeros(len(table), dtype=np.uint64)
    for column in _plain(table).view(f"u{size}").T:
        marks = (marks ^ column) * _ODD
        marks ^= marks >> _SHIFT
    return marks


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Adding 0 makes -0.0, which equals 0.0, the same bytes."""
    return values + values.dtype.type(0) if values.dtype.kind == "f" else values
