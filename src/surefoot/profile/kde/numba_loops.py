"""The inner loop of the density, compiled by numba; imported only where numba is installed.

What is compiled is kept on disk and made anew when this file changes, so it uses no constant from elsewhere.

Distances come from differences, so nothing cancels. The exponential is a polynomial after Cody and Waite (1980), since
LLVM cannot vectorise the library's: relative error below 1e-14. No thread of numba's own is used: the functions release
the interpreter's lock, and the caller spreads queries over ordinary threads, each query on one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import require
from surefoot.core.validate import FloatArray

numba = require("numba", extra="fast", purpose="the compiled density")

TILE = 16
"""Queries that share a block of points while it is in the cache."""
GAUSSIAN, EXPONENTIAL, EPANECHNIKOV, TOPHAT = range(4)
KINDS = {"gaussian": GAUSSIAN, "exponential": EXPONENTIAL, "epanechnikov": EPANECHNIKOV, "tophat": TOPHAT}
DROPPED = 1e13
"""Blocks are passed over while all of them together hold less than the sum divided by this."""
FAR, SAFE = -1e300, 500.0
"""Where a sum without points starts, and how far exponents may lie above its top before that is raised."""
LOG2_E, LN2_HIGH, LN2_LOW = 1.4426950408889634, 6.93147180369123816490e-01, 1.90821492927058770002e-10
ROUNDER = 6755399441055744.0
"""1.5 * 2^52: adding it rounds a double to a whole number and leaves that number in its lowest bits."""

Function = TypeVar("Function", bound=Callable[..., object])
IN_ORDER = {"contract", "nsz"}
ANY_ORDER = {"contract", "nsz", "nnan", "reassoc"}


def compiled(fastmath: set[str]) -> Callable[[Function], Function]:
    """Compile once and keep the result on disk where some folder can be written, else for this process."""

    def compile(function: Function) -> Function:
        options = {"nogil": True, "fastmath": fastmath, "error_model": "numpy"}
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:
            return numba.njit(**options)(function)

    return compile


@compiled(IN_ORDER)
def squared_to_block(query: FloatArray, block: FloatArray, out: FloatArray) -> None:
    """Squared distances of one query to the points of a block."""
    for j in range(len(out)):
        out[j] = 0.0
    fours = len(query) // 4 * 4
    for k in range(0, fours, 4):
        for j in range(len(out)):
            first, second = query[k] - block[k, j], query[k + 1] - block[k + 1, j]
            third, fourth = query[k + 2] - block[k + 2, j], query[k + 3] - block[k + 3, j]
            out[j] += first * first + second * second + third * third + fourth * fourth
    for k in range(fours, len(query)):
        for j in range(len(out)):
            difference = query[k] - block[k, j]
            out[j] += difference * difference


@compiled(ANY_ORDER)
def largest(values: FloatArray) -> float:
    """The largest of a block's values."""
    top = values[0]
    for j in range(len(values)):
        top = values[j] if values[j] > top else top
    return top


@compiled(ANY_ORDER)
def product_sum(values: FloatArray, powers: FloatArray, weights: FloatArray) -> float:
    """Sum of the products of three blocks."""
    total = 0.0
    for j in range(len(values)):
        total += values[j] * powers[j] * weights[j]
    return total


@compiled(IN_ORDER)
def exponentials(values: FloatArray, top: float, whole: FloatArray, power: FloatArray) -> None:
    """exp(values - top) as values (of the remainder) times power (of 2)."""
    for j in range(len(values)):
        x = max(values[j] - top, -700.0)
        rounded = x * LOG2_E + ROUNDER
        whole[j] = rounded
        n = rounded - ROUNDER
        r = (x - n * LN2_HIGH) - n * LN2_LOW
        p = r * (1 / 39916800.0) + 1 / 3628800.0
        p = p * r + 1 / 362880.0
        p = p * r + 1 / 40320.0
        p = p * r + 1 / 5040.0
        p = p * r + 1 / 720.0
        p = p * r + 1 / 120.0
        p = p * r + 1 / 24.0
        p = p * r + 1 / 6.0
        p = p * r + 0.5
        p = p * r + 1.0
        values[j] = p * r + 1.0
    whole_bits, power_bits = whole.view(np.int64), power.view(np.int64)
    for j in range(len(values)):
        power_bits[j] = (whole_bits[j] + 1023) << 52


@compiled(IN_ORDER)
def exponent(squared: float, kind: int) -> float:
    """Logarithm of the kernel's value."""
    return -0.5 * squared if kind == GAUSSIAN else -math.sqrt(squared)


@compiled(IN_ORDER)
def add_block(
    query: FloatArray,
    block: FloatArray,
    weights: FloatArray,
    near: float,
    kind: int,
    state: FloatArray,
    scratch: FloatArray,
) -> None:
    """Add a block, no nearer than ``near`` squared, to the state (total, top): the sum is total * exp(top)."""
    values, whole, power = scratch[0], scratch[1], scratch[2]
    squared_to_block(query, block, values)
    if kind >= EPANECHNIKOV:
        for j in range(len(values)):
            inside = 1.0 - values[j]
            values[j] = max(inside, 0.0) if kind == EPANECHNIKOV else (1.0 if inside > 0 else 0.0)
            power[j] = 1.0
        state[0] += product_sum(values, power, weights)
        return
    for j in range(len(values)):
        values[j] = exponent(values[j], kind)
    if exponent(near, kind) - state[1] > SAFE:
        top = max(largest(values), state[1])
        state[0] *= math.exp(state[1] - top)
        state[1] = top
    exponentials(values, state[1], whole, power)
    state[0] += product_sum(values, power, weights)


@compiled(IN_ORDER)
def squared_to_box(query: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """Squared distance of a query to a box."""
    total = 0.0
    for k in range(len(query)):
        outside = max(lower[k] - query[k], query[k] - upper[k], 0.0)
        total += outside * outside
    return total


@compiled(IN_ORDER)
def negligible(squared: float, kind: int, state: FloatArray, weight: float) -> bool:
    """Whether points no nearer than that, of that weight together, leave the sum as it is."""
    if kind >= EPANECHNIKOV:
        return squared >= 1.0
    return weight * math.exp(exponent(squared, kind) - state[1]) * DROPPED < state[0]


@compiled(IN_ORDER)
def log_sums(
    queries: FloatArray,
    points: FloatArray,
    weights: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    kind: int,
    order: NDArray[np.int64],
    out: FloatArray,
) -> None:
    """Logarithm of the weighted sum of kernel values at each query that ``order`` names."""
    scratch, states = np.empty((3, points.shape[2])), np.empty((TILE, 2))
    near, nearest = np.empty((TILE, len(points))), np.empty(TILE, np.int64)
    weight = weights.sum()
    for start in range(0, len(order), TILE):
        tile = order[start : start + TILE]
        for t in range(len(tile)):
            query = queries[tile[t]]
            for b in range(len(points)):
                near[t, b] = squared_to_box(query, lower[b], upper[b])
            nearest[t] = near[t].argmin()
            states[t, 0], states[t, 1] = 0.0, 0.0 if kind >= EPANECHNIKOV else FAR
            add_block(query, points[nearest[t]], weights[nearest[t]], near[t, nearest[t]], kind, states[t], scratch)
        for b in range(len(points)):
            for t in range(len(tile)):
                if b != nearest[t] and not negligible(near[t, b], kind, states[t], weight):
                    add_block(queries[tile[t]], points[b], weights[b], near[t, b], kind, states[t], scratch)
        for t in range(len(tile)):
            out[tile[t]] = states[t, 1] + (math.log(states[t, 0]) if states[t, 0] > 0 else -math.inf)
