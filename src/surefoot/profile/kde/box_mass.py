"""A density with what happens at the boundary of its domain, and its mass in boxes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.input_arrays import slices
from surefoot.profile.kde.bandwidth import GAUSSIAN_REACH, KERNELS, Kernel, Shape, gaussian_mixture
from surefoot.profile.kde.evaluation import Sample, draw, log_density

WHERE = "KDE"
BOUNDARIES = ("renormalise", "reflect")
PAIRS = 1 << 18
IMAGES = 512
FRAME = 3.0
"""Scales around the points that a figure shows."""


@dataclass(frozen=True, eq=False)
class Bounded:
    """A sample in a domain: ``cut`` is renormalised inside it, ``walls`` reflect."""

    sample: Sample
    cut: Domain | None
    walls: Domain | None

    @classmethod
    def of(cls, sample: Sample, boundary: str | None, domain: Domain | None) -> Bounded:
        """The sample with a boundary rule; reflecting walls have all points inside."""
        walls = domain if boundary == "reflect" else None
        if walls is not None and not walls.inside(sample.points).all():
            outside = np.flatnonzero(~walls.inside(sample.points))
            raise InvalidInput(
                f"{outside.size:,} of {len(sample):,} points lie outside the reflecting domain",
                where=WHERE,
                found=f"row {outside[0]}: {sample.points[outside[0]].tolist()}",
                remedy="Widen the domain, or leave out what operation cannot bring.",
            )
        return cls(sample, domain if boundary == "renormalise" else None, walls)

    @cached_property
    def inside(self) -> FloatArray | None:
        """Mass of each point's kernel inside the domain; None where nothing is renormalised."""
        if self.cut is None:
            return None
        points, (low, high) = self.sample.points, (self.cut.lower, self.cut.upper)
        parts = [self._pair_mass(low - points[some], high - points[some]) for some in slices(len(points), PAIRS)]
        return np.concatenate(parts)

    @cached_property
    def share(self) -> float:
        """What is divided by: the mass inside the domain."""
        share = 1.0 if self.inside is None else float(np.mean(self.sample.weights * self.inside))
        if share <= 0:
            raise Undefined("the density has no mass inside the domain", where=WHERE, remedy="Widen the domain.")
        return share

    def log_density(self, queries: FloatArray) -> FloatArray:
        """Logarithm of the density, minus infinity outside the domain."""
        domain = self.cut or self.walls
        if domain is None:
            return log_density(self.sample, queries)
        logs, inside = np.full(len(queries), -np.inf), domain.inside(queries)
        known = self._reflected(queries[inside]) if self.walls else log_density(self.sample, queries[inside])
        logs[inside] = known - math.log(self.share)
        return logs

    def _reflected(self, queries: FloatArray) -> FloatArray:
        assert self.walls is not None
        parts = [np.empty(0)]
        for some in self.walls.image_blocks(queries, self.sample.reaches):
            images, parents = self.walls.images(queries[some], self.sample.reaches)
            logs, starts = log_density(self.sample, images), np.searchsorted(parents, np.arange(some.stop - some.start))
            top = np.maximum.reduceat(logs, starts)
            shift = np.where(np.isfinite(top), top, 0)
            with np.errstate(divide="ignore"):
                parts.append(shift + np.log(np.add.reduceat(np.exp(logs - shift[parents]), starts)))
        return np.concatenate(parts)

    def responses(self, queries: FloatArray, chosen: slice) -> FloatArray:
        """Density at each query of the kernel of each chosen point with its mirror images; 0 outside the domain."""
        if self.walls is None:
            found = self.sample.responses(queries, chosen)
        else:
            images, parents = self.walls.images(self.walls.clip(queries), self.sample.reaches)
            found = np.zeros((len(queries), len(self.sample.points[chosen])))
            for some in slices(len(images), IMAGES):
                np.add.at(found, parents[some], self.sample.responses(images[some], chosen))
        domain = self.cut or self.walls
        if domain is not None:
            found[~domain.inside(queries)] = 0
        return found

    def box_mass(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Mass of boxes, cut off at the boundary of the domain."""
        domain = self.cut or self.walls
        if domain is not None:
            lower, upper = domain.clip(lower), domain.clip(upper)
        if self.walls is None:
            return self._sum(lower, upper) / self.share
        boxes = self.walls.mirrored_boxes(lower, upper, self.sample.reaches)
        return np.asarray(sum(self._sum(low, high) for low, high in boxes))

    def _sum(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """``(1/n) sum_j w_j`` times the mass of kernel j in each box."""
        points, weights, total = self.sample.points, self.sample.weights, np.zeros(len(lower))
        for rows in slices(len(lower), 256):
            for some in slices(len(points), PAIRS // 256):
                low, high = (c[rows, None] - points[some] for c in (lower, upper))
                mass = self._pair_mass(low.reshape(-1, low.shape[2]), high.reshape(-1, low.shape[2]))
                total[rows] += mass.reshape(low.shape[:2]) @ weights[some]
        return total / len(points)

    def _pair_mass(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Mass for boxes relative to a point, computed for those within reach."""
        near = ((low < self.sample.reaches) & (high > -self.sample.reaches)).all(axis=1)
        mass = np.zeros(len(low))
        mass[near] = box_mass(self.sample.kernel, self.sample.shape, low[near], high[near])
        return mass

    def draw(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Random points: folded into reflecting walls, drawn again outside a renormalised domain."""
        drawn = draw(self.sample, count, rng)
        if self.walls is not None:
            return self.walls.folded(drawn)
        if self.cut is None:
            return drawn
        outside = np.flatnonzero(~self.cut.inside(drawn))
        while self.share and outside.size:
            drawn[outside] = draw(self.sample, outside.size, rng)
            outside = outside[~self.cut.inside(drawn[outside])]
        return drawn

    def frame(self) -> Domain:
        """What a figure shows: the domain, or the points and some of the kernels around them."""
        margin = FRAME * self.sample.shape.scales
        points = self.sample.points
        return self.cut or self.walls or Domain(points.min(axis=0) - margin, points.max(axis=0) + margin)


# The box that inputs cannot leave, and mirror images in its faces.
#
# Instead of points, the places asked for are mirrored: the density of a mirrored kernel at x is that of the kernel at
# the mirrored x, whatever the shape of the kernel.

MOST_SIDES = 100
"""Domains that a kernel may reach across and be mirrored in."""
BOUNDARY_AT_ONCE = 1 << 20
"""Mirror images held at once."""


@dataclass(frozen=True)
class Mirror:
    """The map ``x -> sign * x + shift`` of one feature."""

    sign: int
    shift: float

    def __call__(self, places: FloatArray) -> FloatArray:
        return self.sign * places + self.shift


@dataclass(frozen=True, eq=False)
class Domain:
    """A box with sides along the axes."""

    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, domain: Any, dimensions: int) -> Domain:
        """One (low, high) for all features, one for each, or two corners."""
        pairs = validate.numbers(domain, where=WHERE, name="domain")
        if pairs.shape == (2,):
            pairs = np.tile(pairs, (dimensions, 1))
        for candidate in (pairs, pairs.T):
            if candidate.shape == (dimensions, 2) and (candidate[:, 0] < candidate[:, 1]).all():
                return cls(candidate[:, 0].copy(), candidate[:, 1].copy())
        raise InvalidInput(
            f"domain must be a pair (low, high) for each of the {dimensions} features, low below high",
            where=WHERE,
            found=repr(np.asarray(domain).tolist()),
            remedy=f"For example domain={[(0, 1)] * min(dimensions, 3)}.",
        )

    def inside(self, rows: FloatArray) -> NDArray[np.bool_]:
        """Whether each row lies in the domain."""
        return np.asarray(((rows >= self.lower) & (rows <= self.upper)).all(axis=1))

    def clip(self, rows: FloatArray) -> FloatArray:
        """Each row moved to the nearest place in the domain."""
        return np.clip(rows, self.lower, self.upper)

    def folded(self, rows: FloatArray) -> FloatArray:
        """Rows mirrored into the domain, as often as it takes."""
        side = self.upper - self.lower
        place = np.mod(rows - self.lower, 2 * side)
        return self.lower + np.minimum(place, 2 * side - place)

    def mirrors(self, feature: int, reach: float) -> list[Mirror]:
        """All repeated mirrorings of a feature that bring some place within reach of the domain."""
        low, side = self.lower[feature], self.upper[feature] - self.lower[feature]
        if reach > MOST_SIDES * side:
            raise InvalidInput(
                "the bandwidth is too wide for a reflecting domain",
                where=WHERE,
                found=f"kernels that reach {reach / side:.3g} times the side of feature {feature}",
                remedy="Use boundary='renormalise', or a smaller bandwidth.",
            )
        turns = math.ceil(reach / (2 * side)) + 1
        found = [
            Mirror(sign, 2 * turn * side + (2 * low if sign < 0 else 0.0))
            for turn in range(-turns, turns + 1)
            for sign in (1, -1)
        ]
        return [mirror for mirror in found if self._gap(mirror, feature) < reach]

    def _gap(self, mirror: Mirror, feature: int) -> float:
        low, high = self.lower[feature], self.upper[feature]
        first, last = sorted((float(mirror(low)), float(mirror(high))))
        return max(first - high, low - last, 0.0)

    def images(self, rows: FloatArray, reaches: FloatArray) -> tuple[FloatArray, NDArray[np.int64]]:
        """Mirror images of rows within reach of the domain, all combinations of faces, and the row of each."""
        parents = np.arange(len(rows))
        for feature, reach in enumerate(reaches):
            low, high = self.lower[feature] - reach, self.upper[feature] + reach
            parts = []
            for mirror in self.mirrors(feature, reach):
                mirrored = mirror(rows[:, feature])
                near = np.flatnonzero((mirrored >= low) & (mirrored <= high))
                part = rows[near]
                part[:, feature] = mirrored[near]
                parts.append((part, parents[near]))
            rows, parents = np.concatenate([p for p, _ in parts]), np.concatenate([p for _, p in parts])
        order = np.argsort(parents, kind="stable")
        return rows[order], parents[order]

    def image_blocks(self, rows: FloatArray, reaches: FloatArray) -> Iterator[slice]:
        """Parts of the rows with a bounded number of images each."""
        low, high = self.lower - reaches, self.upper + reaches
        counts = np.ones(len(rows))
        for k, reach in enumerate(reaches):
            mirrored = (mirror(rows[:, k]) for mirror in self.mirrors(k, reach))
            counts *= np.sum([(places >= low[k]) & (places <= high[k]) for places in mirrored], axis=0)
        parts = np.flatnonzero(np.diff(np.cumsum(counts) // BOUNDARY_AT_ONCE)) + 1
        bounds = [0, *parts.tolist(), len(rows)]
        return (slice(*ends) for ends in pairwise(bounds))

    def mirrored_boxes(
        self, lower: FloatArray, upper: FloatArray, reaches: FloatArray
    ) -> list[tuple[FloatArray, FloatArray]]:
        """All boxes under each combination of mirrors."""
        per_feature = [self.mirrors(feature, reach) for feature, reach in enumerate(reaches)]
        found = []
        for mirrors in product(*per_feature):
            ends = np.stack([[m(lower[:, k]), m(upper[:, k])] for k, m in enumerate(mirrors)], axis=2)
            found.append((ends.min(axis=0), ends.max(axis=0)))
        return found


# Mass of one kernel in boxes; corners are given relative to the kernel's centre, one box a row.

ROWS = 4096
MOST_FEATURES = 3
"""Nested quadrature takes too long beyond this many features."""


def box_mass(kernel: Kernel, shape: Shape, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Mass in each box, to 1e-10: closed forms where they exist, quadrature otherwise.

    Gaussian with a scale a feature: products of differences of the normal distribution function; with a matrix:
    conditioning on one feature after another (Genz 1992) by Gauss-Legendre panels. Exponential: a mixture of Gaussians.
    Epanechnikov and tophat: a polynomial inside the ball, quadrature cut at every kink where its surface crosses.
    """
    if shape.dimensions == 1:
        scale = shape.factor[0, 0]
        return kernel.between(lower[:, 0] / scale, upper[:, 0] / scale)
    if kernel.compact:
        return _compact_mass(kernel, shape, lower, upper)
    if kernel.name == "gaussian":
        return _gaussian_mass(shape.factor, lower, upper, diagonal=shape.diagonal)
    return np.concatenate(
        [_exponential_mass(shape, lower[some], upper[some]) for some in slices(len(lower), ROWS)] or [lower[:, 0]]
    )


def _exponential_mass(shape: Shape, lower: FloatArray, upper: FloatArray) -> FloatArray:
    shares, scales = gaussian_mixture(shape.dimensions)
    scaled = [(corner[:, None] / scales[:, None]).reshape(-1, shape.dimensions) for corner in (lower, upper)]
    mass = _gaussian_mass(shape.factor, *scaled, diagonal=shape.diagonal)
    return np.asarray(mass.reshape(len(lower), -1) @ shares)


def _gaussian_mass(factor: FloatArray, lower: FloatArray, upper: FloatArray, *, diagonal: bool) -> FloatArray:
    if not diagonal:
        _require_few(len(factor), "gaussian and exponential kernels with a full matrix")
        return gaussian_mass(factor, lower, upper)
    mass = np.ones(len(lower))
    for k, scale in enumerate(np.diag(factor)):
        mass *= KERNELS["gaussian"].between(lower[:, k] / scale, upper[:, k] / scale)
    return mass


def _compact_mass(kernel: Kernel, shape: Shape, lower: FloatArray, upper: FloatArray) -> FloatArray:
    norm = np.exp(kernel.log_norm(shape.dimensions))
    mass = np.zeros(len(lower))
    centre, half = shape.whiten((lower + upper) / 2), (upper - lower) / 2
    squared = np.einsum("ij,ij->i", centre, centre)
    radius = np.sqrt((half**2).sum(axis=1)) * np.linalg.norm(shape.inverse, 2)
    meets = (np.sqrt(squared) < 1 + radius) & (half > 0).all(axis=1)
    inside = meets & _vertices_inside(shape, lower, upper)
    crossing = meets & ~inside
    volume = np.exp(np.log(2 * half[inside]).sum(axis=1) - shape.log_det)
    if kernel.name == "tophat":
        mass[inside] = norm * volume
    else:
        curvature = (half[inside] ** 2) @ (shape.inverse**2).sum(axis=0) / 3
        mass[inside] = norm * volume * (1 - squared[inside] - curvature)
    if crossing.any():
        _require_few(shape.dimensions, f"the {kernel.name} kernel")
        power = 0 if kernel.name == "tophat" else 1
        mass[crossing] = norm * ball_mass(shape.factor, lower[crossing], upper[crossing], power=power)
    return mass


def _vertices_inside(shape: Shape, lower: FloatArray, upper: FloatArray) -> FloatArray:
    inside = np.ones(len(lower), bool)
    for choice in product((False, True), repeat=shape.dimensions):
        vertex = shape.whiten(np.where(choice, upper, lower))
        inside &= np.einsum("ij,ij->i", vertex, vertex) < 1
    return inside


def _require_few(dimensions: int, what: str) -> None:
    if dimensions > MOST_FEATURES:
        raise InvalidInput(
            f"exact cell masses of {what} are computed for at most {MOST_FEATURES} features",
            where="KDE",
            found=f"{dimensions} features",
            remedy="Use the Gaussian kernel with one scale a feature, or rule='centre' on a grid.",
        )


# Normal probability of boxes for a full covariance matrix, one feature after another.

WIDEST_PANEL = 4.0
ORDERS = ((0.02, 3), (0.1, 4), (0.5, 6), (1.5, 10), (WIDEST_PANEL, 16))
"""Gauss-Legendre nodes for panels up to a width, in standard deviations of the steepest factor: error below 1e-13."""


def gaussian_mass(factor: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Mass of the normal distribution with lower triangular factor in each box (Genz 1992, by Gauss-Legendre)."""
    if len(factor) == 1:
        return KERNELS["gaussian"].between(lower[:, 0] / factor[0, 0], upper[:, 0] / factor[0, 0])
    low = np.clip(lower[:, 0] / factor[0, 0], -GAUSSIAN_REACH, GAUSSIAN_REACH)
    high = np.clip(upper[:, 0] / factor[0, 0], -GAUSSIAN_REACH, GAUSSIAN_REACH)
    slope = np.linalg.solve(factor[1:, 1:], factor[1:, 0])
    steepness = math.sqrt(1 + float(slope @ slope))
    width = float((high - low).max(initial=0)) * steepness
    panels = max(1, math.ceil(width / WIDEST_PANEL))
    mass = np.zeros(len(lower))
    for start, share in _nodes(panels, width / panels):
        place = low + (high - low) * start
        shift = place[:, None] * factor[1:, 0]
        inner = gaussian_mass(factor[1:, 1:], lower[:, 1:] - shift, upper[:, 1:] - shift)
        mass += share * np.exp(-0.5 * place**2) * inner
    return mass * (high - low) / math.sqrt(2 * math.pi)


def _nodes(panels: int, width: float) -> list[tuple[float, float]]:
    """Places in [0, 1] and their shares."""
    order = next(order for widest, order in ORDERS if width <= widest or widest == WIDEST_PANEL)
    nodes, shares = np.polynomial.legendre.leggauss(order)
    return [
        ((panel + 0.5 + 0.5 * node) / panels, 0.5 * share / panels)
        for panel in range(panels)
        for node, share in zip(nodes.tolist(), shares.tolist(), strict=True)
    ]


# Integral of (1 - |z|^2)^power over the part of the unit ball in a box, for power 0 or 1.

NODES = 20
"""Gauss-Legendre nodes on each smooth piece: error below 1e-11 (measured against adaptive quadrature)."""
AT_ONCE = 1 << 17
NARROWEST = 1e-14


def ball_mass(factor: FloatArray, lower: FloatArray, upper: FloatArray, *, power: int) -> FloatArray:
    """The integral for boxes given before whitening by the lower triangular factor.

    Slices along the first feature are balls again. The slice's integral has kinks where a face or an edge of the box
    starts or stops to meet the ball: pieces end there and at 0, and the nodes gather at both ends of each piece.
    """
    if len(factor) == 1:
        return _segment(lower[:, 0] / factor[0, 0], upper[:, 0] / factor[0, 0], power)
    low = np.clip(lower[:, 0] / factor[0, 0], -1, 1)
    high = np.clip(upper[:, 0] / factor[0, 0], -1, 1)
    cuts = np.stack([low, np.zeros_like(low), *_kinks(factor, lower, upper), high], axis=1)
    angles = np.arcsin(np.sort(np.clip(cuts, low[:, None], high[:, None]), axis=1))
    box, piece = np.nonzero(np.diff(angles, axis=1) > NARROWEST)
    mass = np.zeros(len(lower))
    for start in range(0, len(box), AT_ONCE // NODES):
        chosen = box[start : start + AT_ONCE // NODES], piece[start : start + AT_ONCE // NODES]
        ends = angles[chosen], angles[chosen[0], chosen[1] + 1]
        np.add.at(mass, chosen[0], _piece(factor, lower[chosen[0]], upper[chosen[0]], ends, power))
    return mass


def _piece(
    factor: FloatArray, lower: FloatArray, upper: FloatArray, ends: tuple[FloatArray, FloatArray], power: int
) -> FloatArray:
    """Integral over one piece, in the angle whose sine is the first coordinate."""
    nodes, shares = np.polynomial.legendre.leggauss(NODES)
    gathered, slowness = np.sin(np.pi / 2 * nodes), np.pi / 2 * np.cos(np.pi / 2 * nodes)
    half = (ends[1] - ends[0])[:, None] / 2
    angle = (ends[0] + ends[1])[:, None] / 2 + half * gathered
    radius = np.cos(angle)
    shift = np.sin(angle)[..., None] * factor[1:, 0]
    rest = len(factor) - 1
    inner_lower = ((lower[:, None, 1:] - shift) / radius[..., None]).reshape(-1, rest)
    inner_upper = ((upper[:, None, 1:] - shift) / radius[..., None]).reshape(-1, rest)
    inner = ball_mass(factor[1:, 1:], inner_lower, inner_upper, power=power).reshape(radius.shape)
    return np.asarray((inner * radius ** (rest + 1 + 2 * power) * half) @ (shares * slowness))


def _segment(low: FloatArray, high: FloatArray, power: int) -> FloatArray:
    low, high = np.clip(low, -1, 1), np.clip(high, -1, 1)
    return (high - low) - power * (high**3 - low**3) / 3


def _kinks(factor: FloatArray, lower: FloatArray, upper: FloatArray) -> list[FloatArray]:
    """First coordinates where each face or edge of the other features is touched by the sphere."""
    others = range(1, len(factor))
    found = []
    for count in others:
        for features in combinations(others, count):
            rows = factor[list(features)]
            inverse = np.linalg.pinv(rows)
            free = np.sqrt(max(1 - float((inverse @ rows)[0, 0]), 0.0))
            for sides in product((lower, upper), repeat=count):
                nearest = np.stack([side[:, k] for side, k in zip(sides, features, strict=True)], axis=1) @ inverse.T
                spread = free * np.sqrt(np.maximum(1 - np.einsum("ij,ij->i", nearest, nearest), 0))
                found += [nearest[:, 0] - spread, nearest[:, 0] + spread]
    return found
