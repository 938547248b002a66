"""Cells seen along one or two features, put together in blocks that are large enough to see."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.cells import Cells
from surefoot.reliability.labelling import CROSS_BOUNDARY, SOURCES

MOST_ROWS = 8
"""More features than this make no figure that anybody reads."""


@dataclass(frozen=True, eq=False)
class Projection:
    """What the cells hold along the chosen features, one entry a block.

    Mass and contribution are summed, of the risk the highest is kept, so that one failing cell stays in sight.
    """

    features: tuple[int, ...]
    cells_a_block: tuple[int, ...]
    """Cells along each chosen feature; fewer in the last block where they do not divide."""
    edges: tuple[FloatArray, ...]
    mass: FloatArray
    risk: FloatArray
    contribution: FloatArray
    sources: FloatArray
    """Share of cells with each source of a label, the sources along the last axis."""

    @property
    def crossed(self) -> NDArray[np.bool_]:
        """Blocks with a cross-boundary cell, whose risk nobody measured."""
        return np.asarray(self.sources[..., CROSS_BOUNDARY] > 0)

    @property
    def relative_density(self) -> FloatArray:
        """Density over that of a flat profile on the domain."""
        return relative_density(self.mass, self.edges)


def project(cells: Cells, features: tuple[int, ...], *, most: int) -> Projection:
    """The cells along one or two features, in at most so many blocks along each."""
    grid = cells.grid
    sizes = tuple(-(-grid.shape[feature] // most) for feature in features)
    edges = tuple(_block_edges(grid.edges[feature], size) for feature, size in zip(features, sizes, strict=True))

    def seen(values: NDArray[np.generic], combine: np.ufunc) -> FloatArray:
        return _blocks(values.reshape(grid.shape), features, sizes, combine)

    counts = np.stack([seen((cells.source == source).astype(float), np.add) for source in range(len(SOURCES))], axis=-1)
    return Projection(
        features,
        sizes,
        edges,
        seen(cells.mass, np.add),
        seen(cells.risk, np.maximum),
        seen(cells.contribution, np.add),
        counts / counts.sum(axis=-1, keepdims=True),
    )


def views(dimensions: int) -> tuple[tuple[int, ...], ...]:
    """Which features are looked at together: pairs of two or three, else one at a time."""
    if dimensions in (2, 3):
        return tuple(combinations(range(dimensions), 2))
    return tuple((feature,) for feature in range(min(dimensions, MOST_ROWS)))


def relative_density(mass: FloatArray, edges: tuple[FloatArray, ...]) -> FloatArray:
    """Mass of blocks over their share of the domain."""
    shares = np.ones(())
    for border in edges:
        shares = np.multiply.outer(shares, np.diff(border) / (border[-1] - border[0]))
    return np.asarray(mass / shares)


def _block_edges(edges: FloatArray, size: int) -> FloatArray:
    return np.append(edges[:-1:size], edges[-1])


def _blocks(
    cube: NDArray[np.generic], features: tuple[int, ...], sizes: tuple[int, ...], combine: np.ufunc
) -> FloatArray:
    others = tuple(axis for axis in range(cube.ndim) if axis not in features)
    found = combine.reduce(cube, axis=others) if others else cube
    for axis, size in enumerate(sizes):
        found = combine.reduceat(found, np.arange(0, found.shape[axis], size), axis=axis)
    return np.asarray(found, dtype=float)
