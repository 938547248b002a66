"""Kernels as sums of products over features: the mass in a grid of cells is then a product of matrices.

``K_ji = sum_r prod_k factor_k[j, r, i_k]``. A Gaussian with one scale a feature has one term, the exponential kernel
one for each Gaussian of its mixture (which gives masses, but not the peak itself), a correlated Gaussian in two
dimensions one for each term of Mehler's series.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from surefoot.core.validate import FloatArray
from surefoot.profile.boundary import Mirror
from surefoot.profile.cells import Cells
from surefoot.profile.kernels import KERNELS
from surefoot.profile.mixture import gaussian_mixture
from surefoot.profile.sample import Sample

MOST_TERMS = 400
SMALLEST_TERM = 1e-14
ROOT_TWO_PI = math.sqrt(2 * math.pi)

OneFeature = Callable[[FloatArray, int, Mirror], FloatArray]


@dataclass(frozen=True, eq=False)
class Factors:
    """Terms of the sum, and one function for the factor of a feature: (points, terms, cells)."""

    terms: int
    cells: Cells
    one_feature: OneFeature

    def halves(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Factor of the first feature, and product of all others, with one row for each point and term."""
        first, *rest = (self._mirrored(points[:, k], k) for k in range(len(self.cells.edges)))
        other = np.ones((len(points), self.terms, 1))
        for factor in rest:
            other = (other[..., None] * factor[:, :, None, :]).reshape(*other.shape[:2], -1)
        return first.reshape(-1, first.shape[2]), other.reshape(-1, other.shape[2])

    def _mirrored(self, column: FloatArray, feature: int) -> FloatArray:
        parts = [self.one_feature(column, feature, mirror) for mirror in self.cells.mirrors[feature]]
        return np.asarray(sum(parts[1:], start=parts[0]))


def factors_of(sample: Sample, cells: Cells, *, exact: bool) -> Factors | None:
    """The kernel's factors on these cells, or None for kernels that have none."""
    shape, kernel = sample.shape, sample.kernel
    if kernel.name == "gaussian" and shape.diagonal:
        return _mixture(cells, np.ones(1), np.ones(1), shape.scales, exact=exact)
    if kernel.name == "exponential" and shape.diagonal and sample.dimensions > 1 and exact:
        return _mixture(cells, *gaussian_mixture(sample.dimensions), shape.scales, exact=exact)
    if kernel.name == "gaussian" and sample.dimensions == 2:
        return _mehler(cells, shape.factor, shape.scales, exact=exact)
    return None


def _mixture(cells: Cells, shares: FloatArray, spreads: FloatArray, scales: FloatArray, *, exact: bool) -> Factors:
    roots = shares[:, None] ** (1 / len(scales))

    def one_feature(column: FloatArray, feature: int, mirror: Mirror) -> FloatArray:
        widths = (spreads * scales[feature])[:, None]
        if exact:
            ends = (mirror(cells.edges[feature]) - column[:, None])[:, None] / widths
            return roots * _between_neighbours(ends)
        places = (mirror(cells.centres[feature]) - column[:, None])[:, None] / widths
        return np.asarray(roots * np.exp(-0.5 * places**2) / (ROOT_TWO_PI * widths) * cells.widths[feature])

    return Factors(len(shares), cells, one_feature)


def _between_neighbours(ends: FloatArray) -> FloatArray:
    """Normal mass between neighbouring ends, rising or falling; tails from tails, so small masses keep their digits."""
    tails = KERNELS["gaussian"].cumulative(-np.abs(ends))
    mass = np.abs(np.diff(tails, axis=-1))
    around = (ends[..., 1:] > 0) != (ends[..., :-1] > 0)
    mass[around] = (1 - tails[..., 1:] - tails[..., :-1])[around]
    return mass


def _mehler(cells: Cells, factor: FloatArray, scales: FloatArray, *, exact: bool) -> Factors | None:
    """Mehler's series (1866): term k is ``rho^k He_k(x) He_k(y) phi(x) phi(y) / k!``, whose integrals are closed."""
    correlation = float(factor[1] @ factor[0]) / float(scales[0] * scales[1])
    terms = 1 + math.ceil(math.log(SMALLEST_TERM) / math.log(abs(correlation)))
    if terms > MOST_TERMS:
        return None
    powers = np.abs(correlation) ** (0.5 * np.arange(terms))[:, None]
    signs = np.sign(correlation) ** np.arange(terms)[:, None]

    def one_feature(column: FloatArray, feature: int, mirror: Mirror) -> FloatArray:
        weight = powers * (signs if feature == 0 else 1)
        if not exact:
            places = (mirror(cells.centres[feature]) - column[:, None]) / scales[feature]
            return np.asarray(weight * _hermite(places, terms) * (cells.widths[feature] / scales[feature]))
        ends = (mirror(cells.edges[feature]) - column[:, None]) / scales[feature]
        integrals = np.empty((len(column), terms, ends.shape[1]))
        integrals[:, 0] = ndtr(ends)
        integrals[:, 1:] = -_hermite(ends, terms - 1) / np.sqrt(np.arange(1, terms))[:, None]
        return np.asarray(mirror.sign * weight * np.diff(integrals, axis=2))

    return Factors(terms, cells, one_feature)


def _hermite(places: FloatArray, terms: int) -> FloatArray:
    """``He_k(x) phi(x) / sqrt(k!)`` for each k, as (rows, terms, columns)."""
    found = np.zeros((len(places), terms, places.shape[1]))
    found[:, 0] = np.exp(-0.5 * places**2) / ROOT_TWO_PI
    if terms > 1:
        found[:, 1] = places * found[:, 0]
    for k in range(1, terms - 1):
        found[:, k + 1] = (places * found[:, k] - math.sqrt(k) * found[:, k - 1]) / math.sqrt(k + 1)
    return found
