"""Weights of inputs from the density of their places in the space of an encoder (section 4.3 of RAM)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import Diagnostic, InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.encoders import encoded
from surefoot.profile.kde import KDE
from surefoot.profile.latent_caveats import caveats_of
from surefoot.profile.latent_density import NOBODY, LatentDensity, places_among
from surefoot.profile.ratio import DensityRatio, density_ratio
from surefoot.profile.weighting import effective_rows, unit_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHERE = "latent_weights"
SCHEMES = ("density", "ratio", "equal")
RATIO_DRAWS = 50


class _Uncertain(Protocol):
    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None: ...


@dataclass(frozen=True, eq=False)
class _Resampled:
    density: LatentDensity

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray:
        return _scaled(self.density.log_density + np.log(self.density.factors(count, rng)))


@dataclass(frozen=True, eq=False)
class LatentWeights:
    """One weight for each input, with mean 1, and how well it is known."""

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
        """
        number = validate.count(count, where="LatentWeights.draws", name="count", at_least=1)
        drawn = None if self._source is None else self._source.weight_draws(number, rng)
        return np.ones((number, len(self))) if drawn is None else drawn

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """How unequal the weights are: their distribution over powers of ten."""
        from surefoot.profile.encoder_figures import plot_weights

        return plot_weights(self, ax)


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

    ``"density"``: the kernel density of operation at the place of each input, as RAM weighs balls; without
    ``operational``, that of ``X`` itself. ``"ratio"``: the density of operation over that of ``X``, by
    ``density_ratio``; right where ``X`` was drawn otherwise than operation draws. ``"equal"``: right where ``X`` was
    drawn from operation, whose density then is in the draw already and would count twice. Where nothing is said, it
    is ``"ratio"`` with operational inputs and ``"density"`` without.

    An input that is one of the points of the density is left out of its own, unless ``leave_one_out`` is false: in ten
    dimensions its own kernel outweighs all others. ``bandwidth`` is that of ``KDE``.
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
    points = codes if operational is None else _codes_of(encoder, operational, codes)
    if chosen == "ratio":
        return _by_ratio(density_ratio(codes, points, draws=RATIO_DRAWS, seed=seed), seed)
    own = np.full(len(codes), NOBODY)
    if leave_one_out:
        own = np.arange(len(codes)) if operational is None else places_among(X, operational)
    return _by_density(codes, points, own, bandwidth, own_density=operational is None)


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


def _codes_of(encoder: Any, operational: ArrayLike, codes: FloatArray) -> FloatArray:
    return encoded(encoder, operational, where=WHERE, name="operational", columns=codes.shape[1])
