"""Operational profiles on the unit cube whose density, sampling and mass along the last axis are closed forms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

WHERE = "Profile"
WHOLE = 1e-9


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
