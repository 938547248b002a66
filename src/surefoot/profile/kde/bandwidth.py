"""Kernels and their bandwidths: a scale for all features, one for each, a matrix, or a rule that chooses from data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainccinv, gammaln, ndtr

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.input_arrays import slices

WHERE = "KDE"
SINGULAR = 1e-12
"""Smallest eigenvalue of a correlation matrix that counts as positive."""
RULES = ("scott", "silverman", "cross-validation")


@dataclass(frozen=True, eq=False)
class Shape:
    """A bandwidth as the lower triangular factor ``L`` of its matrix ``H = L L^T``."""

    factor: FloatArray
    diagonal: bool

    @classmethod
    def of(cls, bandwidth: Any, dimensions: int) -> Shape:
        """Shape of a scale for all features, a scale for each, or a covariance-like matrix."""
        value = validate.numbers(bandwidth, where=WHERE, name="bandwidth")
        if value.shape in ((), (dimensions,)):
            return cls(np.diag(_positive(np.broadcast_to(value, (dimensions,)))), diagonal=True)
        if value.shape == (dimensions, dimensions):
            return cls(_triangular(value), diagonal=not np.count_nonzero(value - np.diag(np.diag(value))))
        raise InvalidInput(
            f"bandwidth must be a number, {dimensions} numbers or a {dimensions} x {dimensions} matrix",
            where=WHERE,
            found=f"shape {value.shape}",
        )

    @property
    def dimensions(self) -> int:
        """Number of features."""
        return len(self.factor)

    @cached_property
    def inverse(self) -> FloatArray:
        """Inverse of the factor."""
        return np.asarray(np.linalg.inv(self.factor))

    @cached_property
    def scales(self) -> FloatArray:
        """Scale along each feature: the root of the diagonal of ``H``."""
        return np.asarray(np.sqrt((self.factor**2).sum(axis=1)))

    @property
    def log_det(self) -> float:
        """Logarithm of the determinant of the factor, half that of ``H``."""
        return float(np.log(np.diag(self.factor)).sum())

    def whiten(self, rows: FloatArray) -> FloatArray:
        """Rows in units of the bandwidth, so that the kernel is a function of their norm."""
        return rows / np.diag(self.factor) if self.diagonal else rows @ self.inverse.T


def chosen_bandwidth(bandwidth: Any, points: FloatArray, weights: FloatArray, kernel: Kernel) -> Any:
    """The bandwidth as numbers: as given, or chosen from the data by a rule.

    ``"scott"`` and ``"silverman"`` are the factors of Scott (1992) and Silverman (1986) times the covariance matrix of
    the data, as in ``scipy.stats.gaussian_kde``: a full matrix, meant for the Gaussian kernel and data of one mode.
    ``"cross-validation"`` gives one scale a feature; see ``best_factor``.
    """
    if not isinstance(bandwidth, str):
        return bandwidth
    validate.choice(bandwidth, RULES, where=WHERE, name="bandwidth rule")
    _require_spread(points, bandwidth)
    if bandwidth == "cross-validation":
        deviations = np.sqrt(np.diag(_covariance(points, weights)))
        return best_factor(points / deviations, weights, kernel) * deviations
    effective = weights.sum() ** 2 / (weights**2).sum()
    return _RULES_OF_THUMB[bandwidth](effective, points.shape[1]) ** 2 * _covariance(points, weights)


def _scott(count: float, dimensions: int) -> float:
    return count ** (-1 / (dimensions + 4))


def _silverman(count: float, dimensions: int) -> float:
    return (count * (dimensions + 2) / 4) ** (-1 / (dimensions + 4))


_RULES_OF_THUMB: dict[str, Callable[[float, int], float]] = {"scott": _scott, "silverman": _silverman}


def _covariance(points: FloatArray, weights: FloatArray) -> FloatArray:
    return np.atleast_2d(np.cov(points, rowvar=False, aweights=weights))


def _require_spread(points: FloatArray, rule: str) -> None:
    if len(points) < 2:
        raise InvalidInput(f"the rule {rule!r} needs at least 2 points", where=WHERE, found=f"{len(points)}")
    constant = np.flatnonzero(np.ptp(points, axis=0) == 0)
    if constant.size:
        raise InvalidInput(
            f"the rule {rule!r} finds no spread in some features",
            where=WHERE,
            found=f"feature {constant[0]} is always {points[0, constant[0]]:g}",
            remedy="Leave constant features out, or give the bandwidth as numbers.",
        )


def _positive(scales: FloatArray) -> FloatArray:
    if (scales <= 0).any():
        raise InvalidInput("bandwidth must be above 0", where=WHERE, found=f"{scales.min():g}")
    return scales


def _triangular(matrix: FloatArray) -> FloatArray:
    if not np.allclose(matrix, matrix.T, rtol=1e-10, atol=0):
        raise InvalidInput("a bandwidth matrix must be symmetric", where=WHERE, found=repr(matrix.tolist()))
    scales = np.sqrt(_positive(np.diag(matrix)))
    correlation = matrix / np.outer(scales, scales)
    smallest = float(np.linalg.eigvalsh(correlation)[0])
    if smallest < SINGULAR:
        raise InvalidInput(
            "a bandwidth matrix must be positive definite",
            where=WHERE,
            found=f"smallest eigenvalue {smallest:.3g} after scaling the diagonal to 1",
            remedy="Leave out features that the others determine, or give one scale a feature.",
        )
    return np.asarray(scales[:, None] * np.linalg.cholesky(correlation))


# The bandwidth of the largest leave-one-out likelihood.

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


# Squared distances between the rows of two arrays.

LOST = 1e-11
"""Rounding of a squared distance that a product of matrices may bring."""
THIN = 16
"""Below this many features a product of matrices is no faster than differences."""
EPSILON = float(np.finfo(float).eps)


def squared_distances(left: FloatArray, right: FloatArray) -> FloatArray:
    """Squared distances by differences, without cancellation; equal rows have distance 0."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(left, right, "sqeuclidean"))


def rounded_squared_distances(left: FloatArray, right: FloatArray) -> FloatArray:
    """Squared distances by a product of matrices where that is faster and loses less than ``LOST``."""
    own, other = np.einsum("ij,ij->i", left, left), np.einsum("ij,ij->i", right, right)
    largest = 2 * (own.max(initial=0) + other.max(initial=0))
    if left.shape[1] < THIN or largest * EPSILON * (left.shape[1] + 4) > LOST:
        return squared_distances(left, right)
    squared = left @ right.T
    squared *= -2
    squared += own[:, None]
    squared += other
    return np.maximum(squared, 0, out=squared)


# Kernels: radial functions of the distance in bandwidths, normalised as in scikit-learn.
#
# In d dimensions a kernel with scale matrix ``L`` (``H = L L^T``) is ``norm * k(|L^-1 x|) / det L``; the papers'
# 1/(n h) holds in one dimension only.

NEGLIGIBLE = 1e-16
"""Mass beyond the reach of a kernel."""
GAUSSIAN_REACH = 9.0


@dataclass(frozen=True)
class Kernel:
    """One radial kernel, as a function of the squared distance in bandwidths, 1 at the centre."""

    name: str
    values: Callable[[FloatArray], FloatArray]
    exponents: Callable[[FloatArray], FloatArray] | None
    """Logarithm of the values; None for a kernel that ends at distance 1."""
    log_norm: Callable[[int], float]
    cumulative: Callable[[FloatArray], FloatArray]
    """Mass below a place in one dimension, for places at or below the centre."""

    @property
    def compact(self) -> bool:
        """Whether the kernel ends at distance 1."""
        return self.exponents is None

    def reach(self, dimensions: int) -> float:
        """Distance beyond which no mass is left in double precision."""
        if self.compact:
            return 1.0
        return GAUSSIAN_REACH if self.name == "gaussian" else float(gammainccinv(dimensions, NEGLIGIBLE))

    def between(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Mass of intervals in one dimension; tails are subtracted from tails, so small masses keep their digits."""
        below, above = self.cumulative(-np.abs(low)), self.cumulative(-np.abs(high))
        return np.where((low < 0) & (high > 0), 1 - below - above, np.abs(above - below))


def kernel_named(name: str) -> Kernel:
    """The kernel of that name."""
    return KERNELS[validate.choice(name, KERNELS, where="KDE", name="kernel")]


def log_unit_ball(dimensions: int) -> float:
    """Logarithm of the volume of the unit ball."""
    return float(dimensions / 2 * math.log(math.pi) - gammaln(dimensions / 2 + 1))


def _gaussian_exponents(squared: FloatArray) -> FloatArray:
    return -0.5 * squared


def _gaussian(squared: FloatArray) -> FloatArray:
    return np.exp(_gaussian_exponents(squared))


def _gaussian_norm(dimensions: int) -> float:
    return -dimensions / 2 * math.log(2 * math.pi)


def _exponential_exponents(squared: FloatArray) -> FloatArray:
    return -np.sqrt(squared)


def _exponential(squared: FloatArray) -> FloatArray:
    return np.exp(_exponential_exponents(squared))


def _exponential_norm(dimensions: int) -> float:
    return -log_unit_ball(dimensions) - float(gammaln(dimensions + 1))


def _exponential_cumulative(places: FloatArray) -> FloatArray:
    return 0.5 * np.exp(places)


def _epanechnikov(squared: FloatArray) -> FloatArray:
    return np.maximum(1 - squared, 0)


def _epanechnikov_norm(dimensions: int) -> float:
    return math.log((dimensions + 2) / 2) - log_unit_ball(dimensions)


def _epanechnikov_cumulative(places: FloatArray) -> FloatArray:
    depth = 1 + np.maximum(places, -1)
    return depth**2 * (3 - depth) / 4


def _tophat(squared: FloatArray) -> FloatArray:
    return np.where(squared < 1, 1.0, 0.0)


def _tophat_norm(dimensions: int) -> float:
    return -log_unit_ball(dimensions)


def _tophat_cumulative(places: FloatArray) -> FloatArray:
    return (1 + np.maximum(places, -1)) / 2


KERNELS = {
    kernel.name: kernel
    for kernel in (
        Kernel("gaussian", _gaussian, _gaussian_exponents, _gaussian_norm, ndtr),
        Kernel("exponential", _exponential, _exponential_exponents, _exponential_norm, _exponential_cumulative),
        Kernel("epanechnikov", _epanechnikov, None, _epanechnikov_norm, _epanechnikov_cumulative),
        Kernel("tophat", _tophat, None, _tophat_norm, _tophat_cumulative),
    )
}


# The exponential kernel as a mixture of Gaussians.

STEP = 0.25
"""Error of the trapezoidal rule in log t is about exp(-pi^2 / STEP) = 7e-18 of the kernel at its centre."""
SMALLEST_SHARE = 1e-16


@lru_cache(maxsize=16)
def gaussian_mixture(dimensions: int) -> tuple[FloatArray, FloatArray]:
    """Shares and scales of Gaussians whose sum is the exponential kernel, in more than one dimension.

    ``exp(-r) = (1 / (2 sqrt(pi))) int t^(-3/2) exp(-1/(4t)) exp(-t r^2) dt`` (Andrews and Mallows 1974), by the
    trapezoidal rule in the logarithm of t.
    """
    t = np.exp(np.arange(-8, 60, STEP))
    log_norm = KERNELS["exponential"].log_norm(dimensions) - math.log(2 * math.sqrt(math.pi))
    logs = log_norm - 0.5 * np.log(t) - 1 / (4 * t) + dimensions / 2 * np.log(math.pi / t)
    shares = STEP * np.exp(logs)
    kept = shares > SMALLEST_SHARE
    return shares[kept], 1 / np.sqrt(2 * t[kept])
