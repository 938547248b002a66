"""A profile of another operation than the one that brought the data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import Diagnostic, InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.profile.kde import KDE
from surefoot.profile.profile import Rule
from surefoot.profile.weighting import StatedWeights, Weighting, effective_rows


class Reweighted:
    """The profile whose points are those of a fitted ``kde``, weighted for another operation.

    ``weights`` come from ``expert_weights`` or ``density_ratio``, made for the points of the density, or are numbers,
    one for each point, with their ``uncertainty`` as in ``StatedWeights``.
    """

    def __init__(self, kde: KDE, weights: Weighting | ArrayLike, *, uncertainty: ArrayLike | None = None) -> None:
        self.weighting = _weighting(weights, uncertainty)
        if len(self.weighting.weights) != len(kde.points):
            raise InvalidInput(
                "weights and points of the density differ in number",
                where="Reweighted",
                found=f"{len(self.weighting.weights):,} weights for {len(kde.points):,} points",
                remedy="Make the weights for the data that the density was fitted to.",
            )
        self.kde = kde

    def __repr__(self) -> str:
        return f"Reweighted({self.kde!r}, worth {self.effective_rows:.1f} of {len(self.points):,} rows)"

    @cached_property
    def weighted(self) -> KDE:
        """The density with its weights."""
        return self.kde.fit(self.kde.points, weights=self.weighting.weights)

    @property
    def points(self) -> FloatArray:
        """The data that the profile was made from."""
        return self.kde.points

    @property
    def weights(self) -> FloatArray:
        """Weight of each point, 1 on average."""
        return self.weighting.weights

    @property
    def effective_rows(self) -> float:
        """Number of equally weighted points worth as much."""
        return effective_rows(self.weights)

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """What not to trust about the weights."""
        return self.weighting.caveats

    def score_samples(self, Q: ArrayLike) -> FloatArray:
        """Logarithm of the density."""
        return self.weighted.score_samples(Q)

    def density(self, Q: ArrayLike) -> FloatArray:
        """The density."""
        return self.weighted.density(Q)

    def variance(self, Q: ArrayLike) -> FloatArray:
        """Variance of the density over samples of points, weights held fixed."""
        return self.weighted.variance(Q)

    def cell_mass(self, lower: ArrayLike, upper: ArrayLike) -> FloatArray:
        """Mass of boxes, one a row."""
        return self.weighted.cell_mass(lower, upper)

    def grid_mass(self, edges: Sequence[FloatArray], *, rule: Rule = "exact") -> FloatArray:
        """Mass in each cell."""
        return self.weighted.grid_mass(edges, rule=rule)

    def grid_variance(
        self, edges: Sequence[FloatArray], *, rule: Rule = "exact", size: int | None = None
    ) -> FloatArray:
        """Variance of the mass in each cell over samples of points, weights held fixed."""
        return self.weighted.grid_variance(edges, rule=rule, size=size)

    def contributions(self, edges: Sequence[FloatArray], values: FloatArray, *, rule: Rule = "exact") -> FloatArray:
        """For each point, the sum of cell values weighted by its kernel's mass in the cells, without its own weight."""
        return self.weighted.contributions(edges, values, rule=rule)

    def weigh(self, points: ArrayLike, labels: NDArray[Any] | None = None) -> FloatArray:
        """Weight of further points, drawn as the profile's own were."""
        return self.weighting.weigh(points, labels)

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None:
        """Draws of the weights of all points; None where they are certain."""
        return self.weighting.weight_draws(count, rng)


def _weighting(weights: Weighting | ArrayLike, uncertainty: ArrayLike | None) -> Weighting:
    if not isinstance(weights, Weighting):
        return StatedWeights.of(weights, uncertainty)
    if uncertainty is not None:
        raise InvalidInput("these weights know their uncertainty", where="Reweighted", found="uncertainty beside them")
    return weights
