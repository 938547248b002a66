"""Sums over cells from the density at their centres, every point with every cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.profile.cells import Cells
from surefoot.profile.sample import Sample
from surefoot.profile.slicing import slices

CELLS, POINTS = 512, 2048
"""One block of densities: 8 MB."""


@dataclass(frozen=True, eq=False)
class Dense:
    """Sums over density at the centre times volume, for kernels that reach every cell."""

    sample: Sample
    cells: Cells

    def mass(self) -> FloatArray:
        """``sum_j w_j K_ji`` for each cell."""
        total = np.zeros(len(self.cells))
        for cells, points, masses in self._blocks():
            total[cells] += masses @ self.sample.weights[points]
        return total

    def squares(self) -> FloatArray:
        """``sum_j (w_j K_ji)^2`` for each cell."""
        total = np.zeros(len(self.cells))
        for cells, points, masses in self._blocks():
            total[cells] += masses**2 @ self.sample.weights[points] ** 2
        return total

    def contributions(self, values: FloatArray) -> FloatArray:
        """``sum_i values_i K_ji`` for each point."""
        flat, total = values.reshape(-1), np.zeros(len(self.sample))
        for cells, points, masses in self._blocks():
            total[points] += flat[cells] @ masses
        return total

    def _blocks(self) -> Iterator[tuple[slice, slice, FloatArray]]:
        for cells in slices(len(self.cells), CELLS):
            place = np.unravel_index(np.arange(cells.start, cells.stop), self.cells.shape)
            volume = np.prod([width[i] for width, i in zip(self.cells.widths, place, strict=True)], axis=0)
            columns = [
                [mirror(centre[i]) for mirror in mirrors]
                for centre, i, mirrors in zip(self.cells.centres, place, self.cells.mirrors, strict=True)
            ]
            images = [np.stack(image, axis=1) for image in product(*columns)]
            for points in slices(len(self.sample), POINTS):
                densities = self.sample.responses(images[0], points)
                for image in images[1:]:
                    densities += self.sample.responses(image, points)
                densities *= volume[:, None]
                yield cells, points, densities
