"""The box that inputs cannot leave, and mirror images in its faces.

Instead of points, the places asked for are mirrored: the density of a mirrored kernel at x is that of the kernel at the
mirrored x, whatever the shape of the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

WHERE = "KDE"
MOST_SIDES = 100
"""Domains that a kernel may reach across and be mirrored in."""
AT_ONCE = 1 << 20
"""Mirror images held at once."""


@dataclass(frozen=True)
class Mirror:
    """The map ``x -> sign * x + shift`` of one feature."""

    sign: int
    shift: float

    def __call__(self, places: FloatArray) -> FloatArray:
        return self.sign * places + self.shift


@dataclass(frozen=True, eq=False)
class Domain:
    """A box with sides along the axes."""

    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, domain: Any, dimensions: int) -> Domain:
        """One (low, high) for all features, one for each, or two corners."""
        pairs = validate.numbers(domain, where=WHERE, name="domain")
        if pairs.shape == (2,):
            pairs = np.tile(pairs, (dimensions, 1))
        for candidate in (pairs, pairs.T):
            if candidate.shape == (dimensions, 2) and (candidate[:, 0] < candidate[:, 1]).all():
                return cls(candidate[:, 0].copy(), candidate[:, 1].copy())
        raise InvalidInput(
            f"domain must be a pair (low, high) for each of the {dimensions} features, low below high",
            where=WHERE,
            found=repr(np.asarray(domain).tolist()),
            remedy=f"For example domain={[(0, 1)] * min(dimensions, 3)}.",
        )

    def inside(self, rows: FloatArray) -> NDArray[np.bool_]:
        """Whether each row lies in the domain."""
        return np.asarray(((rows >= self.lower) & (rows <= self.upper)).all(axis=1))

    def clip(self, rows: FloatArray) -> FloatArray:
        """Each row moved to the nearest place in the domain."""
        return np.clip(rows, self.lower, self.upper)

    def folded(self, rows: FloatArray) -> FloatArray:
        """Rows mirrored into the domain, as often as it takes."""
        side = self.upper - self.lower
        place = np.mod(rows - self.lower, 2 * side)
        return self.lower + np.minimum(place, 2 * side - place)

    def mirrors(self, feature: int, reach: float) -> list[Mirror]:
        """All repeated mirrorings of a feature that bring some place within reach of the domain."""
        low, side = self.lower[feature], self.upper[feature] - self.lower[feature]
        if reach > MOST_SIDES * side:
            raise InvalidInput(
                "the bandwidth is too wide for a reflecting domain",
                where=WHERE,
                found=f"kernels that reach {reach / side:.3g} times the side of feature {feature}",
                remedy="Use boundary='renormalise', or a smaller bandwidth.",
            )
        turns = math.ceil(reach / (2 * side)) + 1
        found = [
            Mirror(sign, 2 * turn * side + (2 * low if sign < 0 else 0.0))
            for turn in range(-turns, turns + 1)
            for sign in (1, -1)
        ]
        return [mirror for mirror in found if self._gap(mirror, feature) < reach]

    def _gap(self, mirror: Mirror, feature: int) -> float:
        low, high = self.lower[feature], self.upper[feature]
        first, last = sorted((float(mirror(low)), float(mirror(high))))
        return max(first - high, low - last, 0.0)

    def images(self, rows: FloatArray, reaches: FloatArray) -> tuple[FloatArray, NDArray[np.int64]]:
        """Mirror images of rows within reach of the domain, all combinations of faces, and the row of each."""
        parents = np.arange(len(rows))
        for feature, reach in enumerate(reaches):
            low, high = self.lower[feature] - reach, self.upper[feature] + reach
            parts = []
            for mirror in self.mirrors(feature, reach):
                mirrored = mirror(rows[:, feature])
                near = np.flatnonzero((mirrored >= low) & (mirrored <= high))
                part = rows[near]
                part[:, feature] = mirrored[near]
                parts.append((part, parents[near]))
            rows, parents = np.concatenate([p for p, _ in parts]), np.concatenate([p for _, p in parts])
        order = np.argsort(parents, kind="stable")
        return rows[order], parents[order]

    def image_blocks(self, rows: FloatArray, reaches: FloatArray) -> Iterator[slice]:
        """Parts of the rows with a bounded number of images each."""
        low, high = self.lower - reaches, self.upper + reaches
        counts = np.ones(len(rows))
        for k, reach in enumerate(reaches):
            mirrored = (mirror(rows[:, k]) for mirror in self.mirrors(k, reach))
            counts *= np.sum([(places >= low[k]) & (places <= high[k]) for places in mirrored], axis=0)
        parts = np.flatnonzero(np.diff(np.cumsum(counts) // AT_ONCE)) + 1
        bounds = [0, *parts.tolist(), len(rows)]
        return (slice(*ends) for ends in pairwise(bounds))

    def mirrored_boxes(
        self, lower: FloatArray, upper: FloatArray, reaches: FloatArray
    ) -> list[tuple[FloatArray, FloatArray]]:
        """All boxes under each combination of mirrors."""
        per_feature = [self.mirrors(feature, reach) for feature, reach in enumerate(reaches)]
        found = []
        for mirrors in product(*per_feature):
            ends = np.stack([[m(lower[:, k]), m(upper[:, k])] for k, m in enumerate(mirrors)], axis=2)
            found.append((ends.min(axis=0), ends.max(axis=0)))
        return found
