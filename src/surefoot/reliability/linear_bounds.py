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

from surefoot.core.validate import FloatArray
from surefoot.reliability.activations import Activation, Lines, Range
from surefoot.reliability.interval_bounds import EXTRA, FLUSHED, growth, image
from surefoot.reliability.networks import Affine, Layer, Network, Scaling


@dataclass(frozen=True, eq=False)
class LinearStep:
    """A layer of weights on its way back."""

    layer: Affine | Scaling
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


Step = LinearStep | BentStep


def step_of(layer: Layer, inputs: Range) -> Step:
    """A layer with the largest magnitude that its parts can have on a range of inputs."""
    if not isinstance(layer, Activation):
        return LinearStep(layer, layer.reach(inputs.magnitude) + np.abs(layer.offset))
    lines = layer.lines(inputs)
    slope = np.maximum(np.abs(lines.low_slope), np.abs(lines.high_slope))
    offset = np.maximum(np.abs(lines.low_offset), np.abs(lines.high_offset))
    return BentStep(lines, slope * inputs.magnitude + offset)


def dot(coefficients: FloatArray, values: FloatArray) -> FloatArray:
    """Sums over units: (boxes or 1, rows, units) and (boxes, units) give (boxes, rows)."""
    if len(coefficients) == 1:
        return values @ coefficients[0].T
    return np.matmul(coefficients, values[:, :, None])[:, :, 0]


def lowest(coefficients: FloatArray, steps: Sequence[Step], start: Range) -> FloatArray:
    """A lower bound of ``coefficients @ outputs`` of the steps, for inputs in ``start``; a row for each box."""
    constant = slack = np.zeros((1, coefficients.shape[1]))
    for step in reversed(steps):
        size = dot(np.abs(coefficients), step.size) + np.abs(constant)
        slack = slack + growth(coefficients.shape[2] + EXTRA) * size
        coefficients, added = step.back(coefficients)
        constant = constant + added
    sizes = np.abs(coefficients)
    slack = slack + growth(coefficients.shape[2] + EXTRA) * (dot(sizes, start.magnitude) + np.abs(constant))
    middle = dot(coefficients, (start.lower + start.upper) / 2) + constant
    return middle - dot(sizes, (start.upper - start.lower) / 2) - slack - FLUSHED


def span(coefficients: FloatArray, steps: Sequence[Step], start: Range) -> Range:
    """Lower and upper bounds of ``coefficients @ outputs`` of the steps."""
    return Range(lowest(coefficients, steps, start), -lowest(-coefficients, steps, start))


def narrower(first: Range, second: Range) -> Range:
    """What two bounds of the same leave; one that is not a number says nothing."""
    return Range(np.fmax(first.lower, second.lower), np.fmin(first.upper, second.upper))


def linear_ranges(network: Network, box: Range) -> list[Range]:
    """Ranges of the inputs of each layer, then of the outputs; those before activations by linear bounds."""
    ranges, steps, bent = [box], [], False
    for layer, following in zip(network.layers, (*network.layers[1:], None), strict=True):
        steps.append(step_of(layer, ranges[-1]))
        bent = bent or isinstance(layer, Activation)
        outputs = image(layer, ranges[-1])
        narrow = bent and isinstance(following, Activation)
        ranges.append(_narrowed(outputs, following, steps, box) if narrow else outputs)
    return ranges


def _narrowed(outputs: Range, following: Layer | None, steps: Sequence[Step], box: Range) -> Range:
    assert isinstance(following, Activation)
    units = np.flatnonzero(following.bends(outputs).any(axis=0))
    if not units.size:
        return outputs
    lower, upper = outputs.lower.copy(), outputs.upper.copy()
    chosen = np.eye(lower.shape[1])[units][None]
    lower[:, units], upper[:, units] = narrower(Range(lower[:, units], upper[:, units]), span(chosen, steps, box))
    return Range(lower, upper)
