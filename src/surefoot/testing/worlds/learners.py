"""Cheap ways to a model: trees, forests, and the true boundary moved by a known shift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.testing.worlds.boundaries import Boundary


@runtime_checkable
class Learner(Protocol):
    """Makes a model with ``predict`` from labelled data; the same model from the same data."""

    def fit(self, inputs: FloatArray, labels: NDArray[np.int64]) -> Any:
        """The trained model."""
        ...


@dataclass(frozen=True)
class Tree:
    """A decision tree with so few leaves that its boundary crosses the classes."""

    leaves: int

    def fit(self, inputs: FloatArray, labels: NDArray[np.int64]) -> Any:
        """The trained tree."""
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_leaf_nodes=self.leaves, random_state=0).fit(inputs, labels)


@dataclass(frozen=True)
class Forest:
    """A random forest of fully grown trees."""

    trees: int = 10
    seed: int = 0

    def fit(self, inputs: FloatArray, labels: NDArray[np.int64]) -> Any:
        """The trained forest."""
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(self.trees, random_state=self.seed).fit(inputs, labels)


@dataclass(frozen=True)
class Shifted:
    """Knows the true boundary, but ``by`` too high along the last feature; learner and model in one."""

    boundary: Boundary
    by: float

    @property
    def classes_(self) -> NDArray[np.int64]:
        """Class numbers."""
        return np.arange(self.boundary.classes)

    def fit(self, inputs: FloatArray, labels: NDArray[np.int64]) -> Shifted:
        """Itself: there is nothing to learn."""
        return self

    def predict(self, inputs: FloatArray) -> NDArray[np.int64]:
        """Class on the wrong side of the strip between the true and the moved boundary, the true one elsewhere."""
        moved = np.array(inputs, dtype=float)
        moved[:, -1] -= self.by
        return self.boundary.label(moved)
