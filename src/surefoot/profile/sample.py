"""Points with weights, a kernel and its bandwidth: all that a density without boundaries needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.profile.bandwidths import Shape
from surefoot.profile.blocks import Blocks
from surefoot.profile.distances import rounded_squared_distances, squared_distances
from surefoot.profile.kernels import Kernel


@dataclass(frozen=True, eq=False)
class Sample:
    """The density ``(1/n) sum_j w_j K(x - x_j)``; the weights have mean 1."""

    points: FloatArray
    weights: FloatArray
    kernel: Kernel
    bandwidth: Any
    """The bandwidth as numbers."""
    shape: Shape

    def __len__(self) -> int:
        return len(self.points)

    @property
    def dimensions(self) -> int:
        """Number of features."""
        return self.points.shape[1]

    @property
    def log_height(self) -> float:
        """Logarithm of the kernel's density at its centre."""
        return self.kernel.log_norm(self.dimensions) - self.shape.log_det

    @property
    def reaches(self) -> FloatArray:
        """Distance along each feature beyond which a kernel has no mass."""
        return self.kernel.reach(self.dimensions) * self.shape.scales

    @cached_property
    def centre(self) -> FloatArray:
        """A place amid the points: differences from it lose fewer digits."""
        return np.asarray((self.points.min(axis=0) + self.points.max(axis=0)) / 2)

    @cached_property
    def white(self) -> FloatArray:
        """The points in bandwidths from the centre."""
        return self.whiten(self.points)

    @cached_property
    def blocks(self) -> Blocks:
        """The points in compact blocks, for the compiled loop."""
        return Blocks.of(self.white, self.weights)

    def whiten(self, rows: FloatArray) -> FloatArray:
        """Rows in bandwidths from the centre."""
        return self.shape.whiten(rows - self.centre)

    def squared(self, white_queries: FloatArray, chosen: slice) -> FloatArray:
        """Squared distances to chosen points; all kernels but the Gaussian are steep or broken somewhere."""
        distances = rounded_squared_distances if self.kernel.name == "gaussian" else squared_distances
        return distances(white_queries, self.white[chosen])

    def responses(self, queries: FloatArray, chosen: slice) -> FloatArray:
        """Density at each query of the kernel of each chosen point, one row a query."""
        values = self.kernel.values(self.squared(self.whiten(queries), chosen))
        values *= math.exp(self.log_height)
        return values
