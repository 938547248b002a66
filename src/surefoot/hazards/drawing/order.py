"""The order of cells in each column, with few crossings: sweeps by barycentre (Sugiyama, Tagawa and Toda 1981)."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from itertools import pairwise

SWEEPS = 12

Columns = list[list[int]]
Joins = Mapping[int, Sequence[int]]


def ordered(columns: Columns, left: Joins, right: Joins) -> Columns:
    """Columns with the fewest crossings that sweeps find; ``left`` and ``right`` are the neighbours of each cell."""
    best = current = columns
    fewest = crossings(columns, right)
    for sweep in range(SWEEPS):
        current = _swept(current, right, backwards=True) if sweep % 2 else _swept(current, left, backwards=False)
        count = crossings(current, right)
        if count < fewest:
            best, fewest = current, count
    return best


def crossings(columns: Columns, right: Joins) -> int:
    """How many pairs of lines between neighbouring columns cross."""
    total = 0
    for here, there in pairwise(columns):
        place = {cell: number for number, cell in enumerate(there)}
        seen: list[int] = []
        for cell in here:
            ends = sorted(place[other] for other in right.get(cell, ()))
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _swept(columns: Columns, joins: Joins, *, backwards: bool) -> Columns:
    done = columns[-1:] if backwards else columns[:1]
    for column in columns[-2::-1] if backwards else columns[1:]:
        place = {cell: number / max(1, len(done[-1]) - 1) for number, cell in enumerate(done[-1])}
        done.append(_by_neighbours(column, joins, place))
    return done[::-1] if backwards else done


def _by_neighbours(column: list[int], joins: Joins, place: Mapping[int, float]) -> list[int]:
    def wanted(number: int) -> tuple[float, int]:
        beside = joins.get(column[number], ())
        share = sum(place[cell] for cell in beside) / len(beside) if beside else number / max(1, len(column) - 1)
        return share, number

    return [column[number] for number in sorted(range(len(column)), key=wanted)]
