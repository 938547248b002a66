"""Section 3.2 of NRB: two Gaussian classes and a linear support vector machine, where the true risk is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.svm import SVC

from surefoot.bounds import mode_margins, normal_exact, normal_score

Floats = NDArray[np.float64]

MEANS = (np.array([1.0, 0.0]), np.array([2.0, 2.0]))
MATRICES = (np.array([[0.5, 0.25], [0.25, 0.5]]), np.array([[0.35, 0.1], [0.1, 0.25]]))
TRAINING = 1000
TEST_SIZES = (150, 200, 250)
LEVEL = 0.95
# Failure rate, Phi(-mean/sd) and bound of each class, as printed in Table 1.
PRINTED = {
    (150, 1): (4e-2, 5.95e-2, 17.25e-2),
    (200, 1): (2e-2, 5.40e-2, 14.59e-2),
    (250, 1): (5.6e-2, 5.28e-2, 13.34e-2),
    (150, 2): (1.33e-2, 1.61e-2, 8.40e-2),
    (200, 2): (2e-2, 4.21e-2, 12.47e-2),
    (250, 2): (5.6e-2, 3.70e-2, 10.64e-2),
}


@dataclass(frozen=True)
class Classes:
    """The two classes; the matrices of Eqns. (26) and (27) read as covariances, or as factors of them."""

    factors: tuple[Floats, Floats]

    @classmethod
    def read_as(cls, reading: str) -> Classes:
        """``covariance``: x = mean + root(matrix) z. ``factor``: x = mean + matrix z, a "standard deviation"."""
        root = np.linalg.cholesky if reading == "covariance" else np.asarray
        return cls((root(MATRICES[0]), root(MATRICES[1])))

    def draw(self, rng: np.random.Generator, each: int) -> tuple[Floats, NDArray[np.int64]]:
        """``each`` points of either class, with their labels 0 and 1."""
        points = [m + rng.standard_normal((each, 2)) @ f.T for m, f in zip(MEANS, self.factors, strict=True)]
        return np.concatenate(points), np.repeat([0, 1], each)

    def true_risks(self, weights: Floats, offset: float) -> tuple[float, float]:
        """Probability of a wrong answer for each class: the score is a projection, so it is normal."""
        signs = (-1, 1)
        lead = [s * (weights @ m + offset) for s, m in zip(signs, MEANS, strict=True)]
        spread = [np.linalg.norm(f.T @ weights) for f in self.factors]
        return tuple(float(special.ndtr(-a / b)) for a, b in zip(lead, spread, strict=True))  # type: ignore[return-value]


@dataclass(frozen=True)
class Row:
    """One class of one test set."""

    n: int
    label: int
    failure_rate: float
    plain: float
    bound: float
    exact: float
    true: float


def experiment(classes: Classes, seed: int) -> Iterator[Row]:
    """Train once, then test on fresh data of each size."""
    rng = np.random.default_rng(seed)
    machine = SVC(kernel="linear").fit(*classes.draw(rng, TRAINING // 2))
    risks = classes.true_risks(machine.coef_[0], float(machine.intercept_[0]))
    for n in TEST_SIZES:
        points, labels = classes.draw(rng, n // 2)
        decision = machine.decision_function(points)
        scores = np.column_stack([-decision, decision]) / 2
        for label in (0, 1):
            yield _row(n, label, mode_margins(scores, labels, (label, 1 - label)), risks[label])


def _row(n: int, label: int, margins: Floats, true: float) -> Row:
    found = normal_score(margins, check=False)
    exact = normal_exact(margins, level=LEVEL, check=False).upper(LEVEL)
    rate = found.details["failures"] / found.details["n"]
    return Row(n, label + 1, rate, found.value, found.details["bound"], exact, true)
