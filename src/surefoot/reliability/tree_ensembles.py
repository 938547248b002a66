"""Ensembles of trees as a few plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray

ROUNDING = 1e-9
"""Share of the largest possible score below which two scores count as close: far above the error of any sum."""


@dataclass(frozen=True, eq=False)
class Tree:
    """One tree: inputs with ``feature <= threshold`` go left; a leaf has no threshold (NaN) and itself as children."""

    feature: NDArray[np.int32]
    threshold: FloatArray
    children: NDArray[np.int32]
    values: FloatArray
    """What each leaf adds to the score of each class."""


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
