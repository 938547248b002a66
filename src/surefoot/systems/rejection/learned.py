"""``learned``: how wrong an answer is likely to be, learned from all scores of all modules.

An item's error is predicted by models that never saw it: items are dealt into folds by unit, an item's clean and
corrupted versions into the same one, and each fold is predicted from the others (cross-fitting). The prediction is the
mean of a ridge regression on ranks, which holds up where items are few, and of boosted trees, which see what only
scores together tell. Ranks make scores of any scale alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.systems.data.conditions import Condition
from surefoot.systems.rejection.strategies import as_scores
from surefoot.systems.tables.measured import Measured, Score
from surefoot.systems.tables.pairs import numbered

WHERE = "learned"
FOLDS = 5
MOST_ROWS = 50_000
"""Rows that a model is fitted to; of more, items are drawn."""
PENALTIES = np.geomspace(0.1, 1e4, 11)
TREES = {"max_iter": 100, "learning_rate": 0.06, "max_leaf_nodes": 8, "min_samples_leaf": 20, "l2_regularization": 1.0}


@dataclass(frozen=True, eq=False)
class ErrorModel:
    """Predicts the error of an item from its scores."""

    scores: tuple[Score, ...]
    seen: tuple[FloatArray, ...]
    """Sorted values of each score in the rows it was fitted to."""
    ridge: Any
    trees: Any

    @classmethod
    def fit(
        cls, measured: Measured, items: NDArray[np.bool_], *, scores: Sequence[Score] | None = None, seed: int = 0
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

    def predict(self, measured: Measured, condition: Condition) -> FloatArray:
        """The predicted error of every item."""
        ranks = _ranks(_values(measured, condition, self.scores), self.seen)
        with _one_thread():
            return np.asarray((self.ridge.predict(_filled(ranks)) + self.trees.predict(ranks)) / 2)


def learned(
    measured: Measured, *, scores: Sequence[Score] | None = None, folds: int = FOLDS, seed: int = 0
) -> dict[Condition, FloatArray]:
    """The error of every item in every condition, predicted by models that were fitted to other units.

    By default from all scores. Give it to ``rejections`` or ``risk_coverage`` as one of ``others``.
    """
    fold = fold_of(measured, folds=folds, seed=seed)
    found = {condition: np.empty(fold.size) for condition in measured.conditions}
    for number in range(int(fold.max()) + 1):
        held = fold == number
        model = ErrorModel.fit(measured, ~held, scores=scores, seed=seed)
        for condition, values in found.items():
            values[held] = model.predict(measured, condition)[held]
    return found


def fold_of(measured: Measured, *, folds: int, seed: int) -> NDArray[np.int64]:
    """Which fold each item is in; items of a unit share one."""
    number = validate.count(folds, where=WHERE, name="folds", at_least=2)
    items = len(measured.statistics())
    units = np.arange(items) if measured.units is None else numbered(measured.units)
    count = int(units.max()) + 1
    if count < number:
        raise InvalidInput("needs as many independent units as folds", where=WHERE, found=f"{count} for {number} folds")
    dealt = np.random.default_rng(validate.seed(seed, where=WHERE)).permutation(count) % number
    return dealt[units]


def _one_thread() -> Any:
    """Trees on so few rows are slower in many threads, which wait for each other where others compute as well."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1, user_api="openmp")


def _checked(measured: Measured, scores: Sequence[Score] | None) -> tuple[Score, ...]:
    chosen = tuple(measured.scores if scores is None else scores)
    unknown = [Score(*score).label for score in chosen if score not in measured.scores]
    if unknown or not chosen:
        known = ", ".join(score.label for score in measured.scores) or "no scores"
        problem = f"no score {unknown[0]!r}" if unknown else "needs at least one score"
        raise InvalidInput(problem, where=f"system {measured.system!r}", found=known)
    return chosen


def _rows(
    measured: Measured, items: NDArray[np.bool_], scores: Sequence[Score], seed: int
) -> tuple[FloatArray, FloatArray]:
    """Scores and errors of some items in all conditions, of those whose answer counts."""
    chosen = np.flatnonzero(items)
    most = max(MOST_ROWS // len(measured.conditions), 1)
    if chosen.size > most:
        chosen = np.sort(np.random.default_rng(seed).choice(chosen, most, replace=False))
    parts = list(_parts(measured, chosen, scores))
    return np.concatenate([values for values, _ in parts]), np.concatenate([errors for _, errors in parts])


def _parts(
    measured: Measured, items: NDArray[np.intp], scores: Sequence[Score]
) -> Iterator[tuple[FloatArray, FloatArray]]:
    for condition in measured.conditions:
        statistics = measured.statistics(condition)[items]
        there = ~np.isnan(statistics).any(axis=1)
        values = _values(measured, condition, scores)[items]
        yield values[there], np.asarray(measured.metric.error(statistics[there]))


def _values(measured: Measured, condition: Condition, scores: Sequence[Score]) -> FloatArray:
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
