"""A density with what happens at the boundary of its domain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surefoot.core import InvalidInput, Undefined
from surefoot.core.validate import FloatArray
from surefoot.profile.boundary import Domain
from surefoot.profile.drawing import draw
from surefoot.profile.evaluation import log_density
from surefoot.profile.masses import box_mass
from surefoot.profile.sample import Sample
from surefoot.profile.slicing import slices

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
