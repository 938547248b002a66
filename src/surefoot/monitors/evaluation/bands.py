"""Pointwise bands of a curve: exact where a row has two values, by resampling units otherwise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.bound import MIN_TAIL_DRAWS
from surefoot.core.quantiles import beta_quantile
from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.bootstrap import Resampled
from surefoot.monitors.evaluation.ordering import Ordered
from surefoot.monitors.returns.stakes import Stakes

MOST_CELLS = 4_000_000
"""Sums held at once, one a block of units and threshold: 32 MB."""
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Band:
    """Lower and upper limit at each of some thresholds."""

    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Bands:
    """Bands of the three figures."""

    safety_gain: Band
    residual_hazard: Band
    availability_cost: Band


@dataclass(frozen=True, eq=False)
class Differences:
    """What an alarm changes at each row, and what is at stake without one."""

    gains: FloatArray
    hazards: FloatArray
    costs: FloatArray

    @classmethod
    def of(cls, stakes: Stakes) -> Differences:
        """Of every row."""
        return cls(
            stakes.safety_alarm - stakes.safety_quiet,
            stakes.safety_ideal - stakes.safety_quiet,
            stakes.mission_quiet - stakes.mission_alarm,
        )


def exact_possible(stakes: Stakes) -> bool:
    """Whether rows are independent and alike, and each figure of a row is 0 or one other value."""
    if stakes.weights is not None or stakes.unit_count < stakes.rows:
        return False
    found = Differences.of(stakes)
    left = found.hazards - found.gains
    return all(_other(*values) is not None for values in ((found.gains,), (found.costs,), (found.hazards, left)))


def exact_bands(stakes: Stakes, ordered: Ordered, places: Places, *, level: float) -> Bands:
    """Clopper and Pearson (1934) at each threshold, both sides together at ``level``."""
    found = Differences.of(stakes)
    left = found.hazards - found.gains
    gain, cost = ((_other(v) or width) for v, width in _scales(stakes, found))
    hazard = _other(found.hazards, left) or stakes.safety_width
    counts = (
        _count(ordered.sums(found.gains)[places], gain),
        _count(found.hazards.sum() - ordered.sums(found.gains)[places], hazard),
        _count(ordered.sums(found.costs)[places], cost),
    )
    limits = (_clopper_pearson(count, stakes.rows, level) for count in counts)
    return Bands(
        *(
            Band(*np.sort([scale * low, scale * high], axis=0))
            for (low, high), scale in zip(limits, (gain, hazard, cost), strict=True)
        )
    )


def _scales(stakes: Stakes, found: Differences) -> tuple[tuple[FloatArray, float], tuple[FloatArray, float]]:
    return (found.gains, stakes.safety_width), (found.costs, stakes.mission_width)


def _other(*figures: FloatArray) -> float | None:
    """The one value besides 0, 0 where there is none, None where there are several."""
    low, high = min(f.min() for f in figures), max(f.max() for f in figures)
    other = low if low < 0 else high
    scale = 1e-9 * abs(other)
    two = all(np.all((np.abs(f) <= scale) | (np.abs(f - other) <= scale)) for f in figures)
    return float(other) if two else None


def _count(sums: FloatArray, value: float) -> FloatArray:
    return np.rint(sums / value)


def _clopper_pearson(counts: FloatArray, rows: int, level: float) -> tuple[FloatArray, FloatArray]:
    known, place = np.unique(counts, return_inverse=True)
    tail = (1 - level) / 2
    low, high = np.zeros(known.size), np.ones(known.size)
    some, few = known > 0, known < rows
    low[some] = beta_quantile(known[some], rows - known[some] + 1, tail)
    high[few] = beta_quantile(known[few] + 1, rows - known[few], 1 - tail)
    return low[place], high[place]


def bootstrap_bands(stakes: Stakes, ordered: Ordered, places: Places, *, level: float, draws: int, seed: int) -> Bands:
    """Quantiles over resampled units at each threshold (Efron 1979); the weight of rows is respected."""
    found, blocks = Differences.of(stakes), _blocks(stakes, MOST_CELLS // (places.size + 1), seed)
    weights = np.ones(stakes.rows) if stakes.weights is None else stakes.weights
    marks = ordered.thresholds[places]
    gains, costs = (_alarm_sums(weights * v, ordered.scores, marks, blocks) for v in (found.gains, found.costs))
    hazards, sizes = (np.bincount(blocks, v).astype(np.float64) for v in (weights * found.hazards, weights))
    means = Resampled(np.column_stack([gains, costs, hazards]), sizes, draws, seed).means
    gain, cost, hazard = means[:, : marks.size], means[:, marks.size : -1], means[:, -1:]
    return Bands(*(_quantiles(drawn, level) for drawn in (gain, hazard - gain, cost)))


def require_tail(draws: int, level: float) -> None:
    """Refuse draws that are too few for both ends of an interval."""
    draws = validate.count(draws, where="draws", name="draws", at_least=1)
    needed = int(np.ceil(2 * MIN_TAIL_DRAWS / (1 - level) - 1e-9))
    if draws < needed:
        raise InvalidInput(
            f"an interval at level {level:g} needs at least {needed:,} draws", where="draws", found=f"{draws}"
        )


def _blocks(stakes: Stakes, most: int, seed: int) -> NDArray[np.int64]:
    """The block of each row: its unit, or some units pooled at random where there are very many.

    A mean of blocks of independent units has the same mean and the same variance as one of units.
    """
    if stakes.unit_count <= most:
        return stakes.unit_numbers
    pool = np.random.default_rng(seed).permutation(np.arange(stakes.unit_count) % max(most, 2))
    return np.asarray(pool[stakes.unit_numbers])


def _alarm_sums(values: FloatArray, scores: FloatArray, marks: FloatArray, blocks: NDArray[np.int64]) -> FloatArray:
    """Blocks x thresholds: the sum over the rows of a block that raise an alarm."""
    passed, width = np.searchsorted(marks, scores, side="left"), marks.size + 1
    count = int(blocks.max()) + 1
    sums = np.bincount(blocks * width + passed, values, minlength=count * width).reshape(count, width)
    return np.asarray(np.cumsum(sums[:, ::-1], axis=1)[:, ::-1][:, 1:])


def _quantiles(drawn: FloatArray, level: float) -> Band:
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Band(low, high)
