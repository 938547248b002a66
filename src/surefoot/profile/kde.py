"""Kernel density estimates of the operational profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.profile import grid, spread
from surefoot.profile.bandwidths import Shape, chosen_bandwidth
from surefoot.profile.boundary import Domain
from surefoot.profile.bounded import BOUNDARIES, Bounded
from surefoot.profile.cells import Cells
from surefoot.profile.inputs import box_corners, new_points, some_points, some_weights
from surefoot.profile.kernels import kernel_named
from surefoot.profile.profile import Rule
from surefoot.profile.sample import Sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHERE = "KDE"
RULES = ("exact", "centre")


@dataclass(frozen=True, eq=False)
class KDE:
    """Kernel density estimate, ``(1/n) sum_j w_j K(x - x_j)`` (Rosenblatt 1956, Parzen 1962).

    ``bandwidth``: a scale for all features, as in scikit-learn; a scale for each; a covariance-like matrix ``H``, for
    which the kernel is ``k(sqrt(x^T H^-1 x)) / sqrt(det H)``; or ``"scott"``, ``"silverman"`` (factor times covariance,
    as in scipy) or ``"cross-validation"`` (leave-one-out likelihood, one scale a feature).
    ``kernel``: ``"gaussian"``, ``"exponential"``, ``"epanechnikov"`` or ``"tophat"``, radial, normalised as in
    scikit-learn. ``boundary``: ``"renormalise"`` divides by the mass inside the domain, ``"reflect"`` mirrors at its
    faces; either way the density is 0 outside and integrates to 1 inside. ``domain``: one (low, high) for all features,
    one for each, or two corners.

    >>> profile = KDE(0.5).fit([[0.0], [1.0]])
    >>> profile.density([[0.5]]).round(4).tolist()
    [0.4839]
    >>> profile.cell_mass([[-9.0]], [[0.5]]).round(4).tolist()
    [0.5]
    """

    bandwidth: Any
    kernel: str = "gaussian"
    boundary: str | None = field(default=None, kw_only=True)
    domain: Any = field(default=None, kw_only=True)
    _bounded: Bounded | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        kernel_named(self.kernel)
        if self.boundary is not None:
            validate.choice(self.boundary, BOUNDARIES, where=WHERE, name="boundary")
        if (self.boundary is None) != (self.domain is None):
            raise InvalidInput(
                "boundary and domain belong together",
                where=WHERE,
                found=f"boundary={self.boundary!r}, domain={self.domain!r}",
                remedy="Give both, for example boundary='reflect', domain=(0, 1), or neither.",
            )

    def fit(self, X: ArrayLike, weights: ArrayLike | None = None) -> KDE:
        """A copy of this profile fitted to the rows of ``X``; ``weights`` are scaled to mean 1."""
        points = some_points(X).copy()
        points.setflags(write=False)
        shares, kernel = some_weights(weights, len(points)), kernel_named(self.kernel)
        bandwidth = chosen_bandwidth(self.bandwidth, points, shares, kernel)
        sample = Sample(points, shares, kernel, bandwidth, Shape.of(bandwidth, points.shape[1]))
        domain = None if self.domain is None else Domain.of(self.domain, points.shape[1])
        return replace(self, _bounded=Bounded.of(sample, self.boundary, domain))

    @property
    def is_fitted(self) -> bool:
        """Whether there are points."""
        return self._bounded is not None

    @property
    def points(self) -> FloatArray:
        """The points, one a row."""
        return self._fitted.sample.points

    @property
    def weights(self) -> FloatArray:
        """Weight of each point, 1 on average."""
        return self._fitted.sample.weights

    @property
    def bandwidth_(self) -> Any:
        """The bandwidth as numbers: as given, a matrix after a rule of thumb, scales after cross-validation."""
        return self._fitted.sample.bandwidth

    def score_samples(self, Q: ArrayLike) -> FloatArray:
        """Logarithm of the density at each row of ``Q``; minus infinity where it is 0."""
        return self._fitted.log_density(self._rows(Q))

    def density(self, Q: ArrayLike) -> FloatArray:
        """Density at each row of ``Q``, with a relative error below 1e-10."""
        return np.exp(self.score_samples(Q))

    def variance(self, Q: ArrayLike, *, size: int | None = None) -> FloatArray:
        """Variance of the density over samples of ``size`` points: ``(1/(n size)) sum_j (W_j - mean W)^2``.

        The limit of the bootstrap for ever more draws (RAM, Appendix A); ``size`` is n where nothing is said.
        """
        queries, fitted = self._rows(Q), self._fitted
        density = np.exp(fitted.log_density(queries))
        return spread.bootstrap_limit(
            fitted.responses, queries, density, self.weights, fitted.inside, size=self._size(size)
        )

    def bootstrap_variance(self, Q: ArrayLike, draws: int, seed: int, size: int | None = None) -> FloatArray:
        """Variance of the density over ``draws`` resamples of ``size`` points: the check of ``variance``."""
        return spread.resampled_variance(
            self._fitted.responses,
            self._rows(Q),
            self.weights,
            self._fitted.inside,
            draws=validate.count(draws, where=WHERE, name="draws", at_least=2),
            size=self._size(size),
            rng=np.random.default_rng(validate.seed(seed, where=WHERE)),
        )

    def cell_mass(self, lower: ArrayLike, upper: ArrayLike) -> FloatArray:
        """Probability of boxes, one a row, to 1e-10; see ``box_mass`` for how."""
        return self._fitted.box_mass(*box_corners(lower, upper, self.points.shape[1]))

    def grid_mass(self, edges: Sequence[ArrayLike], *, rule: Rule = "exact") -> FloatArray:
        """``(1/n) sum_j w_j K_ji`` for each cell i of a grid, an array with one axis a feature.

        ``K_ji`` is the mass of point j's kernel, with its mirror images, in cell i; or its density in the ``"centre"``
        of the cell times the cell's volume. Nothing is renormalised.
        """
        return grid.grid_mass(self._fitted.sample, self._cells(edges), exact=_is_exact(rule))

    def grid_variance(self, edges: Sequence[ArrayLike], *, rule: Rule = "exact", size: int | None = None) -> FloatArray:
        """Variance of ``grid_mass`` over samples of ``size`` points: ``(1/(n size)) sum_j (w_j K_ji - mass_i)^2``."""
        exact, sample = _is_exact(rule), self._fitted.sample
        return grid.grid_variance(sample, self._cells(edges), exact=exact, size=self._size(size))

    def contributions(self, edges: Sequence[ArrayLike], values: ArrayLike, *, rule: Rule = "exact") -> FloatArray:
        """``sum_i values_i K_ji`` for each point j, without its weight."""
        cells, sample = self._cells(edges), self._fitted.sample
        numbers = validate.numbers(values, where=WHERE, name="values")
        if numbers.shape != cells.shape:
            raise InvalidInput(
                "values must be one a cell", where=WHERE, found=f"shape {numbers.shape} for cells {cells.shape}"
            )
        return grid.contributions(sample, cells, numbers, exact=_is_exact(rule))

    def weigh(self, points: ArrayLike, labels: NDArray[Any] | None = None) -> FloatArray:
        """Weight of further points: 1, since they come from the operation that this density describes."""
        return np.ones(len(self._rows(points)))

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None:
        """None: the weights are certain."""
        return None

    def sample(self, count: int, seed: int) -> FloatArray:
        """Random points of the density, one a row."""
        number = validate.count(count, where=WHERE, name="count")
        return self._fitted.draw(number, np.random.default_rng(validate.seed(seed, where=WHERE)))

    def plot(self, ax: Axes | None = None) -> Axes:
        """The density of one or two features on axes."""
        from surefoot.profile.figures import plot_density

        return plot_density(self, self._fitted.frame(), ax)

    @property
    def _fitted(self) -> Bounded:
        if self._bounded is None:
            raise Undefined(
                "this profile has no points yet", where=WHERE, remedy="Call fit(X) and use what it returns."
            )
        return self._bounded

    def _rows(self, values: ArrayLike) -> FloatArray:
        return new_points(values, self.points.shape[1], name="Q")

    def _cells(self, edges: Sequence[ArrayLike]) -> Cells:
        return Cells.of(edges, self._fitted.sample.reaches, self._fitted.walls)

    def _size(self, size: int | None) -> int:
        return len(self.points) if size is None else validate.count(size, where=WHERE, name="size", at_least=1)


def _is_exact(rule: str) -> bool:
    return validate.choice(rule, RULES, where=WHERE, name="rule") == "exact"
