"""Weights of rows for another operation than the one that brought them, with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import Diagnostic, InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray

COLLAPSED_SHARE = 0.1
FEW_ROWS = 30


@runtime_checkable
class Weighting(Protocol):
    """How much more often rows come in operation than in the data."""

    @property
    def weights(self) -> FloatArray:
        """Weight of each row of the data, with mean 1."""
        ...

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """What not to trust."""
        ...

    def weigh(self, points: ArrayLike, labels: ArrayLike | None = None) -> FloatArray:
        """Weights of other rows, on the scale of those of the data."""
        ...

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None:
        """Draws of the weights of the data, one a row and each with mean 1; None where they are certain."""
        ...


@dataclass(frozen=True, eq=False)
class StatedWeights:
    """Weights given row by row.

    ``uncertainty`` is the relative standard deviation of each weight, one for all or one for each, as a lognormal
    factor independent from row to row; or draws of the weights, one a row.
    """

    weights: FloatArray
    uncertainty: FloatArray

    @classmethod
    def of(cls, weights: ArrayLike, uncertainty: ArrayLike | None = None) -> StatedWeights:
        """Checked and with mean 1."""
        where = "StatedWeights"
        values = unit_mean(validate.vector(weights, where=where, name="weights"), where=where)
        spread = validate.numbers(0.0 if uncertainty is None else uncertainty, where=where, name="uncertainty")
        if spread.shape not in ((), values.shape) and spread.shape[1:] != values.shape:
            raise InvalidInput(
                "uncertainty must be one number, one for each row, or draws with one column for each row",
                where=where,
                found=f"shape {spread.shape} for {values.size} rows",
            )
        if (spread < 0).any():
            raise InvalidInput("uncertainty must be at least 0", where=where, found=f"{spread.min():g}")
        return cls(values, spread if spread.ndim < 2 else unit_mean(spread, where=where))

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """A warning where few rows carry most weight."""
        return collapse(self.weights)

    def weigh(self, points: ArrayLike, labels: ArrayLike | None = None) -> FloatArray:
        """Undefined: nothing says what other rows weigh."""
        raise Undefined(
            "weights were stated for the rows of the data only",
            where="StatedWeights.weigh",
            found=f"{np.shape(points)[:1]} other rows",
            remedy="Use expert_weights or density_ratio, which weigh any row.",
        )

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None:
        """Draws of the weights of the data, None where they are certain."""
        if not self.uncertainty.any():
            return None
        if self.uncertainty.ndim == 2:
            return self.uncertainty[rng.integers(len(self.uncertainty), size=count)]
        sigma = np.sqrt(np.log1p(self.uncertainty**2))
        factors = np.exp(sigma * rng.standard_normal((count, self.weights.size)) - sigma**2 / 2)
        return unit_mean(self.weights * factors, where="StatedWeights")


def effective_rows(weights: ArrayLike) -> float:
    """Number of equally weighted rows worth as much: Kish (1965), sum(w)^2 / sum(w^2)."""
    values = unit_mean(validate.vector(weights, where="effective_rows", name="weights"), where="effective_rows")
    return float(values.size / np.mean(values**2))


def collapse(weights: FloatArray) -> tuple[Diagnostic, ...]:
    """A warning where few rows carry most of the weight."""
    worth = effective_rows(weights)
    if worth >= min(max(COLLAPSED_SHARE * weights.size, FEW_ROWS), weights.size / 2):
        return ()
    return (
        Diagnostic(
            "weights-estimated",
            f"The weights of {weights.size:,} rows are worth {worth:.1f} rows of equal weight, "
            f"the largest is {weights.max():.3g} times the mean.",
            hint="Collect data where operation is and the data are not.",
        ),
    )


def unit_mean(weights: FloatArray, *, where: str) -> FloatArray:
    """Weights over their mean along the last axis."""
    largest = weights.max(axis=-1, keepdims=True, initial=0)
    if (weights < 0).any() or (largest == 0).any():
        raise InvalidInput(
            "weights must be at least 0 and not all 0",
            where=where,
            found=f"between {weights.min():g} and {weights.max():g}",
        )
    scaled = weights / largest
    return np.asarray(scaled / scaled.mean(axis=-1, keepdims=True))
