"""How much worse a system does in each condition (research question 0; Tables 4 to 7 of paper SYS)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from surefoot.core import Table, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.metrics.tasks import Metric, changes
from surefoot.systems.data.conditions import CLEAN, Condition
from surefoot.systems.tables.measured import Measured
from surefoot.systems.tables.resampling import Blocks, bca, few_units_notes, resampled

WHERE = "performance"
Interval = tuple[float, float]


@dataclass(frozen=True)
class Drop:
    """A system in one condition: the metric, and its relative drop against clean, each with its interval.

    Both are of the items that have an answer that counts in this condition and clean. ``clean`` is the metric of the
    same items clean. None is what is undefined; ``why`` says the reason.
    """

    condition: Condition
    value: float | None
    interval: Interval | None
    clean: float | None
    drop: float | None
    drop_interval: Interval | None
    items: int
    left_out: int
    faults: int
    why: str = ""


@dataclass(frozen=True, eq=False)
class Performance:
    """The metric of a system in every condition."""

    system: str
    metric: Metric
    drops: tuple[Drop, ...]
    level: float
    units: int
    notes: tuple[str, ...]

    def __getitem__(self, condition: Condition) -> Drop:
        return next(drop for drop in self.drops if drop.condition == condition)

    @property
    def table(self) -> Table:
        """One row a condition."""
        name = self.metric.name
        ends = [f"{figure} {side}" for figure in (name, "drop") for side in ("low", "high")]
        head = ("corruption", "severity", name, *ends[:2], "clean there", "drop", *ends[2:])
        return Table((*head, "items", "left out", "faults", "why"), tuple(map(_row, self.drops)))

    def __str__(self) -> str:
        return "\n".join([str(self.table), *self.notes])


def performance(measured: Measured, *, level: float = 0.95, draws: int = 2000, seed: int = 0) -> Performance:
    """The metric in each condition and its relative drop against clean, with bootstrap intervals.

    The drop is x / clean - 1 where lower is better and 1 - x / clean where higher is (paper SYS, notes of Tables 4 to
    7). Units (groups of items) are resampled, the same ones clean and corrupted, so that intervals of drops are paired.
    """
    level, seed = validate.level(level, where=WHERE), validate.seed(seed, where=WHERE)
    draws = validate.count(draws, where=WHERE, name="draws", at_least=100)
    rng = np.random.default_rng(seed)
    clean = measured.statistics(CLEAN)
    width = 2 * clean.shape[1]
    blocks = Blocks.of(len(clean), measured.units, columns=width * len(measured.conditions), rng=rng)
    sums, counts = _summed(measured, clean, blocks)
    drawn = resampled(sums, draws=draws, rng=rng)
    split = (len(measured.conditions), 2, clean.shape[1])
    figures = _Figures.of(measured.metric, sums.sum(axis=0).reshape(split))
    spread = _Figures.of(measured.metric, drawn.reshape(-1, *split))
    without = _Figures.of(measured.metric, (sums.sum(axis=0) - sums).reshape(-1, *split))
    drops = tuple(
        _drop(measured, place, counts[place], (figures, spread, without), level)
        for place in range(len(measured.conditions))
    )
    return Performance(measured.system, measured.metric, drops, level, blocks.units, _notes(measured, blocks, level))


def side_by_side(
    systems: Mapping[str, Measured], *, level: float = 0.95, draws: int = 2000, seed: int = 0
) -> dict[str, Performance]:
    """The performance of several configurations or modules; ``as_in_paper`` puts them into one table."""
    return {name: performance(each, level=level, draws=draws, seed=seed) for name, each in systems.items()}


@dataclass(frozen=True, eq=False)
class _Figures:
    """Metric corrupted and clean, and drop; conditions along the last axis."""

    values: FloatArray
    clean: FloatArray
    drops: FloatArray

    @classmethod
    def of(cls, metric: Metric, sums: FloatArray) -> _Figures:
        """Of sums (..., conditions, corrupted and clean, statistics)."""
        values = np.asarray(metric.value(sums))
        corrupted, clean = values[..., 0], values[..., 1]
        drops = np.full(clean.shape, np.nan)
        known = np.isfinite(corrupted) & np.isfinite(clean)
        drops[known] = changes(metric, corrupted[known], clean[known])
        return cls(corrupted, clean, drops)


def _summed(measured: Measured, clean: FloatArray, blocks: Blocks) -> tuple[FloatArray, list[int]]:
    """For each condition, sums corrupted and clean of the items that have both (blocks x columns), and their number."""
    parts, counts = [], []
    for condition in measured.conditions:
        rows = clean if condition.clean else measured.statistics(condition)
        kept = np.asarray(np.isfinite(rows).all(axis=1) & np.isfinite(clean).all(axis=1), dtype=bool)
        parts += [blocks.sums(rows, kept), blocks.sums(clean, kept)]
        counts.append(int(kept.sum()))
    return np.concatenate(parts, axis=1), counts


def _drop(
    measured: Measured, place: int, items: int, figures: tuple[_Figures, _Figures, _Figures], level: float
) -> Drop:
    """What is known of one condition, from the figures of all items, of draws, and without each block."""
    condition, faulty = measured.conditions[place], measured.faulty(measured.conditions[place])
    point, drawn, without = figures
    value, clean, drop = (_known(column[place]) for column in (point.values, point.clean, point.drops))
    return Drop(
        condition=condition,
        value=value,
        interval=bca(point.values[place], drawn.values[:, place], without.values[:, place], level=level),
        clean=clean,
        drop=None if condition.clean else drop,
        drop_interval=bca(point.drops[place], drawn.drops[:, place], without.drops[:, place], level=level),
        items=items,
        left_out=faulty.size - items,
        faults=int(faulty.sum()),
        why=_why(value, 1.0 if condition.clean else clean, items),
    )


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _why(value: float | None, clean: float | None, items: int) -> str:
    if not items:
        return "no item has an answer that counts both clean and here"
    if value is None or clean is None:
        return "the metric has nothing to divide by"
    return "" if clean > 0 else "no relative drop: clean is not above 0"


def _row(drop: Drop) -> tuple[object, ...]:
    low, high = drop.interval or (None, None)
    drop_low, drop_high = drop.drop_interval or (None, None)
    figures = (drop.value, low, high, drop.clean, drop.drop, drop_low, drop_high)
    return (*drop.condition.corruption_and_severity, *figures, drop.items, drop.left_out, drop.faults, drop.why)


def _notes(measured: Measured, blocks: Blocks, level: float) -> tuple[str, ...]:
    word = "item" if measured.units is None else "unit"
    units = counted(blocks.units, word)
    said = f"Intervals at {100 * level:g}%: bootstrap (BCa) over {units}, the same ones clean and corrupted."
    return said, *few_units_notes(blocks.units, word)
