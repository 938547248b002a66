"""Boundaries between classes on the unit cube, with a gap around them that no input falls into."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

IN_GAP = -1
"""The region of a point that lies in no class."""


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
