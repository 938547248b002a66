"""``OneClassSVM``: rows outside the smallest region that holds most of a class are strange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned
from surefoot.monitors.detectors.groups import scored_by_class
from surefoot.monitors.detectors.magnitudes import LARGEST, bounded, divisor
from surefoot.profile.slicing import slices

AT_ONCE = 1 << 20
"""Kernel values (a row and a support vector) that are held at once."""
GAMMAS = 1e-200, 1e200
"""Between them the product with a squared distance is a number or a clear infinity."""


class Region(NamedTuple):
    """The region of one class: kernels on support vectors, and the level that their weighted sum must reach."""

    vectors: FloatArray
    """Relative to ``centre``, so that distances by scalar products keep their digits."""
    squares: FloatArray
    weights: FloatArray
    level: float
    gamma: float
    centre: FloatArray


@dataclass(eq=False)
class OneClassSVM(Detector, name="one_class_svm"):
    """A one-class support vector machine with a Gaussian kernel for each predicted class (Schoelkopf et al. 2001).

    Scores above 0 lie outside the region of the class, which leaves out at most a share ``nu`` of the fitted rows.
    Weights of support vectors sum to 1 as in the paper, "Estimating the Support of a High-Dimensional Distribution", so
    that classes of different sizes compare: the score is minus scikit-learn's decision value, divided by ``nu`` times
    the rows of the class. ``gamma`` "scale" is 1 / (features x variance) of the class. The time to fit grows with the
    square of a class, so that of a larger one ``max_rows`` are drawn at random.
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
        if np.abs(rows).max() > LARGEST:
            found = f"{np.abs(rows).max():g}"
            raise InvalidInput(f"features must be at most {LARGEST:g} large", where=self.name, found=found)
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
