"""``Sampled``: rows that were drawn, which of them were drawn together, and what each weighs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

NAMES_OF_UNITS = "biuUS"
"""Kinds of arrays that name units: numbers and text."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Sampled(ABC):
    """Rows, in units that were drawn independently of each other.

    ``units`` says which rows belong together, such as the frames of an episode: units are drawn independently, rows
    within one are not. ``weights`` says how often a row stands for operation (an operational profile), in any unit.
    """

    units: NDArray[Any] | None = None
    weights: FloatArray | None = None

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many rows there are."""

    @cached_property
    def unit_numbers(self) -> NDArray[np.int64]:
        """The number of each row's unit."""
        if self.units is None:
            return np.arange(self.rows, dtype=np.int64)
        return np.unique(self.units, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def unit_count(self) -> int:
        """How many independent units there are."""
        return int(self.unit_numbers.max()) + 1

    @property
    def independent(self) -> bool:
        """Whether every row is a trial of its own, and all weigh the same."""
        return self.weights is None and self.unit_count == self.rows

    @property
    def row_weights(self) -> FloatArray:
        """The weight of each row, 1 where none is stated."""
        return np.ones(self.rows) if self.weights is None else self.weights

    def unit_sums(self, values: FloatArray) -> FloatArray:
        """Weighted sum over the rows of each unit."""
        weighed = values if self.weights is None else values * self.weights
        if self.units is None:
            return weighed
        return np.asarray(np.bincount(self.unit_numbers, weighed, minlength=self.unit_count), dtype=np.float64)

    def unit_means(self, values: FloatArray) -> FloatArray:
        """Mean over the rows of each unit, whatever they weigh; ``values`` are rows x figures."""
        if self.units is None:
            return values
        sums = np.zeros((self.unit_count, values.shape[1]))
        np.add.at(sums, self.unit_numbers, values)
        return np.asarray(sums / np.bincount(self.unit_numbers)[:, None])

    def check_sample(self, where: str) -> None:
        """Check units and weights, one a row."""
        if self.units is not None:
            object.__setattr__(self, "units", _checked_units(self.units, self.rows, where))
        if self.weights is not None:
            object.__setattr__(self, "weights", _checked_weights(self.weights, self.rows, where))


def _checked_units(given: NDArray[Any], rows: int, where: str) -> NDArray[Any]:
    units = np.asarray(given)
    if units.shape != (rows,) or units.dtype.kind not in NAMES_OF_UNITS:
        found = f"{units.dtype} of shape {units.shape} for {rows} rows"
        raise InvalidInput("units must name one unit a row, by number or text", where=where, found=found)
    return units


def _checked_weights(given: FloatArray, rows: int, where: str) -> FloatArray:
    weights = validate.vector(given, where=where, name="weights")
    if weights.size != rows or (weights < 0).any() or not weights.sum() > 0:
        found = f"{weights.size} weights for {rows} rows, smallest {weights.min():g}"
        raise InvalidInput("weights must be at least 0, one a row, not all 0", where=where, found=found)
    return weights
