"""The exact share of each answer of a tree ensemble inside boxes, and ensembles of scikit-learn as plain arrays.

All trees are descended for many boxes at once, each as far as the whole box goes one way. Bounds on the leaf values
below the nodes reached then tell which class wins, or else the box is cut at one of those nodes (branch and bound).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import LoadedModel
from surefoot.core import Executor, InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.reliability.local_risk import (
    EXACT,
    PROVED,
    Boxes,
    LocalProblem,
    LocalRisk,
    Progress,
    Within,
    cell_estimator,
)

Integers = NDArray[np.int64]
Decide = Callable[[FloatArray], NDArray[np.int64]]
OPEN = -1
"""The answer where bounds do not tell which class wins."""
WORK = 1 << 21
"""Node values looked at together, which bounds memory."""
BLOCK = 8
"""Boxes in a row that are first looked at as one, and rows of such blocks."""
LARGEST_BATCH = 1 << 16
MOST_BATCHES = 64
"""Every batch carries the model to its worker, so many boxes make larger batches instead of more."""
WITNESSES = 32
"""Pieces of each answer on which the model itself is asked."""


@cell_estimator("exact_trees")
@dataclass(frozen=True)
class ExactTrees:
    """Shares of answers computed from the thresholds of trees, forests, bagged and boosted trees of scikit-learn.

    The trees divide the inputs into boxes of one answer each, so that the share of an answer in a cell is a sum of
    volumes. A cell is cut only where the answer can change. The shares are those of what the model answers, up to a
    set of measure zero: inputs are rounded to single precision where scikit-learn does, and an answer that hangs on
    the rounding of a sum, such as a tie, is asked of the model. Thresholds behind scalers are exact up to double
    precision.

    References
    ----------
    Tornblom and Nadjm-Tehrani (2020), "Formal verification of input-output mappings of tree ensembles"; bounds below
    nodes as in Devos, Meert and Davis (2021), "Versatile verification of tree ensembles".

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> inputs = np.random.default_rng(0).random((300, 2))
    >>> labels = (inputs[:, 0] > 0.5).astype(int)
    >>> model = DecisionTreeClassifier(random_state=0).fit(inputs, labels)
    >>> found = sf.reliability.assess_cells(
    ...     model, inputs, labels, side=0.1, domain=(0, 1), profile=sf.profile.KDE(0.1),
    ...     estimator=sf.reliability.ExactTrees())
    >>> found.cells["trials"].max()
    np.int64(0)

    """

    def estimate(
        self, problem: LocalProblem, *, executor: Executor, seed: int, progress: Progress | None = None
    ) -> LocalRisk:
        """Shares of answers in all boxes of the problem."""
        ensemble = read_ensemble(problem.model)
        count = len(problem.boxes)
        _require_same_features(ensemble, problem.boxes)
        size = max(min(most_pieces(ensemble), LARGEST_BATCH), -(-count // MOST_BATCHES))
        shares_in = partial(
            _shares_in,
            ensemble=ensemble,
            boxes=problem.boxes,
            within=problem.within,
            decide=problem.decide,
            classes=problem.classes,
        )
        told = progress and (lambda done, _: progress(min(done * size, count), count))
        batches = executor.map(shares_in, list(problem.slices(size)), seed=seed, progress=told)
        shares = np.concatenate([np.empty((0, problem.classes)), *(found for found, _ in batches)])
        how = np.concatenate([np.empty(0, np.uint8), *(kind for _, kind in batches)])
        labels = LocalRisk.voted(problem.labels, shares)
        return LocalRisk(shares, labels, np.zeros(count, np.int64), how)


def _require_same_features(ensemble: Ensemble, boxes: Boxes) -> None:
    if ensemble.features != boxes.dimensions:
        raise InvalidInput(
            f"the model takes {ensemble.features} features",
            where=WHERE,
            found=f"boxes with {boxes.dimensions}",
            remedy="Give the domain for the features that the model was trained on.",
        )


def _shares_in(
    chosen: slice,
    rng: np.random.Generator,
    *,
    ensemble: Ensemble,
    boxes: Boxes,
    within: Within,
    decide: Decide,
    classes: int,
) -> tuple[FloatArray, NDArray[np.uint8]]:
    """Shares of answers in a batch of boxes, and how they were found."""
    numbered = _Numbering(decide)
    shares = np.zeros((chosen.stop - chosen.start, classes))
    answered = np.zeros(shares.shape, dtype=bool)
    for start in range(chosen.start, chosen.stop, most_pieces(ensemble)):
        lower, upper = boxes.corners(slice(start, min(start + most_pieces(ensemble), chosen.stop)))
        for pieces, answers in answered_pieces(ensemble, lower, upper):
            parts = within.share(lower[pieces.box], upper[pieces.box], pieces.lower, pieces.upper)
            place = (pieces.box + start - chosen.start) * classes + numbered(pieces, answers)
            np.add.at(shares.reshape(-1), place, parts)
            answered.reshape(-1)[place] = True
    proved = answered.sum(axis=1) == 1
    shares[proved] = answered[proved]
    return shares, np.where(proved, PROVED, EXACT).astype(np.uint8)


class _Numbering:
    """Numbers of classes for answers of trees, learnt from the model itself on a few pieces of each answer."""

    def __init__(self, decide: Decide) -> None:
        self.decide = decide
        self.known: dict[int, int] = {}

    def __call__(self, pieces: Pieces, answers: Integers) -> Integers:
        if not len(pieces):
            return answers
        if answers[0] == OPEN:
            return self.decide(pieces.middle)
        counts = np.bincount(answers)
        for answer in set(np.flatnonzero(counts).tolist()) - set(self.known):
            self.known[answer] = self._learnt(pieces[np.flatnonzero(answers == answer)])
        return np.array([self.known.get(answer, OPEN) for answer in range(len(counts))])[answers]

    def _learnt(self, pieces: Pieces) -> int:
        some = np.linspace(0, len(pieces) - 1, min(len(pieces), WITNESSES)).astype(int)
        numbers = np.unique(self.decide(pieces[some].middle))
        if len(numbers) > 1:
            raise InvalidInput(
                "the model does not answer as its trees do",
                where=WHERE,
                found=f"classes number {numbers.tolist()} where all trees together answer one",
                remedy="Use MonteCarlo(), or give the fitted ensemble itself, without what changes its answers.",
            )
        return int(numbers[0])


# Boxes cut along the thresholds of trees, only where and as far as the answer depends on it.


@dataclass(frozen=True, eq=False)
class Pieces:
    """Parts of boxes: the box each belongs to, its corners, and the node of each tree that all of it has reached."""

    box: Integers
    lower: FloatArray
    upper: FloatArray
    nodes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.box)

    def __getitem__(self, chosen: NDArray[np.bool_] | Integers | slice) -> Pieces:
        return Pieces(self.box[chosen], self.lower[chosen], self.upper[chosen], self.nodes[chosen])

    @classmethod
    def joined(cls, parts: Sequence[Pieces]) -> Pieces:
        """The pieces of all parts."""
        columns = zip(*((part.box, part.lower, part.upper, part.nodes) for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))

    @property
    def middle(self) -> FloatArray:
        """A point inside each piece."""
        return self.lower + (self.upper - self.lower) / 2


Lot = tuple[Pieces, Integers]


def most_pieces(ensemble: Ensemble) -> int:
    """How many pieces are looked at together; no more boxes than that may be asked for at once."""
    return max(1, WORK // (len(ensemble.roots) * ensemble.bounds.shape[1]))


def answered_pieces(ensemble: Ensemble, lower: FloatArray, upper: FloatArray) -> Iterator[Lot]:
    """Lots of pieces with their answers; together they fill all boxes.

    Each piece has one answer throughout. In the lots of pieces whose scores are too close to tell it, all answers
    are ``OPEN``.
    """
    answers, rest = _whole_boxes(ensemble, lower, upper)
    settled = np.flatnonzero(answers != OPEN)
    nodes = np.broadcast_to(ensemble.roots, (len(settled), len(ensemble.roots)))
    yield Pieces(settled, lower[settled], upper[settled], nodes), answers[settled]
    yield from _cut(ensemble, rest)


def _whole_boxes(ensemble: Ensemble, lower: FloatArray, upper: FloatArray) -> tuple[Integers, Pieces]:
    """Answers of boxes that need no cut, found for whole blocks of boxes where possible; and the open boxes."""
    count, missing = len(lower), ((0, -len(lower) % BLOCK**3), (0, 0))
    low, high = np.pad(lower, missing, mode="edge"), np.pad(upper, missing, mode="edge")
    answers = np.full(len(low), OPEN)
    blocks = np.arange(len(low) // BLOCK**3)
    nodes = np.tile(ensemble.roots, (len(blocks), 1))
    for size in (BLOCK**2, BLOCK, 1):
        pieces = _opened(blocks, nodes, low, high, size)
        found = _advance(ensemble, pieces)
        answers.reshape(-1, size)[pieces.box] = found[:, None]
        pieces = pieces[found == OPEN]
        blocks, nodes = pieces.box, pieces.nodes
    return answers[:count], pieces[pieces.box < count]


def _opened(blocks: Integers, nodes: NDArray[np.int32], lower: FloatArray, upper: FloatArray, size: int) -> Pieces:
    """The smaller blocks, of ``size`` boxes each, inside blocks that have reached nodes."""
    inner = (blocks[:, None] * BLOCK + np.arange(BLOCK)).ravel()
    low = lower.reshape(-1, size, lower.shape[1])[inner].min(axis=1)
    high = upper.reshape(-1, size, upper.shape[1])[inner].max(axis=1)
    return Pieces(inner, low, high, np.repeat(nodes, BLOCK, axis=0))


def _cut(ensemble: Ensemble, boxes: Pieces) -> Iterator[Lot]:
    limit, waiting, close = most_pieces(ensemble), [boxes], []
    while waiting:
        pieces = waiting.pop()
        answers = _advance(ensemble, pieces)
        is_open, is_cut = answers == OPEN, ensemble.span[pieces.nodes].max(axis=1) > 0
        yield pieces[~is_open], answers[~is_open]
        close.append(pieces[is_open & ~is_cut])
        halves = _halves(ensemble, pieces[is_open & is_cut])
        waiting += [halves[start : start + limit] for start in range(0, len(halves), limit)]
        if not waiting or sum(map(len, close)) >= limit:
            together = Pieces.joined(close)
            close.clear()
            yield together, np.full(len(together), OPEN)


def _halves(ensemble: Ensemble, pieces: Pieces) -> Pieces:
    """Each piece cut in two at the node whose leaves differ most."""
    rows = np.arange(len(pieces))
    node = pieces.nodes[rows, ensemble.span[pieces.nodes].argmax(axis=1)]
    places = rows, ensemble.feature[node]
    lower, upper = pieces.lower.copy(), pieces.upper.copy()
    lower[places] = upper[places] = ensemble.threshold[node]
    left = Pieces(pieces.box, pieces.lower, upper, pieces.nodes)
    right = Pieces(pieces.box, lower, pieces.upper, pieces.nodes)
    return Pieces.joined([left, right])


def _advance(ensemble: Ensemble, pieces: Pieces) -> Integers:
    """Descend all trees as far as whole pieces go, in place; the answers that the nodes reached leave possible."""
    _descend(ensemble, pieces)
    bounds = np.einsum("ijk->ik", ensemble.bounds.take(pieces.nodes, axis=0))
    low, high = np.split(bounds, 2, axis=1)
    return _winner(low, high, ensemble.tolerance)


def _descend(ensemble: Ensemble, pieces: Pieces) -> None:
    lower, upper, nodes = pieces.lower.reshape(-1), pieces.upper.reshape(-1), pieces.nodes.reshape(-1)
    active = np.flatnonzero(ensemble.span[nodes] > 0)
    corner = active // len(ensemble.roots) * pieces.lower.shape[1]
    at = nodes[active]
    while active.size:
        threshold, place = ensemble.threshold[at], corner + ensemble.feature[at]
        goes_left = upper[place] <= threshold
        moves = goes_left | (lower[place] >= threshold)
        at = np.where(goes_left, ensemble.left[at], ensemble.right[at])[moves]
        active, corner = active[moves], corner[moves]
        nodes[active] = at


def _winner(low: FloatArray, high: FloatArray, tolerance: float) -> Integers:
    """The class that is ahead of all others wherever the scores lie between bounds, or ``OPEN``."""
    if low.shape[1] == 1:
        return np.where(low[:, 0] > tolerance, 1, np.where(high[:, 0] < -tolerance, 0, OPEN))
    rows, winner = np.arange(len(low)), low.argmax(axis=1)
    rivals = high.copy()
    rivals[rows, winner] = -np.inf
    return np.where(low[rows, winner] - rivals.max(axis=1) > tolerance, winner, OPEN)


WHERE = "ExactTrees"
SCALERS = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler")
ROUNDING = 1e-9
"""Share of the largest possible score below which two scores count as close: far above the error of any sum."""


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


@dataclass(frozen=True, eq=False)
class Ensemble:
    """All trees one after another; the class with the largest sum of leaf values is the answer.

    With two classes there is one column of values: the second's less the first's.
    """

    feature: NDArray[np.int32]
    threshold: FloatArray
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    roots: NDArray[np.int32]
    bounds: FloatArray
    """The least that a leaf below each node adds to each column, then the most."""
    span: FloatArray
    """How much the leaves below each node differ; 0 where all are the same."""
    tolerance: float
    """Scores that differ by no more are too close to tell what rounding makes of them."""
    features: int

    @classmethod
    def of(cls, trees: Sequence[Tree], features: int) -> Ensemble:
        """Join trees, and bound the leaf values below every node."""
        roots = np.cumsum([0, *(len(tree.feature) for tree in trees[:-1])]).astype(np.int32)
        children = np.concatenate([tree.children + root for tree, root in zip(trees, roots, strict=True)])
        low, high = _bounds(children, roots, np.concatenate([tree.values for tree in trees]))
        largest = np.maximum(np.abs(low[roots]), np.abs(high[roots])).sum(axis=0).max()
        return cls(
            np.concatenate([tree.feature for tree in trees]),
            np.concatenate([tree.threshold for tree in trees]),
            children[:, 0].copy(),
            children[:, 1].copy(),
            roots,
            np.hstack([low, high]),
            (high - low).max(axis=1),
            float(ROUNDING * (1 + largest)),
            features,
        )


def _bounds(children: NDArray[np.int32], roots: NDArray[np.int32], values: FloatArray) -> tuple[FloatArray, FloatArray]:
    low, high = values.copy(), values.copy()
    for inner in reversed(_levels(children, roots)):
        low[inner] = low[children[inner]].min(axis=1)
        high[inner] = high[children[inner]].max(axis=1)
    return low, high


def _levels(children: NDArray[np.int32], roots: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Nodes that are no leaves, by depth."""
    levels, reached = [], roots
    while reached.size:
        inner = reached[children[reached, 0] != reached]
        levels.append(inner)
        reached = children[inner].ravel()
    return levels


@dataclass(frozen=True, eq=False)
class Tree:
    """One tree: inputs with ``feature <= threshold`` go left; a leaf has no threshold (NaN) and itself as children."""

    feature: NDArray[np.int32]
    threshold: FloatArray
    children: NDArray[np.int32]
    values: FloatArray
    """What each leaf adds to the score of each class."""


# Readers of each kind of ensemble.


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


def _boosted(trees: Sequence[Tree], offset: FloatArray, features: int) -> Ensemble:
    """Trees whose values are added to what the ensemble starts from."""
    first, *others = trees
    return Ensemble.of([replace(first, values=first.values + offset), *others], features)


def _voting(trees: Sequence[Tree], classes: int, features: int) -> Ensemble:
    """Trees whose values are added up for each class."""
    if classes > 2:
        return Ensemble.of(trees, features)
    # Values of the second class, where there is one, less those of the first.
    gaps = [tree.values[:, 1:].sum(axis=1, keepdims=True) - tree.values[:, :1] for tree in trees]
    return Ensemble.of([replace(tree, values=gap) for tree, gap in zip(trees, gaps, strict=True)], features)


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


# Whether an estimator answers as its class of scikit-learn does, or with code of its own.

ANSWERS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "inverse_transform")
SHAPES_ANSWERS = re.compile(
    r"^(?!set_|fit)\w*(predict|decision|apply|transform|_validate_X|_validate_data|_preprocess_X|__getattr)"
)
"""Names of methods that an answer may go through; scikit-learn makes new setters for every derived class."""


def steps_behind(model: Any, *, where: str) -> list[Any]:
    """The steps of a pipeline, or one estimator: behind what was loaded, a method or a search for the best.

    Everything on the way answers as scikit-learn wrote it.
    """
    estimator = _owner(model, where=where)
    if own_kinds(estimator) and hasattr(estimator, "best_estimator_"):
        require_plain(estimator, where=where)
        estimator = estimator.best_estimator_
    if not own_kinds(estimator):
        return [estimator]
    *others, last = [step for _, step in getattr(estimator, "steps", [("", estimator)])]
    steps = [*(step for step in others if step not in (None, "passthrough")), last]
    for part in (estimator, *steps):
        require_plain(part, where=where)
    return steps


def own_kinds(estimator: Any) -> tuple[type, ...]:
    """The class of scikit-learn that an estimator is of or derives from, with its bases; none for others."""
    known = _own_class(type(estimator))
    return known.__mro__ if known else ()


def require_plain(estimator: Any, *, where: str) -> None:
    """Neither a derived class nor the object itself changes how the class of scikit-learn answers."""
    known = _own_class(type(estimator))
    if known is None:
        raise _own_code(f"a {type(estimator).__name__}, which is not of scikit-learn", where)
    changed = next(_changed(estimator, known), None)
    if changed:
        raise _own_code(f"{changed} of {type(estimator).__name__}, which is not that of scikit-learn", where)


def _owner(model: Any, *, where: str) -> Any:
    """The object behind a loaded model or a method that answers."""
    if isinstance(model, LoadedModel):
        own = model.source is None or hasattr(model.function, "__self__")
        return _owner(model.function if own else model.source, where=where)
    owner = getattr(model, "__self__", model)
    name = getattr(model, "__name__", "")
    if owner is not model and name not in ANSWERS:
        raise _own_code(f"the method {name} of a {type(owner).__name__}", where)
    return owner


def _own_code(found: str, where: str) -> InvalidInput:
    return InvalidInput(
        "the model has code of its own for its answers, so they cannot be read from its parts",
        where=where,
        found=found,
        remedy="Use MonteCarlo(), which asks any model, or give the fitted estimator of scikit-learn itself.",
    )


def _changed(estimator: Any, known: type) -> Iterator[str]:
    names = _names(known)
    yield from (name for name, value in vars(estimator).items() if name in names and callable(value))
    if type(estimator) is not known:
        yield from (name for name in sorted(names) if _is_overridden(name, type(estimator), known))


def _is_overridden(name: str, kind: type, known: type) -> bool:
    """Static, as some methods are made anew whenever they are looked up."""
    return inspect.getattr_static(kind, name, None) is not inspect.getattr_static(known, name, None)


def _own_class(kind: type) -> type | None:
    return next((base for base in kind.__mro__ if base.__module__.split(".")[0] == "sklearn"), None)


@cache
def _names(known: type) -> frozenset[str]:
    return frozenset({*ANSWERS, "__getattr__", *filter(SHAPES_ANSWERS.search, dir(known))})
