"""``detection``: precision, recall, AUROC and their like, from the same returns as safety gain.

A row is positive where the model alone falls short of the ideal (``stakes.hazardous``): what an alarm should detect.
Limits are exact where rows are independent and weigh the same; otherwise units are resampled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot import bounds
from surefoot.bounds.statement import FIXED_SIZE, REPRESENTATIVE, Counts, approximate
from surefoot.core import (
    BoundFamily,
    Diagnostic,
    Estimate,
    InvalidInput,
    Provenance,
    Table,
    TabulatedBound,
    Undefined,
    array_digest,
    validate,
)
from surefoot.core.validate import FloatArray
from surefoot.documents import percent
from surefoot.monitors.evaluation.bootstrap import (
    HIGHEST,
    Resampled,
    Statistic,
    drawn_bounds,
    levels_up_to,
    logit_bounds,
    resampled,
)
from surefoot.monitors.evaluation.intervals import Deviation, effective_count, largest_share, smallest_share
from surefoot.monitors.returns.stakes import Stakes, as_alarms

WHERE = "detection"
UNIT = "share"
RATES = ("precision", "recall", "false_positive_rate", "miss_rate", "accuracy")
SCORED = ("auroc", "average_precision", "fpr95")
RECALL = 0.95
ROUNDING = 1e-12
FAR = 10.0
"""Standard deviations beyond which a count does not matter at any level that is tabulated."""
NORMAL = approximate("The normal limit of AUROC", "Collect more independent units.")
RESAMPLED = approximate("Resampling", "Collect more independent units.")
Rows = NDArray[np.bool_]


def detection(
    stakes: Stakes,
    scores: ArrayLike | None = None,
    *,
    threshold: float | None = None,
    alarms: ArrayLike | None = None,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    scope: str = "",
) -> Detection:
    """How well scores, or alarms, tell hazardous rows from the others; each figure is computed when asked for.

    Rates of independent rows have exact limits (Clopper and Pearson 1934); where rows have units or weights, units are
    resampled. A figure that does not exist raises ``Undefined``.

    Parameters
    ----------
    stakes
        What is at stake in each row: the positive rows are those where the model alone falls short of the ideal.
    scores
        Give AUROC, average precision and FPR95.
    threshold, alarms
        A threshold on the scores, or alarms themselves, give precision, recall and error rates.
    level
        Confidence of the intervals.
    draws, seed
        Resamples, and the seed of their random numbers.
    scope
        What the figures are about.

    Returns
    -------
    Detection
        Each figure as an Estimate.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988) and Obuchowski (1997) for the error of AUROC.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> wrong = rng.random(1000) < 0.1
    >>> scores = 2 * wrong + rng.normal(size=1000)
    >>> stakes = sf.monitors.returns.threats(wrong)
    >>> found = sf.monitors.detection(stakes, scores, threshold=1.5)
    >>> round(found.recall.value, 3), round(found.auroc.value, 3)
    (0.73, 0.928)

    """
    validate.kind(stakes, Stakes, where=WHERE, name="stakes", example="returns.errors(predictions, truths)")
    ordered = None if scores is None else Ordered.of(scores, stakes.rows, where=WHERE)
    return Detection(
        stakes,
        ordered,
        _alarms(stakes, ordered, threshold, alarms),
        validate.level(level, where=WHERE),
        validate.count(draws, where=WHERE, name="draws", at_least=100),
        validate.seed(seed, where=WHERE),
        scope,
    )


def _alarms(stakes: Stakes, ordered: Ordered | None, threshold: float | None, alarms: ArrayLike | None) -> Rows | None:
    if alarms is not None and threshold is not None:
        raise InvalidInput("give a threshold on scores or alarms, not both", where=WHERE)
    if alarms is not None:
        return as_alarms(alarms, stakes.rows)
    if ordered is None:
        raise InvalidInput("needs scores or alarms", where=WHERE)
    if threshold is None:
        return None
    return np.asarray(ordered.scores > validate.number(threshold, where=WHERE, name="threshold", finite=False))


@dataclass(frozen=True, eq=False, repr=False)
class Detection:
    """Figures of detection, each an Estimate.

    See Also
    --------
    detection : Makes it.

    """

    stakes: Stakes
    ordered: Ordered | None
    alarms: Rows | None
    level: float
    draws: int
    seed: int
    scope: str = ""

    @cached_property
    def precision(self) -> Estimate:
        """Share of alarms at hazardous rows."""
        return self._shares.rate("precision", self.positive, self._said, "no alarm was raised")

    @cached_property
    def recall(self) -> Estimate:
        """Share of hazardous rows with an alarm."""
        return self._shares.rate("recall", self._said, self.positive, "no row is hazardous")

    @cached_property
    def false_positive_rate(self) -> Estimate:
        """Share of rows without hazard that raise an alarm."""
        return self._shares.rate("false positive rate", self._said, ~self.positive, "every row is hazardous")

    @cached_property
    def miss_rate(self) -> Estimate:
        """Share of hazardous rows without an alarm."""
        return self._shares.rate("miss rate", ~self._said, self.positive, "no row is hazardous")

    @cached_property
    def accuracy(self) -> Estimate:
        """Share of rows at which there is an alarm if and only if there is a hazard."""
        return self._shares.rate(
            "accuracy", self._said == self.positive, np.ones(self.stakes.rows, dtype=bool), "no rows"
        )

    @cached_property
    def auroc(self) -> Estimate:
        """Area under the ROC curve; see ``Separation.auroc``."""
        return self._separation.auroc()

    @cached_property
    def average_precision(self) -> Estimate:
        """Mean precision over the rises of recall."""
        return self._separation.average_precision()

    @cached_property
    def fpr95(self) -> Estimate:
        """False positive rate at the highest threshold that detects at least 95% of hazardous rows."""
        return self._separation.fpr95()

    @property
    def positive(self) -> Rows:
        """Rows that an alarm should detect."""
        return self.stakes.hazardous

    @property
    def names(self) -> tuple[str, ...]:
        """Figures that can be asked for."""
        return (*(RATES if self.alarms is not None else ()), *(SCORED if self.ordered is not None else ()))

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All figures that exist."""
        found = (self._or_words(name) for name in self.names)
        return tuple(estimate for estimate in found if isinstance(estimate, Estimate))

    def table(self) -> Table:
        """A row for each figure; words where one does not exist."""
        head = ("figure", "value", f"from ({percent(self.level)})", "to", "interval")
        return Table(head, tuple(self._row(name, self._or_words(name)) for name in self.names))

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return f"Detection({self.stakes.rows:,} rows, {int(self.positive.sum()):,} hazardous)"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def _row(self, name: str, found: Estimate | str) -> tuple[Any, ...]:
        if isinstance(found, str):
            return (name.replace("_", " "), found, "", "", "")
        return (found.quantity, found.value, *found.interval(self.level), found.details["interval"])

    def _or_words(self, name: str) -> Estimate | str:
        try:
            found: Estimate = getattr(self, name)
        except Undefined as error:
            return f"undefined: {error.problem}"
        return found

    @property
    def _said(self) -> Rows:
        if self.alarms is None:
            raise InvalidInput("rates need alarms", where=WHERE, remedy="Give threshold=... or alarms=...")
        return self.alarms

    @property
    def _separation(self) -> Separation:
        if self.ordered is None:
            raise InvalidInput("needs scores, not alarms alone", where=WHERE, remedy="Give scores.")
        return Separation(self._shares, self.ordered, self.positive)

    @cached_property
    def _shares(self) -> Shares:
        arrays = {
            "hazardous": self.positive,
            "alarms": self.alarms,
            "scores": None if self.ordered is None else self.ordered.scores,
            "units": self.stakes.units,
            "weights": self.stakes.weights,
        }
        data = {name: array_digest(array) for name, array in arrays.items() if array is not None}
        return Shares(self.stakes, self.level, self.draws, self.seed, self.scope, data)


@dataclass(frozen=True, eq=False)
class Separation:
    """Scores of rows, which of them are hazardous, and how estimates of them are made."""

    shares: Shares
    ordered: Ordered
    positive: NDArray[np.bool_]

    def auroc(self) -> Estimate:
        """Area under the ROC curve, its error after DeLong, DeLong and Clarke-Pearson (1988), on the logit scale.

        Of rows in units or with weights, influences are summed by unit (Obuchowski 1997). Where all pairs agree, so
        that no error shows, the limit is that of as many disjoint pairs of units (Clopper and Pearson 1934).
        """
        self._require_both("AUROC")
        stakes = self.shares.stakes
        placed = Placements.of(self._roc, stakes.row_weights)
        if placed.area in (0.0, 1.0):
            found = Counts(self._pairs if placed.area else 0, self._pairs).exact_bounds()
            return self.shares.estimate("AUROC", placed.area, found, "disjoint pairs")
        error = (
            placed.delong_error()
            if stakes.independent
            else placed.unit_error(stakes.unit_numbers) * math.sqrt(stakes.overlap)
        )
        found = logit_bounds(placed.area, error, self.shares.level)
        method, details = "DeLong" if stakes.independent else "by unit", {"standard_error": error}
        return self.shares.estimate("AUROC", placed.area, found, method, (NORMAL,), details)

    def average_precision(self) -> Estimate:
        """Mean precision over the rises of recall, by resampling."""
        self._require_both("average precision")
        return self.shares.resampled("average precision", self._roc.average_precision)

    def fpr95(self) -> Estimate:
        """False positive rate at the highest threshold that detects at least 95% of hazardous rows (score above it).

        Limits of independent rows are exact: an order statistic for the threshold, counts for the rate.
        """
        self._require_both("FPR95")
        statistic = partial(self._roc.false_positive_rate, RECALL)
        if not self.shares.stakes.independent:
            return self.shares.resampled("FPR95", statistic)
        value = float(statistic(np.ones((1, self.positive.size)))[0])
        scores = self.ordered.scores
        found = RateAtRecall(np.sort(scores[self.positive]), np.sort(scores[~self.positive]), RECALL)
        return self.shares.estimate("FPR95", value, found.bounds(self.shares.level), "order statistics")

    @cached_property
    def _roc(self) -> Roc:
        return Roc(self.ordered, self.positive)

    @property
    def _pairs(self) -> int:
        """How many pairs of a hazardous and another row exist that share no unit; of weighted units fewer (Kish)."""
        stakes = self.shares.stakes
        kinds = (self.positive, ~self.positive)
        if stakes.weights is None:
            kept = [np.unique(stakes.unit_numbers[kind]).size for kind in kinds]
        else:
            kept = [effective_count(stakes.unit_sums(kind.astype(np.float64))) for kind in kinds]
        return max(min(*kept, stakes.unit_count // 2) // stakes.overlap, 1)

    def _require_both(self, name: str) -> None:
        for kind, words in ((self.positive, "hazardous"), (~self.positive, "free of hazard")):
            if kind.sum() < 2 or self.shares.weight(kind) == 0:
                found = f"{int(kind.sum())} of {kind.size:,} rows"
                raise Undefined(f"{name} needs at least two rows that are {words}", where=WHERE, found=found)


@dataclass(frozen=True, eq=False)
class Shares:
    """The rows, and how estimates of them are made; ``data`` are digests of all arrays."""

    stakes: Stakes
    level: float
    draws: int
    seed: int
    scope: str
    data: Mapping[str, str]

    def weight(self, rows: Rows) -> float:
        """The share of some rows, each with its weight."""
        return float(np.average(rows, weights=self.stakes.weights))

    def rate(self, quantity: str, counted: Rows, among: Rows, empty: str) -> Estimate:
        """How many rows are counted among some; ``empty`` says why there may be none."""
        if self.weight(among) == 0:
            raise Undefined(f"{quantity} does not exist: {empty}", where=WHERE, found=f"{self.stakes.rows:,} rows")
        both = counted & among
        if not self.stakes.independent:
            return self._ratio(quantity, both, among)
        exact = bounds.clopper_pearson(
            int(both.sum()), int(among.sum()), level=self.level, quantity=quantity, unit=UNIT, scope=self.scope
        )
        return replace(exact, details={**exact.details, "interval": "exact"}, provenance=self._provenance(quantity))

    def resampled(self, quantity: str, statistic: Statistic) -> Estimate:
        """A figure that is computed from weights of rows."""
        drawn = resampled(statistic, self.stakes, draws=self.draws, seed=self.seed)
        found = drawn_bounds(drawn, self.level, where=quantity)
        return self.estimate(
            quantity, float(statistic(self.stakes.row_weights[None])[0]), found, "bootstrap", (RESAMPLED,)
        )

    def estimate(
        self,
        quantity: str,
        value: float,
        found: tuple[BoundFamily, ...],
        method: str,
        caveats: tuple[Diagnostic, ...] = (),
        details: Mapping[str, Any] | None = None,
    ) -> Estimate:
        """A figure with its limits and everything they rest on."""
        assumed = (self.stakes.assumed, FIXED_SIZE, REPRESENTATIVE)
        counts = {"rows": self.stakes.rows, "units": self.stakes.unit_count}
        return Estimate(
            quantity,
            value,
            UNIT,
            self.scope,
            found,
            assumptions=tuple(replace(assumption, scope=self.scope) for assumption in assumed),
            caveats=caveats,
            details={"interval": method, "level": self.level, **counts, **(details or {})},
            provenance=self._provenance(quantity),
        )

    def _ratio(self, quantity: str, both: Rows, among: Rows) -> Estimate:
        """A share whose denominator is drawn too."""
        sums = np.column_stack([self.stakes.unit_sums(rows.astype(np.float64)) for rows in (both, among)])
        deviation = Deviation.of(sums[:, 0], sums[:, 1], (0.0, 1.0), self.stakes.overlap)
        if deviation.few_move:
            value = float(sums[:, 0].sum() / sums[:, 1].sum())
            return self.estimate(quantity, value, deviation.bounds(), "deviation", (RESAMPLED,))
        means = Resampled(sums, np.ones(len(sums)), self.draws, self.seed, self.stakes.overlap).means
        drawn = np.divide(means[:, 0], means[:, 1], out=np.full(len(means), np.nan), where=means[:, 1] > 0)
        part, whole = sums.sum(axis=0)
        found = drawn_bounds(drawn, self.level, where=quantity)
        return self.estimate(quantity, float(part / whole), found, "bootstrap", (RESAMPLED,))

    def _provenance(self, quantity: str) -> Provenance:
        params = {"figure": quantity, "level": self.level, "draws": self.draws}
        return Provenance("monitors.detection", params, data=self.data, seed=self.seed)


@dataclass(frozen=True, eq=False)
class RateAtRecall:
    """Scores of positives and negatives, independent of each other, each in rising order."""

    positives: FloatArray
    negatives: FloatArray
    recall: float

    def bounds(self, level: float) -> tuple[BoundFamily, BoundFamily]:
        """Limits that hold whatever the scores are, half the miss for the threshold and half for the rate.

        The threshold that finds the recall in operation lies, with the stated confidence, on one side of an order
        statistic of the positives (David and Nagaraja 2003); the rate at that one is bounded by Clopper
        and Pearson (1934).
        """
        levels = levels_up_to(HIGHEST, level)
        shares = ((1 - levels) / 2).tolist()
        return (
            TabulatedBound.widened(levels, [self._upper(miss) for miss in shares], "upper", "confidence"),
            TabulatedBound.widened(levels, [self._lower(miss) for miss in shares], "lower", "confidence"),
        )

    def _upper(self, miss: float) -> float:
        """Alarms from the r-th positive on, where r or more positives lie below the true threshold."""
        ranks, fewer = self._fewer
        rank = int(ranks[0]) - 1 + int(np.sum(1 - fewer >= 1 - miss))
        if rank < 1 or rank < ranks[0]:
            return 1.0
        n = self.negatives.size
        count = n - int(np.searchsorted(self.negatives, self.positives[rank - 1], side="left"))
        return float(largest_share(count, n, 1 - miss))

    def _lower(self, miss: float) -> float:
        """Alarms above the s-th positive, where fewer than s positives lie below the true threshold."""
        ranks, fewer = self._fewer
        enough = np.flatnonzero(fewer >= 1 - miss)
        if not enough.size:
            return 0.0
        n = self.negatives.size
        count = n - int(np.searchsorted(self.negatives, self.positives[ranks[enough[0]] - 1], side="right"))
        return float(smallest_share(count, n, 1 - miss))

    @cached_property
    def _fewer(self) -> tuple[NDArray[np.int64], FloatArray]:
        """Ranks that matter, and the probability that fewer positives than that lie below the true threshold."""
        m, miss = self.positives.size, 1 - self.recall
        middle, reach = m * miss, FAR * math.sqrt(m * miss * self.recall) + FAR**2
        ranks = np.arange(max(1, math.floor(middle - reach)), min(m, math.ceil(middle + reach)) + 1)
        return ranks, special.bdtr(ranks - 1, m, miss)


@dataclass(frozen=True, eq=False)
class Ordered:
    """Scores, and how many rows raise an alarm (score above the threshold) at every threshold that matters.

    Thresholds are ``-inf`` (always an alarm), each score that occurs, and ``inf`` (never one). Rows with equal scores
    are never told apart.
    """

    scores: FloatArray

    @classmethod
    def of(cls, scores: ArrayLike, rows: int, *, where: str, name: str = "scores") -> Ordered:
        """Checked scores, one a row."""
        values = validate.vector(scores, where=where, name=name)
        validate.same_length(where, **{name: values, "rows": np.empty(rows)})
        return cls(values)

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Rows, the strangest first."""
        return np.argsort(self.scores, kind="stable")[::-1].astype(np.int64)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """In this order, the place of the last row of each run of equal scores."""
        falling = self.scores[self.order]
        return np.append(np.flatnonzero(falling[1:] != falling[:-1]), falling.size - 1)

    @cached_property
    def thresholds(self) -> FloatArray:
        """Rising."""
        return np.concatenate([[-np.inf], self.scores[self.order][self.ends][::-1], [np.inf]])

    @cached_property
    def alarms(self) -> NDArray[np.int64]:
        """How many rows raise an alarm at each threshold."""
        return np.concatenate([self.ends[::-1] + 1, [0, 0]])

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum of a figure over the rows with an alarm, at each threshold."""
        running = np.concatenate([[0.0], np.cumsum(values[self.order])])
        return np.asarray(running[self.alarms])

    def place(self, threshold: float) -> int:
        """Which of ``thresholds`` raises the same alarms."""
        return int(np.searchsorted(self.thresholds, threshold, side="right")) - 1


@dataclass(frozen=True, eq=False)
class Roc:
    """Rows by falling score, and which of them are positive."""

    ordered: Ordered
    positive: NDArray[np.bool_]

    @cached_property
    def _sorted_positive(self) -> FloatArray:
        return self.positive[self.ordered.order].astype(np.float64)

    def counts(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Positives and negatives found so far, after each run of equal scores; ``weights`` are draws x rows."""
        heavy = weights[:, self.ordered.order]
        ends = self.ordered.ends
        found = np.cumsum(heavy * self._sorted_positive, axis=1)[:, ends]
        return found, np.maximum(np.cumsum(heavy, axis=1)[:, ends] - found, 0.0)

    def auroc(self, weights: FloatArray) -> FloatArray:
        """Probability that a positive row scores above a negative one, ties counting half, for each draw."""
        true, false = self.counts(weights)
        before = np.concatenate([np.zeros((len(true), 1)), true[:, :-1]], axis=1)
        steps = np.diff(false, axis=1, prepend=0.0)
        return _share(np.sum(steps * (true + before) / 2, axis=1), true[:, -1] * false[:, -1])

    def agreed(self, weights: FloatArray) -> float | None:
        """1 or 0 where every positive row scores above, or below, every negative one; None otherwise."""
        scores, counted = self.ordered.scores, weights > 0
        true, false = scores[counted & self.positive], scores[counted & ~self.positive]
        return 1.0 if true.min() > false.max() else 0.0 if true.max() < false.min() else None

    def average_precision(self, weights: FloatArray) -> FloatArray:
        """Precision at each rise of recall, weighted by the rise, for each draw."""
        true, false = self.counts(weights)
        rises = np.diff(true, axis=1, prepend=0.0)
        precision = np.divide(true, true + false, out=np.zeros_like(true), where=true + false > 0)
        return _share(np.sum(rises * precision, axis=1), true[:, -1])

    def false_positive_rate(self, recall: float, weights: FloatArray) -> FloatArray:
        """At the highest threshold that finds at least ``recall`` of the positives, for each draw."""
        true, false = self.counts(weights)
        reached = true >= recall * true[:, -1:] * (1 - ROUNDING)
        first = np.argmax(reached, axis=1)
        return _share(false[np.arange(len(false)), first], false[:, -1])


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


@dataclass(frozen=True, eq=False)
class Placements:
    """AUROC, and what each row adds to it: where it lies among the rows of the other kind."""

    area: float
    influence: FloatArray
    """Of each row on the area, its weight included; sums to 0 over positives and over negatives."""
    positive: NDArray[np.bool_]

    @classmethod
    def of(cls, roc: Roc, weights: FloatArray) -> Placements:
        """In one sort (DeLong, DeLong and Clarke-Pearson 1988; Sun and Xu 2014)."""
        _, level = np.unique(roc.ordered.scores, return_inverse=True)
        true, false = (np.bincount(level, weights * kind) for kind in (roc.positive, ~roc.positive))
        below = (np.cumsum(false) - false / 2) / false.sum()
        above = 1 - (np.cumsum(true) - true / 2) / true.sum()
        place = np.where(roc.positive, below[level], above[level])
        area = roc.agreed(weights)
        if area is None:
            area = float(np.sum(weights * roc.positive * place) / true.sum())
        share = weights / np.where(roc.positive, true.sum(), false.sum())
        return cls(area, share * (place - area), roc.positive)

    def delong_error(self) -> float:
        """Standard error for independent rows that weigh the same (DeLong et al. 1988)."""
        variance = 0.0
        for kind in (self.positive, ~self.positive):
            part, size = self.influence[kind], int(kind.sum())
            variance += float((part**2).sum()) * size / (size - 1)
        return math.sqrt(variance)

    def unit_error(self, units: NDArray[np.int64]) -> float:
        """Standard error where rows of one unit belong together: influences are summed first (Obuchowski 1997)."""
        sums = np.bincount(units, self.influence)
        return math.sqrt(float((sums**2).sum()) * sums.size / (sums.size - 1))
