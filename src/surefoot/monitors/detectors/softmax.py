"""Softmax arithmetic that keeps its digits: the largest logit, and what the others weigh beside it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.outputs import SUM_TOLERANCE
from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray


class Compared(NamedTuple):
    """Each row's largest logit z, and exp((z_j - z) / T) of every other class j; the class of z itself has 0."""

    largest: FloatArray
    others: FloatArray

    @property
    def odds_against(self) -> FloatArray:
        """(1 - p) / p of the largest probability p; small ones keep all their digits, where 1 - p would be 0."""
        return np.asarray(self.others.sum(axis=1))

    @property
    def doubt(self) -> FloatArray:
        """One minus the largest probability."""
        odds = self.odds_against
        return np.asarray(odds / (1 + odds))


def compared(logits: NDArray[Any], temperature: float) -> Compared:
    """Compare the logits of each row with the largest; no logits are too large, and some may be minus infinity."""
    rows, top = np.arange(len(logits)), logits.argmax(axis=1)
    largest = logits[rows, top]
    with np.errstate(over="ignore", under="ignore"):
        others = np.exp((logits - largest[:, None]) / temperature)
    others[rows, top] = 0.0
    return Compared(largest, others)


def log_probabilities(probabilities: NDArray[Any], *, where: str) -> FloatArray:
    """Logits of which the probabilities are the softmax, after a check that they are probabilities."""
    totals = probabilities.sum(axis=1)
    wrong = ((probabilities < 0) | (probabilities > 1)).any(axis=1) | (np.abs(totals - 1) > SUM_TOLERANCE)
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidInput(
            "probabilities must lie in [0, 1] and add up to 1 in each row",
            where=where,
            found=f"a sum of {totals[row]:g} in row {row} ({int(wrong.sum())} such rows in all)",
            remedy="Give one column a class; for a model that gives logits, use on='logits'.",
        )
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probabilities))
