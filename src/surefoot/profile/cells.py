"""A grid of cells as a density sees it: edges along each feature, with their mirror images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.boundary import Domain, Mirror

WHERE = "KDE"
ITSELF = Mirror(1, 0.0)


@dataclass(frozen=True, eq=False)
class Cells:
    """Edges along each feature, and the mirrors under which a kernel reaches a cell."""

    edges: tuple[FloatArray, ...]
    mirrors: tuple[tuple[Mirror, ...], ...]

    @classmethod
    def of(cls, edges: Sequence[ArrayLike], reaches: FloatArray, walls: Domain | None) -> Cells:
        """Check the edges; cells are cut off at reflecting walls."""
        checked = _increasing(edges, len(reaches))
        if walls is None:
            return cls(checked, ((ITSELF,),) * len(checked))
        cut = (np.clip(e, low, high) for e, low, high in zip(checked, walls.lower, walls.upper, strict=True))
        return cls(tuple(cut), tuple(tuple(walls.mirrors(k, reach)) for k, reach in enumerate(reaches)))

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each feature."""
        return tuple(len(edges) - 1 for edges in self.edges)

    def __len__(self) -> int:
        return math.prod(self.shape)

    @property
    def halves(self) -> tuple[int, int]:
        """Number of cells over the first feature, and over all others."""
        return self.shape[0], math.prod(self.shape[1:])

    @cached_property
    def centres(self) -> tuple[FloatArray, ...]:
        """Middle of the cells along each feature."""
        return tuple((edges[1:] + edges[:-1]) / 2 for edges in self.edges)

    @cached_property
    def widths(self) -> tuple[FloatArray, ...]:
        """Side of the cells along each feature."""
        return tuple(np.diff(edges) for edges in self.edges)


def _increasing(edges: Sequence[ArrayLike], dimensions: int) -> tuple[FloatArray, ...]:
    if len(edges) != dimensions:
        raise InvalidInput(
            f"edges must be given for each of the {dimensions} features", where=WHERE, found=f"{len(edges)}"
        )
    checked = tuple(validate.vector(e, where=WHERE, name="edges", at_least=2) for e in edges)
    for feature, column in enumerate(checked):
        if (np.diff(column) <= 0).any():
            raise InvalidInput("edges must increase", where=WHERE, found=f"edges of feature {feature} that do not")
    return checked
