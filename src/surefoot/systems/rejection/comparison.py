"""What rejecting is worth: the metric of accepted answers at chosen rates and at every share, with intervals.

The choice of what to reject is part of what is measured, so each resample ranks and rejects its own items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Table, validate
from surefoot.core.bound import MIN_TAIL_DRAWS
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, significant, visible
from surefoot.drawing import COLOURS, GREY, INK, new_axes, open_frame
from surefoot.metrics.tasks import Metric, changes
from surefoot.metrics.tasks.metric import ratio
from surefoot.monitors.evaluation.bootstrap import drawn_counts
from surefoot.systems.data import Condition
from surefoot.systems.rejection.strategies import (
    ALL_CONDITIONS,
    STRATEGIES,
    Lists,
    Order,
    Rows,
    Suspicion,
    answered,
    named,
    separate,
    suspicious_first,
)
from surefoot.systems.tables.inference import Measurements, Row, Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_ERRORS, RANDOM = "largest errors", "random"
"""What knowing every error would reject, and what a blind choice would."""
Interval = tuple[float | None, float | None]
NONE: Interval = (None, None)
FEW = 5
"""Of fewer rejected items, or units, resamples tell too little: simulated 95% intervals of one, or of three, held the
truth 30% to 89% of the time."""
BLOCK = 100_000
"""Weights held at once; few, so that they stay near the processor."""
LARGEST_WHOLE = 1 << 21
"""Weight in all up to which four times of it is a whole number in single precision."""
WHERE = "rejections"
RATES = (0.01, 0.03, 0.05)
COLUMNS = (
    "corruption",
    "severity",
    "strategy",
    "rate",
    "items",
    "left out",
    "rejected",
    "without",
    "with",
    "improvement",
    "low",
    "high",
    "of largest errors",
    "p random",
)
CURVES_WHERE = "risk_coverage"
CURVES_COLUMNS = ("strategy", "area", "low", "high", "excess", "excess low", "excess high", "of largest errors")
SMALL = 8.5
LINES = ("-", "--", ":")
MOST_POINTS = 1000
"""Of a curve that are drawn."""


@validate.arguments
def rejections(
    measured: Measurements,
    *,
    uncertainty: Score,
    strangeness: Score,
    rates: Sequence[float] = RATES,
    others: Mapping[str, Suspicion] | None = None,
    pooled: bool = False,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Table:
    """The metric without and with rejection, for every condition, strategy and rate.

    ``improvement`` is 1 - accepted / all, or accepted / all - 1 where higher is better, with the middle ``level`` of
    resamples of units. Where fewer than five items are rejected, or there are fewer than five units, there is no
    interval. Two rows stand beside the strategies. ``largest errors`` knows the error of every item: no strategy
    rejects better where the metric is a mean of item errors, and ``of largest errors`` is the share of its gain that a
    strategy reaches. ``random`` rejects blindly: its improvement is 0 on average, ``low`` and ``high`` are what luck
    gives on these items, and ``p random`` is the share of blind choices that are at least as good as a strategy (with
    the strategy itself among them). Items of one unit, and versions of one item, are suspicious together, as a blind
    choice is not, so that they have no ``p random``. Undefined figures are None; items whose answer does not count are
    left out, and so are conditions in which no item has one that does.

    Parameters
    ----------
    measured
        The system.
    uncertainty, strangeness
        The scores that the five strategies reject by; the second is an out-of-distribution score.
    rates
        Shares of the answers to reject.
    others
        Further strategies that reject by one suspicion, such as ``predicted_errors``, whose fit is not repeated.
    pooled
        Whether all conditions together are added.
    level, draws, seed
        Of the intervals.

    Returns
    -------
    Table
        A row for each condition, rate and strategy.

    References
    ----------
    Wang et al. (2022), SYS, section 4.5, Tables 26 and 27.

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
    >>> strange, unsure = families
    >>> table = rejections(measured, uncertainty=unsure, strangeness=strange, rates=[0.05])
    >>> [(row[2], round(row[9], 3)) for row in table.rows if row[0] == "fog"][:2]
    [('S1', 0.206), ('S2', 0.198)]

    """
    check_draws(draws, level, where=WHERE)
    shares = [validate.probability(rate, where=WHERE, name="rate") for rate in rates]
    validate.seed(seed, where=WHERE)
    rows: list[Row] = []
    for conditions in separate(answered(measured), pooled=pooled):
        contest = Contest.of(Rows.of(measured, conditions), uncertainty, strangeness, others or {})
        rows += [(*named(conditions), *row) for row in _rows(contest, shares, level, draws, seed)]
    return Table(COLUMNS, tuple(rows))


def check_draws(draws: int, level: float, *, where: str) -> None:
    """Enough resamples for the tails of an interval."""
    validate.level(level, where=where)
    needed = int(np.ceil(2 * MIN_TAIL_DRAWS / (1 - level)))
    if validate.count(draws, where=where, name="draws") < needed:
        remedy = f"Use at least {needed:,}."
        raise InvalidInput(f"too few draws for level {level:g}", where=where, found=f"{draws:,}", remedy=remedy)


@dataclass(frozen=True, eq=False)
class Contest:
    """The five strategies, others that reject by one suspicion, and knowing the errors themselves."""

    rows: Rows
    lists: Lists
    others: Mapping[str, Order]

    @classmethod
    def of(cls, rows: Rows, uncertainty: Score, strangeness: Score, others: Mapping[str, Suspicion]) -> Contest:
        """Sorted scores of rows."""
        taken = sorted({*STRATEGIES, LARGEST_ERRORS, RANDOM} & set(others))
        if taken:
            raise InvalidInput("these names are taken", where="others", found=", ".join(taken))
        lists = Lists.of(rows.score(uncertainty), rows.score(strangeness))
        orders = {name: suspicious_first(rows.suspicion(name, values)) for name, values in others.items()}
        return cls(rows, lists, {**orders, LARGEST_ERRORS: suspicious_first(rows.errors)})

    @cached_property
    def strategies(self) -> tuple[str, ...]:
        """Names, the errors themselves last."""
        return (*STRATEGIES, *self.others)

    def order(self, strategy: str) -> Order:
        """Items as a strategy rejects them."""
        return self.others[strategy] if strategy in self.others else self.lists.order(strategy)

    def accepted(self, strategy: str) -> FloatArray:
        """The metric of accepted items where 0, 1, 2 ... and all are rejected; NaN where it is undefined."""
        ordered = self.rows.statistics[self.order(strategy)]
        sums = np.vstack([ordered[::-1].cumsum(axis=0)[::-1], np.zeros(ordered.shape[1])])
        return np.asarray(self.rows.measured.metric.value(sums))

    def redrawn(
        self, rates: Sequence[float], draws: int, seed: int, strategies: Sequence[str]
    ) -> tuple[FloatArray, dict[str, FloatArray]]:
        """The metric of resampled items (draws), and of those that each strategy accepts (draws x rates)."""
        everything: list[FloatArray] = [np.empty(0)]
        accepted: dict[str, list[FloatArray]] = {name: [np.empty((0, len(rates)))] for name in strategies}
        for weights in weights_of(self.rows.units, draws, np.random.default_rng(seed)):
            everything.append(self._value(weights))
            for name, found in self._redone(weights, rates, strategies):
                accepted[name].append(found)
        return np.concatenate(everything), {name: np.concatenate(blocks) for name, blocks in accepted.items()}

    def _redone(
        self, weights: FloatArray, rates: Sequence[float], strategies: Sequence[str]
    ) -> Iterator[tuple[str, FloatArray]]:
        total = weights.sum(axis=1)
        # Single precision holds whole numbers of this size exactly, in half the memory to go through.
        whole: NDArray[Any] = weights.astype(np.float32 if total.max() < LARGEST_WHOLE else np.float64)
        counts = [count_of(rate, total).astype(whole.dtype) for rate in rates]
        drawn = Drawn(self.lists, whole)
        for name in strategies:
            order = self.others.get(name)
            source, strategy = (drawn, name) if order is None else (Drawn(Lists(order, order), whole), "S1")
            kept = (weights - source.rejected(strategy, count) for count in counts)
            yield name, np.column_stack([self._value(each) for each in kept])

    def blind(self, counts: Sequence[int], draws: int, seed: int) -> FloatArray:
        """The metric of accepted items where rejected ones are drawn at random (draws x counts)."""
        rng, size = np.random.default_rng(seed), len(self.rows)
        step = max(BLOCK // size, 1)
        blocks = []
        for start in range(0, draws, step):
            keys = rng.random((min(step, draws - start), size))
            blocks.append(np.column_stack([self._value(_but_smallest(keys, count)) for count in counts]))
        return np.concatenate(blocks)

    def _value(self, weights: FloatArray) -> FloatArray:
        return np.asarray(self.rows.measured.metric.value(weights @ self.rows.statistics))


def weights_of(units: NDArray[np.intp], draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Blocks of draws x items: how often the unit of each item was drawn."""
    count = int(units.max()) + 1
    for counts in drawn_counts(count, draws, rng, at_once=max(BLOCK * count // units.size, 1)):
        yield counts.take(units, axis=1).astype(np.float64)


def count_of(rate: float, items: FloatArray) -> FloatArray:
    """How many of so many items a rate rejects: the nearest whole number, halves up."""
    return np.floor(rate * items + 0.5)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Resampled items, as weights (draws x items) of how often each was drawn, in two lists.

    Copies of an item stand side by side in every list, so that what is rejected is a weight too, of the last item in
    part: the same as the strategies on the copies themselves.
    """

    lists: Lists
    weights: NDArray[Any]

    def rejected(self, strategy: str, counts: FloatArray) -> FloatArray:
        """Rejected weight of each item (draws x items), ``counts`` in all for each draw."""
        wanted = counts[:, None]
        if strategy == "S5":
            return self._common(wanted)
        ahead, other = self._uncertain_ahead, self.lists.strange
        if strategy in ("S2", "S4"):
            ahead, other = self._strange_ahead, self.lists.uncertain
        if strategy in ("S1", "S2"):
            return _top(self.weights, ahead, wanted)
        first = _top(self.weights, ahead, np.ceil(wanted / 2))
        left = self.weights - first
        return first + _top(left, _ahead(left, other), wanted // 2)

    @cached_property
    def _uncertain_ahead(self) -> FloatArray:
        return _ahead(self.weights, self.lists.uncertain)

    @cached_property
    def _strange_ahead(self) -> FloatArray:
        return _ahead(self.weights, self.lists.strange)

    @cached_property
    def _later(self) -> FloatArray:
        """How far both lists must go before the first copy of an item is in both."""
        return np.maximum(self._uncertain_ahead, self._strange_ahead)

    @cached_property
    def _shared(self) -> NDArray[np.int64]:
        """How many items the first 0, 1, 2 ... of both lists share."""
        draws, width = len(self.weights), int(self.weights.sum(axis=1).max()) + 2
        base = width * np.arange(draws)[:, None] + 1
        starts, stops = (base + at.astype(np.int64) for at in (self._later, self._later + self.weights))
        entering = np.bincount(starts.ravel(), minlength=draws * width + 1)
        entering -= np.bincount(stops.ravel(), minlength=draws * width + 1)
        return np.asarray(entering[: draws * width].reshape(draws, width).cumsum(axis=1).cumsum(axis=1))

    def _common(self, wanted: FloatArray) -> FloatArray:
        enough = (self._shared < wanted).sum(axis=1)[:, None]
        found = _top(self.weights, self._later, enough)
        rows = np.flatnonzero(np.take_along_axis(self._shared, enough, axis=1) > wanted)
        if rows.size:
            later, reach = self._later[rows], enough[rows]
            last = (later < reach) & (later + self.weights[rows] >= reach)
            ranks = (self._uncertain_ahead + self._strange_ahead)[rows] + 2 * (reach - later)
            losing = np.where(last, ranks, -1.0)[:, ::-1].argmax(axis=1)
            found[rows, found.shape[1] - 1 - losing] -= 1
        return found


def _top(weights: FloatArray, ahead: FloatArray, counts: NDArray[np.generic]) -> FloatArray:
    found = np.subtract(counts, ahead)
    np.maximum(found, 0.0, out=found)
    return np.minimum(found, weights, out=found)


def _ahead(weights: FloatArray, order: Order) -> FloatArray:
    """The weight that stands ahead of each item in a list."""
    # An index in place of ``take`` would give the columns of a list, whose rows are slow to add up.
    ordered = weights.take(order, axis=1)
    reached = ordered.cumsum(axis=1)
    reached -= ordered
    return reached.take(np.argsort(order), axis=1)


def _but_smallest(keys: FloatArray, count: int) -> FloatArray:
    """1 for all but the ``count`` smallest keys of each row, which get 0."""
    if not count:
        return np.ones_like(keys)
    return (keys > np.partition(keys, count - 1, axis=1)[:, count - 1 : count]).astype(np.float64)


def _rows(contest: Contest, rates: Sequence[float], level: float, draws: int, seed: int) -> Iterator[Row]:
    metric, size = contest.rows.measured.metric, len(contest.rows)
    gain = partial(improvements, metric)
    counts = [int(count_of(rate, np.array(float(size)))) for rate in rates]
    drawn_all, drawn = contest.redrawn(rates, draws, seed, contest.strategies)
    curves = {name: contest.accepted(name) for name in contest.strategies}
    whole = float(curves[LARGEST_ERRORS][0])
    blind = contest.blind(counts, draws, seed)
    luck = gain(blind, whole)
    for at, (rate, count) in enumerate(zip(rates, counts, strict=True)):
        start = (rate, size, contest.rows.left_out, count, plain(whole))
        best = gain(curves[LARGEST_ERRORS][count], whole)
        for name in contest.strategies:
            value = gain(curves[name][count], whole)
            told = min(count, contest.rows.unit_count) >= FEW
            ends = percentiles(gain(drawn[name][:, at], drawn_all), level) if told else NONE
            share = plain(value / best) if best > 0 else None
            p = _p_value(luck[:, at], value) if contest.rows.independent else None
            yield name, *start, plain(curves[name][count]), plain(value), *ends, share, p
        ends = percentiles(luck[:, at], level)
        yield RANDOM, *start, plain(blind[:, at].mean()), plain(luck[:, at].mean()), *ends, None, None


def improvements(metric: Metric, accepted: ArrayLike, everything: ArrayLike) -> FloatArray:
    """How much better accepted items are than all: 1 - accepted / all, or accepted / all - 1 where higher is better.

    So SYS, Tables 26 and 27; NaN where it is undefined.
    """
    return -changes(metric, accepted, everything)


def plain(value: ArrayLike) -> float | None:
    """A number, or None where it is undefined."""
    number = float(np.asarray(value))
    return number if np.isfinite(number) else None


def percentiles(drawn: FloatArray, level: float) -> Interval:
    """The middle ``level`` of resamples (Efron 1979); none where half of them or more are undefined."""
    defined = drawn[np.isfinite(drawn)]
    if 2 * defined.size <= drawn.size:
        return NONE
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _p_value(luck: FloatArray, value: FloatArray) -> float | None:
    """The share of blind choices at least as good, the choice itself among them (Phipson and Smyth 2010)."""
    if not np.isfinite(value):
        return None
    return float((1 + np.sum(luck >= value - 1e-12)) / (1 + luck.size))


@validate.arguments
def risk_coverage(
    measured: Measurements,
    condition: Condition | None = None,
    *,
    uncertainty: Score,
    strangeness: Score,
    others: Mapping[str, Suspicion] | None = None,
    strategies: Sequence[str] | None = None,
    level: float = 0.95,
    draws: int = 400,
    points: int = 25,
    seed: int = 0,
) -> RiskCoverage:
    """The metric of accepted items against their share, in one condition or in all together.

    Curves are exact at every count; bands are the middle ``level`` of resamples of units at some shares, where there
    are five units or more.

    Parameters
    ----------
    measured
        The system.
    condition
        One of its conditions; without it all together.
    uncertainty, strangeness, others
        As for ``rejections``.
    strategies
        Some of S1 to S5 and of ``others``, by default all; the largest errors are always there.
    level, draws, seed
        Of the bands; without ``draws`` there are none, which is quick for very many items.
    points
        At how many shares bands are computed.

    Returns
    -------
    RiskCoverage
        A curve for each strategy.

    References
    ----------
    El-Yaniv and Wiener (2010), JMLR 11; Geifman, Uziel and El-Yaniv (2019) for the excess of an area.

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
    >>> strange, unsure = families
    >>> found = risk_coverage(measured, uncertainty=unsure, strangeness=strange, strategies=["S1"], draws=0)
    >>> round(found.excess("S1"), 2)
    0.32

    """
    if draws:
        check_draws(draws, level, where=CURVES_WHERE)
    number = validate.count(points, where=CURVES_WHERE, name="points", at_least=2)
    conditions = measured.conditions if condition is None else (condition,)
    rows = Rows.of(measured, conditions)
    contest = Contest.of(rows, uncertainty, strangeness, others or {})
    names = contest.strategies if strategies is None else (*strategies, LARGEST_ERRORS)
    for name in names:
        validate.choice(name, contest.strategies, where=CURVES_WHERE, name="strategy")
    number = min(number, len(rows))
    marks = np.arange(1, number + 1) / number
    told = draws if rows.unit_count >= FEW else 0
    _, drawn = contest.redrawn(list(1 - marks), told, validate.seed(seed, where=CURVES_WHERE), names)
    curves = {name: Curve(name, contest.accepted(name)[:-1], marks, drawn[name]) for name in names}
    label = ALL_CONDITIONS if condition is None else condition.label
    return RiskCoverage(f"{measured.system}, {label}", measured.metric, curves, level)


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """The metric of accepted items at every share of them: a curve for each strategy, that of the largest errors last.

    Parameters
    ----------
    label, metric
        What was measured.
    curves
        By strategy.
    level
        Of the bands.

    See Also
    --------
    risk_coverage

    """

    label: str
    metric: Metric
    curves: Mapping[str, Curve]
    level: float

    @property
    def best(self) -> Curve:
        """What knowing every error would give."""
        return self.curves[LARGEST_ERRORS]

    def excess(self, name: str) -> float:
        """How much worse the area is than that of the largest errors, in units of the metric."""
        return self._sign * (self.curves[name].area - self.best.area)

    def excess_interval(self, name: str) -> Interval:
        """Ends of the excess, from the same resamples of both curves."""
        moved = self._sign * (self.curves[name].moved - self.best.moved)
        return percentiles(self.excess(name) + moved, self.level)

    @property
    def _sign(self) -> float:
        return 1.0 if self.metric.better == "lower" else -1.0

    @cached_property
    def table(self) -> Table:
        """Areas under the curves and their excess (Geifman, Uziel, El-Yaniv 2019) with intervals.

        ``of largest errors`` is 0 for a blind choice, whose curve is flat, and 1 for the largest errors.
        """
        return Table(CURVES_COLUMNS, tuple(self._row(name, curve) for name, curve in self.curves.items()))

    def _row(self, name: str, curve: Curve) -> tuple[object, ...]:
        ends = percentiles(curve.area + curve.moved, self.level)
        most = self._sign * (float(curve.accepted[0]) - self.best.area)
        share = 1 - self.excess(name) / most if most > 0 else None
        return name, plain(curve.area), *ends, plain(self.excess(name)), *self.excess_interval(name), share

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The curves."""
        return plot_risk_coverage(self, ax=ax)


@dataclass(frozen=True, eq=False)
class Curve:
    """The metric of the items that a strategy accepts, where 0, 1, 2 ... are rejected.

    ``drawn`` is the same for resampled items (draws x ``marks``), at shares ``marks`` of accepted items.
    """

    name: str
    accepted: FloatArray
    marks: FloatArray
    drawn: FloatArray

    @cached_property
    def coverage(self) -> FloatArray:
        """Shares of accepted items, from all to one."""
        return 1 - np.arange(self.accepted.size) / self.accepted.size

    @cached_property
    def area(self) -> float:
        """The mean of the metric over all shares of accepted items; undefined ends are left out."""
        return float(_mean(self.accepted))

    @cached_property
    def moved(self) -> FloatArray:
        """By how much the area of each resample differs from that of all items; by the marks."""
        here = np.interp(self.marks, self.coverage[::-1], self.accepted[::-1])
        return _mean(self.drawn) - _mean(here)

    def band(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Ends at each mark."""
        ends = [percentiles(column, level) for column in self.drawn.T]
        low, high = np.array(ends, dtype=np.float64).T
        return low, high


def _mean(values: FloatArray) -> FloatArray:
    """The mean along the last axis of what is defined; NaN where nothing is."""
    defined = np.isfinite(values)
    return np.asarray(ratio(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1)))


def plot_risk_coverage(found: RiskCoverage, *, ax: Axes | None = None) -> Axes:
    """The metric of accepted items against their share, with the band of the best strategy.

    The largest errors are what no strategy can beat, the level line is what blind rejection gives on average.
    """
    axes = open_frame(new_axes(8.2, 4.2) if ax is None else ax)
    names = [name for name in found.curves if name != LARGEST_ERRORS]
    leader = min(names, key=found.excess, default=None)
    for place, name in enumerate(names):
        colour, style = COLOURS[place % len(COLOURS)], LINES[place // len(COLOURS) % len(LINES)]
        _line(axes, found.curves[name], colour, style)
        if name == leader and len(found.curves[name].drawn):
            _band(axes, found.curves[name], found.level, colour)
    _line(axes, found.best, INK, "--")
    axes.axhline(float(found.best.accepted[0]), color=GREY, lw=1, ls=":", label="nothing rejected, or at random")
    return _finished(axes, found)


def _line(axes: Axes, curve: Curve, colour: str, style: str) -> None:
    label = f"{visible(curve.name)}, area {significant(curve.area)}"
    shown = np.unique(np.linspace(0, curve.accepted.size - 1, MOST_POINTS).astype(int))
    axes.plot(curve.coverage[shown], curve.accepted[shown], color=colour, ls=style, lw=1.5, label=label)


def _band(axes: Axes, curve: Curve, level: float, colour: str) -> None:
    low, high = curve.band(level)
    label = f"{visible(curve.name)}, {percent(level)} at each share"
    axes.fill_between(curve.marks, low, high, color=colour, alpha=0.15, lw=0, label=label)


def _finished(axes: Axes, found: RiskCoverage) -> Axes:
    axes.set_xlabel("share of answers accepted", fontsize=SMALL + 1)
    better = f"{found.metric.name} of accepted answers, {found.metric.better} is better"
    axes.set_ylabel(better, fontsize=SMALL + 1, parse_math=False)
    axes.set_title(visible(found.label), loc="left", fontsize=SMALL + 1.5, parse_math=False)
    axes.set_xlim(0, 1)
    axes.tick_params(labelsize=SMALL)
    legend = axes.legend(frameon=False, fontsize=SMALL, loc="center left", bbox_to_anchor=(1.01, 0.5))
    for text in legend.get_texts():
        text.set_parse_math(False)
    return axes
