"""Where the cells of a column stand: as near to where they want to be as their order and room allow."""

from __future__ import annotations

from collections.abc import Sequence


def settled(wanted: Sequence[float], apart: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Places in the same order, each at least ``apart`` below the one before, nearest to the wanted ones.

    Weighted least squares under order: pools of adjacent violators (Ayer et al. 1955), the distances taken off before.

    >>> settled([0.0, 0.0, 30.0], [10.0, 10.0], [1.0, 3.0, 1.0])
    [-7.5, 2.5, 30.0]
    """
    shift = [0.0]
    for distance in apart:
        shift.append(shift[-1] + distance)
    pools: list[tuple[float, float, int]] = []
    for value, offset, weight in zip(wanted, shift, weights, strict=True):
        total, count = weight * (value - offset), 1
        while pools and pools[-1][0] / pools[-1][1] > total / weight:
            earlier = pools.pop()
            total, weight, count = total + earlier[0], weight + earlier[1], count + earlier[2]
        pools.append((total, weight, count))
    level = [total / weight for total, weight, count in pools for _ in range(count)]
    return [value + offset for value, offset in zip(level, shift, strict=True)]
