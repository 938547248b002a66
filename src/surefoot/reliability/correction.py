"""Held-out labels put the prediction of the cells right (errata RAM 10)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot import bounds
from surefoot.core import Estimate
from surefoot.core.validate import FloatArray
from surefoot.reliability.cells import Cells
from surefoot.reliability.classifier import Classifier
from surefoot.reliability.labelling import CROSS_BOUNDARY, EMPTY


@dataclass(frozen=True, eq=False)
class Foretold:
    """Inputs, the cells they fall into, and whether the cells say that the model's answer is a failure.

    Inside a cell of one label the answer to an input can be judged without the input's own label.
    """

    points: FloatArray
    cell: NDArray[np.int64]
    answer: NDArray[np.int64]
    failure: NDArray[np.bool_]

    @classmethod
    def of(cls, points: FloatArray, decide: Classifier, cells: Cells, undesired: NDArray[np.bool_]) -> Foretold:
        """Judge the model's answers by the labels of cells."""
        if not len(points):
            nothing = np.empty(0, np.int64)
            return cls(points, nothing, nothing, np.empty(0, bool))
        cell, answer = cells.grid.cell_of(points), decide(points)
        crossed = cells.source[cell] == CROSS_BOUNDARY
        return cls(points, cell, answer, crossed | undesired[cells.label[cell], answer])


@dataclass(frozen=True, eq=False)
class Correction:
    """Labelled tests that no cell has seen, and unlabelled inputs from operation, judged by the cells."""

    tests: Foretold
    labels: NDArray[np.int64]
    failed: NDArray[np.bool_]
    weights: FloatArray
    operation: Foretold
    reference: FloatArray
    """All inputs of the profile but the tests: what the tests should look like."""

    weighted: bool
    """Whether operation weighs inputs differently than the data do."""

    def in_voted(self, cells: Cells) -> NDArray[np.bool_]:
        """Tests that fall into cells labelled by vote."""
        return np.asarray(cells.source[self.tests.cell] == EMPTY)

    def estimate(self, *, level: float, voted_mass: float, seed: int) -> Estimate:
        """The failure probability in operation, valid whatever the cells say."""
        if self.weighted:
            return bounds.weighted(
                self.failed.astype(float),
                self.weights,
                level=level,
                seed=seed,
                quantity=bounds.statement.FAILURE_PROBABILITY,
            )
        return bounds.predicted_failures(
            self.failed, self.tests.failure, self.operation.failure, level=level, unpredictable=voted_mass
        )

    def exact(self, *, level: float) -> Estimate:
        """The exact binomial bound on the held-out labels alone."""
        return bounds.clopper_pearson(int(self.failed.sum()), self.failed.size, level=level)

    def tested(self, *, level: float, seed: int) -> Estimate:
        """What the held-out labels alone say about operation."""
        return self.estimate(level=level, voted_mass=0.0, seed=seed) if self.weighted else self.exact(level=level)
