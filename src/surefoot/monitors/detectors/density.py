"""``Mahalanobis`` and ``KernelDensity``: rows far from the fitted ones, or where few were fitted, are strange.

Sums of kernels around whitened points come from one product of matrices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import (
    Detector,
    Learned,
    bounded,
    grouped,
    in_units,
    parts,
    scored_by_class,
    unit_of,
)
from surefoot.profile.input_arrays import slices
from surefoot.profile.kde.bandwidth import kernel_named, squared_distances

KINDS = ("class", "tied", "relative")
SHARED, WHOLE = 0, 1
"""Places of the map that all classes share, and of that of all rows as one."""


@dataclass(eq=False)
class Mahalanobis(Detector, name="mahalanobis"):
    """Squared Mahalanobis distance of a row to the Gaussian of a class.

    A feature that never varied makes a row that leaves its value strange.

    Parameters
    ----------
    kind
        ``"class"`` measures to the predicted class with a covariance of its own. ``"tied"`` measures to the nearest
        class with the covariance that all share; without labels all rows are one class. ``"relative"`` subtracts the
        distance to one Gaussian of all rows.
    shrinkage
        Weight of a simpler covariance: that of a sphere, or for a class that of all classes. None takes the one of
        Ledoit and Wolf, and 0 the plain covariance where it is regular.

    References
    ----------
    Lee et al. (2018), "A simple unified framework for detecting out-of-distribution samples and adversarial attacks"
    (tied). Ren et al. (2021), "A simple fix to Mahalanobis distance for improving near-OOD detection" (relative).
    Ledoit and Wolf (2004), "A well-conditioned estimator for large-dimensional covariance matrices".

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rows = np.random.default_rng(0).normal(size=(500, 2))
    >>> detector = sf.monitors.Mahalanobis(kind="tied").fit(rows)
    >>> detector.decision_function([[0, 0], [3, 4]]).round(0)
    array([ 0., 27.])

    """

    kind: str = "class"
    shrinkage: float | None = None

    def __post_init__(self) -> None:
        validate.choice(self.kind, KINDS, where=self.name, name="kind")
        if self.shrinkage is not None:
            self.shrinkage = validate.probability(self.shrinkage, where=self.name, name="shrinkage")

    @property
    def by_class(self) -> bool:  # type: ignore[override]
        """Whether it needs labels to fit and predictions to score."""
        return self.kind == "class"

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        if self.kind == "relative" and classes.max() == 0:
            raise InvalidInput(
                "the relative distance needs rows of two classes",
                where=self.name,
                found="one class" if len(rows) > 1 else "one row",
                remedy="Give labels, or use kind='tied'.",
            )
        unit = unit_of(rows)
        groups = parts(*grouped(in_units(rows, unit), classes))
        centres = np.array([centre_of(group) for group in groups])
        centred = [group - centre for group, centre in zip(groups, centres, strict=True)]
        whitenings = self._whitenings(np.concatenate(groups), centres, centred)
        return {
            "unit": np.array(unit),
            "centres": centres,
            "origins": np.array([each.centre for each in whitenings]),
            "matrices": np.array([each.matrix for each in whitenings]),
        }

    def _whitenings(self, rows: FloatArray, centres: FloatArray, centred: list[FloatArray]) -> list[Whitening]:
        """That of each class, or the one that all share and, where it is relative, that of the whole."""
        middle, together = centre_of(rows), np.concatenate(centred)
        if self.kind == "class":
            return self._of_classes(centres, centred, shrunk(together, self.shrinkage))
        shared = [self._of_sphere(middle, together)]
        return [*shared, self._of_sphere(middle, rows - middle)] if self.kind == "relative" else shared

    def _of_sphere(self, centre: FloatArray, centred: FloatArray) -> Whitening:
        plain = Whitening.of_rows(centre, centred, len(centred)) if self.shrinkage == 0 else None
        return plain or Whitening.of_covariance(centre, shrunk(centred, self.shrinkage))

    def _of_classes(self, centres: FloatArray, centred: list[FloatArray], pooled: FloatArray) -> list[Whitening]:
        found = []
        for centre, rows in zip(centres, centred, strict=True):
            plain = Whitening.of_rows(centre, rows, len(rows)) if self.shrinkage == 0 else None
            found.append(plain or Whitening.of_covariance(centre, shrunk_class(rows, pooled, self.shrinkage)))
        return found

    def _prepared(self, learned: Learned) -> _Ready:
        pairs = zip(learned["origins"], learned["matrices"], strict=True)
        maps = [Whitening(origin, matrix, 0.0) for origin, matrix in pairs]
        return _Ready(float(learned["unit"]), maps, maps[SHARED].of(learned["centres"]))

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: _Ready) -> FloatArray:
        def distances(number: int, some: NDArray[Any]) -> FloatArray:
            values = in_units(some, ready.unit)
            if self.kind == "class":
                return ready.to_centre(number, values)
            nearest = ready.to_nearest(values)
            return nearest - ready.to_centre(WHOLE, values) if self.kind == "relative" else nearest

        return scored_by_class(rows, classes, distances)


@dataclass(frozen=True, eq=False)
class _Ready:
    unit: float
    maps: list[Whitening]
    """One a class, or the shared one and that of the whole."""
    centres: FloatArray
    """Those of the classes after the shared map."""

    def to_centre(self, number: int, values: FloatArray) -> FloatArray:
        """Squared distance to the centre of a map."""
        white = self.maps[number].of(values)
        return bounded(np.einsum("ij,ij->i", white, white))

    def to_nearest(self, values: FloatArray) -> FloatArray:
        """Squared distance to the nearest class after the shared map."""
        from scipy.spatial.distance import cdist

        return bounded(cdist(self.maps[SHARED].of(values), self.centres, "sqeuclidean").min(axis=1))


# Covariances that can be inverted: shrunk as far as the rows cannot tell them.


def centre_of(rows: FloatArray) -> FloatArray:
    """The mean of the rows, without rounding where a feature is constant."""
    return np.asarray(rows[0] + (rows - rows[0]).mean(axis=0))


def covariance_of(centred: FloatArray) -> FloatArray:
    """The covariance of rows around 0."""
    return np.asarray(centred.T @ centred / len(centred))


def sphere_like(covariance: FloatArray) -> FloatArray:
    """The same variance in all directions, of the same sum."""
    features = len(covariance)
    return np.eye(features) * (np.trace(covariance) / features)


def weight_of(target: FloatArray, covariance: FloatArray, centred: FloatArray) -> float:
    """The weight of a target beside a covariance that brings their mean nearest to the truth, as far as rows can tell.

    Ledoit and Wolf (2004), "A well-conditioned estimator for large-dimensional covariance matrices": the squared error
    of the covariance over its squared distance from the target, which there is ``sphere_like``.
    """
    distance = float(((covariance - target) ** 2).sum())
    fourth = float((np.einsum("ij,ij->i", centred, centred) ** 2).mean())
    error = max((fourth - float((covariance**2).sum())) / len(centred), 0.0)
    return min(error / distance, 1.0) if distance > 0 else 0.0


def mixed(covariance: FloatArray, target: FloatArray, weight: float) -> FloatArray:
    """The mean of two covariances, the target with this weight."""
    return np.asarray((1 - weight) * covariance + weight * target)


def shrunk(centred: FloatArray, shrinkage: float | None = None) -> FloatArray:
    """A covariance shrunk towards a sphere, by a stated weight or by that of Ledoit and Wolf."""
    covariance = covariance_of(centred)
    target = sphere_like(covariance)
    return mixed(covariance, target, weight_of(target, covariance, centred) if shrinkage is None else shrinkage)


def shrunk_class(centred: FloatArray, pooled: FloatArray, shrinkage: float | None = None) -> FloatArray:
    """The covariance of one class shrunk towards that of all classes.

    The pooled covariance has at least the weight of one row, unless a weight is stated and the class has more rows
    than features: a class of one row has the pooled covariance, and none is singular where that is not.
    """
    covariance = covariance_of(centred)
    weight = weight_of(pooled, covariance, centred) if shrinkage is None else shrinkage
    rows, features = centred.shape
    if shrinkage is None or rows <= features:
        weight = max(weight, 1 / rows)
    return mixed(covariance, pooled, weight)


# Linear maps after which rows have the identity as their covariance.

REGULAR = 1e-10
"""Smallest singular value, relative to the largest, of rows that tell their covariance."""
SINGULAR = 1e-12
"""Eigenvalues of a correlation matrix are raised to this."""
LEAST_SCALE = 1e-6
"""Scale of a feature that never varies, relative to the others: to leave it is strange, rounding is not."""


@dataclass(frozen=True, eq=False)
class Whitening:
    """``(rows - centre) @ matrix``; a vector in place of the matrix scales each feature."""

    centre: FloatArray
    matrix: FloatArray
    log_det: float
    """Logarithm of the root of the covariance's determinant."""

    @classmethod
    def of_rows(cls, centre: FloatArray, centred: FloatArray, divisor: int) -> Whitening | None:
        """From the singular values of the rows, which loses half the digits that forming the covariance would lose.

        None where the rows do not tell the covariance: too few, or with features that others determine.
        """
        count, features = centred.shape
        scales = np.sqrt(np.einsum("ij,ij->j", centred, centred))
        if count <= features or not scales.all():
            return None
        _, values, vectors = np.linalg.svd(np.linalg.qr(centred / scales, mode="r"))
        if values[-1] <= REGULAR * values[0]:
            return None
        matrix = vectors.T / values / scales[:, None] * math.sqrt(divisor)
        return cls(
            centre, matrix, float(np.log(scales).sum() + np.log(values).sum() - features * math.log(divisor) / 2)
        )

    @classmethod
    def of_covariance(cls, centre: FloatArray, covariance: FloatArray) -> Whitening:
        """From a covariance, however singular."""
        variances = np.diag(covariance)
        typical = float(variances.mean()) or 1.0
        scales = np.sqrt(np.where(variances > 0, variances, LEAST_SCALE**2 * typical))
        correlation = covariance / np.outer(scales, scales)
        np.fill_diagonal(correlation, 1.0)
        values, vectors = np.linalg.eigh(correlation)
        values = np.maximum(values, SINGULAR)
        log_det = float(np.log(scales).sum() + np.log(values).sum() / 2)
        return cls(centre, vectors / np.sqrt(values) / scales[:, None], log_det)

    def of(self, rows: FloatArray) -> FloatArray:
        """The rows in standard deviations from the centre, bounded."""
        moved = rows - self.centre
        return bounded(moved * self.matrix if self.matrix.ndim == 1 else moved @ self.matrix)

    def widened(self, factor: float) -> Whitening:
        """That of a covariance larger by the square of a factor."""
        more = len(self.centre) * math.log(factor)
        return Whitening(self.centre, self.matrix / factor, self.log_det + more)


KERNELS = ("gaussian", "exponential")
"""Those that end nowhere: a density of 0 has no logarithm."""
EXPONENTS = 1 << 19
"""Kernel values at a time: 4 MB."""
LOST = 1e-8
"""Rounding of a squared distance in bandwidths that a product of matrices may bring."""
EPSILON = float(np.finfo(float).eps)


@dataclass(eq=False)
class KernelDensity(Detector, name="kernel_density"):
    """Minus the logarithm of a kernel density of all fitted rows (Rosenblatt 1956, Parzen 1962).

    Parameters
    ----------
    bandwidth
        A scale for all features or one for each, as in ``profile.KDE``; or ``"scott"`` or ``"silverman"``, a factor
        times the covariance as in scipy, shrunk (Ledoit and Wolf 2004) where it is singular.
    kernel
        ``"gaussian"`` or ``"exponential"``.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rows = np.random.default_rng(0).normal(size=(500, 1))
    >>> sf.monitors.KernelDensity().fit(rows).decision_function([[0.0], [3.0]]).round(1)
    array([1. , 5.1])

    """

    bandwidth: str | float | list[float] = "scott"
    kernel: str = "gaussian"

    def __post_init__(self) -> None:
        validate.choice(self.kernel, KERNELS, where=self.name, name="kernel")
        if isinstance(self.bandwidth, str):
            validate.choice(self.bandwidth, RULES, where=self.name, name="bandwidth")
            return
        scales = validate.numbers(self.bandwidth, where=self.name, name="bandwidth")
        if scales.ndim > 1 or not scales.size or (scales <= 0).any():
            raise InvalidInput(
                "bandwidth must be a positive number, or one for each feature", where=self.name, found=repr(scales)
            )
        self.bandwidth = scales.tolist()

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        unit = unit_of(rows)
        values = in_units(rows, unit)
        whitening = self._whitening(values, unit)
        return {
            "unit": np.array(unit),
            "rows": values,
            "centre": whitening.centre,
            "matrix": whitening.matrix,
            "log_det": np.array(whitening.log_det),
        }

    def _whitening(self, values: FloatArray, unit: float) -> Whitening:
        centre, features = centre_of(values), values.shape[1]
        if isinstance(self.bandwidth, str):
            return kernel_whitening(centre, values, shrunk(values - centre), RULES[self.bandwidth](*values.shape))
        scales = np.asarray(self.bandwidth) / unit
        if scales.ndim and len(scales) != features:
            raise InvalidInput(
                "bandwidth must be one number, or one for each feature",
                where=self.name,
                found=f"{len(scales)} numbers for {features} features",
            )
        scales = np.broadcast_to(scales, features)
        return Whitening(centre, 1 / scales, float(np.log(scales).sum()))

    def _prepared(self, learned: Learned) -> WhiteDensity:
        whitening = Whitening(learned["centre"], learned["matrix"], float(learned["log_det"]))
        return WhiteDensity.of(whitening, learned["rows"], self.kernel)

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: WhiteDensity) -> FloatArray:
        unit = float(self.learned["unit"])

        def log_density(_: int, some: NDArray[Any]) -> FloatArray:
            return ready.log_density(in_units(some, unit))

        return rows.shape[1] * math.log(unit) - scored_by_class(rows, classes, log_density)


def scott(rows: int, features: int) -> float:
    """Bandwidth in standard deviations (Scott 1992)."""
    return float(rows ** (-1 / (features + 4)))


def silverman(rows: int, features: int) -> float:
    """Bandwidth in standard deviations (Silverman 1986)."""
    return float((rows * (features + 2) / 4) ** (-1 / (features + 4)))


RULES = {"scott": scott, "silverman": silverman}


def kernel_whitening(centre: FloatArray, rows: FloatArray, otherwise: FloatArray, factor: float) -> Whitening:
    """By a factor times the covariance of the rows, as in scipy, or times ``otherwise`` where it is singular."""
    plain = Whitening.of_rows(centre, rows - centre, len(rows) - 1)
    return (plain or Whitening.of_covariance(centre, otherwise)).widened(factor)


@dataclass(frozen=True, eq=False)
class WhiteDensity:
    """A kernel density whose kernel is a function of the distance after whitening."""

    whitening: Whitening
    points: FloatArray
    """After whitening."""
    table: FloatArray | None
    """Points, one a column, below them minus half their squared length and ones; None where products lose too much."""
    kernel: str

    @classmethod
    def of(cls, whitening: Whitening, rows: FloatArray, kernel: str = "gaussian") -> WhiteDensity:
        """The density of rows."""
        points = whitening.of(rows)
        halves = np.einsum("ij,ij->i", points, points) / 2
        lost = 16 * EPSILON * (points.shape[1] + 4) * float(halves.max())
        table = np.vstack([points.T, -halves, np.ones(len(points))]) if lost <= LOST else None
        return cls(whitening, points, table, kernel)

    def log_density(self, rows: FloatArray) -> FloatArray:
        """Logarithm of the density at each row, bounded."""
        white, size = self.whitening.of(rows), max(1, EXPONENTS // len(self.points))
        sums = np.concatenate([self._log_sums(white[part]) for part in slices(len(white), size)])
        height = kernel_named(self.kernel).log_norm(white.shape[1]) - self.whitening.log_det
        return bounded(sums + (height - math.log(len(self.points))))

    def _log_sums(self, white: FloatArray) -> FloatArray:
        exponents = self._minus_half_squares(white)
        if self.kernel == "exponential":
            exponents = -np.sqrt(-2 * np.minimum(exponents, 0.0))
        top = exponents.max(axis=1)
        exponents -= top[:, None]
        return np.asarray(np.log(np.exp(exponents, out=exponents).sum(axis=1)) + top)

    def _minus_half_squares(self, white: FloatArray) -> FloatArray:
        if self.table is None:
            return squared_distances(white, self.points) / -2
        halves = np.einsum("ij,ij->i", white, white) / 2
        return np.column_stack([white, np.ones(len(white)), -halves]) @ self.table
