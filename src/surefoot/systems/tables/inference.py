"""What was measured item by item, statistics that are tested, and intervals over resampled units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.core import InvalidInput, Table, validate
from surefoot.core.canonical import FrozenMap
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.metrics.tasks import Metric
from surefoot.monitors.evaluation.bootstrap import bias_corrected, drawn_counts
from surefoot.monitors.evaluation.comparison import holm
from surefoot.systems.data import CLEAN, Condition

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Figure = Callable[[FloatArray], FloatArray]
"""Of sums of statistics (..., runs, k), one number each (...)."""
MOST_BLOCKS, FEWEST_BLOCKS = 20_000, 1_000
MOST_NUMBERS = 10_000_000
"""Sums kept at once: blocks x columns."""
AT_ONCE = 4_000_000
"""Counts drawn at a time."""
FEW_UNITS = 20
"""With fewer units than this, a bootstrap interval is too short."""
Family = Literal["strangeness", "uncertainty"]
"""What a score tells: how far an input lies from what a module was trained on, or how unsure the module is."""
Row = tuple[Any, ...]
"""A row of a table."""


@dataclass(frozen=True, eq=False)
class Measurements:
    """What a system did: the same items in every condition, clean first.

    Parameters
    ----------
    system
        Its name.
    metric
        What errors are judged by.
    conditions
        Clean first.
    scores
        The family of every score of every module, in the order of the modules.
    columns
        Where statistics, scores and faults come from.
    units
        Groups of items that are not independent, as numbers.

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
    >>> len(measured.errors()), [score.label for score in measured.of_family("uncertainty")]
    (200, ['net VRO'])

    """

    system: str
    metric: Metric
    conditions: tuple[Condition, ...]
    scores: Mapping[Score, Family]
    columns: Columns
    units: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        validate.fields(self)
        if not self.conditions or not self.conditions[0].clean:
            found = ", ".join(c.label for c in self.conditions) or "none"
            raise InvalidInput("the first condition must be clean", where=f"system {self.system!r}", found=found)

    @property
    def corrupted(self) -> tuple[Condition, ...]:
        """All conditions but clean."""
        return self.conditions[1:]

    @property
    def modules(self) -> tuple[str, ...]:
        """Modules that have scores, in their order."""
        return tuple(dict.fromkeys(score.module for score in self.scores))

    def of_family(self, family: Family) -> tuple[Score, ...]:
        """Scores of a family."""
        return tuple(score for score, each in self.scores.items() if each == family)

    def statistics(self, condition: Condition = CLEAN) -> FloatArray:
        """Sufficient statistics of the metric (items x k); NaN where an item has no answer that counts."""
        return self.columns.statistics(condition)

    def errors(self, condition: Condition = CLEAN) -> FloatArray:
        """The error of each item, higher for worse; NaN where it has none."""
        return np.asarray(self.metric.error(self.statistics(condition)))

    def score(self, score: Score, condition: Condition = CLEAN) -> FloatArray:
        """Values of a score; NaN where there is none."""
        return self.columns.score(score, condition)

    def faulty(self, condition: Condition = CLEAN) -> NDArray[np.bool_]:
        """Items on which a module raised."""
        return self.columns.faulty(condition)

    def less_severe(self, condition: Condition) -> Condition:
        """The next milder condition of the same corruption, or clean: what SYS compares level 2 and level 1 with."""
        same = [c for c in self.corrupted if c.corruption == condition.corruption and c.severity < condition.severity]
        return max(same, key=lambda c: c.severity, default=CLEAN)


class Score(NamedTuple):
    """A score of a module, such as ``encoder KDE``.

    Attributes
    ----------
    module, name
        Whose it is, and what it is called.

    Examples
    --------
    >>> Score("encoder", "KDE").label
    'encoder KDE'

    """

    module: str
    name: str

    @property
    def label(self) -> str:
        """Module and name."""
        return f"{self.module} {self.name}"


class Columns(Protocol):
    """Where columns come from; each is read when it is asked for."""

    def statistics(self, condition: Condition) -> FloatArray:
        """Sufficient statistics of the metric (items x k); NaN where an item has no answer that counts."""

    def score(self, score: Score, condition: Condition) -> FloatArray:
        """Values of a score (items); NaN where there is none."""

    def faulty(self, condition: Condition) -> NDArray[np.bool_]:
        """Items on which a module raised."""


@dataclass(frozen=True, eq=False)
class MemoryColumns:
    """Columns of measurements in memory; those of a ``Study`` lie in files.

    Parameters
    ----------
    of_statistics
        By condition the sufficient statistics of the metric (items x k); NaN where an item has no answer that counts.
    of_scores
        By score and condition a number an item.
    of_faults
        By condition the items on which a module raised.

    See Also
    --------
    Measurements

    """

    of_statistics: Mapping[Condition, FloatArray]
    of_scores: Mapping[Score, Mapping[Condition, FloatArray]]
    of_faults: Mapping[Condition, NDArray[np.bool_]] = field(default_factory=dict)

    def statistics(self, condition: Condition) -> FloatArray:
        """Sufficient statistics of the metric."""
        return np.asarray(self.of_statistics[condition], dtype=np.float64)

    def score(self, score: Score, condition: Condition) -> FloatArray:
        """Values of a score."""
        return np.asarray(self.of_scores[score][condition], dtype=np.float64)

    def faulty(self, condition: Condition) -> NDArray[np.bool_]:
        """Items on which a module raised."""
        found = self.of_faults.get(condition)
        return np.zeros(len(self.statistics(condition)), bool) if found is None else np.asarray(found, bool)


@validate.arguments
def failed(measured: Measurements, condition: Condition, *, limit: float = 0.0) -> NDArray[np.bool_]:
    """Items that the system fails in a condition: their error is above the limit, or they have no answer.

    Parameters
    ----------
    measured
        The system.
    condition
        One of its conditions.
    limit
        The largest error that is no failure.

    Returns
    -------
    ndarray of bool
        One an item.

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
    >>> int(failed(measured, both[1], limit=5).sum())
    51

    """
    return measured.faulty(condition) | ~(measured.errors(condition) <= limit)


# Tables of statistics that were tested.


@dataclass(frozen=True, eq=False)
class Tested:
    """Statistics of one kind, cell by cell, with what must be said about them.

    Parameters
    ----------
    statistic, heads
        What it is, and what the parts of ``Cell.of`` are.
    none
        The value that means no relation or no shift; None where it differs from cell to cell.
    cells
        The statistics.
    significance
        What p-values are compared with.
    notes
        What must be said.

    See Also
    --------
    shifts, rank_correlations

    """

    statistic: str
    heads: tuple[str, ...]
    """What the parts of ``Cell.of`` are."""
    none: float | None
    """The value that means no relation or no shift; None where it differs from cell to cell."""
    cells: tuple[Cell, ...]
    significance: float
    notes: tuple[str, ...]

    @cached_property
    def details(self) -> tuple[str, ...]:
        """Names of what else is known of the cells."""
        return tuple(dict.fromkeys(name for cell in self.cells for name in cell.details))

    @property
    def table(self) -> Table:
        """One row a cell."""
        head = ("corruption", "severity", *self.heads, self.statistic, "low", "high", "items", "left out")
        tests = ("p", "p by units", "p for all", "significant", "significant for all", "why")
        return Table((*head, *self.details, *tests), tuple(map(self._row, self.cells)))

    def label(self, cell: Cell) -> str:
        """Of what a cell is, in words."""
        before = {"other module": "/ ", "top": "top "}
        return " ".join(before.get(head, "") + part for head, part in zip(self.heads, cell.of, strict=True))

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Every statistic in every condition, with its sign."""
        from surefoot.systems.tables.presentation import plot_cells

        return plot_cells(self, ax=ax)

    def __str__(self) -> str:
        return "\n".join([str(self.table), *self.notes])

    def _row(self, cell: Cell) -> tuple[Any, ...]:
        figures = (cell.value, *(cell.interval or (None, None)), cell.items, cell.left_out)
        details = (cell.details.get(name) for name in self.details)
        tests = (cell.p, cell.p_by_units, cell.p_all, cell.significant, cell.significant_all, cell.why)
        return (*cell.condition.corruption_and_severity, *cell.of, *figures, *details, *tests)


@dataclass(frozen=True)
class Cell:
    """One statistic: of what, in which condition, with its interval and p-values; None is what is undefined.

    Parameters
    ----------
    of, condition, against
        What it is about, where, and the condition it is compared with.
    value, interval
        The statistic.
    items, left_out
        How many items it rests on.
    p, p_by_units, p_all
        With items as independent, as the paper does; with units so, where there are any; for all cells of the table
        together (Holm 1979).
    significant, significant_all
        By ``p`` and by ``p_all``.
    details, why
        What else is known, and why a statistic is undefined.

    See Also
    --------
    shifts, rank_correlations

    """

    of: tuple[str, ...]
    condition: Condition
    value: float | None
    items: int
    left_out: int
    interval: tuple[float, float] | None = None
    p: float | None = None
    p_by_units: float | None = None
    p_all: float | None = None
    significant: bool | None = None
    significant_all: bool | None = None
    against: Condition | None = None
    details: Mapping[str, Any] = field(default_factory=FrozenMap)
    why: str = ""


def corrected(cells: Iterable[Cell], significance: float) -> tuple[Cell, ...]:
    """Cells with p-values for all tests together and what is significant; undefined cells are no tests."""
    known = list(cells)
    valid = [cell.p if cell.p_by_units is None else cell.p_by_units for cell in known]
    adjusted = iter(holm(np.array([p for p in valid if p is not None], dtype=np.float64)).tolist())
    return tuple(
        cell if p is None or cell.p is None else _judged(cell, next(adjusted), significance)
        for cell, p in zip(known, valid, strict=True)
    )


def _judged(cell: Cell, p_all: float, significance: float) -> Cell:
    small = cell.p is not None and cell.p < significance
    return replace(cell, p_all=p_all, significant=small, significant_all=p_all < significance)


def unit_notes(measured: Measurements, by_units: str) -> tuple[str, ...]:
    """What p-values assume where items come in units; ``by_units`` says what was done about it."""
    if measured.units is None:
        return ()
    units = counted(int(np.unique(measured.units).size), "unit")
    return (f"Items come in {units} and are not independent, so p is too small. {by_units}",)


def undefined_notes(cells: Iterable[Cell]) -> tuple[str, ...]:
    """How many cells are undefined, and why."""
    reasons = [cell.why for cell in cells if cell.value is None]
    return tuple(f"{counted(reasons.count(why), 'cell')} undefined: {why}." for why in dict.fromkeys(reasons) if why)


def holm_note(cells: Iterable[Cell], significance: float) -> str:
    """For how many tests p-values were corrected."""
    tests = counted(sum(cell.p is not None for cell in cells), "test")
    return f"Significant: below {significance:g}; p for all holds for {tests} together (Holm 1979)."


# Intervals from resampled units.


@dataclass(frozen=True, eq=False)
class PairedRuns:
    """Statistics of several runs on the same items; items that one of them has no answer for are left out of all."""

    sums: FloatArray
    """Blocks x runs x k."""
    drawn: FloatArray
    items: int
    left_out: int
    units: int
    """How many independent units they come from."""

    @classmethod
    def of(
        cls, runs: Sequence[FloatArray], units: NDArray[np.int64] | None, *, draws: int, seed: int, where: str
    ) -> PairedRuns:
        """Resample units (groups of items, or items), the same ones in every run."""
        draws = validate.count(draws, where=where, name="draws", at_least=100)
        rng = np.random.default_rng(validate.seed(seed, where=where))
        rows = np.stack([np.asarray(run, dtype=np.float64) for run in runs], axis=1)
        kept = np.asarray(np.isfinite(rows).all(axis=(1, 2)))
        flat = rows.reshape(len(rows), -1)
        blocks = Blocks.of(len(rows), units, columns=flat.shape[1], rng=rng)
        sums = blocks.sums(flat, kept)
        drawn = resampled(sums, draws=draws, rng=rng)
        shape = rows.shape[1:]
        return cls(
            sums.reshape(-1, *shape), drawn.reshape(-1, *shape), int(kept.sum()), int((~kept).sum()), blocks.units
        )

    def figure(self, figure: Figure, *, level: float) -> Figured:
        """A figure of all runs, with its interval."""
        total = self.sums.sum(axis=0)
        value = float(figure(total))
        if not np.isfinite(value):
            return Figured(None)
        ends = bca(value, np.asarray(figure(self.drawn)), np.asarray(figure(total - self.sums)), level=level)
        return Figured(value, *(ends or (None, None)))


@dataclass(frozen=True, eq=False)
class Blocks:
    """The block of each item: its unit, or where units are very many one of a fixed number of random pools of units.

    Sums over pools have the variance of sums over units, so pools may be drawn instead of units.
    """

    of_item: NDArray[np.int64]
    count: int
    units: int
    """How many units there are."""

    @classmethod
    def of(cls, items: int, units: NDArray[np.int64] | None, *, columns: int, rng: np.random.Generator) -> Blocks:
        """Blocks of items; the more columns are to be summed, the fewer."""
        own = np.arange(items) if units is None else numbered(units)
        count = int(own.max()) + 1 if items else 0
        most = int(np.clip(MOST_NUMBERS // columns, FEWEST_BLOCKS, MOST_BLOCKS))
        if count <= most:
            return cls(own, count, count)
        return cls(rng.permutation(np.arange(count) % most)[own], most, count)

    def sums(self, rows: FloatArray, kept: NDArray[np.bool_]) -> FloatArray:
        """Sums of the kept rows in each block (blocks x columns)."""
        blocks = self.of_item[kept]
        return np.column_stack([np.bincount(blocks, column[kept], minlength=self.count) for column in rows.T])


def numbered(units: ArrayLike) -> NDArray[np.int64]:
    """Names of units as numbers from 0."""
    return np.unique(np.asarray(units), return_inverse=True)[1].reshape(-1)


def resampled(sums: FloatArray, *, draws: int, rng: np.random.Generator) -> FloatArray:
    """Totals of as many blocks as there are, drawn with replacement (draws x columns)."""
    return np.concatenate([counts @ sums for counts in drawn_counts(len(sums), draws, rng, at_once=AT_ONCE)])


@dataclass(frozen=True)
class Figured:
    """A figure with its interval; None is what is undefined, or what the draws do not resolve."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @property
    def cells(self) -> tuple[float | None, float | None, float | None]:
        """Value and ends, as columns of a table."""
        return self.value, self.low, self.high


def bca(value: float, drawn: FloatArray, left_out: FloatArray, *, level: float) -> tuple[float, float] | None:
    """Bias-corrected and accelerated interval of a figure from its draws (Efron 1987, JASA 82(397)).

    It is widened for few blocks as t is against the normal (expanded percentiles, Hesterberg 2015, The American
    Statistician 69(4)). ``left_out`` are the figures without one block each. Draws in which the figure is undefined
    count as beyond either end. None where an end lies beyond the draws, or where they do not differ and so say nothing.
    """
    defined = np.isfinite(drawn)
    if not np.isfinite(value) or not defined.any() or np.ptp(drawn[defined]) == 0:
        return None
    count, known = left_out.size, left_out[np.isfinite(left_out)]
    influence = known.mean() - known if known.size else known
    wider = special.stdtrit(count - 1, [(1 - level) / 2, (1 + level) / 2]) * np.sqrt(count / (count - 1))
    shares = bias_corrected(wider, value, drawn[defined], influence)
    low = np.quantile(np.where(defined, drawn, -np.inf), shares[0], method="lower")
    high = np.quantile(np.where(defined, drawn, np.inf), shares[1], method="higher")
    return (float(low), float(high)) if np.isfinite(low) and np.isfinite(high) else None


def heads_of(*names: str) -> tuple[str, ...]:
    """Columns of a table for the value and the ends of each figure."""
    return tuple(f"{name}{end}" for name in names for end in ("", " low", " high"))


def cells_of(*figures: Figured) -> tuple[float | None, ...]:
    """Value and ends of each figure, for the columns of ``heads_of``."""
    return tuple(cell for figure in figures for cell in figure.cells)


def few_units_notes(units: int, word: str = "unit") -> tuple[str, ...]:
    """What must be said of bootstrap intervals from few units; nothing where they are enough."""
    if units >= FEW_UNITS:
        return ()
    return (f"With {counted(units, word)} these intervals are too short; {FEW_UNITS} or more are needed.",)


# Two columns side by side.


@dataclass(frozen=True, eq=False)
class Pairs:
    """Values of the items that have both, with their units as numbers from 0, or None where items are independent."""

    first: FloatArray
    second: FloatArray
    units: NDArray[np.int64] | None
    left_out: int

    @classmethod
    def of(cls, first: FloatArray, second: FloatArray, units: NDArray[np.int64] | None) -> Pairs:
        """Pairs without NaN; infinite values are values."""
        kept = ~(np.isnan(first) | np.isnan(second))
        numbers = None if units is None else numbered(units[kept])
        return cls(first[kept], second[kept], numbers, int(kept.size - kept.sum()))

    @property
    def count(self) -> int:
        """How many pairs."""
        return int(self.first.size)

    @property
    def unit_count(self) -> int:
        """How many independent units they come from."""
        return self.count if self.units is None else int(self.units.max(initial=-1)) + 1

    @property
    def undefined(self) -> str:
        """Why their correlation is undefined; nothing where it is not."""
        if self.count < 2:
            return "fewer than two items have both values"
        constant = [np.all(column == column[0]) for column in (self.first, self.second)]
        return "a column does not vary" if any(constant) else ""


def difference(after: FloatArray, before: FloatArray) -> FloatArray:
    """What changed; nothing where both are equal, infinite or not, and NaN where one is missing."""
    with np.errstate(invalid="ignore"):
        return np.where(after == before, 0.0, after - before)


def per_unit(values: FloatArray, units: NDArray[np.int64] | None) -> FloatArray:
    """Sums in each unit."""
    return values if units is None else np.asarray(np.bincount(units, values), dtype=np.float64)
