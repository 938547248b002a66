"""Orders in which answers are rejected: the five strategies of paper SYS (section 4.5), and by a learned error.

Each strategy rejects ``count`` items, from two scores of every item: its uncertainty, and its out-of-distribution score
(``strangeness``). Higher is more suspicious. An item without a score (NaN) cannot be accepted on it and comes first; of
equal scores the earlier item comes first. What a strategy rejects at one count it rejects at every higher count as
well, so that it is an order of all items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.systems.data import Condition
from surefoot.systems.tables.inference import Measurements, Score, numbered

ALL_CONDITIONS = "all conditions"
Suspicion = Mapping[Condition, FloatArray]
"""A score of every item in every condition, higher for more suspicious; NaN where there is none."""
Order = NDArray[np.intp]
Mask = NDArray[np.bool_]
_ORDERS: dict[str, Callable[[Lists], Order]] = {
    "S1": lambda lists: lists.uncertain,
    "S2": lambda lists: lists.strange,
    "S3": lambda lists: _by_halves(lists.uncertain, lists.strange),
    "S4": lambda lists: _by_halves(lists.strange, lists.uncertain),
    "S5": lambda lists: lists.both,
}
WHERE = "predicted_errors"
FOLDS = 5
MOST_ROWS = 50_000
"""Rows that a model is fitted to; of more, items are drawn."""
PENALTIES = np.geomspace(0.1, 1e4, 11)
TREES = {"max_iter": 100, "learning_rate": 0.06, "max_leaf_nodes": 8, "min_samples_leaf": 20, "l2_regularization": 1.0}


# The five strategies of paper SYS.


def most_uncertain(uncertainty: ArrayLike, strangeness: ArrayLike, count: int) -> Mask:
    """Strategy 1: the most uncertain."""
    return _rejected("S1", uncertainty, strangeness, count)


def _rejected(strategy: str, uncertainty: ArrayLike, strangeness: ArrayLike, count: int) -> Mask:
    where = STRATEGIES[strategy].__name__
    first = as_scores(uncertainty, where=where, name="uncertainty")
    second = as_scores(strangeness, where=where, name="strangeness")
    validate.same_length(where, uncertainty=first, strangeness=second)
    number = validate.count(count, where=where, name="count")
    if number > first.size:
        raise InvalidInput("cannot reject more items than there are", where=where, found=f"{number} of {first.size}")
    mask = np.zeros(first.size, dtype=bool)
    mask[Lists.of(first, second).order(strategy)[:number]] = True
    return mask


def as_scores(values: ArrayLike, *, where: str, name: str) -> FloatArray:
    """One number an item, NaN where it has none."""
    array = np.asarray(values)
    if array.dtype.kind not in "buif" or array.ndim != 1:
        found = f"shape {array.shape} of {array.dtype}"
        raise InvalidInput(f"{name} must be one number an item", where=where, found=found, remedy="Give a list.")
    return array.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Lists:
    """Items by each falling score, uncertainty and out-of-distribution; a strategy is an order made of the two.

    Parameters
    ----------
    uncertain, strange
        Items by each score.

    Examples
    --------
    >>> lists = Lists.of(np.array([0.1, 0.9, 0.5]), np.array([0.3, 0.2, 0.1]))
    >>> lists.order("S1"), lists.order("S2")
    (array([1, 2, 0]), array([0, 1, 2]))

    """

    uncertain: Order
    strange: Order

    @classmethod
    def of(cls, uncertainty: FloatArray, strangeness: FloatArray) -> Lists:
        """Sorted scores."""
        return cls(suspicious_first(uncertainty), suspicious_first(strangeness))

    def order(self, strategy: str) -> Order:
        """Items in the order in which a strategy rejects them as the count grows."""
        return _ORDERS[strategy](self)

    @cached_property
    def both(self) -> Order:
        """Items as they enter both lists; of two that enter together, the smaller sum of ranks first."""
        ranks = np.empty((2, self.uncertain.size), dtype=np.intp)
        for row, order in zip(ranks, (self.uncertain, self.strange), strict=True):
            row[order] = np.arange(order.size)
        return np.lexsort((ranks.sum(axis=0), ranks.max(axis=0)))


def suspicious_first(scores: FloatArray) -> Order:
    """Items by falling score, those without one before all others."""
    missing = np.isnan(scores)
    return np.lexsort((-np.where(missing, 0.0, scores), ~missing))


def strangest(uncertainty: ArrayLike, strangeness: ArrayLike, count: int) -> Mask:
    """Strategy 2: the highest out-of-distribution scores."""
    return _rejected("S2", uncertainty, strangeness, count)


def uncertain_then_strange(uncertainty: ArrayLike, strangeness: ArrayLike, count: int) -> Mask:
    """Strategy 3: one half by uncertainty, then by out-of-distribution score; an odd one goes to the first."""
    return _rejected("S3", uncertainty, strangeness, count)


def strange_then_uncertain(uncertainty: ArrayLike, strangeness: ArrayLike, count: int) -> Mask:
    """Strategy 4: one half by out-of-distribution score, then by uncertainty; an odd one goes to the first."""
    return _rejected("S4", uncertainty, strangeness, count)


def uncertain_and_strange(uncertainty: ArrayLike, strangeness: ArrayLike, count: int) -> Mask:
    """Strategy 5: what both lists have in common in their first m, for the smallest m that suffices.

    Where that m gives one item too many, two items entered together: the one with the smaller sum of its two ranks is
    rejected, or the earlier of equal ones.
    """
    return _rejected("S5", uncertainty, strangeness, count)


STRATEGIES: dict[str, Callable[[ArrayLike, ArrayLike, int], Mask]] = {
    "S1": most_uncertain,
    "S2": strangest,
    "S3": uncertain_then_strange,
    "S4": strange_then_uncertain,
    "S5": uncertain_and_strange,
}


def _by_halves(first: Order, second: Order) -> Order:
    """One list and the other by turns, as the two halves grow.

    Where the item by which the first half grows is rejected already, it leaves the second half, which takes its next.
    """
    taken = bytearray(first.size)
    heads, others = iter(first.tolist()), iter(second.tolist())
    order = np.empty(first.size, dtype=np.intp)
    for step in range(first.size):
        item = -1 if step % 2 else next(heads)
        if item < 0 or taken[item]:
            item = next(other for other in others if not taken[other])
        taken[item], order[step] = 1, item
    return order


# Errors learned from all scores.


@validate.arguments
def predicted_errors(
    measured: Measurements, *, scores: Sequence[Score] | None = None, folds: int = FOLDS, seed: int = 0
) -> dict[Condition, FloatArray]:
    """The error of every item in every condition, predicted from its scores by models that never saw it.

    Cross-fitting: items are dealt into folds by unit, an item's clean and corrupted versions into the same one, and
    each fold is predicted from the others. Give it to ``rejections`` or ``risk_coverage`` as one of ``others``.

    Parameters
    ----------
    measured
        The system.
    scores
        By default all scores of all modules.
    folds
        How many models.
    seed
        Of the folds and models.

    Returns
    -------
    dict of Condition to ndarray
        One number an item.

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
    >>> predicted = predicted_errors(measured)
    >>> bool(np.corrcoef(predicted[both[1]], measured.errors(both[1]))[0, 1] > 0.3)
    True

    """
    fold = fold_of(measured, folds=folds, seed=seed)
    found = {condition: np.empty(fold.size) for condition in measured.conditions}
    for number in range(int(fold.max()) + 1):
        held = fold == number
        model = ErrorModel.fit(measured, ~held, scores=scores, seed=seed)
        for condition, values in zip(found, model.predictions(measured, tuple(found), held), strict=True):
            found[condition][held] = values
    return found


def fold_of(measured: Measurements, *, folds: int, seed: int) -> NDArray[np.int64]:
    """Which fold each item is in; items of a unit share one.

    Parameters
    ----------
    measured
        The system.
    folds
        How many.
    seed
        Of the draw.

    Returns
    -------
    ndarray of int
        One number an item.

    See Also
    --------
    predicted_errors

    """
    number = validate.count(folds, where=WHERE, name="folds", at_least=2)
    items = len(measured.statistics())
    units = np.arange(items) if measured.units is None else numbered(measured.units)
    count = int(units.max()) + 1
    if count < number:
        raise InvalidInput("needs as many independent units as folds", where=WHERE, found=f"{count} for {number} folds")
    dealt = np.random.default_rng(validate.seed(seed, where=WHERE)).permutation(count) % number
    return dealt[units]


@dataclass(frozen=True, eq=False)
class ErrorModel:
    """Predicts the error of an item from its scores.

    The prediction is the mean of a ridge regression on ranks, which holds up where items are few, and of boosted trees,
    which see what only scores together tell. Ranks make scores of any scale alike.

    Parameters
    ----------
    scores, seen
        The scores, and the sorted values of each in the rows it was fitted to.
    ridge, trees
        The two models.

    See Also
    --------
    predicted_errors, accept_below_predicted

    """

    scores: tuple[Score, ...]
    seen: tuple[FloatArray, ...]
    """Sorted values of each score in the rows it was fitted to."""
    ridge: Any
    trees: Any

    @classmethod
    def fit(
        cls, measured: Measurements, items: NDArray[np.bool_], *, scores: Sequence[Score] | None = None, seed: int = 0
    ) -> ErrorModel:
        """Fit to some items in all conditions."""
        from sklearn.ensemble import HistGradientBoostingRegressor
        from sklearn.linear_model import RidgeCV

        chosen = _checked(measured, scores)
        values, errors = _rows(measured, items, chosen, seed)
        if not errors.size:
            raise InvalidInput("no item to learn from has an answer that counts", where=WHERE, found=measured.system)
        seen = tuple(np.sort(column[~np.isnan(column)]) for column in values.T)
        ranks = _ranks(values, seen)
        ridge = RidgeCV(PENALTIES).fit(_filled(ranks), errors)
        with _one_thread():
            trees = HistGradientBoostingRegressor(**TREES, early_stopping=False, random_state=seed).fit(ranks, errors)
        return cls(chosen, seen, ridge, trees)

    def predict(self, measured: Measurements, condition: Condition) -> FloatArray:
        """The predicted error of every item."""
        return self.predictions(measured, (condition,), slice(None))[0]

    def predictions(
        self, measured: Measurements, conditions: Sequence[Condition], items: NDArray[np.bool_] | slice
    ) -> FloatArray:
        """The predicted error of some items (conditions x items), all in one call of each model."""
        values = np.concatenate([_values(measured, condition, self.scores)[items] for condition in conditions])
        ranks = _ranks(values, self.seen)
        with _one_thread():
            predicted = (self.ridge.predict(_filled(ranks)) + self.trees.predict(ranks)) / 2
        return np.asarray(predicted).reshape(len(conditions), -1)


def _checked(measured: Measurements, scores: Sequence[Score] | None) -> tuple[Score, ...]:
    chosen = tuple(measured.scores if scores is None else scores)
    unknown = [Score(*score).label for score in chosen if score not in measured.scores]
    if unknown or not chosen:
        known = ", ".join(score.label for score in measured.scores) or "no scores"
        problem = f"no score {unknown[0]!r}" if unknown else "needs at least one score"
        raise InvalidInput(problem, where=f"system {measured.system!r}", found=known)
    return chosen


def _rows(
    measured: Measurements, items: NDArray[np.bool_], scores: Sequence[Score], seed: int
) -> tuple[FloatArray, FloatArray]:
    """Scores and errors of some items in all conditions, of those whose answer counts."""
    chosen = np.flatnonzero(items)
    most = max(MOST_ROWS // len(measured.conditions), 1)
    if chosen.size > most:
        chosen = np.sort(np.random.default_rng(seed).choice(chosen, most, replace=False))
    parts = list(_parts(measured, chosen, scores))
    return np.concatenate([values for values, _ in parts]), np.concatenate([errors for _, errors in parts])


def _parts(
    measured: Measurements, items: NDArray[np.intp], scores: Sequence[Score]
) -> Iterator[tuple[FloatArray, FloatArray]]:
    for condition in measured.conditions:
        statistics = measured.statistics(condition)[items]
        there = ~np.isnan(statistics).any(axis=1)
        values = _values(measured, condition, scores)[items]
        yield values[there], np.asarray(measured.metric.error(statistics[there]))


def _values(measured: Measurements, condition: Condition, scores: Sequence[Score]) -> FloatArray:
    columns = [as_scores(measured.score(s, condition), where=condition.label, name=s.label) for s in scores]
    return np.column_stack(columns)


def _ranks(values: FloatArray, seen: Sequence[FloatArray]) -> FloatArray:
    """Which share of the values seen lies below each, less a half; NaN for no value, 0 where none was seen."""
    ranks = np.zeros(values.shape)
    for column, known, out in zip(values.T, seen, ranks.T, strict=True):
        if known.size:
            below = np.searchsorted(known, column, "left") + np.searchsorted(known, column, "right")
            out[:] = np.where(np.isnan(column), np.nan, below / 2 / known.size - 0.5)
    return ranks


def _filled(ranks: FloatArray) -> FloatArray:
    """Ranks with the highest where there is none, and beside them whether there is none."""
    missing = np.isnan(ranks)
    return np.hstack([np.where(missing, 0.5, ranks), missing.astype(np.float64)])


def _one_thread() -> Any:
    """Trees on so few rows are slower in many threads, which wait for each other where others compute as well."""
    return _threads().limit(limits=1, user_api="openmp")


@cache
def _threads() -> Any:
    """Found once: looking through all libraries of the process takes as long as a small model."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


# The items of one condition or of several together.


@dataclass(frozen=True, eq=False)
class Rows:
    """Items whose answer counts, in the order of the conditions; the others are left out."""

    measured: Measurements
    conditions: tuple[Condition, ...]
    statistics: FloatArray
    present: tuple[NDArray[np.bool_], ...]

    @classmethod
    def of(cls, measured: Measurements, conditions: Sequence[Condition]) -> Rows:
        """Read the statistics of some conditions."""
        parts = [measured.statistics(condition) for condition in conditions]
        present = tuple(_answered(part) for part in parts)
        kept = [part[there] for part, there in zip(parts, present, strict=True) if there.any()]
        if not kept:
            labels = ", ".join(condition.label for condition in conditions)
            raise Undefined("no item has an answer that counts", where=f"system {measured.system!r}", found=labels)
        return cls(measured, tuple(conditions), np.concatenate(kept), present)

    def __len__(self) -> int:
        return len(self.statistics)

    @property
    def left_out(self) -> int:
        """Items whose answer does not count."""
        return sum(there.size for there in self.present) - len(self)

    @cached_property
    def errors(self) -> FloatArray:
        """The error of each item, higher for worse."""
        return np.asarray(self.measured.metric.error(self.statistics))

    @cached_property
    def units(self) -> NDArray[np.intp]:
        """Independent units as numbers from 0; an item is the same unit in all conditions."""
        units = self.measured.units
        names = np.concatenate(
            [np.flatnonzero(there) if units is None else np.asarray(units)[there] for there in self.present]
        )
        return numbered(names)

    @property
    def unit_count(self) -> int:
        """How many independent units there are."""
        return int(self.units.max()) + 1

    @property
    def independent(self) -> bool:
        """Whether every row is a unit of its own."""
        return self.unit_count == len(self)

    def score(self, score: Score) -> FloatArray:
        """A score of a module."""
        if score not in self.measured.scores:
            known = ", ".join(each.label for each in self.measured.scores) or "none"
            where = f"system {self.measured.system!r}"
            raise InvalidInput(f"no score {Score(*score).label!r}", where=where, found=known)
        return self.column(lambda condition: self.measured.score(score, condition), name=Score(*score).label)

    def suspicion(self, name: str, values: Suspicion) -> FloatArray:
        """A score from elsewhere."""
        missing = [condition.label for condition in self.conditions if condition not in values]
        if missing:
            raise InvalidInput("needs values in every condition", where=name, found=f"none for {', '.join(missing)}")
        return self.column(lambda condition: values[condition], name=name)

    def column(self, values: Callable[[Condition], FloatArray], *, name: str) -> FloatArray:
        """A number an item, from one a condition and item."""
        parts = []
        for condition, there in zip(self.conditions, self.present, strict=True):
            part = as_scores(values(condition), where=condition.label, name=name)
            if part.size != there.size:
                found = f"{part.size} for {there.size} items"
                raise InvalidInput(f"{name} must be one number an item", where=condition.label, found=found)
            parts.append(part[there])
        return np.concatenate(parts)


def _answered(statistics: FloatArray) -> NDArray[np.bool_]:
    return np.asarray(~np.isnan(statistics).any(axis=1))


def answered(*several: Measurements) -> tuple[Condition, ...]:
    """Conditions in which some item has an answer that counts of every system; all where there is none."""
    conditions = several[0].conditions
    there = tuple(c for c in conditions if np.all([_answered(each.statistics(c)) for each in several], axis=0).any())
    return there or conditions


def named(conditions: Sequence[Condition]) -> tuple[str, int | None]:
    """Corruption and severity of a condition, or words for several together."""
    return (ALL_CONDITIONS, None) if len(conditions) > 1 else conditions[0].corruption_and_severity


def separate(conditions: Sequence[Condition], *, pooled: bool) -> list[Sequence[Condition]]:
    """Each condition by itself, and all together where that is asked for."""
    return [*((condition,) for condition in conditions), *([conditions] if pooled else [])]
