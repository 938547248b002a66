"""Weights of inputs from the density of their places in the space of an encoder (section 4.3 of RAM)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import Diagnostic, InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.drawing import BLUE, INK, new_axes, open_frame
from surefoot.profile.encoders import encoded
from surefoot.profile.input_arrays import slices
from surefoot.profile.kde.bandwidth import Shape, kernel_named, squared_distances
from surefoot.profile.kde.estimator import KDE
from surefoot.profile.weighting import DensityRatio, collapse, density_ratio, effective_rows, unit_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHERE = "latent_weights"
SCHEMES = ("density", "ratio", "equal")
RATIO_DRAWS = 50
BINS = 50


@validate.arguments
def latent_weights(
    encoder: Any,
    X: ArrayLike,
    *,
    operational: ArrayLike | None = None,
    scheme: str | None = None,
    bandwidth: Any = "scott",
    leave_one_out: bool = True,
    seed: int = 0,
) -> LatentWeights:
    """Weights of the inputs ``X``, the sampling frame, for the operation that inputs ``operational`` come from.

    An input that is one of the points of the density is left out of its own, unless ``leave_one_out`` is false: in ten
    dimensions its own kernel outweighs all others.

    Parameters
    ----------
    encoder
        What turns inputs into places; see ``as_encoder``.
    X
        The sampling frame.
    operational
        Inputs from operation.
    scheme
        ``"density"``: the kernel density of operation at the place of each input, as RAM weighs balls; without
        ``operational``, that of ``X`` itself. ``"ratio"``: the density of operation over that of ``X``, by
        ``density_ratio``; right where ``X`` was drawn otherwise than operation draws. ``"equal"``: right where ``X``
        was drawn from operation, whose density then is in the draw already and would count twice. Where nothing is
        said, it is ``"ratio"`` with operational inputs and ``"density"`` without.
    bandwidth
        That of ``KDE``.
    leave_one_out
        Whether an input is left out of its own density.
    seed
        Of the ratio.

    Returns
    -------
    LatentWeights
        One weight for each input, with mean 1.

    References
    ----------
    RAM, section 4.3.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> weights = sf.profile.latent_weights(None, X)
    >>> weights.scheme, round(float(weights.values.mean()), 6)
    ('density', 1.0)

    """
    chosen = scheme or ("density" if operational is None else "ratio")
    validate.choice(chosen, SCHEMES, where=WHERE, name="scheme")
    codes = encoded(encoder, X, where=WHERE)
    if chosen == "equal":
        flat = np.zeros(len(codes))
        return LatentWeights(np.ones(len(codes)), flat, flat, chosen, (), None)
    if operational is None and chosen == "ratio":
        raise InvalidInput(
            "a ratio of densities needs inputs from operation",
            where=WHERE,
            found="operational=None",
            remedy="Give operational=, or use the scheme 'equal' where X was drawn from operation.",
        )
    points = (
        codes
        if operational is None
        else encoded(encoder, operational, where=WHERE, name="operational", columns=codes.shape[1])
    )
    if chosen == "ratio":
        return _by_ratio(density_ratio(codes, points, draws=RATIO_DRAWS, seed=seed), seed)
    own = np.full(len(codes), NOBODY)
    if leave_one_out:
        own = np.arange(len(codes)) if operational is None else places_among(X, operational)
    return _by_density(codes, points, own, bandwidth, own_density=operational is None)


@dataclass(frozen=True, eq=False)
class LatentWeights:
    """One weight for each input, with mean 1, and how well it is known.

    See Also
    --------
    latent_weights : Gives them, with an example.

    """

    values: FloatArray
    log_density: FloatArray
    """Natural logarithm of the density, or of the ratio, at each input, before weights are scaled to mean 1."""
    log_sd: FloatArray
    """Its standard deviation over samples of the points that the density was estimated from."""
    scheme: str
    caveats: tuple[Diagnostic, ...]
    _source: _Uncertain | None = field(repr=False)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"LatentWeights({self.scheme}, {len(self):,} rows worth {self.effective_rows:,.1f})"

    @property
    def effective_rows(self) -> float:
        """Number of equally weighted rows worth as much (Kish 1965)."""
        return effective_rows(self.values)

    def draws(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Draws of all weights, one a row, each with mean 1.

        The points of the density are weighted at random (Bayesian bootstrap, Rubin 1981; for a ratio its classifiers
        are resampled), and all weights of a draw come from one such resample: those of neighbours go up and down
        together, which a mean over many of them does not average out. Bandwidth and encoder stay as they are.

        Parameters
        ----------
        count
            How many.
        rng
            What they are drawn with.

        Returns
        -------
        ndarray
            One draw a row.

        """
        number = validate.count(count, where="LatentWeights.draws", name="count", at_least=1)
        drawn = None if self._source is None else self._source.weight_draws(number, rng)
        return np.ones((number, len(self))) if drawn is None else drawn

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """How unequal the weights are: their distribution over powers of ten."""
        axes = ax or new_axes(5.2, 3.2)
        some = self.values[self.values > 0]
        powers = np.log10(some)
        spread = (powers.min(), powers.max()) if np.ptp(powers) > 0.1 else (-0.5, 0.5)
        axes.hist(powers, bins=BINS, range=spread, color=BLUE, label=f"{len(some):,} inputs")
        axes.axvline(0, color=INK, lw=1, ls="--", label="mean weight")
        worth = f"worth {self.effective_rows:,.0f} inputs of equal weight"
        vanished = len(self) - len(some)
        axes.set_title(worth + (f"; {vanished:,} have weight 0" if vanished else ""), fontsize=9, loc="left")
        axes.set(xlabel="log10 of weight", ylabel="inputs")
        axes.legend(frameon=False, fontsize=8, loc="upper left")
        return open_frame(axes)


def _by_density(codes: FloatArray, points: FloatArray, own: Any, bandwidth: Any, *, own_density: bool) -> LatentWeights:
    if len(points) < 2:
        raise InvalidInput("a density needs at least 2 inputs", where=WHERE, found=f"{len(points)}")
    density = LatentDensity(KDE(bandwidth).fit(points), codes, own)
    values = _scaled(density.log_density)
    caveats = caveats_of(values, own=own_density)
    return LatentWeights(values, density.log_density, density.relative_sd, "density", caveats, _Resampled(density))


def _by_ratio(ratio: DensityRatio, seed: int) -> LatentWeights:
    drawn = ratio.weight_draws(RATIO_DRAWS, np.random.default_rng(seed))
    assert drawn is not None
    spread = np.log(np.maximum(drawn, np.finfo(float).tiny)).std(axis=0, ddof=1)
    return LatentWeights(ratio.weights, ratio.held_out, spread, "ratio", ratio.caveats, ratio)


def _scaled(logs: FloatArray) -> FloatArray:
    """Weights with mean 1 from logarithms; the largest becomes 1 first, so that it cannot underflow."""
    return unit_mean(np.exp(logs - logs.max(axis=-1, keepdims=True)), where=WHERE)


class _Uncertain(Protocol):
    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None: ...


@dataclass(frozen=True, eq=False)
class _Resampled:
    density: LatentDensity

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray:
        return _scaled(self.density.log_density + np.log(self.density.factors(count, rng)))


# What not to trust about weights that are densities.

MOST_VANISHED = 0.5
EQUAL_HINT = "Use the scheme 'equal' where the inputs were drawn from operation, 'ratio' where they were not."


def caveats_of(weights: FloatArray, *, own: bool) -> tuple[Diagnostic, ...]:
    """That weights were estimated, and where they mislead; ``own``: the density is that of the inputs themselves."""
    estimated = Diagnostic("weights-estimated", f"The {weights.size:,} weights are estimated densities.", "note")
    unequal = tuple(replace(found, hint=EQUAL_HINT) for found in collapse(weights))
    return (estimated, _bias(own=own), *unequal, *_vanished(weights))


def _bias(*, own: bool) -> Diagnostic:
    if own:
        text = (
            "The weights are the density of the inputs themselves. Where these were drawn from operation, a weighted "
            "mean counts that density twice, and the mean with equal weights is the one without bias."
        )
    else:
        text = (
            "The weights are the density of operation at inputs that were drawn otherwise. A weighted mean has no bias "
            "only where they were drawn evenly over the latent space."
        )
    return Diagnostic("weights-estimated", text, hint=EQUAL_HINT)


def _vanished(weights: FloatArray) -> tuple[Diagnostic, ...]:
    share = float(np.mean(weights == 0))
    if share <= MOST_VANISHED:
        return ()
    text = f"{share:.1%} of {weights.size:,} weights are 0 in double precision next to the largest."
    hint = "Use fewer dimensions or a larger bandwidth."
    return (Diagnostic("weights-estimated", text, hint=hint),)


# Density at data points from the kernels of other points, each left out of its own, resampled for all rows together.
#
# Everything is relative to the density at a row: ``r_ij`` is the share of it that comes from point j, so nothing
# underflows. With points of random weights ``g_j``, the density is that of the data times ``sum_j g_j r_ij`` over the
# mean weight. For m points its relative variance is ``sum_j r_ij^2 - 1/m`` over resamples (Efron 1979), and m/(m + 1)
# of that with exponential weights (Rubin 1981), which never are 0.

ROWS, POINTS = 256, 4096
NOBODY = -1
"""In place of the number of a point: this row is none of the points."""


@dataclass(frozen=True, eq=False)
class LatentDensity:
    """Gaussian kernel density of some points at given rows."""

    kde: KDE
    rows: FloatArray
    own: NDArray[np.int64]
    """Which point each row is, and is left out of; ``NOBODY`` where it is none."""

    @cached_property
    def log_density(self) -> FloatArray:
        """Natural logarithm of the density at each row."""
        shape, dimensions = self._shape, self.rows.shape[1]
        constant = kernel_named("gaussian").log_norm(dimensions) - shape.log_det
        return np.asarray(self._log_sums[0] - np.log(self._others) + constant)

    @cached_property
    def relative_sd(self) -> FloatArray:
        """Standard deviation of the density over samples of the points, relative to the density."""
        first, second = self._log_sums
        return np.asarray(np.sqrt(np.maximum(np.exp(second - 2 * first) - 1 / self._others, 0)))

    def factors(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Density over that of the data, with random weights of the points that all rows share: (count, rows)."""
        points = len(self.kde.points)
        chance = rng.standard_exponential((count, points))
        single = chance.astype(np.float32)  # half the time of the products, and draws need no more digits
        found = np.empty((count, len(self.rows)))
        for rows in slices(len(self.rows), ROWS):
            total = np.zeros((count, rows.stop - rows.start))
            for some in slices(points, POINTS):
                shares = np.exp(self._exponents(rows, some) - self._log_sums[0][rows, None])
                total += single[:, some] @ shares.astype(np.float32).T
            left_out = np.where(self.own[rows] == NOBODY, 0.0, chance[:, self.own[rows]])
            found[:, rows] = total * self._others[rows] / (chance.sum(axis=1, keepdims=True) - left_out)
        return found

    @cached_property
    def _shape(self) -> Shape:
        return Shape.of(self.kde.bandwidth_, self.rows.shape[1])

    @cached_property
    def _white(self) -> tuple[FloatArray, FloatArray]:
        centre = self.kde.points.mean(axis=0)
        return self._shape.whiten(self.rows - centre), self._shape.whiten(self.kde.points - centre)

    @property
    def _others(self) -> FloatArray:
        """Number of points that are not the row itself."""
        return np.asarray(len(self.kde.points) - (self.own != NOBODY), float)

    @cached_property
    def _log_sums(self) -> tuple[FloatArray, FloatArray]:
        """Logarithms of the sum of kernel values at each row, and of the sum of their squares."""
        parts = [self._block_log_sums(rows) for rows in slices(len(self.rows), ROWS)]
        first, second = (np.concatenate(sums) for sums in zip(*parts, strict=True))
        return first, second

    def _block_log_sums(self, rows: slice) -> tuple[FloatArray, FloatArray]:
        count = rows.stop - rows.start
        top, first, second = np.full(count, -np.inf), np.zeros(count), np.zeros(count)
        for some in slices(len(self.kde.points), POINTS):
            exponents = self._exponents(rows, some)
            highest = np.maximum(top, exponents.max(axis=1))
            shift = np.where(np.isfinite(highest), highest, 0.0)
            values, fade = np.exp(exponents - shift[:, None]), np.exp(top - shift)
            first = first * fade + values.sum(axis=1)
            second = second * fade**2 + np.einsum("ij,ij->i", values, values)
            top = highest
        return np.log(first) + top, np.log(second) + 2 * top

    def _exponents(self, rows: slice, some: slice) -> FloatArray:
        """Logarithms of kernel values; minus infinity where the point is the row itself."""
        queries, points = self._white
        exponents = squared_distances(queries[rows], points[some])
        exponents *= -0.5
        inside = np.flatnonzero((self.own[rows] >= some.start) & (self.own[rows] < some.stop))
        exponents[inside, self.own[rows][inside] - some.start] = -np.inf
        return exponents


def places_among(X: ArrayLike, points: ArrayLike) -> NDArray[np.int64]:
    """Number of the first point that equals each row of ``X``, ``NOBODY`` where none does."""
    rows, others = np.asarray(X), np.asarray(points)
    kind = np.result_type(rows, others)
    first: dict[bytes, int] = {}
    for number, point in enumerate(others):
        first.setdefault(point.astype(kind).tobytes(), number)
    return np.array([first.get(row.astype(kind).tobytes(), NOBODY) for row in rows])
