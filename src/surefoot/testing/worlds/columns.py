"""Integrals over the unit cube by columns: Gauss-Legendre across, closed form along the last feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.testing.worlds.boundaries import Boundary
from surefoot.testing.worlds.profiles import Profile

BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class Columns:
    """Quadrature nodes in all features but the last, and the panel that each lies in."""

    places: FloatArray
    weights: FloatArray
    panel: NDArray[np.int64]
    centres: FloatArray
    """Middle of each panel."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Stretches of columns with one answer each."""

    column: NDArray[np.int64]
    low: FloatArray
    high: FloatArray
    answer: NDArray[np.int64]

    @classmethod
    def whole(cls, columns: Columns) -> Pieces:
        """Each column in one piece."""
        number = np.arange(len(columns.places))
        return cls(number, np.zeros(len(number)), np.ones(len(number)), np.zeros_like(number))


def columns_of(edges: Sequence[FloatArray], nodes: int) -> Columns:
    """``nodes`` columns in each panel between the edges, for each feature but the last.

    A panel is mapped by a sine before Gauss and Legendre's rule is used, which makes integrands smooth that begin or
    end like a square root (Davis & Rabinowitz, Methods of Numerical Integration, 1984, section 2.12).
    """
    at, weight = np.polynomial.legendre.leggauss(nodes)
    place, share = np.sin(np.pi * at / 2), weight * np.cos(np.pi * at / 2) * np.pi / 4
    sides = [np.diff(e) for e in edges]
    middles = [(e[1:] + e[:-1]) / 2 for e in edges]
    places = [(m[:, None] + s[:, None] * place / 2).ravel() for m, s in zip(middles, sides, strict=True)]
    weights = [np.outer(s, share).ravel() for s in sides]
    numbers = [np.repeat(np.arange(len(s)), nodes) for s in sides]
    return Columns(
        places=_product(places),
        weights=_product(weights).prod(axis=1),
        panel=_number(_product(numbers).astype(np.int64), [len(s) for s in sides]),
        centres=_product(middles),
    )


def band_masses(boundary: Boundary, profile: Profile, columns: Columns, pieces: Pieces) -> FloatArray:
    """Integral of the profile over each band within each piece: one row a piece, one column a band."""
    low, high = boundary.bands(columns.places)
    across = profile.across(columns.places) * columns.weights[:, None]
    found = np.empty((len(pieces.column), low.shape[1]))
    for start in range(0, len(found), BLOCK):
        part = slice(start, start + BLOCK)
        column = pieces.column[part]
        bottom = np.maximum(low[column], pieces.low[part, None])
        top = np.maximum(np.minimum(high[column], pieces.high[part, None]), bottom)
        found[part] = ((profile.along(top) - profile.along(bottom)) * across[column, None, :]).sum(axis=2)
    return found


def _product(arrays: Sequence[NDArray[np.generic]]) -> FloatArray:
    """All combinations, one a row."""
    if not arrays:
        return np.empty((1, 0))
    return np.stack([axis.ravel() for axis in np.meshgrid(*arrays, indexing="ij")], axis=1)


def _number(places: NDArray[np.int64], shape: Sequence[int]) -> NDArray[np.int64]:
    return np.asarray(np.ravel_multi_index(tuple(places.T), tuple(shape)) if shape else np.zeros(1, np.int64))
