"""Lower bounds of the margins of a class over the others, on many boxes at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.activations import Range
from surefoot.reliability.interval_bounds import deviation, interval_ranges
from surefoot.reliability.linear_bounds import NUMBERS, Plane, Step, linear_ranges, step_of
from surefoot.reliability.networks import Network

METHODS = ("linear", "interval")
Margins = Callable[[Network, Range, NDArray[np.int64]], FloatArray]


def least_margins(
    network: Network, lower: FloatArray, upper: FloatArray, classes: NDArray[np.int64], *, method: str = "linear"
) -> FloatArray:
    """Lower bounds of score of the class of each box minus score of every class, shape (boxes, classes).

    They hold for all inputs of the box and for the scores as the model computes them in its own precision. ``linear``
    bounds are never below ``interval`` ones.
    """
    box = Range(lower, upper)
    if method == "interval" or not network.tail:
        return in_batches(by_intervals, network, box, classes, rows=network.outputs)
    return in_batches(by_planes, network, box, classes, rows=max(network.outputs, network.inner))


def in_batches(margins: Margins, network: Network, box: Range, classes: NDArray[np.int64], *, rows: int) -> FloatArray:
    """Margins of so many boxes at a time that arrays of coefficients, with so many rows a box, stay small."""
    size = max(1, NUMBERS // (rows * network.widest))
    chunks = [slice(start, start + size) for start in range(0, len(classes), size)]
    with np.errstate(over="ignore", invalid="ignore"):
        found = [margins(network, Range(box.lower[c], box.upper[c]), classes[c]) for c in chunks]
    return np.concatenate([np.empty((0, network.outputs)), *found])


def by_intervals(network: Network, box: Range, classes: NDArray[np.int64]) -> FloatArray:
    """Margins by intervals up to the last bent layer (Gowal et al. 2018)."""
    return _least(network, interval_ranges(network, box), classes, (network.tail,))


def by_plane(network: Network, box: Range, classes: NDArray[np.int64]) -> FloatArray:
    """Margins by one substitution through intervals of all layers (Zhang et al. 2020, CROWN-IBP)."""
    return _least(network, interval_ranges(network, box), classes, (network.tail, 0))


def by_planes(network: Network, box: Range, classes: NDArray[np.int64]) -> FloatArray:
    """The best of all margins, with linear bounds for every layer (Zhang et al. 2018, Singh et al. 2019)."""
    ranges = linear_ranges(network, box)
    return np.fmax(by_intervals(network, box, classes), _least(network, ranges, classes, (network.tail, 0)))


def in_corners(network: Network, box: Range, classes: NDArray[np.int64]) -> FloatArray:
    """Margins at the corners that their slopes in the middle lead to (Goodfellow et al. 2015): no bound is above."""
    margins, middle = _margins_of(network, classes), (box.lower + box.upper) / 2
    slopes = Plane.of(margins).behind(_steps(network, interval_ranges(network, Range(middle, middle)), 0))
    corners = slopes.corners(box).reshape(-1, network.inputs)
    return np.asarray(np.einsum("bjk,bjk->bj", margins, network.scores(corners).reshape(margins.shape)))


def _least(network: Network, ranges: list[Range], classes: NDArray[np.int64], firsts: tuple[int, ...]) -> FloatArray:
    """Margins by substitution back to each of these layers."""
    margins = _margins_of(network, classes)
    found = [Plane.of(margins).behind(_steps(network, ranges, first)).lowest(ranges[first]) for first in firsts]
    return np.asarray(np.fmax.reduce(found) - _error(network, ranges, margins))


def _margins_of(network: Network, classes: NDArray[np.int64]) -> FloatArray:
    """Coefficients of the scores in the margins over every class, (boxes, classes, scores)."""
    own = np.eye(network.outputs)
    return own[classes][:, None, :] - own


def _steps(network: Network, ranges: list[Range], first: int) -> list[Step]:
    return [step_of(layer, inputs) for layer, inputs in zip(network.layers[first:], ranges[first:-1], strict=True)]


def _error(network: Network, ranges: list[Range], margins: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("bjk,bk->bj", np.abs(margins), deviation(network, ranges)))
