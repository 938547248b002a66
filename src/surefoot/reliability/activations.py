"""Activation functions of networks: their ranges, and straight lines below and above them.

A line is sound whatever its slope, as long as its offset is the extreme of function minus slope times input. So slopes
are chosen freely, and offsets are computed and moved outward by more than their rounding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from surefoot.core.validate import FloatArray

UNIT = 2.0**-53
"""Relative error of one operation in double precision."""
ACCURACY = 16
"""Units of relative error that are allowed to an implementation of tanh or the logistic function."""
FLATTEST = 1e-8
"""Smaller slopes become 0: their touching points cannot be computed."""
NEARLY = 1e-6


class Range(NamedTuple):
    """Lower and upper ends of the values of each unit, one row for each box."""

    lower: FloatArray
    upper: FloatArray

    @property
    def magnitude(self) -> FloatArray:
        """The largest absolute value of each unit."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))


class Lines(NamedTuple):
    """``low_slope * z + low_offset <= activation(z) <= high_slope * z + high_offset`` on a range."""

    low_slope: FloatArray
    low_offset: FloatArray
    high_slope: FloatArray
    high_offset: FloatArray


class Activation(ABC):
    """A function of one number, applied to every unit of a layer."""

    @abstractmethod
    def passed(self, error: FloatArray, magnitude: FloatArray, unit: float) -> FloatArray:
        """Error of computed values, for inputs with an error, where one operation has a relative error of ``unit``."""

    @abstractmethod
    def apply(self, values: FloatArray) -> FloatArray:
        """The function of each value."""

    @abstractmethod
    def image(self, inputs: Range) -> Range:
        """The range of the function on a range."""

    @abstractmethod
    def lines(self, inputs: Range) -> Lines:
        """Lines below and above the function on a range."""

    @abstractmethod
    def bends(self, inputs: Range) -> NDArray[np.bool_]:
        """Where the function is no straight line, so that a narrower range helps."""


@final
@dataclass(frozen=True)
class Relu(Activation):
    """The larger of a value and 0; lines of Zhang et al. (2018, CROWN) and Singh et al. (2019, DeepPoly)."""

    def passed(self, error: FloatArray, magnitude: FloatArray, unit: float) -> FloatArray:
        """Not more than before."""
        return error

    def apply(self, values: FloatArray) -> FloatArray:
        """The larger of each value and 0."""
        return np.maximum(values, 0.0)

    def image(self, inputs: Range) -> Range:
        """Monotone and computed without rounding."""
        return Range(self.apply(inputs.lower), self.apply(inputs.upper))

    def bends(self, inputs: Range) -> NDArray[np.bool_]:
        """Where 0 lies inside."""
        return (inputs.lower < 0) & (inputs.upper > 0)

    def lines(self, inputs: Range) -> Lines:
        """Above the chord; below 0 or the identity, whichever leaves the smaller triangle."""
        lower, upper = inputs
        bends, width = self.bends(inputs), upper - lower
        with np.errstate(divide="ignore", invalid="ignore"):
            chord = np.where(bends, upper / width, lower >= 0)
            offset = np.maximum(-chord * lower, upper - chord * upper) + ACCURACY * UNIT * width
        below = np.where(bends, upper > -lower, lower >= 0).astype(float)
        return Lines(below, np.zeros_like(below), chord, np.where(bends, offset, 0.0))


@final
@dataclass(frozen=True)
class LeakyRelu(Activation):
    """The larger of a value and its share ``leak``, which lies between 0 and 1."""

    leak: float

    def passed(self, error: FloatArray, magnitude: FloatArray, unit: float) -> FloatArray:
        """Not more than before, and the rounding of the leak and of a product."""
        return error + 4 * unit * self.leak * (magnitude + error)

    def apply(self, values: FloatArray) -> FloatArray:
        """The larger of each value and its share."""
        return np.maximum(values, self.leak * values)

    def image(self, inputs: Range) -> Range:
        """Monotone; moved outward by the rounding of a product."""
        lower, upper = (2 * UNIT * self.leak * np.abs(end) for end in inputs)
        return Range(self.apply(inputs.lower) - lower, self.apply(inputs.upper) + upper)

    def bends(self, inputs: Range) -> NDArray[np.bool_]:
        """Where 0 lies inside."""
        return (inputs.lower < 0) & (inputs.upper > 0)

    def lines(self, inputs: Range) -> Lines:
        """Above the chord; below one of the two branches, whichever leaves the smaller triangle."""
        lower, upper = inputs
        bends, straight = self.bends(inputs), np.where(lower >= 0, 1.0, self.leak)
        with np.errstate(divide="ignore", invalid="ignore"):
            chord = np.where(bends, (upper - self.leak * lower) / (upper - lower), straight)
            ends = np.maximum((self.leak - chord) * lower, (1 - chord) * upper)
        offset = ends + ACCURACY * UNIT * inputs.magnitude
        below = np.where(bends, np.where(upper > -lower, 1.0, self.leak), straight)
        return Lines(below, np.zeros_like(below), chord, np.where(bends, offset, 0.0))


@final
@dataclass(frozen=True)
class SShaped(Activation):
    """An odd sigmoid up to a shift: convex below 0, concave above; both lines have the slope of the chord.

    ``touching`` gives the positive point with a slope, as ``stretch * atanh(sqrt(1 - slope / steepest))``.
    """

    function: Callable[[FloatArray], FloatArray]
    lowest: float
    steepest: float
    stretch: float

    def passed(self, error: FloatArray, magnitude: FloatArray, unit: float) -> FloatArray:
        """As much as the steepest slope makes of it, and the error of the implementation."""
        return self.steepest * error + ACCURACY * unit

    def apply(self, values: FloatArray) -> FloatArray:
        """The function of each value."""
        return self.function(values)

    def image(self, inputs: Range) -> Range:
        """Monotone; moved outward by the accuracy of the implementation, and never beyond its limits."""
        slack = ACCURACY * UNIT
        lower, upper = self.apply(inputs.lower) - slack, self.apply(inputs.upper) + slack
        return Range(np.maximum(lower, self.lowest), np.minimum(upper, 1.0))

    def bends(self, inputs: Range) -> NDArray[np.bool_]:
        """Everywhere."""
        return np.ones(inputs.lower.shape, dtype=bool)

    def lines(self, inputs: Range) -> Lines:
        """Two parallels to the chord that touch the function from below and above."""
        slope = self._chord(inputs)
        ends = [self._above(slope, z) for z in inputs]
        touching = self.stretch * np.arctanh(np.sqrt(1 - np.maximum(slope, FLATTEST) / self.steepest))
        high = np.maximum(*ends)
        low = np.minimum(*ends)
        high = np.where(self._inside(inputs, slope, touching), np.maximum(high, self._above(slope, touching)), high)
        low = np.where(self._inside(inputs, slope, -touching), np.minimum(low, self._above(slope, -touching)), low)
        slack = 4 * ACCURACY * UNIT * (1 + slope * inputs.magnitude)
        return Lines(slope, low - slack, slope, high + slack)

    def _chord(self, inputs: Range) -> FloatArray:
        width = inputs.upper - inputs.lower
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (self.apply(inputs.upper) - self.apply(inputs.lower)) / width
        return np.where(slope >= FLATTEST, np.minimum(slope, self.steepest), 0.0)

    def _above(self, slope: FloatArray, z: FloatArray) -> FloatArray:
        return self.apply(z) - slope * z

    def _inside(self, inputs: Range, slope: FloatArray, z: FloatArray) -> NDArray[np.bool_]:
        """Whether a touching point counts; one just outside, by rounding, does no harm."""
        return (slope > 0) & (z > inputs.lower - NEARLY) & (z < inputs.upper + NEARLY)


RELU = Relu()
TANH = SShaped(np.tanh, lowest=-1.0, steepest=1.0, stretch=1.0)
LOGISTIC = SShaped(expit, lowest=0.0, steepest=0.25, stretch=2.0)
