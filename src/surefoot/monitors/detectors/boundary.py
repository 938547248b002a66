"""``FeatureBox``, ``OneClassSVM`` and ``IsolationForest``: rows outside the region of their class, or cut off easily.

All trees of all classes lie one after another as plain arrays. A leaf is its own child, so that all rows take the same
number of steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import HUGE, Detector, Learned, bounded, divisor, ratio, scored_by_class
from surefoot.profile.input_arrays import slices

ROUNDED = 6
"""Decimals in which rows must differ, at the scale of their largest value, to count as distinct."""
AT_ONCE = 1 << 20
"""Kernel values (a row and a support vector) that are held at once."""
GAMMAS = 1e-200, 1e200
"""Between them the product with a squared distance is a number or a clear infinity."""


@dataclass(eq=False)
class FeatureBox(Detector, name="feature_box"):
    """Boxes around the features of each predicted class (Henzinger, Lukina and Schilling 2020, "Outside the Box").

    A score is 0 inside a box. Outside it says by how much more all sides would have to be moved, as a share of the
    box's width, until the nearest box held the row. A side without width takes the width of its feature over all fitted
    rows, or 1 where the feature is constant.

    Parameters
    ----------
    margin
        How far sides are moved outward, as a share of the width.
    clusters
        Boxes of a class; more than one follow k-means clusters.
    quantile
        The share of fitted rows that each side leaves out.
    seed
        Settles the clusters.

    Examples
    --------
    >>> import surefoot as sf
    >>> detector = sf.monitors.FeatureBox().fit([[0, 0], [1, 2]], labels=[0, 0])
    >>> detector.decision_function([[0.5, 1], [1.5, 1], [0.5, 4]], [0, 0, 0])
    array([0. , 0.5, 1. ])

    """

    margin: float = 0.0
    """How far sides are moved outward, as a share of the width."""
    clusters: int = 1
    """Boxes of a class; more than one follow k-means clusters."""
    quantile: float = 0.0
    """The share of fitted rows that each side leaves out."""
    seed: int = 0
    by_class = True

    def __post_init__(self) -> None:
        self.margin = validate.at_least_zero(self.margin, where=self.name, name="margin")
        self.quantile = validate.number(self.quantile, where=self.name, name="quantile")
        self.clusters = validate.count(self.clusters, where=self.name, name="clusters", at_least=1)
        self.seed = validate.seed(self.seed, where=self.name)
        if not 0 <= self.quantile < 0.5:
            raise InvalidInput("quantile must lie in [0, 0.5)", where=self.name, found=f"{self.quantile:g}")

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        values = bounded(rows)
        groups = [self._clustered(values[classes == number]) for number in range(classes.max() + 1)]
        sides = np.array([0.0, 1.0]) + np.array([1.0, -1.0]) * self.quantile
        boxes = np.array([np.quantile(group, sides, axis=0) for parts in groups for group in parts])
        extent = values.max(axis=0) - values.min(axis=0)
        size = np.abs(values).max(axis=0)
        widths = divisor(boxes[:, 1] - boxes[:, 0], size, divisor(extent, size))
        ends = np.cumsum([len(parts) for parts in groups])
        return {"low": boxes[:, 0], "high": boxes[:, 1], "widths": widths, "ends": ends}

    def _clustered(self, rows: FloatArray) -> list[FloatArray]:
        if self.clusters == 1:
            return [rows]
        from sklearn.cluster import KMeans

        scaled = rows / divisor(np.abs(rows).max(), np.zeros(()))
        distinct = len(np.unique(scaled.round(ROUNDED), axis=0))
        numbers = KMeans(min(self.clusters, distinct), n_init=4, random_state=self.seed).fit_predict(scaled)
        return [rows[numbers == number] for number in np.unique(numbers)]

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Learned) -> FloatArray:
        return scored_by_class(bounded(rows), classes, lambda number, own: self._outside(number, own, ready))

    def _outside(self, number: int, rows: FloatArray, ready: Learned) -> FloatArray:
        start, end = (0, *ready["ends"])[number], ready["ends"][number]
        nearest = np.min([_sides_moved(rows, ready, box) for box in range(start, end)], axis=0)
        return np.maximum(nearest - self.margin, 0.0)


def _sides_moved(rows: FloatArray, ready: Learned, box: int) -> FloatArray:
    """By how many widths the sides of one box must be moved to hold each row."""
    excess = np.maximum(ready["low"][box] - rows, rows - ready["high"][box])
    return np.maximum(ratio(excess, ready["widths"][box]), 0.0).max(axis=1)


@dataclass(eq=False)
class OneClassSVM(Detector, name="one_class_svm"):
    """A one-class support vector machine with a Gaussian kernel for each predicted class (Schoelkopf et al. 2001).

    Scores above 0 lie outside the region of the class. Weights of support vectors sum to 1 as in the paper, so that
    classes of different sizes compare: the score is minus scikit-learn's decision value, divided by ``nu`` times the
    rows of the class.

    Parameters
    ----------
    nu
        The region leaves out at most this share of the fitted rows.
    gamma
        Factor of the squared distance in the kernel; ``"scale"`` is 1 / (features x variance) of the class.
    max_rows
        Rows drawn at random from a larger class: the time to fit grows with the square of a class.
    seed
        Settles which rows are drawn.

    References
    ----------
    Schoelkopf, Platt, Shawe-Taylor, Smola, Williamson (2001), "Estimating the Support of a High-Dimensional
    Distribution", Neural Computation 13(7).

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rows = np.random.default_rng(0).normal(size=(200, 2))
    >>> detector = sf.monitors.OneClassSVM().fit(rows, np.zeros(200, dtype=int))
    >>> (detector.decision_function([[0, 0], [5, 5]], [0, 0]) > 0).tolist()
    [False, True]

    """

    nu: float = 0.1
    gamma: float | Literal["scale"] = "scale"
    max_rows: int = 5000
    seed: int = 0
    by_class = True

    def __post_init__(self) -> None:
        self.nu = validate.fraction(self.nu, where=self.name, name="nu")
        self.max_rows = validate.count(self.max_rows, where=self.name, name="max_rows", at_least=1)
        self.seed = validate.seed(self.seed, where=self.name)
        if isinstance(self.gamma, str):
            validate.choice(self.gamma, ["scale"], where=self.name, name="gamma")
        else:
            self.gamma = validate.positive(self.gamma, where=self.name, name="gamma")

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        if np.abs(rows).max() > HUGE:
            found = f"{np.abs(rows).max():g}"
            raise InvalidInput(f"features must be at most {HUGE:g} large", where=self.name, found=found)
        rng = np.random.default_rng(self.seed)
        drawn = [self._drawn(rows[classes == number], rng) for number in range(classes.max() + 1)]
        trained = [_trained(part, self.nu, self._gamma(part)) for part in drawn]
        learned = {name: np.concatenate([part[name] for part in trained]) for name in trained[0]}
        return {**learned, "ends": np.cumsum([len(part["weights"]) for part in trained])}

    def _drawn(self, rows: FloatArray, rng: np.random.Generator) -> FloatArray:
        if len(rows) <= self.max_rows:
            return rows
        return rows[np.sort(rng.choice(len(rows), self.max_rows, replace=False))]

    def _gamma(self, rows: FloatArray) -> float:
        if not isinstance(self.gamma, str):
            return self.gamma
        deviation = divisor(rows.std(), np.abs(rows).max(), 1.0 / np.sqrt(rows.shape[1]))
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            return float(np.clip(1.0 / (rows.shape[1] * deviation**2), *GAMMAS))

    def _prepared(self, learned: Learned) -> list[Region]:
        cuts = learned["ends"][:-1]
        parts = zip(np.split(learned["vectors"], cuts), np.split(learned["weights"], cuts), strict=True)
        return [
            _region(vectors, weights, learned["levels"][number], learned["gammas"][number])
            for number, (vectors, weights) in enumerate(parts)
        ]

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: list[Region]) -> FloatArray:
        return scored_by_class(rows, classes, lambda number, own: _outside(own, ready[number]))


class Region(NamedTuple):
    """The region of one class: kernels on support vectors, and the level that their weighted sum must reach."""

    vectors: FloatArray
    """Relative to ``centre``, so that distances by scalar products keep their digits."""
    squares: FloatArray
    weights: FloatArray
    level: float
    gamma: float
    centre: FloatArray


def _trained(rows: FloatArray, nu: float, gamma: float) -> dict[str, NDArray[Any]]:
    from sklearn.svm import OneClassSVM as Machine

    machine = Machine(nu=nu, gamma=gamma).fit(rows)
    total = machine.dual_coef_.sum()
    return {
        "vectors": machine.support_vectors_,
        "weights": machine.dual_coef_[0] / total,
        "levels": -machine.intercept_ / total,
        "gammas": np.array([gamma]),
    }


def _region(vectors: FloatArray, weights: FloatArray, level: float, gamma: float) -> Region:
    centre = vectors.mean(axis=0)
    centred = vectors - centre
    return Region(centred, np.einsum("ij,ij->i", centred, centred), weights, float(level), float(gamma), centre)


def _outside(rows: NDArray[Any], region: Region) -> FloatArray:
    """How far the weighted kernels of each row stay below the level."""
    size = max(1, AT_ONCE // len(region.weights))
    return np.concatenate([region.level - _kernel_sums(rows[part], region) for part in slices(len(rows), size)])


def _kernel_sums(rows: NDArray[Any], region: Region) -> FloatArray:
    centred = bounded(rows) - region.centre
    squares = np.einsum("ij,ij->i", centred, centred)[:, None] + region.squares - 2.0 * (centred @ region.vectors.T)
    with np.errstate(over="ignore", under="ignore"):
        return np.exp(-region.gamma * np.maximum(squares, 0.0)) @ region.weights


LARGEST = np.finfo(np.float32).max
ROWS_AT_ONCE = 1 << 16
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
    size = max(1, ROWS_AT_ONCE // trees["roots"].shape[1])
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
