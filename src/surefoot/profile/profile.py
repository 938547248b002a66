"""What an assessment asks of an operational profile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray

Rule = Literal["exact", "centre"]


@runtime_checkable
class Profile(Protocol):
    """A density made of one kernel for each point, each with a weight.

    ``edges`` are the borders of cells along each dimension. The mass of a kernel in a cell is ``"exact"``, or the
    density in the ``"centre"`` of the cell times its volume; neither is renormalised to the domain.
    """

    @property
    def points(self) -> FloatArray:
        """The data that the profile was made from."""
        ...

    @property
    def weights(self) -> FloatArray:
        """Weight of each point, 1 on average."""
        ...

    def grid_mass(self, edges: Sequence[FloatArray], *, rule: Rule = "exact") -> FloatArray:
        """Mass in each cell."""
        ...

    def grid_variance(
        self, edges: Sequence[FloatArray], *, rule: Rule = "exact", size: int | None = None
    ) -> FloatArray:
        """Variance of the mass in each cell over samples of ``size`` points, by default as many as there are."""
        ...

    def contributions(self, edges: Sequence[FloatArray], values: FloatArray, *, rule: Rule = "exact") -> FloatArray:
        """For each point, the sum of cell values weighted by the mass of its kernel in the cells."""
        ...

    def weigh(self, points: FloatArray, labels: NDArray[Any] | None = None) -> FloatArray:
        """Weight of further points, drawn as the profile's own were."""
        ...

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None:
        """Draws of the weights of all points; None where they are certain."""
        ...
