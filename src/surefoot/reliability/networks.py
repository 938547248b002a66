"""A feed-forward classifier as plain layers, with the arithmetic that the model itself uses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.activations import UNIT, Activation

LARGEST = 1e100
"""Larger numbers are not reasoned about: nothing is proved with them."""


@dataclass(frozen=True, eq=False)
class Affine:
    """``weight @ x + offset``."""

    weight: FloatArray
    offset: FloatArray

    @property
    def roundings(self) -> int:
        """Roundings behind one computed output, in any order of summation."""
        return self.weight.shape[1] + 4

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

    def linear(self, points: FloatArray) -> FloatArray:
        """The layer without its offset."""
        return points * self.factor

    def reach(self, magnitudes: FloatArray) -> FloatArray:
        """How large the linear part can become for inputs of these magnitudes."""
        return magnitudes * np.abs(self.factor)

    def back(self, coefficients: FloatArray) -> FloatArray:
        """Coefficients of the outputs as coefficients of the inputs."""
        return coefficients * self.factor


Layer = Affine | Scaling | Activation


@dataclass(frozen=True, eq=False)
class Network:
    """Layers from inputs to one score a class; the largest score is the answer.

    ``unit`` is the relative error of one operation of the model, ``smallest`` and ``largest`` the normal numbers it
    can hold.
    """

    layers: tuple[Layer, ...]
    unit: float = UNIT
    smallest: float = float(np.finfo(np.float64).tiny)
    largest: float = LARGEST

    @property
    def tie(self) -> float:
        """Scores closer than this may become equal when they are turned into probabilities."""
        return 64 * self.unit

    @cached_property
    def inputs(self) -> int:
        """Number of features."""
        first = self.layers[0]
        assert not isinstance(first, Activation), "a network begins with weights"
        return first.weight.shape[1] if isinstance(first, Affine) else len(first.offset)

    @cached_property
    def outputs(self) -> int:
        """Number of classes."""
        return next(len(layer.offset) for layer in reversed(self.layers) if not isinstance(layer, Activation))

    @cached_property
    def units(self) -> int:
        """The largest number of units of a layer."""
        return max(len(layer.offset) for layer in self.layers if not isinstance(layer, Activation))

    @cached_property
    def influence(self) -> FloatArray:
        """How strongly each feature moves the first hidden layer."""
        units = np.eye(self.inputs)
        for layer in self.layers:
            if isinstance(layer, Activation):
                break
            units = layer.linear(units)
        return np.asarray(np.abs(units).sum(axis=1))

    @cached_property
    def tail(self) -> int:
        """Position of the first layer after the last activation."""
        return max((i + 1 for i, layer in enumerate(self.layers) if isinstance(layer, Activation)), default=0)

    def scores(self, points: FloatArray) -> FloatArray:
        """One score a class for each point, in double precision."""
        values = points
        with np.errstate(over="ignore", invalid="ignore"):
            for layer in self.layers:
                values = layer.apply(values) if isinstance(layer, Activation) else layer.linear(values) + layer.offset
        return values

    def decide(self, points: FloatArray) -> NDArray[np.int64]:
        """The class with the largest score for each point."""
        return np.asarray(self.scores(points).argmax(axis=1))
