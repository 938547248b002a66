"""Where the variance of the answer comes from (RAM, Assumption 7)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from surefoot.core import Table
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.drawn import Drawn


@dataclass(frozen=True)
class VarianceParts:
    """Parts of the variance of the weighted mean risk.

    ``draws`` is what the design states; it holds part of the error of the risks inside. ``frame`` takes the rows for a
    random sample of operation.
    """

    draws: float
    inside: float
    """Of the mean of all balls, were each looked into."""
    given_draws: float
    """Of this estimate, by the error of the risks of the balls drawn."""
    weights: float
    frame: float

    @classmethod
    def of(cls, drawn: Drawn, variance: FloatArray, weight_draws: FloatArray | None) -> VarianceParts:
        """From the draws, the variance of each risk and draws of the weights."""
        return cls(
            drawn.mean()[1],
            drawn.inside_variance(variance),
            drawn.given_draws_variance(variance),
            0.0 if weight_draws is None else drawn.weights_variance(weight_draws),
            drawn.frame_variance(),
        )

    @property
    def sampling(self) -> float:
        """By the sampling of balls alone."""
        return max(self.draws + self.inside - self.given_draws, 0.0) if self.draws else 0.0

    @property
    def of_frame(self) -> float:
        """Of the frame's own number, its weights taken as they are."""
        return self.draws + self.inside

    @property
    def of_operation(self) -> float:
        """Of operation.

        How the rows of the frame differ holds the error of the risks inside, unless all look the same by that error.
        """
        return self.draws + max(self.frame, self.inside) + self.weights

    @property
    def not_sampling(self) -> float:
        """Share that Assumption 7 takes for negligible: of risks inside and weights, beside the sampling of balls."""
        total = self.sampling + self.given_draws + self.weights
        return (self.given_draws + self.weights) / total if total else 0.0

    def table(self) -> Table:
        """Each part with its standard deviation and its share."""
        parts = (
            ("sampling of balls", self.sampling),
            ("risk inside balls", self.given_draws),
            ("weights", self.weights),
            ("frame as a sample of operation", self.frame),
        )
        total = sum(value for _, value in parts)
        rows = tuple((name, math.sqrt(value), value / total if total else 0.0) for name, value in parts)
        return Table(("variance from", "sd", "share"), rows)
