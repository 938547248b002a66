"""``IsolationForest``: rows that few random cuts set apart are strange.

All trees of all classes lie one after another as plain arrays. A leaf is its own child, so that all rows take the same
number of steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned
from surefoot.profile.input_arrays import slices

LARGEST = np.finfo(np.float32).max
AT_ONCE = 1 << 16
"""Walks (a row in a tree) that go side by side, so that they stay in the cache."""


@dataclass(eq=False)
class IsolationForest(Detector, name="isolation_forest"):
    """An isolation forest for each predicted class (Liu, Ting and Zhou 2008, "Isolation Forest").

    Scores lie in (0, 1], as in the paper. Rows are rounded to single precision.

    Parameters
    ----------
    trees
        How many trees a class has.
    sample
        The rows that each tree is grown from, or all of a class where it has fewer.
    contamination
        Gives each class the threshold that this share of its fitted rows exceeds (less where scores are tied); the
        score is then the distance from it, so that an alarm is a score above 0. 0.3 is the monitor of MON, section
        III-A.
    seed
        Settles the trees.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rows = np.random.default_rng(0).normal(size=(300, 2))
    >>> detector = sf.monitors.IsolationForest(trees=50).fit(rows, np.zeros(300, dtype=int))
    >>> detector.decision_function([[0, 0], [5, 5]], [0, 0]).round(1)
    array([0.4, 0.8])

    """

    trees: int = 100
    sample: int = 256
    contamination: float | None = None
    seed: int = 0
    by_class = True

    def __post_init__(self) -> None:
        self.trees = validate.count(self.trees, where=self.name, name="trees", at_least=1)
        self.sample = validate.count(self.sample, where=self.name, name="sample", at_least=1)
        self.seed = validate.seed(self.seed, where=self.name)
        if self.contamination is not None:
            self.contamination = validate.fraction(self.contamination, where=self.name, name="contamination")

    @property
    def thresholds(self) -> FloatArray:
        """The anomaly score above which a row of each class is rejected, in the order of ``classes``."""
        if self.contamination is None:
            raise Undefined("has no thresholds without contamination", where=self.name, remedy="Give contamination.")
        return self.learned["thresholds"]

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        singles = _single_precision(rows)
        options = {"trees": self.trees, "sample": self.sample, "seed": self.seed}
        parts = [singles[classes == number] for number in range(classes.max() + 1)]
        learned = joined([grown(part, **options) for part in parts])
        learned["thresholds"] = np.zeros(len(parts))
        if self.contamination is not None:
            scores = anomaly(singles, classes, learned)
            share = 100 * self.contamination  # as scikit-learn counts it
            below = [-np.percentile(-scores[classes == number], share) for number in range(len(parts))]
            learned["thresholds"] = np.array(below)
        return learned

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Learned) -> FloatArray:
        return anomaly(_single_precision(rows), classes, ready) - ready["thresholds"][classes]


def _single_precision(rows: NDArray[Any]) -> NDArray[np.float32]:
    return np.clip(rows, -LARGEST, LARGEST).astype(np.float32)


def grown(rows: NDArray[np.float32], *, trees: int, sample: int, seed: int) -> dict[str, NDArray[Any]]:
    """A forest for one class, trained with scikit-learn (Liu, Ting and Zhou 2008, "Isolation Forest")."""
    from sklearn.ensemble import IsolationForest

    size = min(sample, len(rows))
    forest = IsolationForest(n_estimators=trees, max_samples=size, random_state=seed).fit(rows)
    grown_trees = [each.tree_ for each in forest.estimators_]
    starts = _starts([tree.node_count for tree in grown_trees])
    children = [_children(tree) + start for tree, start in zip(grown_trees, starts, strict=True)]
    return {
        "feature": np.concatenate([np.maximum(tree.feature, 0) for tree in grown_trees]).astype(np.int32),
        "threshold": np.concatenate([tree.threshold for tree in grown_trees]),
        "children": np.concatenate(children),
        "path": np.concatenate([_path_lengths(tree) for tree in grown_trees]),
        "roots": starts[None],
        "usual": trees * average_path(np.array([size])),
        "steps": np.array([max(tree.max_depth for tree in grown_trees)]),
    }


def _starts(counts: list[int]) -> NDArray[np.int32]:
    """The number of the first node of each tree or forest."""
    return np.cumsum([0, *counts[:-1]]).astype(np.int32)


def _children(tree: Any) -> NDArray[np.int32]:
    """Both children of each node; a leaf has itself."""
    both = np.stack([tree.children_left, tree.children_right], axis=1)
    return np.where(both < 0, np.arange(tree.node_count)[:, None], both).astype(np.int32)


def _path_lengths(tree: Any) -> FloatArray:
    """The depth of each node, and the depth that a finished tree would add to it."""
    return tree.compute_node_depths() + average_path(tree.n_node_samples) - 1.0


def average_path(rows: NDArray[Any]) -> FloatArray:
    """The mean depth of an unsuccessful search in a tree of so many rows (Liu, Ting and Zhou 2008, Eqn. (1))."""
    many = np.maximum(rows, 3).astype(np.float64)
    harmonic = np.log(many - 1.0) + np.euler_gamma
    return np.where(rows > 2, 2.0 * harmonic - 2.0 * (many - 1.0) / many, np.where(rows == 2, 1.0, 0.0))


def joined(forests: list[dict[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """The forests of all classes in one set of arrays."""
    starts = _starts([len(forest["feature"]) for forest in forests])
    moved = [
        {**forest, "children": forest["children"] + start, "roots": forest["roots"] + start}
        for forest, start in zip(forests, starts, strict=True)
    ]
    return {name: np.concatenate([forest[name] for forest in moved]) for name in forests[0]}


def anomaly(rows: NDArray[np.float32], classes: NDArray[np.int64], trees: Learned) -> FloatArray:
    """The anomaly score of each row in the forest of its class (Liu, Ting and Zhou 2008, Eqn. (2))."""
    size = max(1, AT_ONCE // trees["roots"].shape[1])
    return np.concatenate([_anomaly(rows[part], classes[part], trees) for part in slices(len(rows), size)])


def _anomaly(rows: NDArray[np.float32], classes: NDArray[np.int64], trees: Learned) -> FloatArray:
    width = rows.shape[1]
    values, offsets = rows.ravel(), width * np.arange(len(rows))[:, None]
    feature, threshold, children = trees["feature"], trees["threshold"], trees["children"].ravel()
    node = trees["roots"][classes]
    for _ in range(int(trees["steps"][classes].max())):
        right = values.take(offsets + feature.take(node)) > threshold.take(node)
        node = children.take(2 * node + right)
    # Adding tree by tree rounds as scikit-learn does, and alike for one row and for many.
    depth = np.add.accumulate(trees["path"].take(node), axis=1)[:, -1]
    usual = trees["usual"][classes]
    return 2.0 ** -np.divide(depth, usual, out=np.ones_like(depth), where=usual != 0)
