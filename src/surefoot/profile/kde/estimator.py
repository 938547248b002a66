"""Kernel density estimates of the operational profile, and what an assessment asks of any profile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.drawing import BLUE, INK, new_axes, open_frame
from surefoot.profile.input_arrays import as_table, slices
from surefoot.profile.kde import grid_mass as grid
from surefoot.profile.kde.bandwidth import Shape, chosen_bandwidth, kernel_named
from surefoot.profile.kde.box_mass import BOUNDARIES, Bounded, Domain
from surefoot.profile.kde.evaluation import Sample
from surefoot.profile.kde.grid_mass import Cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHERE = "KDE"
RULES = ("exact", "centre")
Rule = Literal["exact", "centre"]


@dataclass(frozen=True, eq=False)
class KDE:
    """Kernel density estimate, ``(1/n) sum_j w_j K(x - x_j)``.

    Parameters
    ----------
    bandwidth
        A scale for all features, as in scikit-learn; a scale for each; a covariance-like matrix ``H``, for which the
        kernel is ``k(sqrt(x^T H^-1 x)) / sqrt(det H)``; or ``"scott"``, ``"silverman"`` (factor times covariance, as in
        scipy) or ``"cross-validation"`` (leave-one-out likelihood, one scale a feature).
    kernel
        ``"gaussian"``, ``"exponential"``, ``"epanechnikov"`` or ``"tophat"``, radial, normalised as in scikit-learn.
    boundary
        ``"renormalise"`` divides by the mass inside the domain, ``"reflect"`` mirrors at its faces; either way the
        density is 0 outside and integrates to 1 inside.
    domain
        One (low, high) for all features, one for each, or two corners.

    References
    ----------
    Rosenblatt (1956); Parzen (1962); RAM, section 4.3.

    Examples
    --------
    >>> import surefoot as sf
    >>> profile = sf.profile.KDE(0.5).fit([[0.0], [1.0]])
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
        """A copy of this profile fitted to the rows of ``X``.

        Parameters
        ----------
        X
            Points, one a row.
        weights
            One a point; scaled to mean 1.

        Returns
        -------
        KDE
            With ``points``, ``weights`` and ``bandwidth_``.

        """
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

        The limit of the bootstrap for ever more draws.

        Parameters
        ----------
        Q
            Places, one a row.
        size
            Number of points of a sample; n where nothing is said.

        Returns
        -------
        ndarray
            One variance a place.

        References
        ----------
        RAM, Appendix A.

        """
        queries, fitted = self._rows(Q), self._fitted
        density = np.exp(fitted.log_density(queries))
        return bootstrap_limit(fitted.responses, queries, density, self.weights, fitted.inside, size=self._size(size))

    def bootstrap_variance(self, Q: ArrayLike, draws: int, seed: int, size: int | None = None) -> FloatArray:
        """Variance of the density over resamples of the points: the check of ``variance``.

        Parameters
        ----------
        Q
            Places, one a row.
        draws, seed
            How many resamples, and what decides them.
        size
            Number of points of a resample; n where nothing is said.

        Returns
        -------
        ndarray
            One variance a place.

        """
        return resampled_variance(
            self._fitted.responses,
            self._rows(Q),
            self.weights,
            self._fitted.inside,
            draws=validate.count(draws, where=WHERE, name="draws", at_least=2),
            size=self._size(size),
            rng=np.random.default_rng(validate.seed(seed, where=WHERE)),
        )

    def cell_mass(self, lower: ArrayLike, upper: ArrayLike) -> FloatArray:
        """Probability of boxes, to 1e-10.

        Parameters
        ----------
        lower, upper
            Corners, one box a row; sides may be infinite.

        Returns
        -------
        ndarray
            One probability a box.

        """
        return self._fitted.box_mass(*box_corners(lower, upper, self.points.shape[1]))

    def grid_mass(self, edges: Sequence[ArrayLike], *, rule: Rule = "exact") -> FloatArray:
        """``(1/n) sum_j w_j K_ji`` for each cell i of a grid.

        Parameters
        ----------
        edges
            Borders of the cells along each feature.
        rule
            ``K_ji`` is the ``"exact"`` mass of point j's kernel, with its mirror images, in cell i; or its density in
            the ``"centre"`` of the cell times the cell's volume. Nothing is renormalised.

        Returns
        -------
        ndarray
            With one axis a feature.

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


@runtime_checkable
class Profile(Protocol):
    """A density made of one kernel for each point, each with a weight.

    ``edges`` are the borders of cells along each dimension. The mass of a kernel in a cell is ``"exact"``, or the
    density in the ``"centre"`` of the cell times its volume; neither is renormalised to the domain.

    See Also
    --------
    KDE : Is one, with an example.
    Reweighted : Is one for another operation.

    """

    @property
    def points(self) -> FloatArray:
        """The data that the profile was made from."""
        ...

    @property
    def weights(self) -> FloatArray:
        """Weight of each point, 1 on average."""
        ...

    def grid_mass(self, edges: Sequence[FloatArray], *, rule: Rule = "exact") -> FloatArray:
        """Mass in each cell."""
        ...

    def grid_variance(
        self, edges: Sequence[FloatArray], *, rule: Rule = "exact", size: int | None = None
    ) -> FloatArray:
        """Variance of the mass in each cell over samples of ``size`` points, by default as many as there are."""
        ...

    def contributions(self, edges: Sequence[FloatArray], values: FloatArray, *, rule: Rule = "exact") -> FloatArray:
        """For each point, the sum of cell values weighted by the mass of its kernel in the cells."""
        ...

    def weigh(self, points: FloatArray, labels: NDArray[Any] | None = None) -> FloatArray:
        """Weight of further points, drawn as the profile's own were."""
        ...

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None:
        """Draws of the weights of all points; None where they are certain."""
        ...


# Uncertainty of a density: what resampling the points would show, in closed form and by resampling.
#
# Each point adds ``w_j K(x - x_j)`` to the mean at x. With a renormalised boundary the density is a ratio of two means,
# f = W / M, and each point adds ``(w_j K(x - x_j) - f w_j m_j) / M`` to first order, with m_j its mass inside.

QUERIES, POINTS = 256, 2048
COUNTS = 1 << 22
"""Numbers in one block of resampling counts: 32 MB."""
Responses = Callable[[FloatArray, slice], FloatArray]
"""Density at each query of the kernel of each point in the slice: (queries, points)."""


def bootstrap_limit(
    responses: Responses,
    queries: FloatArray,
    density: FloatArray,
    weights: FloatArray,
    inside: FloatArray | None,
    *,
    size: int,
) -> FloatArray:
    """``(1/(n size)) sum_j (W_j - mean W)^2``: the variance over resamples of ``size`` points (Efron 1979)."""
    share = 1.0 if inside is None else float(np.mean(weights * inside))
    centres = np.ones_like(weights) if inside is None else weights * inside
    total = np.zeros(len(queries))
    for rows in slices(len(queries), QUERIES):
        for some in slices(len(weights), POINTS):
            parts = responses(queries[rows], some) * weights[some]
            parts -= density[rows, None] * centres[some]
            total[rows] += np.einsum("ij,ij->i", parts, parts)
    return total / (share**2 * len(weights) * size)


def resampled_variance(
    responses: Responses,
    queries: FloatArray,
    weights: FloatArray,
    inside: FloatArray | None,
    *,
    draws: int,
    size: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Variance of the density over resamples of ``size`` points, drawn with replacement."""
    count = len(weights)
    densities = []
    for some in slices(draws, max(1, COUNTS // count)):
        counts = rng.multinomial(size, np.full(count, 1 / count), size=some.stop - some.start) * weights
        means = np.zeros((len(counts), len(queries)))
        for rows in slices(len(queries), QUERIES):
            for part in slices(count, POINTS):
                means[:, rows] += counts[:, part] @ responses(queries[rows], part).T
        densities.append(means / (size if inside is None else (counts @ inside)[:, None]))
    return np.asarray(np.concatenate(densities).var(axis=0, ddof=1))


# Points, weights, queries and boxes that a density is given, checked once.

LARGEST = 1e150
"""Squares of larger numbers overflow."""


def some_points(values: ArrayLike) -> FloatArray:
    """At least one row, each a point."""
    points = new_points(values, None, name="X")
    if not points.size:
        raise InvalidInput("X needs at least one row with one feature", where=WHERE, found=f"shape {points.shape}")
    return points


def new_points(values: ArrayLike, dimensions: int | None, *, name: str) -> FloatArray:
    """Rows with as many features as the points."""
    rows = as_table(values, where=WHERE, name=name, columns=dimensions)
    if np.abs(rows).max(initial=0) > LARGEST:
        raise InvalidInput(
            f"{name} is too large for double precision",
            where=WHERE,
            found=f"{np.abs(rows).max():g}",
            remedy="Scale the features.",
        )
    return rows


def some_weights(values: ArrayLike | None, count: int) -> FloatArray:
    """Weights scaled to mean 1; ones where none are given."""
    if values is None:
        return np.ones(count)
    weights = validate.vector(values, where=WHERE, name="weights")
    if len(weights) != count:
        raise InvalidInput(
            "weights must be one a point", where=WHERE, found=f"{len(weights):,} weights for {count:,} points"
        )
    if (weights < 0).any() or not weights.any():
        raise InvalidInput(
            "weights must not be negative, and not all 0", where=WHERE, found=f"smallest {weights.min():g}"
        )
    scaled = weights / weights.max()
    return np.asarray(scaled / scaled.mean())


def box_corners(lower: ArrayLike, upper: ArrayLike, dimensions: int) -> tuple[FloatArray, FloatArray]:
    """Corners of boxes, one a row; sides may be infinite."""
    low, high = (
        np.clip(validate.numbers(corner, where=WHERE, name=name, finite=False), -LARGEST, LARGEST)
        for corner, name in ((lower, "lower"), (upper, "upper"))
    )
    low, high = new_points(low, dimensions, name="lower"), new_points(high, dimensions, name="upper")
    validate.same_length(WHERE, lower=low, upper=high)
    if (low > high).any():
        raise InvalidInput(
            "lower must not exceed upper", where=WHERE, found=f"box {int(np.flatnonzero((low > high).any(axis=1))[0])}"
        )
    return low, high


# A density as a picture.

LINE, SIDE = 401, 161
"""Places shown along one feature, and along each of two."""
SHOWN = 2000
"""Points drawn at most, the same at every call."""


def plot_density(kde: KDE, frame: Domain, ax: Axes | None) -> Axes:
    """One feature: the density with two standard deviations to either side. Two: a map with the points."""
    dimensions = kde.points.shape[1]
    if dimensions > 2:
        raise InvalidInput("a density is drawn for one or two features", where="KDE.plot", found=f"{dimensions}")
    return (_line if dimensions == 1 else _map)(kde, frame, ax)


def _line(kde: KDE, frame: Domain, ax: Axes | None) -> Axes:
    axes = ax or new_axes(6.4, 3.6)
    places = np.linspace(frame.lower[0], frame.upper[0], LINE)
    density, deviation = kde.density(places[:, None]), np.sqrt(kde.variance(places[:, None]))
    low, high = np.maximum(density - 2 * deviation, 0), density + 2 * deviation
    axes.fill_between(places, low, high, color=BLUE, alpha=0.2, lw=0, label="2 standard deviations")
    axes.plot(places, density, color=BLUE, label="density")
    points = _some(kde)[:, 0]
    axes.plot(points, np.zeros_like(points), "|", color=INK, alpha=0.4, clip_on=False, label="points")
    axes.set(xlabel="feature", ylabel="density", xlim=(frame.lower[0], frame.upper[0]), ylim=(0, None))
    axes.legend(frameon=False)
    return open_frame(axes)


def _map(kde: KDE, frame: Domain, ax: Axes | None) -> Axes:
    axes = ax or new_axes(5.6, 4.6)
    sides = [np.linspace(low, high, SIDE) for low, high in zip(frame.lower, frame.upper, strict=True)]
    places = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
    density = kde.density(places).reshape(SIDE, SIDE)
    mesh = axes.pcolormesh(*sides, density.T, cmap="Blues", shading="gouraud", vmin=0, rasterized=True)
    axes.plot(*_some(kde).T, ".", color=INK, ms=2, alpha=0.35)
    axes.figure.colorbar(mesh, ax=axes, label="density")
    axes.set(xlabel="feature 0", ylabel="feature 1", xlim=tuple(sides[0][[0, -1]]), ylim=tuple(sides[1][[0, -1]]))
    return open_frame(axes)


def _some(kde: KDE) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    if len(kde.points) <= SHOWN:
        return kde.points
    return kde.points[np.random.default_rng(0).choice(len(kde.points), SHOWN, replace=False)]
