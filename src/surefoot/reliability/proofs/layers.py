"""Activation functions of networks: their ranges, and straight lines below and above them.

A line is sound whatever its slope, as long as its offset is the extreme of function minus slope times input. So slopes
are chosen freely, and offsets are computed and moved outward by more than their rounding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

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


# Layers of weights in which each output looks at few inputs: convolutions and mean pools, as sparse matrices.
#
# A sparse matrix holds any stride, padding, dilation and grouping without rounding, and its products with many rows of
# coefficients, forward and back, cost only what the kernel needs.

MOST_PRODUCTS = 1 << 24
"""Products of one layer, at most: a sparse matrix takes 12 bytes for each."""
FEW = 32
"""A product with rows of which no more than this part is not 0 is faster if they are made sparse too."""


@dataclass(frozen=True, eq=False)
class Sparse:
    """``weight @ x + offset`` with a sparse matrix."""

    weight: Any
    offset: FloatArray

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        return int(self.weight.shape[1])

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        return int(self.weight.shape[0])

    @property
    def effort(self) -> int:
        """Cost of a product with one row."""
        return int(self.weight.nnz)

    @property
    def numbers(self) -> FloatArray:
        """All weights."""
        return np.asarray(self.weight.data)

    @cached_property
    def roundings(self) -> int:
        """Roundings behind one computed output, in any order of summation."""
        return int(np.diff(self.weight.indptr).max(initial=0)) + 4

    @cached_property
    def _sizes(self) -> Any:
        return abs(self.weight)

    def linear(self, points: FloatArray) -> FloatArray:
        """The layer without its offset."""
        return np.ascontiguousarray(points @ self.weight.T)

    def reach(self, magnitudes: FloatArray) -> FloatArray:
        """How large the linear part can become for inputs of these magnitudes."""
        return np.ascontiguousarray(magnitudes @ self._sizes.T)

    def back(self, coefficients: FloatArray) -> FloatArray:
        """Coefficients of the outputs as coefficients of the inputs."""
        rows = coefficients.reshape(-1, coefficients.shape[-1])
        found = self._few(rows) if np.count_nonzero(rows) < rows.size // FEW else rows @ self.weight
        return np.ascontiguousarray(found).reshape(*coefficients.shape[:-1], -1)

    def _few(self, rows: FloatArray) -> FloatArray:
        from scipy.sparse import csr_array

        return np.asarray((csr_array(rows) @ self.weight).toarray())


def convolution(weight: FloatArray, offset: FloatArray, windows: Windows, *, groups: int = 1) -> Sparse:
    """A convolution of an image; kernels are (outputs, inputs of a group, rows, columns)."""
    _, rows, columns, *kernel = windows.places.shape
    of_group = windows.places.reshape(groups, -1, rows * columns, int(np.prod(kernel))).swapaxes(1, 2)
    places = of_group.reshape(groups, 1, rows * columns, -1)
    values = weight.reshape(groups, len(weight) // groups, 1, -1)
    return _sparse(places, values, np.repeat(offset, rows * columns), windows.inputs)


def mean_pool(windows: Windows, divisors: NDArray[np.integer] | int) -> Sparse:
    """Sums over windows, divided; the padding counts as 0. One divisor for each window, or for all."""
    values = 1 / np.broadcast_to(divisors, len(windows.flat)).astype(float)
    return _sparse(windows.flat, values[:, None], np.zeros(len(values)), windows.inputs)


def _sparse(places: NDArray[np.int64], values: FloatArray, offset: FloatArray, inputs: int) -> Sparse:
    from scipy.sparse import csr_array

    places, values = (part.reshape(len(offset), -1) for part in np.broadcast_arrays(places, values))
    inside = places != OUTSIDE
    ends = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
    return Sparse(csr_array((values[inside], places[inside], ends), shape=(len(offset), inputs)), offset)


# The largest value of each window, and planes below and above it.


@dataclass(frozen=True, eq=False)
class MaxPool:
    """The largest input of each window; a row of ``places`` numbers the inputs of one."""

    places: NDArray[np.int64]
    inputs: int

    @property
    def outputs(self) -> int:
        """Number of windows."""
        return len(self.places)

    def apply(self, values: FloatArray) -> FloatArray:
        """The largest value of each window."""
        return np.asarray(self._inside(values).max(axis=2))

    def image(self, inputs: Range) -> Range:
        """Monotone and computed without rounding."""
        return Range(self.apply(inputs.lower), self.apply(inputs.upper))

    def passed(self, error: FloatArray, magnitude: FloatArray, unit: float) -> FloatArray:
        """An error grows to the largest of its window at most."""
        return self.apply(error)

    def bends(self, inputs: Range) -> NDArray[np.bool_]:
        """Which inputs lie in a window whose largest is not known."""
        _, alone = self.leaders(inputs)
        found = np.zeros((len(alone), self.inputs), dtype=bool)
        for places in self.places.T:
            inside = places != OUTSIDE
            found[:, places[inside]] |= ~alone[:, inside]
        return found

    def leaders(self, inputs: Range) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Position in each window of the largest lower end, and whether it is the largest input for sure."""
        lower, upper = self._inside(inputs.lower), self._inside(inputs.upper)
        leader = lower.argmax(axis=2)
        rivals = upper.copy()
        np.put_along_axis(rivals, leader[:, :, None], -np.inf, axis=2)
        return leader, lower.max(axis=2) >= rivals.max(axis=2)

    def back(self, coefficients: FloatArray, leader: NDArray[np.int64]) -> FloatArray:
        """Coefficients of the windows, (boxes, rows, windows), as coefficients of the leading inputs."""
        found = np.zeros((*coefficients.shape[:2], self.inputs))
        for position, places in enumerate(self.places.T):
            # Windows may overlap, but no two have one input at the same position.
            led = np.flatnonzero((leader == position).any(axis=0))
            found[:, :, places[led]] += coefficients[:, :, led] * (leader[:, led] == position)[:, None]
        return found

    def _inside(self, values: FloatArray) -> FloatArray:
        """Values of each window, (rows, windows, positions)."""
        outside = np.full((len(values), 1), -np.inf)
        return np.concatenate([values, outside], axis=1)[:, self.places]


# Which inputs the windows of convolutions and pools look at.

Integers = NDArray[np.int64]
Shape = tuple[int, ...]
Pair = tuple[int, int]

OUTSIDE = -1
"""Stands for a place in the padding."""


@dataclass(frozen=True, eq=False)
class Windows:
    """Numbers of flattened features, or ``OUTSIDE``: (channels, rows, columns, kernel rows, kernel columns)."""

    places: Integers
    inputs: int
    """Number of features of the image that they lie on."""

    @property
    def shape(self) -> Shape:
        """Channels, rows and columns of windows."""
        return self.places.shape[:3]

    @property
    def flat(self) -> Integers:
        """The places of one window a row."""
        return self.places.reshape(int(np.prod(self.shape)), -1)

    @classmethod
    def sliding(
        cls, shape: Shape, *, kernel: Pair, stride: Pair, padding: tuple[Pair, Pair], dilation: Pair = (1, 1)
    ) -> Windows:
        """Windows at regular distances over a padded image, which must be as large as one at least."""
        places = np.pad(_numbered(shape), ((0, 0), *padding), constant_values=OUTSIDE)
        extent = tuple((size - 1) * step + 1 for size, step in zip(kernel, dilation, strict=True))
        windows = np.lib.stride_tricks.sliding_window_view(places, extent, axis=(1, 2))
        return cls(windows[:, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]], int(np.prod(shape)))

    @classmethod
    def adaptive(cls, shape: Shape, size: Pair) -> Windows:
        """Windows that divide an image into so many rows and columns, as evenly as whole numbers allow."""
        rows, columns = (_parts(side, count) for side, count in zip(shape[1:], size, strict=True))
        rows, columns = rows[:, None, :, None], columns[None, :, None, :]
        inside = (rows >= 0) & (columns >= 0)
        return cls(np.where(inside, _numbered(shape)[:, rows, columns], OUTSIDE), int(np.prod(shape)))


def _numbered(shape: Shape) -> Integers:
    return np.arange(int(np.prod(shape))).reshape(shape)


def _parts(side: int, count: int) -> Integers:
    """Places of each part of a side, a row each."""
    part = np.arange(count)
    first, end = part * side // count, -(-(part + 1) * side // count)
    places = first[:, None] + np.arange((end - first).max())
    return np.where(places < end[:, None], places, OUTSIDE)
