"""``compare``: several monitors on the same rows, with intervals, and a ranking that says how sure it is.

Units are resampled, all monitors on the same ones; under an availability budget each threshold is chosen anew in each
draw.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.core import Estimate, InvalidInput, Table, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import percent
from surefoot.monitors.evaluation.bootstrap import Resampled, draws_for, resampled
from surefoot.monitors.evaluation.detection_metrics import Detection, Placements, Roc, detection
from surefoot.monitors.evaluation.operating_curve import SLACK, Curve, curve, require_tail
from surefoot.monitors.evaluation.report import MonitorReport
from surefoot.monitors.returns.stakes import Stakes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


WHERE = "compare"
By = Literal["safety gain", "AUROC"]
BYS: tuple[By, ...] = ("safety gain", "AUROC")
SHOWN_POINTS = 200
BAND_DRAWS = 500
BEYOND = 1.5
"""Budgets up to which rows are looked at first."""


def compare(
    scores: Mapping[str, ArrayLike],
    stakes: Stakes,
    *,
    cost: float | None = None,
    thresholds: Mapping[str, float] | None = None,
    by: By = "safety gain",
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    title: str = "Comparison of monitors",
) -> Comparison:
    """What several monitors are worth on the same rows, and which is best.

    For the ranking units are resampled, all monitors on the same ones; under a ``cost`` the threshold is chosen anew in
    each draw, so that the ranking knows about the choice.

    Parameters
    ----------
    scores
        The scores of each monitor, by its name.
    stakes
        What is at stake in each row.
    cost
        An availability cost within which all keep, each at the threshold that gains most.
    thresholds
        Or a threshold for each.
    by
        The figure that ranks them.
    level
        Confidence of intervals and ranks.
    draws, seed
        Resamples, and the seed of their random numbers.
    title
        Of the page.

    Returns
    -------
    Comparison
        The best first, with ``ranking``, ``table()``, ``plot()`` and ``page()``.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> wrong = rng.random(1000) < 0.1
    >>> scores = 2 * wrong + rng.normal(size=1000)
    >>> stakes = sf.monitors.returns.threats(wrong)
    >>> found = sf.monitors.compare({"good": scores, "chance": rng.normal(size=1000)}, stakes, cost=0.05)
    >>> found.contenders[0].name, found.ranking.beaten_by("good")
    ('good', ('chance',))

    """
    validate.kind(stakes, Stakes, where=WHERE, name="stakes", example="returns.errors(predictions, truths)")
    level, seed = validate.level(level, where=WHERE), validate.seed(seed, where=WHERE)
    require_tail(draws, level, where=WHERE)
    validate.choice(by, BYS, where=WHERE, name="by")
    _check(scores, cost, thresholds)
    drawer = partial(curve, stakes, level=level, points=SHOWN_POINTS, draws=draws_for(level, BAND_DRAWS), seed=seed)
    found = [contender(name, drawer(s, scope=name), cost, thresholds) for name, s in scores.items()]
    values = np.array([each.value(by) for each in found])
    ranking = Ranking(tuple(scores), values, drawn_values(found, by, cost, draws=draws, seed=seed), by, level)
    ordered = tuple(found[i] for i in ranking.order.tolist())
    return Comparison(ordered, ranking, stakes, level, cost, title)


def _check(scores: Mapping[str, ArrayLike], cost: float | None, thresholds: Mapping[str, float] | None) -> None:
    if not isinstance(scores, Mapping) or len(scores) < 2 or not all(isinstance(n, str) and n for n in scores):
        remedy = "Give {'name': scores, ...}."
        raise InvalidInput("needs the scores of at least two monitors, by name", where=WHERE, remedy=remedy)
    if (cost is None) == (thresholds is None):
        raise InvalidInput("needs either cost=... or thresholds=...", where=WHERE)
    if thresholds is not None and set(thresholds) != set(scores):
        found = ", ".join(sorted(set(thresholds) ^ set(scores)))
        raise InvalidInput("thresholds must name the same monitors as scores", where=WHERE, found=found)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Monitors on the same rows, the best first.

    See Also
    --------
    compare : Makes it.

    """

    contenders: tuple[Contender, ...]
    ranking: Ranking
    stakes: Stakes
    level: float
    cost: float | None = None
    """The availability budget that all share; None where each has a threshold of its own."""
    title: str = "Comparison of monitors"

    def __getitem__(self, name: str) -> Contender:
        known = {contender.name: contender for contender in self.contenders}
        return known[validate.choice(name, known, where=WHERE, name="monitor")]

    @property
    def hazard_alone(self) -> Estimate:
        """The hazard of the model without a monitor."""
        return self.contenders[0].report.hazard_alone

    def table(self) -> Table:
        """A row for each monitor, the best first."""
        figures = tuple(self.contenders[0].estimates)
        ends = (f"from ({percent(self.level)})", "to")
        head = [cell for name in figures for cell in (name, *(f"{name} {end}" for end in ends))]
        rows = [
            (c.name, c.threshold, *(v for e in c.estimates.values() for v in self._cells(e))) for c in self.contenders
        ]
        return Table(("monitor", "threshold", *head), tuple(rows))

    def plot(self) -> Figure:
        """Safety gain with intervals, and safety gain against availability cost at all thresholds."""
        from surefoot.monitors.evaluation.page import plot_comparison

        return plot_comparison(self)

    def page(self) -> str:
        """One HTML page that holds everything it shows and runs nothing."""
        from surefoot.monitors.evaluation.page import comparison_page

        return comparison_page(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page."""
        Path(path).write_text(self.page(), encoding="utf-8")

    def __str__(self) -> str:
        return f"{self.table()}\n\n{self.ranking}"

    def __repr__(self) -> str:
        return (
            f"Comparison({len(self.contenders)} monitors, {self.stakes.rows:,} rows, best {self.contenders[0].name!r})"
        )

    def _repr_html_(self) -> str:
        return self.table()._repr_html_() + self.ranking.table()._repr_html_()

    def _cells(self, estimate: Estimate | None) -> tuple[Any, Any, Any]:
        return ("undefined", "", "") if estimate is None else (estimate.value, *estimate.interval(self.level))


@dataclass(frozen=True, eq=False)
class Contender:
    """A monitor at its threshold; AUROC and FPR95 are None where the rows do not define them."""

    name: str
    threshold: float
    report: MonitorReport
    curve: Curve
    auroc: Estimate | None
    fpr95: Estimate | None

    @property
    def estimates(self) -> dict[str, Estimate | None]:
        """What is shown of it, by name."""
        report = self.report
        return {
            "safety gain": report.safety_gain,
            "residual hazard": report.residual_hazard,
            "availability cost": report.availability_cost,
            "AUROC": self.auroc,
            "FPR95": self.fpr95,
        }

    def value(self, by: By) -> float:
        """The figure that ranks it."""
        estimate = self.estimates[by]
        if estimate is None:
            raise Undefined(f"{by} does not exist on these rows", where=WHERE, remedy="Rank by safety gain.")
        return estimate.value


def contender(name: str, of: Curve, cost: float | None, thresholds: Mapping[str, float] | None) -> Contender:
    """A monitor at the threshold that gains most within a cost, or at its own."""
    if cost is not None:
        point = of.at_cost(cost)
        threshold, report = point.threshold, point.report
    else:
        assert thresholds is not None
        threshold = validate.number(thresholds[name], where=WHERE, name=f"threshold of {name!r}", finite=False)
        report = of.at(threshold)
    seen = detection(
        of.stakes, of.ordered.scores, level=of.level, draws=draws_for(of.level, 1000), seed=of.seed, scope=name
    )
    return Contender(name, threshold, report, of, _defined(seen, "auroc"), _defined(seen, "fpr95"))


def _defined(seen: Detection, figure: str) -> Estimate | None:
    try:
        found: Estimate = getattr(seen, figure)
    except Undefined:
        return None
    return found


def drawn_values(found: Sequence[Contender], by: By, cost: float | None, *, draws: int, seed: int) -> FloatArray:
    """What ranks them on resampled units, the same for all: draws x monitors."""
    curves = [contender.curve for contender in found]
    stakes = curves[0].stakes
    if by == "AUROC":
        return _areas(curves, draws=draws, seed=seed)
    if cost is None:
        gains = [stakes.under(c.curve.ordered.scores > c.threshold).gains for c in found]
        sums = np.column_stack([stakes.unit_sums(gain) for gain in gains])
        return Resampled(sums, stakes.unit_sums(np.ones(stakes.rows)), draws, seed, stakes.overlap).means
    best = [BestWithinBudget.of(curve, cost) for curve in curves]
    return resampled(lambda w: np.stack([each.gains(w) for each in best], axis=1), stakes, draws=draws, seed=seed)


def _areas(curves: list[Curve], *, draws: int, seed: int) -> FloatArray:
    """Areas whose rows' influences are resampled: what DeLong et al. (1988) do for areas on the same rows."""
    stakes = curves[0].stakes
    placed = [Placements.of(Roc(curve.ordered, stakes.hazardous), stakes.row_weights) for curve in curves]
    units, count = stakes.unit_numbers, stakes.unit_count
    sums = np.column_stack([float(count) * np.bincount(units, each.influence) for each in placed])
    moved = Resampled(sums, np.ones(count), draws, seed, stakes.overlap).means
    return np.array([each.area for each in placed]) + moved


@dataclass(frozen=True, eq=False)
class BestWithinBudget:
    """Rows by falling score with what an alarm gains and costs there, and a budget."""

    order: NDArray[np.int64]
    ends: NDArray[np.int64]
    row_gains: FloatArray
    row_costs: FloatArray
    budget: float
    reach: int
    """After so many rows nearly every resample has spent its budget."""

    @classmethod
    def of(cls, curve: Curve, cost: float) -> BestWithinBudget:
        """Of a monitor's curve."""
        order, ends = curve.ordered.order, curve.ordered.ends
        gains, costs = curve.stakes.gains.alarm[order], curve.stakes.costs.alarm[order]
        budget = cost + SLACK * curve.stakes.mission_width
        return cls(order, ends, gains, costs, budget, _reach(curve, cost, costs))

    def gains(self, weights: FloatArray) -> FloatArray:
        """The largest gain of each draw, with no alarm at all among the choices."""
        whole = weights.sum(axis=1)
        best, spent = self._best(weights, whole, self.reach)
        open_ = ~spent if self.reach < self.order.size else np.zeros(len(weights), dtype=bool)
        if open_.any():
            best[open_] = self._best(weights[open_], whole[open_], self.order.size)[0]
        return best

    def _best(self, weights: FloatArray, whole: FloatArray, reach: int) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The best gain among the first rows, and whether the budget is spent at the last of them."""
        heavy, ends = weights[:, self.order[:reach]], self.ends[self.ends < reach]
        costs = np.cumsum(heavy * self.row_costs[:reach], axis=1)[:, ends] / whole[:, None]
        gains = np.cumsum(heavy * self.row_gains[:reach], axis=1)[:, ends] / whole[:, None]
        never = 0.0 if self.budget >= 0 else -np.inf
        best = np.max(np.where(costs <= self.budget, gains, -np.inf), axis=1, initial=never)
        return best, costs[:, -1] > self.budget


def _reach(curve: Curve, cost: float, costs: FloatArray) -> int:
    """How many rows to look at first: all where costs can fall again, else those that spend more than the budget."""
    rows, spent = curve.stakes.rows, np.flatnonzero(curve.availability_cost > BEYOND * cost)
    if (costs < 0).any() or not spent.size:
        return rows
    return int(curve.ordered.alarms[spent[-1]])


@dataclass(frozen=True)
class Pair:
    """Two monitors on the same rows: how far the first is ahead of the second."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    p_value: float
    adjusted: float
    """After Holm's correction for all pairs."""
    apart: bool
    """Whether they are told apart, all pairs together at the level."""


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """Ranks of monitors by a figure of which more is better, with what resampling says about them.

    Parameters
    ----------
    names, values
        Of each monitor, its name and its figure.
    drawn
        One row a draw and one column a monitor, all monitors on the same resampled units.
    by
        What the figure is called.
    level
        Confidence of the ranks.

    See Also
    --------
    compare : Makes it.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> drawn = np.random.default_rng(0).normal([0.3, 0.1], 0.05, size=(1000, 2))
    >>> ranking = sf.monitors.Ranking(("a", "b"), np.array([0.3, 0.1]), drawn)
    >>> ranking.ranks, ranking.beaten_by("a")
    (array([1, 2]), ('b',))

    """

    names: tuple[str, ...]
    values: FloatArray
    drawn: FloatArray
    by: str = "safety gain"
    level: float = 0.95

    def __post_init__(self) -> None:
        validate.fields(self)
        if np.ndim(self.drawn) != 2 or np.asarray(self.drawn).dtype.kind not in "fiu":
            raise InvalidInput("drawn needs a row a draw and a column a name", where="ranking", found=repr(self.drawn))
        defined = self.drawn[np.isfinite(self.drawn).all(axis=1)]
        if len(self.names) != len(self.values) or defined.shape[1:] != (len(self.names),) or len(defined) < 2:
            found = f"{len(self.names)} names, {len(self.values)} values, draws of shape {defined.shape}"
            raise InvalidInput("needs a value and a column of draws for each name", where="ranking", found=found)
        object.__setattr__(self, "drawn", defined)

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """1 for the best; equal ones share the better rank."""
        return _ranks(self.values[None])[0]

    @cached_property
    def first(self) -> FloatArray:
        """Share of draws in which each is first; a shared first place is divided."""
        leads = self.drawn == self.drawn.max(axis=1, keepdims=True)
        return np.asarray((leads / leads.sum(axis=1, keepdims=True)).mean(axis=0))

    @cached_property
    def intervals(self) -> NDArray[np.int64]:
        """Smallest and largest rank of each over draws, its own tails cut at the level."""
        tails = [(1 - self.level) / 2, (1 + self.level) / 2]
        ranks = _ranks(self.drawn)
        low = np.quantile(ranks, tails[0], axis=0, method="lower")
        return np.stack([low, np.quantile(ranks, tails[1], axis=0, method="higher")], axis=1)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs, the better one first.

        Two-sided normal tests with the standard error of paired resamples (Efron and Tibshirani 1993), corrected by
        Holm (1979).
        """
        placed = list(combinations(self.order.tolist(), 2))
        found = [self._compared(a, b) for a, b in placed]
        adjusted = holm(np.array([p for *_, p in found]))
        return tuple(
            Pair(self.names[a], self.names[b], *numbers, float(q), bool(q <= 1 - self.level))
            for (a, b), numbers, q in zip(placed, found, adjusted, strict=True)
        )

    @cached_property
    def certain(self) -> NDArray[np.int64]:
        """Smallest and largest rank of each that no pair told apart contradicts, all monitors together at the level.

        Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility across
        neighbourhoods and academic achievement across countries".
        """
        ahead = {name: sum(p.apart and p.second == name for p in self.pairs) for name in self.names}
        behind = {name: sum(p.apart and p.first == name for p in self.pairs) for name in self.names}
        return np.array([(1 + ahead[name], len(self.names) - behind[name]) for name in self.names])

    @property
    def order(self) -> NDArray[np.int64]:
        """Places of the monitors, the best first."""
        return np.argsort(-self.values, kind="stable")

    def beaten_by(self, name: str) -> tuple[str, ...]:
        """Monitors that a monitor is told apart from as the better one."""
        return tuple(pair.second for pair in self.pairs if pair.apart and pair.first == name)

    def table(self) -> Table:
        """A row for each monitor, the best first."""
        head = ("monitor", "rank", self.by, f"rank from ({percent(self.level)})", "to", "first in draws", "surely from")
        rows = [
            (
                self.names[i],
                int(self.ranks[i]),
                float(self.values[i]),
                *self.intervals[i].tolist(),
                float(self.first[i]),
                *self.certain[i].tolist(),
            )
            for i in self.order.tolist()
        ]
        return Table((*head, "surely to"), tuple(rows))

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return f"Ranking({len(self.names)} monitors by {self.by}, best {self.names[int(self.order[0])]!r})"

    def _compared(self, a: int, b: int) -> tuple[float, float, float, float]:
        difference, drawn = float(self.values[a] - self.values[b]), self.drawn[:, a] - self.drawn[:, b]
        low, high = np.quantile(drawn, [(1 - self.level) / 2, (1 + self.level) / 2])
        spread = float(drawn.std(ddof=1))
        if spread > 0:
            return difference, float(low), float(high), float(2 * special.ndtr(-abs(difference) / spread))
        return difference, float(low), float(high), 1.0 if difference == 0 else 0.0


def _ranks(values: FloatArray) -> NDArray[np.int64]:
    """One more than the number of better ones, in each row."""
    ordered = np.sort(values, axis=1)
    above = [row.size - np.searchsorted(row, given, side="right") for row, given in zip(ordered, values, strict=True)]
    return np.asarray(above, dtype=np.int64) + 1


def holm(p_values: FloatArray) -> FloatArray:
    """P-values that hold for all tests together (Holm 1979, Scandinavian Journal of Statistics 6(2))."""
    order, count = np.argsort(p_values, kind="stable"), p_values.size
    raised = np.maximum.accumulate(p_values[order] * np.arange(count, 0, -1))
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted
