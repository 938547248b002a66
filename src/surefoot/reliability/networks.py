"""A feed-forward classifier as plain layers, with the arithmetic that the model itself uses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.activations import UNIT, Activation
from surefoot.reliability.convolutions import Sparse
from surefoot.reliability.max_pool import MaxPool

LARGEST = 1e100
"""Larger numbers are not reasoned about: nothing is proved with them."""
DENSE = 16
"""How many times faster products of dense matrices are than those of sparse ones, roughly."""


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


@dataclass(frozen=True, eq=False)
class Network:
    """Layers from inputs to one score a class; the largest score is the answer.

    ``unit`` is the relative error of one operation of the model, ``factors`` that to which it rounds the factors of
    products of matrices before, ``smallest`` and ``largest`` the normal numbers it can hold.
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
