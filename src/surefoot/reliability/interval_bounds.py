"""Interval bound propagation (Gowal et al. 2018) and what rounding adds to it.

A sum of n products computed in any order, with or without fused operations, differs from the true one by at most
g(n) = n u / (1 - n u) times the sum of the absolute products (Higham 2002, section 3.1), u being the relative error
of one operation. All margins here add a unit of double precision to u: it covers the rounding of the margins
themselves, which are sums of terms that are not negative, and of centre and radius of an interval. Underflow adds at
most ``FLUSHED``.
"""

from __future__ import annotations

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.reliability.activations import UNIT, Range
from surefoot.reliability.networks import Bent, Layer, Network

FLUSHED = 1e-200
"""More than all underflow of a computation with numbers below ``LARGEST``."""
EXTRA = 8
"""Roundings beside those of the sum: centre, radius, offset, outward step."""


def growth(roundings: int, unit: float = UNIT) -> float:
    """Relative error of a sum after so many roundings; infinite where nothing can be said."""
    total = roundings * (unit + UNIT)
    return total / (1 - total) if total < 1 else np.inf


def image(layer: Layer, inputs: Range) -> Range:
    """A range that holds the outputs of a layer for all inputs of a range."""
    if isinstance(layer, Bent):
        return layer.image(inputs)
    middle = layer.linear((inputs.lower + inputs.upper) / 2) + layer.offset
    size = layer.reach(inputs.magnitude) + np.abs(layer.offset)
    spread = layer.reach((inputs.upper - inputs.lower) / 2) + growth(layer.roundings + EXTRA) * size + FLUSHED
    return Range(middle - spread, middle + spread)


def interval_ranges(network: Network, box: Range) -> list[Range]:
    """Ranges of the inputs of each layer, then of the outputs."""
    ranges = [box]
    for layer in network.layers:
        ranges.append(image(layer, ranges[-1]))
    return ranges


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
