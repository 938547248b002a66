"""``curve``: what a monitor is worth at every threshold, with bands that hold at each threshold by itself.

Bands are exact where a row has two values, by resampling units otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import Check, Estimate, InvalidInput, Table, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.bootstrap import Resampled, draws_for
from surefoot.monitors.evaluation.detection_metrics import Ordered
from surefoot.monitors.evaluation.intervals import FEW_UNITS, largest_share, smallest_share
from surefoot.monitors.evaluation.report import FIXED_MONITOR, MonitorReport, evaluate
from surefoot.monitors.returns.stakes import Range, Stakes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


WHERE = "curve"
Way = Literal["auto", "exact", "bootstrap"]
WAYS: tuple[Way, ...] = ("auto", "exact", "bootstrap")
SLACK = 1e-12
CLOSE = 1e-9
MOST_CELLS = 4_000_000
"""Sums held at once, one a block of units and threshold: 32 MB."""
CHOSEN_HERE = Check("contradicted", "the threshold was chosen on the rows it is evaluated on")
Places = NDArray[np.int64]


def curve(
    stakes: Stakes,
    scores: ArrayLike,
    *,
    level: float = 0.95,
    bands: Way = "auto",
    draws: int = 500,
    points: int | None = 1000,
    seed: int = 0,
    scope: str = "",
) -> Curve:
    """Safety gain, residual hazard and availability cost at every threshold (MON, section II).

    Parameters
    ----------
    stakes
        What is at stake in each row.
    scores
        The monitor's score of each row; an alarm is a score above the threshold.
    level
        Of the bands, at each threshold by itself.
    bands
        ``"exact"`` (Clopper and Pearson 1934) asks for independent rows of equal weight, each figure of which is 0 or
        one other value; ``"bootstrap"`` resamples units; ``"auto"`` is exact where that is possible.
    draws, seed
        Resamples, and the seed of their random numbers.
    points
        At how many thresholds bands are computed, dense where alarms are few; None at all.
    scope
        What the figures are about.

    Returns
    -------
    Curve
        Figures at every threshold, ``at(threshold)``, ``at_cost(budget)`` and ``plot()``.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> wrong = rng.random(1000) < 0.1
    >>> scores = 2 * wrong + rng.normal(size=1000)
    >>> stakes = sf.monitors.returns.threats(wrong)
    >>> point = sf.monitors.curve(stakes, scores).at_cost(0.05)
    >>> round(point.threshold, 2), point.report.safety_gain.value
    (1.63, 0.063)

    """
    validate.kind(stakes, Stakes, where=WHERE, name="stakes", example="returns.errors(predictions, truths)")
    level, seed = validate.level(level, where=WHERE), validate.seed(seed, where=WHERE)
    ordered = Ordered.of(scores, stakes.rows, where=WHERE)
    marks, method = _marks(ordered.thresholds.size, points), _way(stakes, bands)
    if method == "bootstrap":
        require_tail(draws, level, where=WHERE)
    return Curve(stakes, ordered, marks, method, level, draws, seed, scope)


def _way(stakes: Stakes, bands: Way) -> Way:
    validate.choice(bands, WAYS, where=WHERE, name="bands")
    possible = exact_possible(stakes) if bands != "bootstrap" else False
    if bands == "exact" and not possible:
        raise InvalidInput(
            "exact bands need independent rows without weights whose figures are 0 or one other value",
            where=WHERE,
            remedy="Use bands='bootstrap'.",
        )
    if not possible and stakes.unit_count < 2:
        raise InvalidInput("needs at least two independent units", where=WHERE, found=f"1 {stakes.unit}")
    return "exact" if possible else "bootstrap"


def _marks(size: int, points: int | None) -> NDArray[np.int64]:
    """All places, or about so many: half evenly, half ever denser towards few alarms."""
    if points is None or size <= validate.count(points, where=WHERE, name="points", at_least=2):
        return np.arange(size)
    half = max(points // 2, 2)
    even = np.linspace(0, size - 1, half)
    dense = size - np.geomspace(1, size, half)
    return np.unique(np.rint(np.concatenate([even, dense])).astype(np.int64).clip(0, size - 1))


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """What a monitor is worth at every threshold; thresholds rise, so alarms become fewer.

    ``marks`` are the places at which ``bands`` are known: all thresholds, or as many as were asked for. A band holds
    at each threshold by itself, not at all of them together.

    See Also
    --------
    curve : Makes it.

    """

    stakes: Stakes
    ordered: Ordered
    marks: NDArray[np.int64]
    method: str
    level: float
    draws: int
    seed: int
    scope: str = ""

    @property
    def thresholds(self) -> FloatArray:
        """Every threshold that matters, from ``-inf`` to ``inf``."""
        return self.ordered.thresholds

    @cached_property
    def bands(self) -> Bands:
        """Limits at each mark, found when first asked for."""
        if self.method == "exact":
            return exact_bands(self.stakes, self.ordered, self.marks, level=self.level)
        options = {"draws": self.draws, "seed": self.seed}
        return bootstrap_bands(self.stakes, self.ordered, self.marks, level=self.level, **options)

    @cached_property
    def safety_gain(self) -> FloatArray:
        """At each threshold."""
        return self._means(self.stakes.gains.alarm)

    @cached_property
    def availability_cost(self) -> FloatArray:
        """At each threshold."""
        return self._means(self.stakes.costs.alarm)

    @cached_property
    def alarm_share(self) -> FloatArray:
        """Share of rows with an alarm at each threshold."""
        return self._means(np.ones(self.stakes.rows))

    @cached_property
    def hazard_alone(self) -> float:
        """Hazard of the model without a monitor: the most that can be gained where an alarm is always safe."""
        return float(np.average(self.stakes.residuals.quiet, weights=self.stakes.weights))

    @property
    def residual_hazard(self) -> FloatArray:
        """At each threshold: what is not gained (MON, Eqn. 6)."""
        return self.hazard_alone - self.safety_gain

    def at(self, threshold: float) -> MonitorReport:
        """What the monitor is worth at a threshold that was fixed before these rows were seen."""
        limit = validate.number(threshold, where=WHERE, name="threshold", finite=False)
        returns = self.stakes.under(self.ordered.scores > limit)
        draws = draws_for(self.level, 4000)
        return evaluate(returns, level=self.level, scope=self.scope, draws=draws, seed=self.seed)

    def at_cost(self, budget: float) -> OperatingPoint:
        """The largest safety gain among thresholds that cost no more than the budget, with the fewest alarms.

        The threshold is chosen on these rows, which its report says: fix it on others where a figure must hold.
        """
        allowed = self._places_within(validate.number(budget, where=WHERE, name="budget"))
        gains = self.safety_gain[allowed]
        best = allowed[np.flatnonzero(gains >= gains.max() - SLACK * self.stakes.safety_width)[-1]]
        threshold = float(self.thresholds[best])
        return OperatingPoint(threshold, _chosen_here(self.at(threshold)))

    def table(self) -> Table:
        """A row for each mark."""
        head = ("threshold", "alarms", "safety gain", "from", "to", "residual hazard", "from ", "to ")
        b, at = self.bands, self.marks
        columns = (
            self.thresholds[at],
            self.alarm_share[at],
            *(self.safety_gain[at], b.safety_gain.low, b.safety_gain.high),
            *(self.residual_hazard[at], b.residual_hazard.low, b.residual_hazard.high),
            *(self.availability_cost[at], b.availability_cost.low, b.availability_cost.high),
        )
        return Table(
            (*head, "availability cost", "from  ", "to  "), tuple(zip(*(c.tolist() for c in columns), strict=True))
        )

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Safety gain against availability cost, with bands, and the hazard of the model alone."""
        from surefoot.monitors.evaluation.page import plot_curve

        return plot_curve(self, ax=ax)

    def __repr__(self) -> str:
        return f"Curve({self.thresholds.size:,} thresholds, {self.stakes.rows:,} rows, {self.method} bands)"

    def _means(self, values: FloatArray) -> FloatArray:
        weights = self.stakes.weights
        if weights is None:
            return self.ordered.sums(values) / self.stakes.rows
        return self.ordered.sums(values * weights) / weights.sum()

    def _places_within(self, budget: float) -> NDArray[np.int64]:
        slack = SLACK * self.stakes.mission_width
        allowed = np.flatnonzero(self.availability_cost <= budget + slack)
        if not allowed.size:
            cheapest = float(self.availability_cost.min())
            raise Undefined(
                f"no threshold costs at most {budget:g}", where=WHERE, found=f"a smallest cost of {cheapest:g}"
            )
        return allowed


@dataclass(frozen=True)
class OperatingPoint:
    """A threshold and what the monitor is worth there."""

    threshold: float
    report: MonitorReport


def _chosen_here(report: MonitorReport) -> MonitorReport:
    """The same figures, with the assumption that the threshold was fixed before marked as not true."""
    return replace(
        report,
        safety_gain=_told(report.safety_gain),
        residual_hazard=_told(report.residual_hazard),
        availability_cost=_told(report.availability_cost),
    )


def _told(estimate: Estimate) -> Estimate:
    assumed = (replace(a, check=CHOSEN_HERE) if a.id == FIXED_MONITOR.id else a for a in estimate.assumptions)
    return replace(estimate, assumptions=tuple(assumed))


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


def _is_whole(value: float | None, width: float) -> bool:
    return value is not None and min(abs(value), abs(abs(value) - width)) <= CLOSE * width


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
    means = Resampled(np.column_stack([gains, costs, hazards]), sizes, draws, seed, stakes.overlap).means
    gain, cost, hazard = means[:, : marks.size], means[:, marks.size : -1], means[:, -1:]
    least, safety, mission = 0.0 if stakes.two_valued else -1.0, stakes.safety_width, stakes.mission_width
    return Bands(
        _allowing(_quantiles(gain, level), gains, sizes, (least * safety, safety), level, stakes.overlap),
        _allowing(
            _quantiles(hazard - gain, level), hazards[:, None] - gains, sizes, (0.0, safety), level, stakes.overlap
        ),
        _allowing(_quantiles(cost, level), costs, sizes, (least * mission, mission), level, stakes.overlap),
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


def _allowing(band: Band, sums: FloatArray, sizes: FloatArray, range: Range, level: float, overlap: int) -> Band:
    """The band, and where few blocks have anything but 0 as much of the range as these may be worth (``Deviation``)."""
    units, largest = len(sizes), max(sizes.max() / sizes.mean(), 1.0)
    moved = (np.abs(sums) > CLOSE * range[1] * sizes[:, None]).sum(axis=0)
    few = (moved < FEW_UNITS) & (2 * moved <= units)
    share = np.minimum(largest * largest_share(moved, units, (1 + level) / 2, overlap), 1.0)
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
