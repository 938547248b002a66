"""Boundaries between classes on the unit cube, and operational profiles on it.

Around a boundary lies a gap that no input falls into; density, sampling and mass along the last axis of a profile are
closed forms.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

IN_GAP = -1
"""The region of a point that lies in no class."""
WHERE = "Profile"
WHOLE = 1e-9


@dataclass(frozen=True)
class Boundary(ABC):
    """Along the last feature, classes follow one another from 0 to 1 with a wall on either side of each gap."""

    width: float
    """Width of the gap, along the last feature or across the curve; 0 for none."""

    @property
    @abstractmethod
    def dimensions(self) -> int:
        """Number of features."""

    @property
    @abstractmethod
    def labels(self) -> tuple[int, ...]:
        """Classes from the lower end of the last feature to the upper one."""

    @property
    @abstractmethod
    def gap(self) -> float:
        """Smallest L-infinity distance between points of different classes."""

    @property
    @abstractmethod
    def kinks(self) -> tuple[tuple[float, ...], ...]:
        """For each feature but the last, where the walls are not smooth."""

    @abstractmethod
    def middles(self, places: FloatArray) -> FloatArray:
        """Middle of each gap above places given by all features but the last, ascending."""

    @abstractmethod
    def walls(self, places: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lower and upper wall of each gap."""

    @property
    def classes(self) -> int:
        """Number of classes."""
        return max(self.labels) + 1

    @cached_property
    def band_labels(self) -> NDArray[np.int64]:
        """``labels`` as an array."""
        return np.array(self.labels)

    def label(self, points: FloatArray) -> NDArray[np.int64]:
        """Class of each point; inside a gap that of the nearer side of its middle."""
        above = points[:, -1:] > self.middles(points[:, :-1])
        return np.asarray(self.band_labels[above.sum(axis=1)])

    def region(self, points: FloatArray) -> NDArray[np.int64]:
        """Class of each point, ``IN_GAP`` where it lies in a gap."""
        low, high = self.walls(points[:, :-1])
        last = points[:, -1:]
        within = ((last > low) & (last < high)).any(axis=1)
        return np.where(within, IN_GAP, self.band_labels[(last >= high).sum(axis=1)])

    def bands(self, places: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lower and upper end of each class along the last feature."""
        low, high = self.walls(places)
        ends = np.zeros((len(places), 1))
        return np.hstack([ends, high]), np.hstack([low, ends + 1])


@dataclass(frozen=True)
class Wave(Boundary):
    """Gaps around the surfaces x_d = level + amplitude * sum over the other features of sin(2 pi frequency x_i)."""

    features: int
    levels: tuple[float, ...]
    band_classes: tuple[int, ...]
    amplitude: float = 0.0
    frequency: int = 1

    def __post_init__(self) -> None:
        validate.count(self.features, where="Wave", name="features", at_least=1)
        validate.count(self.frequency, where="Wave", name="frequency", at_least=1)
        bands = self.band_classes
        if len(bands) != len(self.levels) + 1 or set(bands) != set(range(self.classes)) or not np.diff(bands).all():
            raise InvalidInput(
                "give the classes of the bands, numbered from 0, each once in a row", where="Wave", found=bands
            )
        reach = self.width / 2 + abs(self.amplitude) * (self.features - 1)
        if self.width < 0 or min(self.levels) <= reach or max(self.levels) >= 1 - reach:
            raise InvalidInput("gaps must lie inside the unit cube", where="Wave", found=self)
        if (np.diff(self.levels) <= self.width).any():
            raise InvalidInput("levels must rise by more than the width of a gap", where="Wave", found=self.levels)

    @property
    def dimensions(self) -> int:
        """Number of features."""
        return self.features

    @property
    def labels(self) -> tuple[int, ...]:
        """Classes from the lower end of the last feature to the upper one."""
        return self.band_classes

    @cached_property
    def gap(self) -> float:
        """Root of gap + 2 (d-1) amplitude sin(pi frequency gap) = width.

        Two points at most ``gap`` apart in each feature differ in height of surface by at most the second term, and by
        as much where sin is steepest.
        """
        from scipy.optimize import brentq

        steep = 2 * (self.features - 1) * abs(self.amplitude)
        reach = 1 / (2 * self.frequency)

        def short(gap: float) -> float:
            return gap + steep * math.sin(math.pi * self.frequency * min(gap, reach)) - self.width

        return float(brentq(short, 0.0, self.width, xtol=1e-15)) if self.width else 0.0

    @property
    def kinks(self) -> tuple[tuple[float, ...], ...]:
        """None: a sine is smooth."""
        return ((),) * (self.features - 1)

    def middles(self, places: FloatArray) -> FloatArray:
        """Height of each surface."""
        ripple = self.amplitude * np.sin(2 * np.pi * self.frequency * places).sum(axis=1, keepdims=True)
        return np.asarray(ripple + np.array(self.levels))

    def walls(self, places: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Half a width below and above each surface."""
        middles = self.middles(places)
        return middles - self.width / 2, middles + self.width / 2


@dataclass(frozen=True)
class Ring(Boundary):
    """Class 1 in a disc about the middle of the unit square, class 0 around it."""

    radius: float

    def __post_init__(self) -> None:
        if not 0 <= self.width / 2 < self.radius or self.radius + self.width / 2 >= 0.5:
            raise InvalidInput("the gap must lie inside the unit square", where="Ring", found=self)

    @property
    def dimensions(self) -> int:
        """Two."""
        return 2

    @property
    def labels(self) -> tuple[int, ...]:
        """Outside, disc, outside."""
        return (0, 1, 0)

    @property
    def gap(self) -> float:
        """Width over root 2: the walls are nearest along a diagonal, where both features share the distance."""
        return self.width / math.sqrt(2)

    @property
    def kinks(self) -> tuple[tuple[float, ...], ...]:
        """Where the walls begin and end."""
        radii = (self.radius - self.width / 2, self.radius + self.width / 2)
        return (tuple(0.5 + sign * radius for radius in radii for sign in (-1, 1)),)

    def middles(self, places: FloatArray) -> FloatArray:
        """Lower and upper half of the circle; both on its middle beside it."""
        chord = _half_chord(places, self.radius)
        return np.hstack([0.5 - chord, 0.5 + chord])

    def walls(self, places: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Inner and outer circle."""
        inner = _half_chord(places, self.radius - self.width / 2)
        outer = _half_chord(places, self.radius + self.width / 2)
        return np.hstack([0.5 - outer, 0.5 + inner]), np.hstack([0.5 - inner, 0.5 + outer])


def _half_chord(places: FloatArray, radius: float) -> FloatArray:
    return np.sqrt(np.maximum(radius**2 - (places - 0.5) ** 2, 0.0))


@dataclass(frozen=True)
class Profile:
    """A mixture of normal distributions with independent features, each cut off to the unit cube.

    ``pile`` above 0 moves the inputs inside each slice of height ``period`` of the last feature towards its lower end,
    by the map v -> v / (1 + pile - pile v) of the place v in the slice: the density falls from 1 + pile times to
    1 / (1 + pile) times its value, and the mass of a slice stays what it was.
    """

    centres: tuple[tuple[float, ...], ...]
    scales: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]
    pile: float = 0.0
    period: float = 1.0

    def __post_init__(self) -> None:
        shape = np.shape(validate.numbers(self.centres, where=WHERE, name="centres"))
        scales = validate.numbers(self.scales, where=WHERE, name="scales")
        if len(shape) != 2 or scales.shape != shape or (scales <= 0).any():
            raise InvalidInput("each component needs a centre and a scale above 0 for each feature", where=WHERE)
        weights = validate.unit_vector(self.weights, where=WHERE, name="weights")
        if len(weights) != shape[0] or abs(weights.sum() - 1) > WHOLE:
            raise InvalidInput("weights of the components must sum to 1", where=WHERE, found=self.weights)
        if not self.pile >= 0 or not self.period > 0 or abs(round(1 / self.period) * self.period - 1) > WHOLE:
            raise InvalidInput("pile is at least 0 and period divides 1", where=WHERE, found=(self.pile, self.period))

    @property
    def dimensions(self) -> int:
        """Number of features."""
        return len(self.centres[0])

    @cached_property
    def _centre(self) -> FloatArray:
        return np.array(self.centres)

    @cached_property
    def _scale(self) -> FloatArray:
        return np.array(self.scales)

    @cached_property
    def _below(self) -> FloatArray:
        return np.asarray(special.ndtr(-self._centre / self._scale))

    @cached_property
    def _inside(self) -> FloatArray:
        return np.asarray(special.ndtr((1 - self._centre) / self._scale) - self._below)

    @cached_property
    def _ends(self) -> FloatArray:
        return np.cumsum(self.weights)[:-1]

    def draw(self, rng: np.random.Generator, n: int) -> FloatArray:
        """``n`` independent inputs."""
        chosen = np.searchsorted(self._ends, rng.random(n), side="right")
        uniform = self._below[chosen] + self._inside[chosen] * rng.random((n, self.dimensions))
        points = np.clip(self._centre[chosen] + self._scale[chosen] * special.ndtri(uniform), 0.0, 1.0)
        if self.pile:
            cell, place = self._slices(points[:, -1])
            points[:, -1] = (cell + place / (1 + self.pile - self.pile * place)) * self.period
        return points

    def density(self, points: FloatArray) -> FloatArray:
        """Density at points of the unit cube."""
        last, slope = self._levelled(points[:, -1])
        columns = self.across(points[:, :-1])
        return np.asarray((columns * self._factor(last, -1)).sum(axis=1) * slope)

    def across(self, places: FloatArray) -> FloatArray:
        """For each component, its weight times its density in all features but the last."""
        found = np.tile(np.array(self.weights), (len(places), 1))
        for axis in range(self.dimensions - 1):
            found *= self._factor(places[:, axis], axis)
        return found

    def along(self, values: FloatArray) -> FloatArray:
        """For each component, its probability below values of the last feature; one more axis at the end."""
        levelled, _ = self._levelled(values)
        below = special.ndtr((levelled[..., None] - self._centre[:, -1]) / self._scale[:, -1])
        return np.asarray((below - self._below[:, -1]) / self._inside[:, -1])

    def _factor(self, values: FloatArray, axis: int) -> FloatArray:
        scale = self._scale[:, axis]
        distance = (values[:, None] - self._centre[:, axis]) / scale
        return np.asarray(np.exp(-(distance**2) / 2) / (np.sqrt(2 * np.pi) * scale * self._inside[:, axis]))

    def _levelled(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Where values of the last feature lay before they were piled up, and how densely they lie now."""
        if not self.pile:
            return values, np.ones_like(values)
        cell, place = self._slices(values)
        stretch = 1 + self.pile * place
        return (cell + (1 + self.pile) * place / stretch) * self.period, (1 + self.pile) / stretch**2

    def _slices(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        scaled = values / self.period
        cell = np.floor(scaled)
        return cell, scaled - cell
