"""Bandwidths: a scale for all features, one for each, a matrix, or a rule that chooses from the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.crossvalidation import best_factor
from surefoot.profile.kernels import Kernel

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
