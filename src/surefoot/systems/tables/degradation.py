"""How much worse a system does in each condition, and whether scores rise with severity (RQ0 to RQ2 of paper SYS).

Tables 4 to 7, 8 to 11 and 18 to 21; the test is Wilcoxon's (1945, Biometrics Bulletin 1(6)), for items and for units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import Table, validate
from surefoot.core.distributions import beta_quantile
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.metrics.tasks import Metric, changes
from surefoot.systems.data import CLEAN, Condition
from surefoot.systems.tables.inference import (
    Blocks,
    Cell,
    Family,
    Measurements,
    Pairs,
    Score,
    Tested,
    bca,
    corrected,
    difference,
    few_units_notes,
    holm_note,
    per_unit,
    resampled,
    undefined_notes,
    unit_notes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHERE = "performance"
Interval = tuple[float, float]
FAMILIES: tuple[Family, ...] = ("strangeness", "uncertainty")
EFFECT = (
    "Effect: share of items whose score is larger than in the next milder condition, half of the ties added; "
    "'larger' leaves ties out of the share."
)
BY_UNITS = (
    "p by units sums signed ranks in each unit (Rosner, Glynn and Lee 2006); intervals take units as independent."
)
Alternative = Literal["greater", "less", "two-sided"]
ALTERNATIVES: tuple[Alternative, ...] = ("greater", "less", "two-sided")
MOST_FLIPPED = 18
"""Up to so many units or items, all choices of signs are tried."""


def performance(measured: Measurements, *, level: float = 0.95, draws: int = 2000, seed: int = 0) -> Performance:
    """The metric in each condition and its relative drop against clean, with bootstrap intervals.

    The drop is x / clean - 1 where lower is better and 1 - x / clean where higher is. Units (groups of items) are
    resampled, the same ones clean and corrupted, so that intervals of drops are paired.

    Parameters
    ----------
    measured
        The system.
    level, draws, seed
        Of the intervals.

    Returns
    -------
    Performance
        One row a condition.

    References
    ----------
    Wang et al. (2022), SYS, Tables 4 to 7; Efron (1987), JASA 82(397).

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.metrics import tasks
    >>> from surefoot.systems import MemoryColumns, Measurements, Score, conditions
    >>> rng, both = np.random.default_rng(0), conditions(["fog"], [3])
    >>> hard = rng.normal(size=(2, 200)) + [[0], [1]]
    >>> statistics = {c: np.column_stack([np.exp(row), np.ones(200)]) for c, row in zip(both, hard)}
    >>> families = {Score("net", "KDE"): "strangeness", Score("net", "VRO"): "uncertainty"}
    >>> scores = {score: dict(zip(both, hard + rng.normal(size=hard.shape))) for score in families}
    >>> measured = Measurements("camera", tasks.mae(), both, families, MemoryColumns(statistics, scores))
    >>> found = performance(measured, draws=200)
    >>> round(found[both[1]].drop, 2)
    1.83

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


@dataclass(frozen=True, eq=False)
class Performance:
    """The metric of a system in every condition.

    Parameters
    ----------
    system, metric
        What was measured.
    drops
        One a condition.
    level, units, notes
        Of the intervals, how many units they rest on, and what must be said.

    See Also
    --------
    performance

    """

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

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Relative drop against severity for each corruption, with intervals."""
        from surefoot.systems.tables.presentation import plot_drops

        return plot_drops(self, ax=ax)

    def __str__(self) -> str:
        return "\n".join([str(self.table), *self.notes])


@dataclass(frozen=True)
class Drop:
    """A system in one condition: the metric, and its relative drop against clean, each with its interval.

    Both are of the items that have an answer that counts in this condition and clean. None is what is undefined.

    Parameters
    ----------
    condition
        Where.
    value, interval, clean
        The metric, and that of the same items clean.
    drop, drop_interval
        The relative drop.
    items, left_out, faults
        How many items it rests on, were left out, or had a module raise.
    why
        Why something is undefined.

    See Also
    --------
    performance

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


def _row(drop: Drop) -> tuple[object, ...]:
    low, high = drop.interval or (None, None)
    drop_low, drop_high = drop.drop_interval or (None, None)
    figures = (drop.value, low, high, drop.clean, drop.drop, drop_low, drop_high)
    return (*drop.condition.corruption_and_severity, *figures, drop.items, drop.left_out, drop.faults, drop.why)


def _summed(measured: Measurements, clean: FloatArray, blocks: Blocks) -> tuple[FloatArray, list[int]]:
    """For each condition, sums corrupted and clean of the items that have both (blocks x columns), and their number."""
    parts, counts = [], []
    for condition in measured.conditions:
        rows = clean if condition.clean else measured.statistics(condition)
        kept = np.asarray(np.isfinite(rows).all(axis=1) & np.isfinite(clean).all(axis=1), dtype=bool)
        parts += [blocks.sums(rows, kept), blocks.sums(clean, kept)]
        counts.append(int(kept.sum()))
    return np.concatenate(parts, axis=1), counts


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


def _drop(
    measured: Measurements, place: int, items: int, figures: tuple[_Figures, _Figures, _Figures], level: float
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


def _notes(measured: Measurements, blocks: Blocks, level: float) -> tuple[str, ...]:
    word = "item" if measured.units is None else "unit"
    units = counted(blocks.units, word)
    said = f"Intervals at {100 * level:g}%: bootstrap (BCa) over {units}, the same ones clean and corrupted."
    return said, *few_units_notes(blocks.units, word)


def side_by_side(
    systems: Mapping[str, Measurements], *, level: float = 0.95, draws: int = 2000, seed: int = 0
) -> dict[str, Performance]:
    """The performance of several configurations or modules; ``as_in_paper`` puts them into one table.

    Parameters
    ----------
    systems
        What was measured of each.
    level, draws, seed
        As for ``performance``.

    Returns
    -------
    dict of str to Performance
        By name.

    See Also
    --------
    performance, as_in_paper

    """
    return {name: performance(each, level=level, draws=draws, seed=seed) for name, each in systems.items()}


# Whether scores rise with severity.


def shifts(
    measured: Measurements,
    family: Family,
    *,
    significance: float = 1e-4,
    alternative: Alternative = "greater",
    level: float = 0.95,
) -> Tested:
    """Each score in each condition against the next milder severity, by Wilcoxon's signed-rank test.

    Severity 1 is compared with clean, the next with severity 1, and so on. The paper calls D = 0.06 of 2,600 items not
    significant, so it asks whether scores are greater, as is done here unless ``alternative`` says otherwise. Its Table
    19 calls D = 0.08 significant, so its D leaves ties out: ours adds half of them, and ``larger`` is the paper's.

    Parameters
    ----------
    measured, family
        The system, and which of its scores: ``strangeness`` (out-of-distribution scores) or ``uncertainty``.
    significance
        What p-values are compared with.
    alternative
        ``greater``, ``less`` or ``two-sided``.
    level
        Of the intervals.

    Returns
    -------
    Tested
        A cell for each score and condition.

    References
    ----------
    Wang et al. (2022), SYS, sections 4.2 and 4.3; Rosner, Glynn and Lee (2006), Biometrics 62(1), for units.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.metrics import tasks
    >>> from surefoot.systems import MemoryColumns, Measurements, Score, conditions
    >>> rng, both = np.random.default_rng(0), conditions(["fog"], [3])
    >>> hard = rng.normal(size=(2, 200)) + [[0], [1]]
    >>> statistics = {c: np.column_stack([np.exp(row), np.ones(200)]) for c, row in zip(both, hard)}
    >>> families = {Score("net", "KDE"): "strangeness", Score("net", "VRO"): "uncertainty"}
    >>> scores = {score: dict(zip(both, hard + rng.normal(size=hard.shape))) for score in families}
    >>> measured = Measurements("camera", tasks.mae(), both, families, MemoryColumns(statistics, scores))
    >>> found = shifts(measured, "uncertainty")
    >>> round(found.cells[0].value, 3), found.cells[0].significant
    (0.71, True)

    """
    validate.choice(family, FAMILIES, where="shifts", name="family")
    validate.choice(alternative, ALTERNATIVES, where="shifts", name="alternative")
    level = validate.level(level, where="shifts")
    significance = validate.fraction(significance, where="shifts", name="significance")
    cells = [
        _shift(measured, score, condition, alternative, level)
        for score in measured.of_family(family)
        for condition in measured.corrupted
    ]
    words = {"two-sided": "two-sided"}.get(alternative, f"one-sided, {alternative}")
    test = f"p: Wilcoxon's signed-rank test, {words}, ties left out."
    more = (*unit_notes(measured, BY_UNITS), *undefined_notes(cells))
    notes = (EFFECT, test, holm_note(cells, significance), *more)
    return Tested("effect", ("module", "score"), 0.5, corrected(cells, significance), significance, notes)


def _shift(measured: Measurements, score: Score, condition: Condition, alternative: Alternative, level: float) -> Cell:
    milder = measured.less_severe(condition)
    pairs = Pairs.of(measured.score(score, condition), measured.score(score, milder), measured.units)
    if not pairs.count:
        why = "no item has both values"
        return Cell((score.module, score.name), condition, None, 0, pairs.left_out, against=milder, why=why)
    change = difference(pairs.first, pairs.second)
    halves = (np.sign(change) + 1) / 2
    return Cell(
        of=(score.module, score.name),
        condition=condition,
        value=float(halves.mean()),
        items=pairs.count,
        left_out=pairs.left_out,
        interval=share_interval(halves, pairs.units, level=level),
        p=p_of_items(change, alternative),
        p_by_units=None if pairs.units is None else p_of_units(change, pairs.units, alternative),
        against=milder,
        details={"larger": float(np.mean(change > 0)), "ties": int(np.sum(change == 0))},
    )


def share_interval(values: FloatArray, units: NDArray[np.int64] | None, *, level: float) -> tuple[float, float]:
    """Interval of the mean of values 0, 1/2 and 1.

    Clopper and Pearson (1934): exact for independent values 0 and 1; halves vary less and make it cautious. With units,
    the same with as many trials as the units are worth (Korn and Graubard 1998, Survey Methodology 24(2)), and no more
    than units where none differs from another.
    """
    share = float(values.mean())
    trials = float(values.size) if units is None else _worth(values, units, level)
    tail, hits = (1 - level) / 2, share * trials
    low = float(beta_quantile(hits, trials - hits + 1, tail)) if share > 0 else 0.0
    high = float(beta_quantile(hits + 1, trials - hits, 1 - tail)) if share < 1 else 1.0
    return low, high


def _worth(values: FloatArray, units: NDArray[np.int64], level: float) -> float:
    """How many independent trials tell as much as these units."""
    share, count = float(values.mean()), int(units.max()) + 1
    sums = per_unit(values - share, units)
    variance = float(sums @ sums) / values.size**2 * count / max(count - 1, 1)
    if count < 2 or not variance > 0:
        return float(count)
    quantile = (1 + level) / 2
    fewer = special.stdtrit(values.size - 1, quantile) / special.stdtrit(count - 1, quantile)
    return float(np.clip(share * (1 - share) / variance * fewer**2, 1.0, values.size))


def p_of_items(differences: FloatArray, alternative: Alternative) -> float:
    """P-value for independent differences, by scipy; of a few, by all choices of signs, which scipy is slow to try."""
    from scipy import stats

    moved = differences[differences != 0]
    if moved.size <= MOST_FLIPPED:
        return p_of_units(moved, np.arange(moved.size), alternative)
    return float(stats.wilcoxon(moved, alternative=alternative).pvalue)


def p_of_units(differences: FloatArray, units: NDArray[np.int64], alternative: Alternative) -> float:
    """P-value for differences that come in units: signed ranks are summed in each, and the sums change sign.

    Rosner, Glynn and Lee (2006, Biometrics 62(1)), without weights for units of unequal size: normal with variance the
    sum of squares. With few units all choices of signs are tried instead, which is exact.
    """
    from scipy import stats

    moved = differences != 0
    ranks = stats.rankdata(np.abs(differences[moved])) * np.sign(differences[moved])
    sums = per_unit(ranks, units[moved])
    sums = sums[sums != 0]
    if not sums.size:
        return 1.0
    above, below = _flipped(sums) if sums.size <= MOST_FLIPPED else _normal(sums)
    return {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}[alternative]


def _flipped(sums: FloatArray) -> tuple[float, float]:
    totals = np.zeros(1)
    for size in np.abs(sums):
        totals = np.concatenate([totals - size, totals + size])
    seen = sums.sum()
    return float(np.mean(totals >= seen)), float(np.mean(totals <= seen))


def _normal(sums: FloatArray) -> tuple[float, float]:
    z = sums.sum() / np.sqrt(sums @ sums)
    return float(special.ndtr(-z)), float(special.ndtr(z))
