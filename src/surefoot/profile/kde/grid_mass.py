"""Mass of a density in a grid of cells, its variance, and each point's part of it, in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.input_arrays import slices
from surefoot.profile.kde.bandwidth import KERNELS, gaussian_mixture
from surefoot.profile.kde.box_mass import Domain, Mirror, box_mass
from surefoot.profile.kde.evaluation import Sample

WHERE = "KDE"
ITSELF = Mirror(1, 0.0)


def grid_mass(sample: Sample, cells: Cells, *, exact: bool) -> FloatArray:
    """``(1/n) sum_j w_j K_ji`` for each cell i."""
    return sums_of(sample, cells, exact=exact).mass().reshape(cells.shape) / len(sample)


def grid_variance(sample: Sample, cells: Cells, *, exact: bool, size: int) -> FloatArray:
    """``(1/(n size)) sum_j (w_j K_ji - mass_i)^2`` for each cell i."""
    sums = sums_of(sample, cells, exact=exact)
    mean, mean_square = sums.mass() / len(sample), sums.squares() / len(sample)
    return np.maximum(mean_square - mean**2, 0).reshape(cells.shape) / size


def contributions(sample: Sample, cells: Cells, values: FloatArray, *, exact: bool) -> FloatArray:
    """``sum_i values_i K_ji`` for each point j."""
    return sums_of(sample, cells, exact=exact).contributions(values)


def sums_of(sample: Sample, cells: Cells, *, exact: bool) -> Sums:
    """Products of matrices where the kernel has factors, else all pairs, or those within reach."""
    factors = factors_of(sample, cells, exact=exact)
    if factors is not None:
        return Products(sample, factors)
    return Pairs(sample, cells, exact) if exact or sample.kernel.compact else Dense(sample, cells)


class Sums(Protocol):
    """Sums over the masses ``K_ji`` of kernels in cells, which are never held all at once."""

    def mass(self) -> FloatArray:
        """``sum_j w_j K_ji`` for each cell."""
        ...

    def squares(self) -> FloatArray:
        """``sum_j (w_j K_ji)^2`` for each cell."""
        ...

    def contributions(self, values: FloatArray) -> FloatArray:
        """``sum_i values_i K_ji`` for each point."""
        ...


@dataclass(frozen=True, eq=False)
class Cells:
    """Edges along each feature, and the mirrors under which a kernel reaches a cell."""

    edges: tuple[FloatArray, ...]
    mirrors: tuple[tuple[Mirror, ...], ...]

    @classmethod
    def of(cls, edges: Sequence[ArrayLike], reaches: FloatArray, walls: Domain | None) -> Cells:
        """Check the edges; cells are cut off at reflecting walls."""
        checked = _increasing(edges, len(reaches))
        if walls is None:
            return cls(checked, ((ITSELF,),) * len(checked))
        cut = (np.clip(e, low, high) for e, low, high in zip(checked, walls.lower, walls.upper, strict=True))
        return cls(tuple(cut), tuple(tuple(walls.mirrors(k, reach)) for k, reach in enumerate(reaches)))

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each feature."""
        return tuple(len(edges) - 1 for edges in self.edges)

    def __len__(self) -> int:
        return math.prod(self.shape)

    @property
    def halves(self) -> tuple[int, int]:
        """Number of cells over the first feature, and over all others."""
        return self.shape[0], math.prod(self.shape[1:])

    @cached_property
    def centres(self) -> tuple[FloatArray, ...]:
        """Middle of the cells along each feature."""
        return tuple((edges[1:] + edges[:-1]) / 2 for edges in self.edges)

    @cached_property
    def widths(self) -> tuple[FloatArray, ...]:
        """Side of the cells along each feature."""
        return tuple(np.diff(edges) for edges in self.edges)


def _increasing(edges: Sequence[ArrayLike], dimensions: int) -> tuple[FloatArray, ...]:
    if len(edges) != dimensions:
        raise InvalidInput(
            f"edges must be given for each of the {dimensions} features", where=WHERE, found=f"{len(edges)}"
        )
    checked = tuple(validate.vector(e, where=WHERE, name="edges", at_least=2) for e in edges)
    for feature, column in enumerate(checked):
        if (np.diff(column) <= 0).any():
            raise InvalidInput("edges must increase", where=WHERE, found=f"edges of feature {feature} that do not")
    return checked


# Kernels as sums of products over features: the mass in a grid of cells is then a product of matrices.
#
# ``K_ji = sum_r prod_k factor_k[j, r, i_k]``. A Gaussian with one scale a feature has one term, the exponential kernel
# one for each Gaussian of its mixture (which gives masses, but not the peak itself), a correlated Gaussian in two
# dimensions one for each term of Mehler's series.

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


PRODUCTS_AT_ONCE = 1 << 22
"""Numbers in one block of factors: 32 MB."""


@dataclass(frozen=True, eq=False)
class Products:
    """Sums from the factor of the first feature and the product of all others."""

    sample: Sample
    factors: Factors

    def mass(self) -> FloatArray:
        """``sum_j w_j K_ji`` for each cell."""
        total = np.zeros(self.factors.cells.halves)
        for some, first, rest in self._blocks():
            total += (first * np.repeat(self.sample.weights[some], self.factors.terms)[:, None]).T @ rest
        return total

    def squares(self) -> FloatArray:
        """``sum_j (w_j K_ji)^2`` for each cell; the square of a single product is again a product."""
        total, terms = np.zeros(self.factors.cells.halves), self.factors.terms
        for some, first, rest in self._blocks():
            weights = self.sample.weights[some]
            if terms == 1:
                total += (first * weights[:, None]).T ** 2 @ rest**2
                continue
            for j, weight in enumerate(weights):
                rows = slice(j * terms, (j + 1) * terms)
                total += (weight * first[rows].T @ rest[rows]) ** 2
        return total

    def contributions(self, values: FloatArray) -> FloatArray:
        """``sum_i values_i K_ji`` for each point."""
        table, total = values.reshape(self.factors.cells.halves), np.empty(len(self.sample))
        for some, first, rest in self._blocks():
            sums = np.einsum("ij,ij->i", first @ table, rest)
            total[some] = sums.reshape(-1, self.factors.terms).sum(axis=1)
        return total

    def _blocks(self) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        cells = self.factors.cells
        numbers = self.factors.terms * (sum(cells.halves) + max(cells.shape))
        for some in slices(len(self.sample), max(1, PRODUCTS_AT_ONCE // numbers)):
            yield some, *self.factors.halves(self.sample.points[some])


# Sums over cells from the density at their centres, every point with every cell.

CELLS, POINTS = 512, 2048
"""One block of densities: 8 MB."""


@dataclass(frozen=True, eq=False)
class Dense:
    """Sums over density at the centre times volume, for kernels that reach every cell."""

    sample: Sample
    cells: Cells

    def mass(self) -> FloatArray:
        """``sum_j w_j K_ji`` for each cell."""
        total = np.zeros(len(self.cells))
        for cells, points, masses in self._blocks():
            total[cells] += masses @ self.sample.weights[points]
        return total

    def squares(self) -> FloatArray:
        """``sum_j (w_j K_ji)^2`` for each cell."""
        total = np.zeros(len(self.cells))
        for cells, points, masses in self._blocks():
            total[cells] += masses**2 @ self.sample.weights[points] ** 2
        return total

    def contributions(self, values: FloatArray) -> FloatArray:
        """``sum_i values_i K_ji`` for each point."""
        flat, total = values.reshape(-1), np.zeros(len(self.sample))
        for cells, points, masses in self._blocks():
            total[points] += flat[cells] @ masses
        return total

    def _blocks(self) -> Iterator[tuple[slice, slice, FloatArray]]:
        for cells in slices(len(self.cells), CELLS):
            place = np.unravel_index(np.arange(cells.start, cells.stop), self.cells.shape)
            volume = np.prod([width[i] for width, i in zip(self.cells.widths, place, strict=True)], axis=0)
            columns = [
                [mirror(centre[i]) for mirror in mirrors]
                for centre, i, mirrors in zip(self.cells.centres, place, self.cells.mirrors, strict=True)
            ]
            images = [np.stack(image, axis=1) for image in product(*columns)]
            for points in slices(len(self.sample), POINTS):
                densities = self.sample.responses(images[0], points)
                for image in images[1:]:
                    densities += self.sample.responses(image, points)
                densities *= volume[:, None]
                yield cells, points, densities


# Sums over cells from pairs of a point and a cell within its reach, in parts of bounded size.

AT_ONCE = 1 << 18
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Sums over masses computed one by one."""

    sample: Sample
    cells: Cells
    exact: bool

    def mass(self) -> FloatArray:
        """``sum_j w_j K_ji`` for each cell."""
        total = np.zeros(len(self.cells))
        for point, cell, mass in near_pairs(self.sample, self.cells, exact=self.exact):
            np.add.at(total, cell, self.sample.weights[point] * mass)
        return total

    def squares(self) -> FloatArray:
        """``sum_j (w_j K_ji)^2`` for each cell."""
        total = np.zeros(len(self.cells))
        for point, cell, mass in near_pairs(self.sample, self.cells, exact=self.exact):
            np.add.at(total, cell, (self.sample.weights[point] * mass) ** 2)
        return total

    def contributions(self, values: FloatArray) -> FloatArray:
        """``sum_i values_i K_ji`` for each point."""
        total = np.zeros(len(self.sample))
        for point, cell, mass in near_pairs(self.sample, self.cells, exact=self.exact):
            np.add.at(total, point, values.reshape(-1)[cell] * mass)
        return total


def near_pairs(sample: Sample, cells: Cells, *, exact: bool) -> Iterator[tuple[Indices, Indices, FloatArray]]:
    """Points, flat numbers of cells, and the mass of the point's kernel in the cell, mirror images included.

    A mirror image of a cell is farther from a point than the cell, so cells beyond reach have no image within.
    """
    first, counts = _windows(sample, cells)
    last = np.cumsum(counts.prod(axis=1))
    for some in slices(int(last[-1]), AT_ONCE):
        flat = np.arange(some.start, some.stop)
        point = np.searchsorted(last, flat, side="right")
        place = _unravel(flat - np.where(point, last[point - 1], 0), counts[point]) + first[point]
        cell = np.ravel_multi_index(tuple(place.T), cells.shape)
        yield point, cell, _mass(sample, cells, point, place, exact=exact)


def _windows(sample: Sample, cells: Cells) -> tuple[Indices, Indices]:
    """First cell within reach of each point along each feature, and how many there are."""
    first, count = np.empty(sample.points.shape, np.int64), np.empty(sample.points.shape, np.int64)
    for k, edges in enumerate(cells.edges):
        column, reach = sample.points[:, k], sample.reaches[k]
        first[:, k] = np.searchsorted(edges[1:], column - reach, side="right")
        count[:, k] = np.maximum(np.searchsorted(edges[:-1], column + reach, side="left") - first[:, k], 0)
    return first, count


def _unravel(flat: Indices, counts: Indices) -> Indices:
    place = np.empty(counts.shape, np.int64)
    for k in reversed(range(counts.shape[1])):
        flat, place[:, k] = np.divmod(flat, counts[:, k])
    return place


def _mass(sample: Sample, cells: Cells, point: Indices, place: Indices, *, exact: bool) -> FloatArray:
    lower = np.stack([edges[place[:, k]] for k, edges in enumerate(cells.edges)], axis=1)
    upper = np.stack([edges[place[:, k] + 1] for k, edges in enumerate(cells.edges)], axis=1)
    mass = np.zeros(len(point))
    for mirrors in product(*cells.mirrors):
        low, high = _mirrored(lower, upper, mirrors)
        low -= sample.points[point]
        high -= sample.points[point]
        near = ((low < sample.reaches) & (high > -sample.reaches)).all(axis=1)
        if exact:
            mass[near] += box_mass(sample.kernel, sample.shape, low[near], high[near])
        else:
            mass[near] += _at_centre(sample, low[near], high[near])
    return mass


def _mirrored(lower: FloatArray, upper: FloatArray, mirrors: tuple[Mirror, ...]) -> tuple[FloatArray, FloatArray]:
    signs, shifts = np.array([m.sign for m in mirrors]), np.array([m.shift for m in mirrors])
    return np.where(signs > 0, lower, -upper) + shifts, np.where(signs > 0, upper, -lower) + shifts


def _at_centre(sample: Sample, low: FloatArray, high: FloatArray) -> FloatArray:
    white = sample.shape.whiten((low + high) / 2)
    values = sample.kernel.values(np.einsum("ij,ij->i", white, white))
    return np.asarray(values * math.exp(sample.log_height) * (high - low).prod(axis=1))
