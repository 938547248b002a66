"""A feed-forward classifier as plain layers, and bounds of its scores in a box, with all that rounding adds to them.

Intervals are passed from layer to layer (Gowal et al. 2018); linear bounds are substituted from the outputs back to the
inputs (Zhang et al. 2018, CROWN; Singh et al. 2019, DeepPoly).

A sum of n products computed in any order, with or without fused operations, differs from the true one by at most
g(n) = n u / (1 - n u) times the sum of the absolute products (Higham 2002, section 3.1), u being the relative error
of one operation. All margins here add a unit of double precision to u: it covers the rounding of the margins
themselves, which are sums of terms that are not negative, and of centre and radius of an interval. Underflow adds at
most ``FLUSHED``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.proofs.layers import UNIT, Activation, Lines, MaxPool, Range, Sparse

LARGEST = 1e100
"""Larger numbers are not reasoned about: nothing is proved with them."""
DENSE = 16
"""How many times faster products of dense matrices are than those of sparse ones, roughly."""
FLUSHED = 1e-200
"""More than all underflow of a computation with numbers below ``LARGEST``."""
EXTRA = 8
"""Roundings beside those of the sum: centre, radius, offset, outward step."""
NUMBERS = 1 << 20
"""Numbers in one array of coefficients, at most, wherever boxes or units can go one after the other."""
EFFORT = 1 << 27
"""Products for one side of the ranges of one layer in one box; where more are needed, interval bounds must do."""


@dataclass(frozen=True, eq=False)
class Network:
    """Layers from inputs to one score a class; the largest score is the answer.

    Parameters
    ----------
    layers
        From the inputs on.
    unit
        Relative error of one operation of the model.
    factors
        Relative error to which the model rounds the factors of products of matrices before.
    smallest, largest
        Normal numbers that the model's precision can hold.

    See Also
    --------
    read_network

    """

    layers: tuple[Layer, ...]
    unit: float = UNIT
    factors: float = 0.0
    smallest: float = float(np.finfo(np.float64).tiny)
    largest: float = LARGEST

    @property
    def tie(self) -> float:
        """Scores closer than this may become equal when they are turned into probabilities."""
        return 64 * self.unit

    @property
    def inputs(self) -> int:
        """Number of features."""
        return self._sized[0].inputs

    @property
    def outputs(self) -> int:
        """Number of classes."""
        return self._sized[-1].outputs

    @cached_property
    def widest(self) -> int:
        """The largest number of features or of units of a layer."""
        return max(self.inputs, *(layer.outputs for layer in self._sized))

    @cached_property
    def inner(self) -> int:
        """The largest number of units between bent layers; 0 where there is one such layer at most."""
        bent = [place for place, layer in enumerate(self.layers) if isinstance(layer, Bent)]
        between = self.layers[bent[0] : bent[-1]] if bent else ()
        return max((layer.outputs for layer in between if isinstance(layer, Linear)), default=0)

    @cached_property
    def influence(self) -> FloatArray:
        """How strongly each feature moves the first hidden layer."""
        units = np.eye(self.inputs)
        for layer in self.layers:
            if isinstance(layer, Bent):
                break
            units = layer.linear(units)
        return np.asarray(np.abs(units).sum(axis=1))

    @cached_property
    def tail(self) -> int:
        """Position of the first layer after the last bent one."""
        return max((i + 1 for i, layer in enumerate(self.layers) if isinstance(layer, Bent)), default=0)

    @property
    def _sized(self) -> list[Linear | MaxPool]:
        """The layers that know how many units they take and give; an activation keeps their number."""
        return [layer for layer in self.layers if not isinstance(layer, Activation)]

    def scores(self, points: FloatArray) -> FloatArray:
        """One score a class for each point, in double precision."""
        values = points
        with np.errstate(over="ignore", invalid="ignore"):
            for layer in self.layers:
                values = layer.apply(values) if isinstance(layer, Bent) else layer.linear(values) + layer.offset
        return values

    def decide(self, points: FloatArray) -> NDArray[np.int64]:
        """The class with the largest score for each point."""
        return np.asarray(self.scores(points).argmax(axis=1))


@dataclass(frozen=True, eq=False)
class Affine:
    """``weight @ x + offset``."""

    weight: FloatArray
    offset: FloatArray

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        return self.weight.shape[1]

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        return len(self.weight)

    @property
    def effort(self) -> int:
        """Cost of a product with one row, in that of products of single numbers."""
        return self.weight.size // DENSE

    @property
    def numbers(self) -> FloatArray:
        """All weights."""
        return self.weight

    @property
    def roundings(self) -> int:
        """Roundings behind one computed output, in any order of summation."""
        return self.inputs + 4

    @cached_property
    def _sizes(self) -> FloatArray:
        return np.abs(self.weight)

    def linear(self, points: FloatArray) -> FloatArray:
        """The layer without its offset."""
        return points @ self.weight.T

    def reach(self, magnitudes: FloatArray) -> FloatArray:
        """How large the linear part can become for inputs of these magnitudes."""
        return magnitudes @ self._sizes.T

    def back(self, coefficients: FloatArray) -> FloatArray:
        """Coefficients of the outputs as coefficients of the inputs."""
        rows = coefficients.reshape(-1, coefficients.shape[-1]) @ self.weight
        return rows.reshape(*coefficients.shape[:-1], -1)


@dataclass(frozen=True, eq=False)
class Scaling:
    """``factor * x + offset`` for each feature, as scalers before a network do, in whatever order of operations."""

    factor: FloatArray
    offset: FloatArray
    roundings = 8

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        return len(self.factor)

    outputs = effort = inputs

    @property
    def numbers(self) -> FloatArray:
        """All weights."""
        return self.factor

    def linear(self, points: FloatArray) -> FloatArray:
        """The layer without its offset."""
        return points * self.factor

    def reach(self, magnitudes: FloatArray) -> FloatArray:
        """How large the linear part can become for inputs of these magnitudes."""
        return magnitudes * np.abs(self.factor)

    def back(self, coefficients: FloatArray) -> FloatArray:
        """Coefficients of the outputs as coefficients of the inputs."""
        return coefficients * self.factor


Linear = Affine | Scaling | Sparse
Bent = Activation | MaxPool
Layer = Linear | Bent


# Ranges of all layers by intervals, and how far computed scores may lie from the true ones.


def interval_ranges(network: Network, box: Range) -> list[Range]:
    """Ranges of the inputs of each layer, then of the outputs."""
    ranges = [box]
    for layer in network.layers:
        ranges.append(image(layer, ranges[-1]))
    return ranges


def image(layer: Layer, inputs: Range) -> Range:
    """A range that holds the outputs of a layer for all inputs of a range."""
    if isinstance(layer, Bent):
        return layer.image(inputs)
    middle = layer.linear((inputs.lower + inputs.upper) / 2) + layer.offset
    size = layer.reach(inputs.magnitude) + np.abs(layer.offset)
    spread = layer.reach((inputs.upper - inputs.lower) / 2) + growth(layer.roundings + EXTRA) * size + FLUSHED
    return Range(middle - spread, middle + spread)


def deviation(network: Network, ranges: list[Range]) -> FloatArray:
    """How far the scores that the model computes may lie from the true ones of its weights.

    It starts with inputs rounded to the model's precision, and points drawn up to rounding inside a box.
    """
    error = (network.unit + EXTRA * UNIT) * ranges[0].magnitude
    for layer, inputs in zip(network.layers, ranges[:-1], strict=True):
        error = _passed(network, layer, inputs.magnitude, error)
    return error


def _passed(network: Network, layer: Layer, magnitude: FloatArray, error: FloatArray) -> FloatArray:
    if isinstance(layer, Bent):
        return layer.passed(error, magnitude, network.unit) + network.smallest
    size = layer.reach(magnitude + error) + np.abs(layer.offset)
    share = growth(layer.roundings, network.unit)
    # A product of two factors rounded before is off by (1 + f)^2 - 1 < 4 f, times what its own rounding makes of that.
    rounding = (share + 4 * network.factors * (1 + share)) * size + layer.roundings * network.smallest
    return np.where(size < network.largest, layer.reach(error) + rounding, np.inf)


def growth(roundings: int, unit: float = UNIT) -> float:
    """Relative error of a sum after so many roundings; infinite where nothing can be said."""
    total = roundings * (unit + UNIT)
    return total / (1 - total) if total < 1 else np.inf


# Linear bounds by substitution.
#
# A sum of units is bounded by replacing each activation with its line below or above, as the sign of its coefficient
# asks, layer by layer, until only inputs are left. At every step the rounding of the coefficients, times the magnitude
# of what they multiply, is taken off the bound.


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


def span(coefficients: FloatArray, steps: Sequence[Step], start: Range) -> Range:
    """Lower and upper bounds of ``coefficients @ outputs`` of the steps."""
    first = max((place + 1 for place, step in enumerate(steps) if not isinstance(step, LinearStep)), default=0)
    plane = Plane.of(coefficients).behind(steps[first:])
    lower, upper = (side.behind(steps[:first]).lowest(start) for side in (plane, -plane))
    return Range(lower, -upper)


def narrower(first: Range, second: Range) -> Range:
    """What two bounds of the same leave; one that is not a number says nothing."""
    return Range(np.fmax(first.lower, second.lower), np.fmin(first.upper, second.upper))


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


def dot(coefficients: FloatArray, values: FloatArray) -> FloatArray:
    """Sums over units: (boxes or 1, rows, units) and (boxes, units) give (boxes, rows)."""
    if len(coefficients) == 1:
        return values @ coefficients[0].T
    return np.matmul(coefficients, values[:, :, None])[:, :, 0]


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
