"""The partition of the input domain into cells of equal side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

WHERE = "cells"
ROUNDING = 1e-9
"""A side that divides the domain up to rounding divides it."""
MOST_ALONG = 10_000_000
"""Cells along one feature."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells from edges along each dimension; numbered in C order, the last dimension fastest."""

    edges: tuple[FloatArray, ...]

    @classmethod
    def of(cls, domain: Any, side: Any, *, dimensions: int) -> Grid:
        """Cut a domain into cells of a side; the last cells are cut off where the side does not divide it."""
        lower, upper = bounds_of(domain, dimensions)
        sides = _sides(side, dimensions)
        spans = list(zip(lower.tolist(), upper.tolist(), sides.tolist(), strict=True))
        for feature, span in enumerate(spans):
            _require_few(feature, *span)
        grid = cls(tuple(_edges(*span) for span in spans))
        grid._require_wide()
        return grid

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each dimension."""
        return tuple(len(edges) - 1 for edges in self.edges)

    @property
    def dimensions(self) -> int:
        """Number of features."""
        return len(self.edges)

    def __len__(self) -> int:
        return math.prod(self.shape)

    @cached_property
    def lower(self) -> FloatArray:
        """Lower corner of the domain."""
        return np.array([edges[0] for edges in self.edges])

    @cached_property
    def upper(self) -> FloatArray:
        """Upper corner of the domain."""
        return np.array([edges[-1] for edges in self.edges])

    @property
    def side(self) -> float:
        """The largest side of a cell."""
        return float(self.sides.max())

    @property
    def sides(self) -> FloatArray:
        """The largest side of a cell along each dimension."""
        return np.array([np.diff(edges).max() for edges in self.edges])

    def corners(self, chosen: NDArray[np.int64] | slice) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corners of the chosen cells."""
        numbers = np.arange(*chosen.indices(len(self))) if isinstance(chosen, slice) else chosen
        places = np.unravel_index(numbers, self.shape)
        lower = np.stack([edges[place] for edges, place in zip(self.edges, places, strict=True)], axis=1)
        upper = np.stack([edges[place + 1] for edges, place in zip(self.edges, places, strict=True)], axis=1)
        return lower, upper

    def some_centres(self, most: int = 1000) -> FloatArray:
        """Centres of at most so many cells, spread evenly over their numbers."""
        chosen = np.unique(np.linspace(0, len(self) - 1, min(most, len(self))).astype(np.int64))
        lower, upper = self.corners(chosen)
        return (lower + upper) / 2

    def cell_of(self, points: FloatArray) -> NDArray[np.int64]:
        """Number of the cell of each point; an edge belongs to the cell above it, the upper end to the last."""
        places = [
            np.minimum(np.searchsorted(edges, column, side="right") - 1, len(edges) - 2)
            for edges, column in zip(self.edges, points.T, strict=True)
        ]
        return np.asarray(np.ravel_multi_index(places, self.shape))

    def _require_wide(self) -> None:
        for feature, edges in enumerate(self.edges):
            if not (np.diff(edges) > 0).all():
                raise InvalidInput(
                    f"side is so small that cells of feature {feature} have no width in double precision",
                    where=WHERE,
                    found=f"{len(edges) - 1:,} cells from {edges[0]!r} to {edges[-1]!r}",
                    remedy="Take a larger side, or shift the feature towards 0.",
                )

    def inside(self, points: FloatArray) -> NDArray[np.bool_]:
        """Whether each point lies in the domain."""
        return np.asarray(((points >= self.lower) & (points <= self.upper)).all(axis=1))

    def require_inside(self, points: FloatArray, *, name: str) -> None:
        """All points lie in the domain."""
        outside = np.flatnonzero(~self.inside(points))
        if outside.size:
            raise InvalidInput(
                f"{outside.size:,} of {len(points):,} rows of {name} lie outside the domain",
                where=WHERE,
                found=f"row {outside[0]}: {points[outside[0]].tolist()}; domain {self.lower.tolist()} to "
                f"{self.upper.tolist()}",
                remedy="Widen the domain, or leave out what operation cannot bring.",
            )


def bounds_of(domain: Any, dimensions: int) -> tuple[FloatArray, FloatArray]:
    """Lower and upper corner: one (low, high) for all features, one for each, or two corners."""
    pairs = validate.numbers(domain, where=WHERE, name="domain")
    if pairs.shape == (2,):
        pairs = np.tile(pairs, (dimensions, 1))
    as_corners = pairs.T if pairs.shape == (2, dimensions) else pairs
    for candidate in (pairs, as_corners):
        if candidate.shape == (dimensions, 2) and (candidate[:, 0] < candidate[:, 1]).all():
            return candidate[:, 0].copy(), candidate[:, 1].copy()
    raise InvalidInput(
        f"domain must be a pair (low, high) for each of the {dimensions} features, low below high",
        where=WHERE,
        found=repr(np.asarray(domain).tolist()),
        remedy=f"For example domain={[(0, 1)] * dimensions}.",
    )


def _sides(side: ArrayLike, dimensions: int) -> FloatArray:
    sides = validate.numbers(side, where=WHERE, name="side")
    if sides.shape not in ((), (dimensions,)) or (sides <= 0).any():
        raise InvalidInput(
            f"side must be a number above 0, or one for each of the {dimensions} features",
            where=WHERE,
            found=repr(np.asarray(side).tolist()),
        )
    return np.broadcast_to(sides, (dimensions,))


def _require_few(feature: int, low: float, high: float, side: float) -> None:
    """Counted before any cell is made: a slip in the unit of a side would fill the memory."""
    count = (high - low) / side
    if not count <= MOST_ALONG:
        raise InvalidInput(
            f"side {side:g} cuts feature {feature} into more than {MOST_ALONG:,} cells",
            where=WHERE,
            found=f"{count:.3g} cells from {low:g} to {high:g}",
            remedy=f"Take a side of at least {high / MOST_ALONG - low / MOST_ALONG:.3g}, or a narrower domain.",
        )


def _edges(low: float, high: float, side: float) -> FloatArray:
    count = max(1, math.ceil((high - low) / side * (1 - ROUNDING)))
    exact = abs(count * side - (high - low)) <= ROUNDING * (high - low) * count
    edges = np.linspace(low, high, count + 1) if exact else low + side * np.arange(count + 1)
    edges[-1] = high
    return np.asarray(edges, dtype=float)
