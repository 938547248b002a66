"""The bandwidth of the largest leave-one-out likelihood."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Undefined
from surefoot.core.validate import FloatArray
from surefoot.profile.distances import squared_distances
from surefoot.profile.kernels import Kernel
from surefoot.profile.slicing import slices

WHERE = "KDE"
LARGEST_SAMPLE = 3_000
"""Above this many points the likelihood is computed on that many of them, drawn with ``SEED``."""
SEED = 0
WIDEST, STEPS = 4.0, 31
"""Factors tried: 4, 4/sqrt(2), ... down to 1e-4 standard deviations."""
SMOOTH, ROUGH = 1e-3, 5e-3
"""Relative error of the factor, for kernels without and with an end."""
ROWS = 256
FINE = 24
STRIDES = {"gaussian": 1, "exponential": 2}
"""Steps of sqrt(2) after which a kernel's values are the squares of those before."""


def best_factor(points: FloatArray, weights: FloatArray, kernel: Kernel) -> float:
    """Factor on the standard deviations with the largest leave-one-out log-likelihood (Duin 1976).

    ``points`` are in standard deviations. A point is left out together with its exact copies: a copy would make ever
    smaller bandwidths ever more likely. Of more than ``LARGEST_SAMPLE`` points a sample is used and the factor
    shrunk by the rate n^(-1/(d+4)).
    """
    some, shrink = _sample(weights, points.shape[1])
    likelihood = _Likelihood(points[some], weights[some], kernel)
    factors = _steps(WIDEST, STEPS)
    scores = likelihood(factors)
    best = int(np.argmax(scores))
    _require_inside(scores, best)
    bracket = math.log(factors[best + 1]), math.log(factors[max(best - 1, 0)])
    refined = _on_finer_grids if kernel.compact else _by_parabolas
    return shrink * math.exp(refined(likelihood, *bracket))


def _steps(first: float, count: int) -> FloatArray:
    return np.asarray(first * 2.0 ** (-0.5 * np.arange(count)), float)


def _sample(weights: FloatArray, dimensions: int) -> tuple[NDArray[np.int64], float]:
    kept = np.flatnonzero(weights)
    if len(kept) <= LARGEST_SAMPLE:
        return kept, 1.0
    drawn = np.random.default_rng(SEED).choice(kept, LARGEST_SAMPLE, replace=False)
    return np.sort(drawn), float((LARGEST_SAMPLE / len(kept)) ** (1 / (dimensions + 4)))


def _require_inside(scores: FloatArray, best: int) -> None:
    if np.isfinite(scores[best]) and best < len(scores) - 1:
        return
    raise Undefined(
        "cross-validation finds no best bandwidth",
        where=WHERE,
        found="a likelihood that grows down to 0.0001 standard deviations"
        if np.isfinite(scores[best])
        else "points without any neighbour within 4 standard deviations",
        remedy="Look for near-copies and outliers among the points, or give the bandwidth as numbers.",
    )


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """Mean leave-one-out log-likelihood at several factors, from one pass over all distances."""

    points: FloatArray
    weights: FloatArray
    kernel: Kernel

    def __call__(self, factors: FloatArray) -> FloatArray:
        """One score a factor; of kernels without an end, each factor is sqrt(2) below the one before."""
        dimensions = self.points.shape[1]
        total = np.zeros(len(factors))
        for rows in slices(len(self.points), ROWS):
            total += self._rows(rows, factors)
        constant = self.kernel.log_norm(dimensions) - dimensions * np.log(factors)
        return constant + total / self.weights.sum()

    def _rows(self, rows: slice, factors: FloatArray) -> FloatArray:
        squared = squared_distances(self.points[rows], self.points)
        row, copy = np.nonzero(squared == 0)
        squared[row, copy] = np.inf
        left = self.weights.sum() - np.bincount(row, self.weights[copy], minlength=len(squared))
        some = np.isfinite(squared.min(axis=1))
        sums = self._shifted_logs if self.kernel.exponents else self._logs
        logs = np.stack(list(sums(squared[some], factors))) - np.log(left[some])
        return np.asarray(logs @ self.weights[rows][some])

    def _sums(self, values: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("ij,j->i", values, self.weights))

    def _logs(self, squared: FloatArray, factors: FloatArray) -> Iterator[FloatArray]:
        """Logarithm of the weighted sum of kernel values, for each factor."""
        for factor in factors:
            with np.errstate(divide="ignore"):
                yield np.log(self._sums(self.kernel.values(squared / factor**2)))

    def _shifted_logs(self, squared: FloatArray, factors: FloatArray) -> Iterator[FloatArray]:
        """The same relative to the nearest point, so that nothing underflows."""
        assert self.kernel.exponents is not None
        nearest, stride = squared.min(axis=1, keepdims=True), STRIDES[self.kernel.name]
        before: list[FloatArray] = []
        for step, factor in enumerate(factors):
            shift = self.kernel.exponents(nearest / factor**2)
            if step < stride:
                before.append(np.exp(self.kernel.exponents(squared / factor**2) - shift))
            else:
                before[step % stride] *= before[step % stride]
            yield np.log(self._sums(before[step % stride])) + shift[:, 0]


def _by_parabolas(likelihood: _Likelihood, low: float, high: float) -> float:
    """Place of the maximum between two logarithms of factors, by Brent's method (1973)."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        lambda place: -float(likelihood(np.array([math.exp(place)]))[0]),
        bounds=(low, high),
        method="bounded",
        options={"xatol": SMOOTH},
    )
    return float(found.x)


def _on_finer_grids(likelihood: _Likelihood, low: float, high: float) -> float:
    """The same for kernels with an end, whose likelihood jumps and has no bottom: the best of ever finer grids."""
    while high - low > ROUGH:
        places = np.linspace(low, high, FINE + 1)
        best = int(np.argmax(likelihood(np.exp(places))))
        low, middle, high = places[max(best - 1, 0)], float(places[best]), places[min(best + 1, FINE)]
    return middle
