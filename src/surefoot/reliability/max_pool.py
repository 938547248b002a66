"""The largest value of each window, and planes below and above it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.activations import Range
from surefoot.reliability.windows import OUTSIDE


@dataclass(frozen=True, eq=False)
class MaxPool:
    """The largest input of each window; a row of ``places`` numbers the inputs of one."""

    places: NDArray[np.int64]
    inputs: int

    @property
    def outputs(self) -> int:
        """Number of windows."""
        return len(self.places)

    def apply(self, values: FloatArray) -> FloatArray:
        """The largest value of each window."""
        return np.asarray(self._inside(values).max(axis=2))

    def image(self, inputs: Range) -> Range:
        """Monotone and computed without rounding."""
        return Range(self.apply(inputs.lower), self.apply(inputs.upper))

    def passed(self, error: FloatArray, magnitude: FloatArray, unit: float) -> FloatArray:
        """An error grows to the largest of its window at most."""
        return self.apply(error)

    def bends(self, inputs: Range) -> NDArray[np.bool_]:
        """Which inputs lie in a window whose largest is not known."""
        _, alone = self.leaders(inputs)
        found = np.zeros((len(alone), self.inputs), dtype=bool)
        for places in self.places.T:
            inside = places != OUTSIDE
            found[:, places[inside]] |= ~alone[:, inside]
        return found

    def leaders(self, inputs: Range) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Position in each window of the largest lower end, and whether it is the largest input for sure."""
        lower, upper = self._inside(inputs.lower), self._inside(inputs.upper)
        leader = lower.argmax(axis=2)
        rivals = upper.copy()
        np.put_along_axis(rivals, leader[:, :, None], -np.inf, axis=2)
        return leader, lower.max(axis=2) >= rivals.max(axis=2)

    def back(self, coefficients: FloatArray, leader: NDArray[np.int64]) -> FloatArray:
        """Coefficients of the windows, (boxes, rows, windows), as coefficients of the leading inputs."""
        found = np.zeros((*coefficients.shape[:2], self.inputs))
        for position, places in enumerate(self.places.T):
            # Windows may overlap, but no two have one input at the same position.
            led = np.flatnonzero((leader == position).any(axis=0))
            found[:, :, places[led]] += coefficients[:, :, led] * (leader[:, led] == position)[:, None]
        return found

    def _inside(self, values: FloatArray) -> FloatArray:
        """Values of each window, (rows, windows, positions)."""
        outside = np.full((len(values), 1), -np.inf)
        return np.concatenate([values, outside], axis=1)[:, self.places]
