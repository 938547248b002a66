"""Pointwise bands of a curve: exact where a row has two values, by resampling units otherwise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.bootstrap import Resampled
from surefoot.monitors.evaluation.deviation import FEW_UNITS
from surefoot.monitors.evaluation.exact_shares import largest_share, smallest_share
from surefoot.monitors.evaluation.levels import draws_for
from surefoot.monitors.evaluation.ordering import Ordered
from surefoot.monitors.returns.basis import Range
from surefoot.monitors.returns.stakes import Stakes

CLOSE = 1e-9
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


def exact_possible(stakes: Stakes) -> bool:
    """Whether rows are independent and alike, and each figure of a row is 0 or all there can be of it.

    A value between would leave room for larger ones that were not seen.
    """
    if not stakes.independent:
        return False
    gains, costs, hazards = stakes.gains.alarm, stakes.costs.alarm, stakes.residuals.quiet
    safety, mission = stakes.safety_width, stakes.mission_width
    figures = ((safety, gains), (mission, costs), (safety, hazards, hazards - gains))
    return all(_is_whole(_other(*values), width) for width, *values in figures)


def exact_bands(stakes: Stakes, ordered: Ordered, places: Places, *, level: float) -> Bands:
    """Clopper and Pearson (1934) at each threshold, both sides together at ``level``."""
    gains, costs, hazards = stakes.gains.alarm, stakes.costs.alarm, stakes.residuals.quiet
    gained, lost = (ordered.sums(values)[places] for values in (gains, costs))
    values = (
        (gained, _other(gains) or stakes.safety_width),
        (hazards.sum() - gained, _other(hazards, hazards - gains) or stakes.safety_width),
        (lost, _other(costs) or stakes.mission_width),
    )
    return Bands(*(_exact_band(sums, value, stakes.rows, level) for sums, value in values))


def _exact_band(sums: FloatArray, value: float, rows: int, level: float) -> Band:
    """Of the mean over rows, each of which is 0 or the value."""
    low, high = _clopper_pearson(np.rint(sums / value), rows, level)
    return Band(*np.sort([value * low, value * high], axis=0))


def _other(*figures: FloatArray) -> float | None:
    """The one value besides 0, 0 where there is none, None where there are several."""
    low, high = min(f.min() for f in figures), max(f.max() for f in figures)
    other = low if low < 0 else high
    scale = CLOSE * abs(other)
    two = all(np.all((np.abs(f) <= scale) | (np.abs(f - other) <= scale)) for f in figures)
    return float(other) if two else None


def _is_whole(value: float | None, width: float) -> bool:
    return value is not None and min(abs(value), abs(abs(value) - width)) <= CLOSE * width


def _clopper_pearson(counts: FloatArray, rows: int, level: float) -> tuple[FloatArray, FloatArray]:
    known, place = np.unique(counts, return_inverse=True)
    side = 1 - (1 - level) / 2
    return smallest_share(known, rows, side)[place], largest_share(known, rows, side)[place]


def bootstrap_bands(stakes: Stakes, ordered: Ordered, places: Places, *, level: float, draws: int, seed: int) -> Bands:
    """Quantiles over resampled units at each threshold (Efron 1979); the weight of rows is respected."""
    blocks, weights = _blocks(stakes, MOST_CELLS // (places.size + 1), seed), stakes.row_weights
    marks = ordered.thresholds[places]
    changes = (stakes.gains.alarm, stakes.costs.alarm)
    gains, costs = (_alarm_sums(weights * values, ordered.scores, marks, blocks) for values in changes)
    hazards, sizes = (np.bincount(blocks, v).astype(np.float64) for v in (weights * stakes.residuals.quiet, weights))
    means = Resampled(np.column_stack([gains, costs, hazards]), sizes, draws, seed).means
    gain, cost, hazard = means[:, : marks.size], means[:, marks.size : -1], means[:, -1:]
    least, safety, mission = 0.0 if stakes.two_valued else -1.0, stakes.safety_width, stakes.mission_width
    return Bands(
        _allowing(_quantiles(gain, level), gains, sizes, (least * safety, safety), level),
        _allowing(_quantiles(hazard - gain, level), hazards[:, None] - gains, sizes, (0.0, safety), level),
        _allowing(_quantiles(cost, level), costs, sizes, (least * mission, mission), level),
    )


def _allowing(band: Band, sums: FloatArray, sizes: FloatArray, range: Range, level: float) -> Band:
    """The band, and where few blocks have anything but 0 as much of the range as these may be worth (``Deviation``)."""
    units, largest = len(sizes), max(sizes.max() / sizes.mean(), 1.0)
    moved = (np.abs(sums) > CLOSE * range[1] * sizes[:, None]).sum(axis=0)
    few = (moved < FEW_UNITS) & (2 * moved <= units)
    share = np.minimum(largest * largest_share(moved, units, (1 + level) / 2), 1.0)
    low, high = np.minimum(band.low, range[0] * share), np.maximum(band.high, range[1] * share)
    return Band(np.where(few, low, band.low), np.where(few, high, band.high))


def require_tail(draws: int, level: float, *, where: str) -> None:
    """Refuse draws that are too few for both ends of an interval."""
    draws = validate.count(draws, where=where, name="draws", at_least=1)
    needed = draws_for(level)
    if draws < needed:
        raise InvalidInput(
            f"an interval at level {level:g} needs at least {needed:,} draws", where=where, found=f"{draws}"
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
