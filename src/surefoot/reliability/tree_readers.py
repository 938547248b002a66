"""Fitted trees, forests and boosted trees of scikit-learn, read into plain arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.reliability.plain_estimators import own_kinds, require_plain, steps_behind
from surefoot.reliability.tree_ensembles import Ensemble, Tree

WHERE = "ExactTrees"
SCALERS = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler")


def read_ensemble(model: Any) -> Ensemble:
    """The trees behind a model: an estimator, a pipeline of scalers and one, its method or what was loaded."""
    *scalers, last = steps_behind(model, where=WHERE)
    reader = next((READERS[kind.__name__] for kind in own_kinds(last) if kind.__name__ in READERS), None)
    if reader is None:
        raise _unreadable(f"a {type(last).__name__}")
    if not hasattr(last, "n_features_in_"):
        raise _unreadable(f"a {type(last).__name__} that is not fitted")
    members = getattr(last, "estimators_", [])
    for member in members.flat if isinstance(members, np.ndarray) else members:
        require_plain(member, where=WHERE)
    return _unscaled(reader(last), scalers)


def _unreadable(found: str) -> InvalidInput:
    return InvalidInput(
        "the model is no ensemble of trees that can be read",
        where=WHERE,
        found=found,
        remedy="Use MonteCarlo(), which asks any model; trees, forests, bagged and boosted trees of scikit-learn "
        "are read, also behind scalers in a pipeline.",
    )


def _unscaled(ensemble: Ensemble, scalers: Sequence[Any]) -> Ensemble:
    """Thresholds as they are before scalers, each of which stretches every feature by itself."""
    threshold = ensemble.threshold
    for scaler in reversed(scalers):
        if own_kinds(scaler)[0].__name__ not in SCALERS or getattr(scaler, "clip", False):
            raise _unreadable(f"a pipeline with {scaler!r}")
        rows = np.zeros((len(threshold), ensemble.features))
        places = np.arange(len(threshold)), ensemble.feature
        rows[places] = np.where(np.isfinite(threshold), threshold, 0)
        threshold = np.where(np.isfinite(threshold), scaler.inverse_transform(rows)[places], threshold)
    return replace(ensemble, threshold=threshold)


def _tree(estimator: Any, values: FloatArray, columns: NDArray[Any] | None = None) -> Tree:
    """A tree of ``sklearn.tree``, which rounds inputs to single precision before it compares them."""
    tree = estimator.tree_
    leaf = tree.children_left < 0
    below = np.stack([tree.children_left, tree.children_right], axis=1)
    children = np.where(leaf[:, None], np.arange(len(leaf))[:, None], below)
    feature = np.where(leaf, 0, tree.feature)
    feature = feature if columns is None else np.asarray(columns)[feature]
    threshold = np.where(leaf, np.nan, _before_rounding(tree.threshold))
    return Tree(feature.astype(np.int32), threshold, children.astype(np.int32), values)


def _before_rounding(threshold: FloatArray) -> FloatArray:
    """Inputs up to here are at most the threshold once they are rounded to single precision."""
    nearest = threshold.astype(np.float32)
    below = np.where(nearest > threshold, np.nextafter(nearest, np.float32(-np.inf)), nearest)
    above = np.nextafter(below, np.float32(np.inf))
    return np.asarray((below.astype(float) + above.astype(float)) / 2)


def _shares(estimator: Any, classes: NDArray[Any] | slice, count: int) -> FloatArray:
    """Shares of classes in the leaves, in the columns of the ensemble's classes."""
    values = np.zeros((estimator.tree_.node_count, count))
    values[:, classes] = estimator.tree_.value[:, 0, :]
    return values


def _voting(trees: Sequence[Tree], classes: int, features: int) -> Ensemble:
    """Trees whose values are added up for each class."""
    return Ensemble.of([_less_first(tree) for tree in trees] if classes <= 2 else trees, features)


def _less_first(tree: Tree) -> Tree:
    """Values of the second class, where there is one, less those of the first."""
    return replace(tree, values=tree.values[:, 1:].sum(axis=1, keepdims=True) - tree.values[:, :1])


def _forest(model: Any) -> Ensemble:
    """A forest, or a tree by itself."""
    if model.n_outputs_ != 1:
        raise _unreadable(f"a {type(model).__name__} with {model.n_outputs_} outputs")
    members = getattr(model, "estimators_", [model])
    trees = [_tree(member, _shares(member, slice(None), model.n_classes_)) for member in members]
    return _voting(trees, model.n_classes_, model.n_features_in_)


def _bagging(model: Any) -> Ensemble:
    _require_trees(model.estimators_, model)
    trees = [
        _tree(member, _shares(member, member.classes_.astype(int), model.n_classes_), columns)
        for member, columns in zip(model.estimators_, model.estimators_features_, strict=True)
    ]
    return _voting(trees, model.n_classes_, model.n_features_in_)


def _adaboost(model: Any) -> Ensemble:
    _require_trees(model.estimators_, model)
    weights = model.estimator_weights_[: len(model.estimators_)]
    weights = weights / weights.sum()
    trees = [
        _tree(member, weight * _vote(member, model.classes_))
        for member, weight in zip(model.estimators_, weights, strict=True)
    ]
    return _voting(trees, model.n_classes_, model.n_features_in_)


def _vote(member: Any, classes: NDArray[Any]) -> FloatArray:
    """1 for the class that each leaf answers."""
    answers = member.classes_[member.tree_.value[:, 0, :].argmax(axis=1)]
    return np.asarray(answers[:, None] == classes, dtype=float)


def _gradient_boosting(model: Any) -> Ensemble:
    if type(model.init_).__name__ != "DummyClassifier" and model.init_ != "zero":
        raise _unreadable(f"a {type(model).__name__} that starts from {model.init_!r}")
    offset = model._raw_predict_init(np.zeros((1, model.n_features_in_), dtype=np.float32))[0]
    trees = [
        _tree(member, _in_column(model.learning_rate * member.tree_.value[:, 0, 0], column, len(offset)))
        for stage in model.estimators_
        for column, member in enumerate(stage)
    ]
    return _boosted(trees, offset, model.n_features_in_)


def _hist_gradient_boosting(model: Any) -> Ensemble:
    if model.is_categorical_ is not None and any(model.is_categorical_):
        raise _unreadable(f"a {type(model).__name__} with categorical features")
    offset = np.asarray(model._baseline_prediction, dtype=float).ravel()
    trees = [
        _hist_tree(predictor.nodes, column, len(offset))
        for stage in model._predictors
        for column, predictor in enumerate(stage)
    ]
    return _boosted(trees, offset, model.n_features_in_)


def _boosted(trees: Sequence[Tree], offset: FloatArray, features: int) -> Ensemble:
    """Trees whose values are added to what the ensemble starts from."""
    first, *others = trees
    return Ensemble.of([replace(first, values=first.values + offset), *others], features)


def _hist_tree(nodes: Any, column: int, columns: int) -> Tree:
    leaf = nodes["is_leaf"].astype(bool)
    below = np.stack([nodes["left"], nodes["right"]], axis=1).astype(np.int32)
    children = np.where(leaf[:, None], np.arange(len(leaf), dtype=np.int32)[:, None], below)
    feature = np.where(leaf, 0, nodes["feature_idx"]).astype(np.int32)
    threshold = np.where(leaf, np.nan, nodes["num_threshold"])
    return Tree(feature, threshold, children, _in_column(nodes["value"], column, columns))


def _in_column(values: FloatArray, column: int, columns: int) -> FloatArray:
    placed = np.zeros((len(values), columns))
    placed[:, column] = values
    return placed


def _require_trees(members: Sequence[Any], model: Any) -> None:
    other = next((member for member in members if not hasattr(member, "tree_")), None)
    if other is not None:
        raise _unreadable(f"a {type(model).__name__} of {type(other).__name__}")


READERS: dict[str, Callable[[Any], Ensemble]] = {
    "DecisionTreeClassifier": _forest,
    "ForestClassifier": _forest,
    "BaggingClassifier": _bagging,
    "AdaBoostClassifier": _adaboost,
    "GradientBoostingClassifier": _gradient_boosting,
    "HistGradientBoostingClassifier": _hist_gradient_boosting,
}
