"""A bounded sample of an endless stream in which older rows count less."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray


class Reservoir:
    """At most ``most`` rows of a stream whose rows lose half of their weight every ``half_life`` rows.

    Bottom-k sampling with exponential ranks (Cohen and Kaplan, 2007): each row draws E / w with E exponential, the
    rows with the smallest ranks stay, and a row's weight is divided by the probability that its rank lies below the
    first that did not stay. The weighted sum of any function over the sample is then unbiased for that over the whole
    stream. The weight of any set of rows, over that of the whole stream, has a standard deviation of at most
    sqrt(share / (most - 1)). As all weights fade alike, the order of ranks never changes.
    """

    def __init__(self, most: int, half_life: float, seed: int) -> None:
        self.most, self.decay = most, math.log(2) / half_life
        self.seen = 0
        self._rng = np.random.default_rng(seed)
        self._rows: FloatArray | None = None
        self._born = np.empty(0, dtype=np.int64)
        self._marks = np.empty(0)

    def add(self, rows: FloatArray) -> None:
        """Take in rows, the oldest first."""
        born = np.arange(self.seen, self.seen + len(rows))
        marks = np.log(self._rng.standard_exponential(len(rows)))
        self.seen += len(rows)
        self._rows = rows.copy() if self._rows is None else np.concatenate([self._rows, rows])
        self._born, self._marks = np.concatenate([self._born, born]), np.concatenate([self._marks, marks])
        if self._born.size > self.most + 1:
            self._keep(np.argpartition(self._log_ranks(), self.most)[: self.most + 1])

    def sample(self) -> tuple[FloatArray, FloatArray]:
        """The rows that stayed, the oldest first, with their weights; a row that just came has weight 1 or more."""
        assert self._rows is not None
        weights = np.exp(-self.decay * self._ages())
        if self._born.size <= self.most:
            return self._rows, weights
        ranks = self._log_ranks()
        last = int(ranks.argmax())
        stayed = np.arange(ranks.size) != last
        return self._rows[stayed], _adjusted(-self.decay * self._ages()[stayed], float(ranks[last]))

    def _ages(self) -> FloatArray:
        return (self.seen - 1 - self._born).astype(float)

    def _log_ranks(self) -> FloatArray:
        return self._marks + self.decay * self._ages()

    def _keep(self, chosen: NDArray[np.int64]) -> None:
        chosen = np.sort(chosen)
        assert self._rows is not None
        self._rows, self._born, self._marks = self._rows[chosen], self._born[chosen], self._marks[chosen]


def _adjusted(log_weights: FloatArray, log_limit: float) -> FloatArray:
    """W / (1 - exp(-w t)), which is 1 / t for the smallest w."""
    products = np.exp(np.minimum(log_weights + log_limit, 700.0))
    shares = -np.expm1(-products)
    tiny = products < 1e-12
    return np.where(tiny, math.exp(-log_limit), np.exp(log_weights) / np.where(tiny, 1.0, shares))
