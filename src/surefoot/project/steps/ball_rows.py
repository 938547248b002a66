"""The rows of an assessment in balls, checked under the names that a project file gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, Tested
from surefoot.core import InvalidInput
from surefoot.profile import Separation, separation

AUTOMATIC = 0.8
"""Share of half the separation that ``radius: auto`` takes."""


@dataclass(frozen=True, eq=False)
class BallRows:
    """Labelled inputs that balls are drawn around, inputs from operation, and further labelled ones."""

    inputs: NDArray[Any]
    labels: NDArray[np.str_]
    low: float
    high: float
    operation: NDArray[Any] | None
    further: NDArray[Any] | None
    further_labels: NDArray[np.str_] | None

    @classmethod
    def of(
        cls, tested: Tested, operation: Data | None, labelled: Data | None, input_range: Sequence[float]
    ) -> BallRows:
        """Inputs of one shape inside their range, with labels by the names of their classes."""
        low, high = _range(input_range)
        inputs = _inside(tested.inputs, "on", low, high)
        if labelled is not None and labelled.labels is None:
            raise InvalidInput("the data set has no labels", where="labelled", remedy="Name their column with labels:.")
        return cls(
            inputs,
            np.asarray(tested.classes)[tested.labels],
            low,
            high,
            None if operation is None else _inside(operation.inputs, "operation", low, high, inputs.shape[1:]),
            None if labelled is None else _inside(labelled.inputs, "labelled", low, high, inputs.shape[1:]),
            None if labelled is None else np.asarray(labelled.classes)[labelled.labels],
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one input."""
        return tuple(self.inputs.shape[1:])

    @cached_property
    def separation(self) -> Separation:
        """The smallest distance between inputs of different classes, over all labelled rows."""
        if self.further is None or self.further_labels is None:
            return separation(_flat(self.inputs), self.labels)
        rows = np.concatenate([_flat(self.inputs), _flat(self.further)])
        return separation(rows, np.concatenate([self.labels, self.further_labels]))

    def radius(self, stated: float | str) -> float:
        """The radius as a number; ``auto`` follows from the separation."""
        if stated != "auto":
            return float(stated)
        gap = self.separation
        if not gap > 0:
            raise InvalidInput(
                "equal inputs have different labels, so no radius keeps classes apart",
                where="radius",
                found=f"rows {gap.pair[0]} and {gap.pair[1]}, labelled {gap.labels[0]} and {gap.labels[1]}",
                remedy="Correct the labels, leave these rows out, or state a radius.",
            )
        return AUTOMATIC * float(gap) / 2


def _flat(inputs: NDArray[Any]) -> NDArray[Any]:
    return inputs.reshape(len(inputs), -1)


def _range(given: Sequence[float]) -> tuple[float, float]:
    low, high = (float(end) for end in given)
    if not low < high:
        raise InvalidInput("input_range must be [lowest, highest]", where="input_range", found=repr(list(given)))
    return low, high


def _inside(
    inputs: NDArray[Any] | None, name: str, low: float, high: float, shape: tuple[int, ...] | None = None
) -> NDArray[Any]:
    """Inputs of real numbers in their range, of the given shape."""
    if inputs is None:
        raise InvalidInput(
            "the data set has no inputs, or more of them than fit into memory beside their scores",
            where=name,
            remedy="Name the columns with inputs:, or take fewer rows.",
        )
    if inputs.dtype.kind not in "biuf" or inputs.ndim < 2 or not inputs.size:
        found = f"values of type {inputs.dtype}, shape {inputs.shape}"
        raise InvalidInput("inputs must be rows of features or pictures, as numbers", where=name, found=found)
    if shape is not None and inputs.shape[1:] != shape:
        found = f"{inputs.shape[1:]} and {shape} in on:"
        raise InvalidInput("inputs must have the same shape in all data sets", where=name, found=found)
    least, most = float(inputs.min()), float(inputs.max())
    if least < low or most > high:
        raise InvalidInput(
            f"inputs must lie in the input range [{low:g}, {high:g}]",
            where=name,
            found=f"values from {least:.6g} to {most:.6g}",
            remedy="Scale them, or state the range that the model takes, such as input_range: [0, 255].",
        )
    return inputs
