"""Linear bounds by substitution from the outputs back to the inputs.

Zhang et al. (2018, CROWN) and Singh et al. (2019, DeepPoly): a sum of units is bounded by replacing each activation
with its line below or above, as the sign of its coefficient asks, layer by layer, until only inputs are left. At every
step the rounding of the coefficients, times the magnitude of what they multiply, is taken off the bound; see
``interval_bounds`` for the constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.activations import Lines, Range
from surefoot.reliability.interval_bounds import EXTRA, FLUSHED, growth, image
from surefoot.reliability.max_pool import MaxPool
from surefoot.reliability.networks import Bent, Layer, Linear, Network

NUMBERS = 1 << 20
"""Numbers in one array of coefficients, at most, wherever boxes or units can go one after the other."""
EFFORT = 1 << 27
"""Products for one side of the ranges of one layer in one box; where more are needed, interval bounds must do."""


@dataclass(frozen=True, eq=False)
class LinearStep:
    """A layer of weights on its way back."""

    layer: Linear
    size: FloatArray

    def back(self, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the layer's inputs, and what its offset adds."""
        return self.layer.back(coefficients), coefficients @ self.layer.offset


@dataclass(frozen=True, eq=False)
class BentStep:
    """A layer of activations on its way back."""

    lines: Lines
    size: FloatArray

    def back(self, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the layer's inputs, and what the lines' offsets add: a lower bound."""
        up = np.maximum(coefficients, 0.0)
        down = coefficients - up
        added = dot(up, self.lines.low_offset) + dot(down, self.lines.high_offset)
        return up * self.lines.low_slope[:, None] + down * self.lines.high_slope[:, None], added


@dataclass(frozen=True, eq=False)
class PoolStep:
    """Largest values of windows on their way back: above the leading input, below the largest upper end.

    Where no other input of a window can be larger than the leading one, that is the largest (Singh et al. 2019).
    """

    pool: MaxPool
    leader: NDArray[np.int64]
    alone: NDArray[np.bool_]
    ceiling: FloatArray
    size: FloatArray

    def back(self, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the inputs, and what the largest upper ends add: a lower bound."""
        up = np.maximum(coefficients, 0.0)
        down = coefficients - up
        added = dot(down, np.where(self.alone, 0.0, self.ceiling))
        return self.pool.back(up + down * self.alone[:, None], self.leader), added


Step = LinearStep | BentStep | PoolStep


def step_of(layer: Layer, inputs: Range) -> Step:
    """A layer with the largest magnitude that its parts can have on a range of inputs."""
    if isinstance(layer, Linear):
        return LinearStep(layer, layer.reach(inputs.magnitude) + np.abs(layer.offset))
    if isinstance(layer, MaxPool):
        return PoolStep(layer, *layer.leaders(inputs), layer.apply(inputs.upper), layer.apply(inputs.magnitude))
    lines = layer.lines(inputs)
    slope = np.maximum(np.abs(lines.low_slope), np.abs(lines.high_slope))
    offset = np.maximum(np.abs(lines.low_offset), np.abs(lines.high_offset))
    return BentStep(lines, slope * inputs.magnitude + offset)


def dot(coefficients: FloatArray, values: FloatArray) -> FloatArray:
    """Sums over units: (boxes or 1, rows, units) and (boxes, units) give (boxes, rows)."""
    if len(coefficients) == 1:
        return values @ coefficients[0].T
    return np.matmul(coefficients, values[:, :, None])[:, :, 0]


@dataclass(frozen=True, eq=False)
class Plane:
    """A linear function of the inputs of layers, for each box and row, that lies below a sum of their outputs."""

    coefficients: FloatArray
    constant: FloatArray
    slack: FloatArray

    @classmethod
    def of(cls, coefficients: FloatArray) -> Plane:
        """The sums themselves: (boxes, rows, units), or 1 instead of boxes where all have the same."""
        nothing = np.zeros((1, coefficients.shape[1]))
        return cls(coefficients, nothing, nothing)

    def __neg__(self) -> Plane:
        """Below the sums with other signs, where no bent layer was passed."""
        return Plane(-self.coefficients, -self.constant, self.slack)

    def behind(self, steps: Sequence[Step]) -> Plane:
        """As a function of the inputs of some more layers."""
        plane = self
        for step in reversed(steps):
            slack = plane.slack + plane._rounding(step.size)
            coefficients, added = step.back(plane.coefficients)
            plane = Plane(coefficients, plane.constant + added, slack)
        return plane

    def lowest(self, start: Range) -> FloatArray:
        """The smallest value on a range of inputs."""
        middle = dot(self.coefficients, (start.lower + start.upper) / 2) + self.constant
        spread = dot(np.abs(self.coefficients), (start.upper - start.lower) / 2)
        return middle - spread - (self.slack + self._rounding(start.magnitude)) - FLUSHED

    def corners(self, start: Range) -> FloatArray:
        """Where the smallest values lie."""
        return np.where(self.coefficients > 0, start.lower[:, None], start.upper[:, None])

    def _rounding(self, size: FloatArray) -> FloatArray:
        """Error of sums of so many terms, with units up to a size."""
        terms = dot(np.abs(self.coefficients), size) + np.abs(self.constant)
        return growth(self.coefficients.shape[2] + EXTRA) * terms


def span(coefficients: FloatArray, steps: Sequence[Step], start: Range) -> Range:
    """Lower and upper bounds of ``coefficients @ outputs`` of the steps."""
    first = max((place + 1 for place, step in enumerate(steps) if not isinstance(step, LinearStep)), default=0)
    plane = Plane.of(coefficients).behind(steps[first:])
    lower, upper = (side.behind(steps[:first]).lowest(start) for side in (plane, -plane))
    return Range(lower, -upper)


def narrower(first: Range, second: Range) -> Range:
    """What two bounds of the same leave; one that is not a number says nothing."""
    return Range(np.fmax(first.lower, second.lower), np.fmin(first.upper, second.upper))


def linear_ranges(network: Network, box: Range) -> list[Range]:
    """Ranges of the inputs of each layer, then of the outputs; those before bent layers by linear bounds."""
    ranges, steps, bent = [box], [], False
    for layer, following in zip(network.layers, (*network.layers[1:], None), strict=True):
        steps.append(step_of(layer, ranges[-1]))
        bent = bent or isinstance(layer, Bent)
        outputs = image(layer, ranges[-1])
        if bent and isinstance(layer, Linear) and isinstance(following, Bent):
            outputs = _narrowed(outputs, following.bends(outputs), steps, box)
        ranges.append(outputs)
    return ranges


def _narrowed(outputs: Range, bends: NDArray[np.bool_], steps: Sequence[Step], box: Range) -> Range:
    """The same with linear bounds of the units that bend in any box, some at a time."""
    units = np.flatnonzero(bends.any(axis=0))
    if len(units) * sum(step.layer.effort for step in steps if isinstance(step, LinearStep)) > EFFORT:
        return outputs
    lower, upper = outputs.lower.copy(), outputs.upper.copy()
    together = max(1, NUMBERS // (len(lower) * max(step.size.shape[1] for step in steps)))
    for some in (units[start : start + together] for start in range(0, len(units), together)):
        found = span(_chosen(some, lower.shape[1]), steps, box)
        lower[:, some], upper[:, some] = narrower(Range(lower[:, some], upper[:, some]), found)
    return Range(lower, upper)


def _chosen(units: NDArray[np.int64], count: int) -> FloatArray:
    """Coefficients that give single units, a row each, for all boxes."""
    coefficients = np.zeros((1, len(units), count))
    coefficients[0, np.arange(len(units)), units] = 1.0
    return coefficients
