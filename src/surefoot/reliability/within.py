"""How inputs are distributed inside one box."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from scipy.special import ndtr, ndtri

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray


@runtime_checkable
class Within(Protocol):
    """A distribution on each box; ``repr`` shows its parameters."""

    def draw(self, lower: FloatArray, upper: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        """``count`` points inside each box, shape (boxes, count, dimensions)."""
        ...

    def share(self, lower: FloatArray, upper: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Probability of the part [low, high] of each box [lower, upper]."""
        ...


@dataclass(frozen=True)
class Uniform:
    """Every place inside a box is as likely as any other (Assumption 5 of RAM)."""

    def draw(self, lower: FloatArray, upper: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        """``count`` points inside each box."""
        places = rng.random((len(lower), count, lower.shape[1]))
        places *= (upper - lower)[:, None, :]
        places += lower[:, None, :]
        return places

    def share(self, lower: FloatArray, upper: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Volume of the part over volume of the box."""
        return np.asarray(((high - low) / (upper - lower)).prod(axis=1))


@dataclass(frozen=True)
class Normal:
    """Inputs gather around the centre of a box: a normal distribution along each side, cut off at the ends.

    ``scale`` is its standard deviation as a share of the side.
    """

    scale: float

    def __post_init__(self) -> None:
        validate.positive(self.scale, where="Normal", name="scale")

    def draw(self, lower: FloatArray, upper: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        """``count`` points inside each box."""
        low, high = ndtr(-0.5 / self.scale), ndtr(0.5 / self.scale)
        chances = low + (high - low) * rng.random((len(lower), count, lower.shape[1]))
        places = np.clip(0.5 + self.scale * ndtri(chances), 0.0, 1.0)
        return np.asarray(lower[:, None] + places * (upper - lower)[:, None])

    def share(self, lower: FloatArray, upper: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Probability of the part, the product over the sides."""
        ends = [((end - lower) / (upper - lower) - 0.5) / self.scale for end in (low, high)]
        whole = ndtr(0.5 / self.scale) - ndtr(-0.5 / self.scale)
        return np.asarray(((ndtr(ends[1]) - ndtr(ends[0])) / whole).prod(axis=1))


@dataclass(frozen=True)
class Following:
    """Inputs follow a density, such as that of a profile.

    Each side is cut into ``parts``; inside a part of the box the density is taken to be that of its centre. Where it is
    0 everywhere in a box, the distribution is uniform there. Work grows with ``parts`` to the power of the dimensions.
    """

    density: Callable[[FloatArray], FloatArray]
    parts: int = 4

    def __post_init__(self) -> None:
        validate.count(self.parts, where="Following", name="parts", at_least=1)

    def draw(self, lower: FloatArray, upper: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        """``count`` points inside each box."""
        boxes, dimensions = lower.shape
        cumulative = np.cumsum(self._shares(lower, upper), axis=1)[:, None, :-1]
        chosen = (rng.random((boxes, count, 1)) >= cumulative).sum(axis=2)
        steps = np.stack(np.unravel_index(chosen, (self.parts,) * dimensions), axis=2)
        places = (steps + rng.random(steps.shape)) / self.parts
        return np.asarray(lower[:, None] + places * (upper - lower)[:, None])

    def share(self, lower: FloatArray, upper: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Sum over the parts: probability of the part, times the share of it inside [low, high]."""
        boxes, dimensions = lower.shape
        if not boxes:
            return np.empty(0)
        left = self._shares(lower, upper)
        starts = np.arange(self.parts)
        for dimension in range(dimensions):
            begin, end = (
                (at[:, dimension] - lower[:, dimension]) / (upper - lower)[:, dimension] * self.parts
                for at in (low, high)
            )
            covered = np.clip(end[:, None] - starts, 0, 1) - np.clip(begin[:, None] - starts, 0, 1)
            left = np.einsum("ij,ijk->ik", covered, left.reshape(boxes, self.parts, -1))
        return left[:, 0]

    def _shares(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Probability of each part of each box, in C order."""
        boxes, dimensions = lower.shape
        steps = np.indices((self.parts,) * dimensions).reshape(dimensions, -1).T
        centres = lower[:, None] + (steps + 0.5) / self.parts * (upper - lower)[:, None]
        density = np.asarray(self.density(centres.reshape(-1, dimensions)), float)
        if density.shape != (boxes * len(steps),) or not (np.isfinite(density) & (density >= 0)).all():
            raise InvalidInput(
                "the density must be one finite number of at least 0 for each row",
                where="Following",
                found=f"shape {density.shape} for {boxes * len(steps)} rows, from {density.min()} to {density.max()}",
            )
        shares = density.reshape(boxes, -1)
        total = shares.sum(axis=1, keepdims=True)
        return np.where(total > 0, shares / np.where(total > 0, total, 1), 1 / len(steps))
