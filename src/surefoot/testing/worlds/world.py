"""A world: an operational profile, true labels, a way to a model, and the model's true failure probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.testing.worlds.answers import decision, searched, stepwise, thresholds
from surefoot.testing.worlds.boundaries import IN_GAP, Boundary
from surefoot.testing.worlds.columns import Columns, Pieces, band_masses, columns_of
from surefoot.testing.worlds.learners import Learner
from surefoot.testing.worlds.profiles import Profile

PANELS = (1, 1, 64, 24)
"""Fewest panels a feature, by number of features."""
NODES = (1, 1, 8, 4)
SPOILT_POINTS = 15
"""Wrongly labelled training points along each side of the bad region."""
Labelled = tuple[FloatArray, NDArray[np.int64]]
Box = tuple[tuple[float, float], ...]
Shares = tuple[float, ...]


@dataclass(frozen=True)
class World:
    """Inputs on the unit cube that follow a profile outside the gaps of a boundary.

    The fields after ``side`` break one assumption each; all are off unless given.
    """

    name: str
    boundary: Boundary
    profile: Profile
    learner: Learner
    side: float
    """A cell side that divides 1, below the gap where there is one."""
    shares: Shares | None = None
    """Share of each class in operation; what the profile gives where None."""
    collected: Shares | None = None
    """Share of each class in the labelled set, where it was not drawn from operation."""
    tested: Shares | None = None
    """The same for the held-out set."""
    noise: float = 0.0
    """Share of labels, of every set, that are another class drawn at random."""
    bad_region: Box | None = None
    """A region that the labelled set misses and that the model learnt with wrong labels."""
    copies: int = 1
    """How often each row of a set is there, one after the other."""
    breaks: str = ""
    """Which assumption does not hold, in words; empty where all can hold."""

    def __post_init__(self) -> None:
        if self.boundary.dimensions != self.profile.dimensions or self.profile.dimensions >= len(PANELS):
            raise InvalidInput("boundary and profile need the same 1 to 3 features", where=self.name)
        for shares in (self.shares, self.collected, self.tested):
            if shares is not None and (len(shares) != self.classes or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9):
                raise InvalidInput("shares of the classes are above 0 and sum to 1", where=self.name, found=shares)
        validate.probability(self.noise, where=self.name, name="noise")
        validate.count(self.copies, where=self.name, name="copies", at_least=1)

    @property
    def dimensions(self) -> int:
        """Number of features."""
        return self.profile.dimensions

    @property
    def domain(self) -> Box:
        """The unit cube."""
        return ((0.0, 1.0),) * self.dimensions

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.boundary.classes

    @property
    def gap(self) -> float:
        """Smallest L-infinity distance between inputs that can bear different labels; 0 with label noise."""
        return 0.0 if self.noise else self.boundary.gap

    def sample(self, rng: np.random.Generator, n: int) -> Labelled:
        """``n`` inputs from operation and their labels."""
        return self._set(rng, n, self.shares)

    def collect(self, rng: np.random.Generator, n: int) -> Labelled:
        """The labelled set that the model is trained on and that labels the cells."""
        return self._set(rng, n, self.collected or self.shares, missed=self.bad_region)

    def held_out(self, rng: np.random.Generator, n: int) -> Labelled:
        """A labelled set that nobody else looks at."""
        return self._set(rng, n, self.tested or self.shares)

    def label(self, inputs: FloatArray) -> NDArray[np.int64]:
        """True class, before any noise; inside a gap that of the nearer side."""
        return self.boundary.label(inputs)

    def density(self, inputs: FloatArray) -> FloatArray:
        """Density of operation; 0 in the gaps."""
        factor = np.append(self._factors(self.shares), 0.0)
        return self.profile.density(inputs) * factor[self.boundary.region(inputs)]

    def fit(self, inputs: FloatArray, labels: NDArray[np.int64]) -> Any:
        """The model that comes of a labelled set."""
        spoilt = self._spoilt()
        return self.learner.fit(np.vstack([inputs, spoilt[0]]), np.concatenate([labels, spoilt[1]]))

    def train(self, rng: np.random.Generator, n: int) -> Any:
        """A model trained on ``n`` collected rows."""
        return self.fit(*self.collect(rng, n))

    def true_pmi(self, model: Any, *, nodes: int | None = None) -> float:
        """Probability that the model's answer to an input from operation differs from the label that is observed.

        Along the last feature masses are closed forms; across, ``nodes`` Gauss-Legendre nodes a panel. Trees and
        forests of scikit-learn are followed from split to split: within 2e-6 with two features, 2e-5 with three, less
        with more nodes. Of any other model, an estimator or a function from inputs to class numbers, changes of
        answer are searched for along each column: as good where its boundary is smooth, within 1e-3 where it jumps.
        """
        breaks = thresholds(model, self.dimensions)
        columns = self._columns(breaks, nodes or NODES[self.dimensions])
        decide = decision(model)
        pieces = searched(decide, columns) if breaks is None else stepwise(decide, columns, breaks[-1])
        labels = self.boundary.band_labels
        masses = band_masses(self.boundary, self.profile, columns, pieces) * self._factors(self.shares)[labels]
        wrong = float(masses[pieces.answer[:, None] != labels].sum())
        return (1 - self.noise) * wrong + self.noise * (1 - wrong / (self.classes - 1))

    def _set(self, rng: np.random.Generator, n: int, shares: Shares | None, *, missed: Box | None = None) -> Labelled:
        inputs = self._inputs(rng, math.ceil(n / self.copies), shares, missed)
        labels = self._noisy(rng, self.label(inputs))
        if self.copies == 1:
            return inputs, labels
        return np.repeat(inputs, self.copies, axis=0)[:n], np.repeat(labels, self.copies)[:n]

    def _inputs(self, rng: np.random.Generator, n: int, shares: Shares | None, missed: Box | None) -> FloatArray:
        """Draws of the profile, those in a gap left out and the classes thinned to their shares."""
        factor = self._factors(shares)
        keep = np.append(factor / factor.max(), 0.0)
        parts, lacking = [np.empty((0, self.dimensions))], n
        while lacking > 0:
            points = self.profile.draw(rng, math.ceil(1.05 * lacking * factor.max()) + 20)
            region = self.boundary.region(points)
            kept = region != IN_GAP if shares is None else rng.random(len(points)) < keep[region]
            if missed is not None:
                kept &= ~inside(points, missed)
            parts.append(points[kept][:lacking])
            lacking -= len(parts[-1])
        return np.concatenate(parts)

    def _noisy(self, rng: np.random.Generator, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        if not self.noise:
            return labels
        moves = rng.integers(1, self.classes, len(labels)) * (rng.random(len(labels)) < self.noise)
        return (labels + moves) % self.classes

    def _spoilt(self) -> Labelled:
        """Training points all over the bad region, each with a wrong label."""
        if self.bad_region is None:
            return np.empty((0, self.dimensions)), np.empty(0, np.int64)
        axes = [np.linspace(low, high, SPOILT_POINTS) for low, high in self.bad_region]
        points = np.stack([axis.ravel() for axis in np.meshgrid(*axes)], axis=1)
        return points, (self.label(points) + 1) % self.classes

    def _factors(self, shares: Shares | None) -> FloatArray:
        """By how much the density of operation exceeds that of the profile in each class."""
        if shares is None:
            return np.full(self.classes, 1 / self._masses.sum())
        return np.array(shares) / self._masses

    @cached_property
    def _masses(self) -> FloatArray:
        """Mass of each class under the profile."""
        columns = self._columns(None, 2 * NODES[self.dimensions])
        bands = band_masses(self.boundary, self.profile, columns, Pieces.whole(columns)).sum(axis=0)
        return np.array([bands[self.boundary.band_labels == number].sum() for number in range(self.classes)])

    def _columns(self, breaks: list[FloatArray] | None, nodes: int) -> Columns:
        panels = np.linspace(0.0, 1.0, PANELS[self.dimensions] + 1)
        more = breaks or [np.empty(0)] * self.dimensions
        edges = [np.unique([*panels, *kinks, *own]) for kinks, own in zip(self.boundary.kinks, more, strict=False)]
        return columns_of(edges, nodes)


def inside(points: FloatArray, box: Box) -> NDArray[np.bool_]:
    """Which points lie in a box."""
    low, high = np.array(box).T
    return np.asarray(((points >= low) & (points <= high)).all(axis=1))
