"""Bounds on the margins of a class over the others, on many boxes at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.activations import Range
from surefoot.reliability.interval_bounds import deviation, interval_ranges
from surefoot.reliability.linear_bounds import linear_ranges, narrower, span, step_of
from surefoot.reliability.networks import Network

METHODS = ("linear", "interval")
NUMBERS = 1 << 20
"""Numbers in one array of coefficients, which decides how many boxes go together."""


def bounds(
    network: Network, lower: FloatArray, upper: FloatArray, classes: NDArray[np.int64], *, method: str = "linear"
) -> Range:
    """Bounds of score of the class of each box minus score of every class, shape (boxes, classes).

    They hold for all inputs of the box and for the scores as the model computes them in its own precision. ``linear``
    bounds are never wider than ``interval`` ones.
    """
    rows = network.units if method == "linear" else network.outputs
    size = max(1, NUMBERS // (rows * max(network.units, network.inputs)))
    chunks = [slice(start, start + size) for start in range(0, len(lower), size)]
    with np.errstate(over="ignore", invalid="ignore"):
        found = [_bounds(network, Range(lower[c], upper[c]), classes[c], method) for c in chunks]
    none = np.empty((0, network.outputs))
    return Range(np.concatenate([f.lower for f in found] or [none]), np.concatenate([f.upper for f in found] or [none]))


def proves(
    network: Network, lower: FloatArray, upper: FloatArray, classes: NDArray[np.int64], *, method: str = "linear"
) -> NDArray[np.bool_]:
    """Whether the class of each box is the model's answer everywhere inside; first by intervals, which cost less."""
    proved = _clear(network, bounds(network, lower, upper, classes, method="interval"), classes)
    if method == "linear" and not proved.all():
        left = np.flatnonzero(~proved)
        proved[left] = _clear(network, bounds(network, lower[left], upper[left], classes[left]), classes[left])
    return proved


def _clear(network: Network, margins: Range, classes: NDArray[np.int64]) -> NDArray[np.bool_]:
    clear = margins.lower > network.tie
    clear[np.arange(len(classes)), classes] = True
    return np.asarray(clear.all(axis=1))


def _bounds(network: Network, box: Range, classes: NDArray[np.int64], method: str) -> Range:
    own = np.eye(network.outputs)
    coefficients = own[classes][:, None, :] - own
    ranges = interval_ranges(network, box)
    margins = _margins(network, ranges, coefficients, network.tail)
    if method == "linear" and network.tail:
        ranges = linear_ranges(network, box)
        margins = narrower(margins, _margins(network, ranges, coefficients, network.tail))
        margins = narrower(margins, _margins(network, ranges, coefficients, 0))
    error = np.einsum("bjk,bk->bj", np.abs(coefficients), deviation(network, ranges))
    return Range(margins.lower - error, margins.upper + error)


def _margins(network: Network, ranges: list[Range], coefficients: FloatArray, first: int) -> Range:
    steps = [step_of(layer, inputs) for layer, inputs in zip(network.layers[first:], ranges[first:-1], strict=True)]
    return span(coefficients, steps, ranges[first])
