"""The failure probability in operation from labels by stratum: melded limits, and a posterior."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.bounds.operational_risk import KNOWN_SHARES, WITHIN_STRATA
from surefoot.bounds.statement import FAILURE_PROBABILITY, FIXED_SIZE, About, Counts, approximate, state
from surefoot.core import (
    Assumption,
    Beta,
    BoundFamily,
    Distribution,
    Estimate,
    Histogram,
    InvalidInput,
    Provenance,
    QuantileBound,
    Side,
    TabulatedBound,
    validate,
)
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray
from surefoot.hazards.labels.strata import Tally

MISSES: FloatArray = np.geomspace(0.5, 1e-10, 96)
HIGHEST_LEVEL = float(np.nextafter(1.0, 0.0))
SAMPLED_SHARES = Assumption(
    "sampled-shares", "The operational rows that give the shares of the strata are drawn independently from operation."
)
BY_CHANCE = Assumption(
    "chosen-by-chance",
    "Inside a stratum labels were given to rows chosen by chance, and how many did not depend on outcomes seen there.",
)
MELDED = approximate(
    "the bound melded from several strata",
    "Its coverage was measured and never fell below the level, but nobody has proved that it cannot.",
)
POINTS = 2**14
TAIL = 1e-14
DEVIATIONS = 8.0
ODDS = 128
RATIO_POINTS = 2**14
PRIOR = 0.5
DRAWS = 400_000
TAILS = np.geomspace(1e-5, 0.05, 60)
INNER = np.linspace(0.05, 0.95, 181)
REACHED = np.unique(np.concatenate([[0.0], TAILS, INNER, 1 - TAILS, [1.0]]))
"""Where the distribution is tabulated, closer together in its tails."""


def stratified_risk(tally: Tally, *, level: float, scope: str = "", unit: str = PER_DEMAND) -> Estimate:
    """Bounds of the failure probability in operation, from labels of which some strata have more than their share.

    Confidence distributions of the strata are combined as if independent draws (melding): for the upper bound the exact
    one (Clopper-Pearson) where one label stands for most of operation and those of Jeffreys' prior in the other strata,
    for the lower bound the exact one of each. The coverage is measured, not proved. A stratum without labels counts as
    failing, and so do labels that nobody could give; the lower bound counts both as passing. One stratum whose rows all
    count gives the Clopper-Pearson bounds.

    Parameters
    ----------
    tally
        Labelled rows of each stratum.
    level
        Of the bounds.
    scope, unit
        Of the estimate.

    Returns
    -------
    Estimate
        Confidence bounds on both sides, at every level.

    References
    ----------
    Fay, Proschan and Brittain (2015), Biometrics 71(1).

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.hazards.labels import Tally
    >>> tally = Tally(("doubtful", "sure"), np.array([0.2, 0.8]), np.array([100.0, 100.0]), np.array([100.0, 100.0]),
    ...               np.array([10.0, 0.0]))
    >>> found = stratified_risk(tally, level=0.95)
    >>> round(found.value, 4), found.upper(0.95) < 0.06
    (0.02, True)

    """
    level = validate.level(level, where="stratified_risk")
    params = {**counts_of(tally), "level": level}
    shares = KNOWN_SHARES if tally.seen is None else SAMPLED_SHARES
    return state(
        About(FAILURE_PROBABILITY, unit, scope),
        tally.risk,
        _bounds(tally, level),
        assumptions=(WITHIN_STRATA, shares, BY_CHANCE, FIXED_SIZE),
        caveats=() if _is_exact(tally) else (MELDED,),
        details=params,
        provenance=Provenance("hazards.stratified_risk", params),
    )


def counts_of(tally: Tally) -> dict[str, Any]:
    """What the result rests on, for its record."""
    unknown = {"unknown": np.asarray(tally.unknown).astype(int)} if np.any(tally.unknown) else {}
    return {
        "strata": list(tally.names),
        "shares": tally.shares,
        "trials": tally.trials.astype(int),
        "counted": tally.counted.astype(int),
        "failures": tally.failures.astype(int),
        "seen": tally.seen,
        **unknown,
    }


def _bounds(tally: Tally, level: float) -> tuple[BoundFamily, ...]:
    if _is_exact(tally):
        trials, passes = int(tally.trials[0]), int(tally.turned().failures[0])
        upper, _ = Counts(int(tally.failures[0]), trials).exact_bounds()
        _, lower = Counts(trials - passes, trials).exact_bounds()
        return upper, lower
    misses = np.unique(np.append(MISSES, 1 - level))[::-1]
    above, below = upper_limits(tally, misses), lower_limits(tally, misses)
    return _table(misses, above, "upper"), _table(misses, below, "lower")


def _is_exact(tally: Tally) -> bool:
    """Whether all labels count alike, so that the exact bound of counts holds."""
    return len(tally.names) == 1 and not tally.conditional and tally.trials[0] > 0


def upper_limits(tally: Tally, misses: FloatArray, *, points: int = POINTS, all_exact: bool = False) -> FloatArray:
    """Limits that are missed with these probabilities, by melding the confidence distributions of the strata.

    With the exact distribution of every stratum the limit would pay for the number of strata; that of Jeffreys' prior
    is exact to second order once several strata blur the steps of the counts, and the exact one of the stratum whose
    labels stand for most keeps the limit above the truth where a single stratum decides. A lower limit has less room
    (with Jeffreys' prior one at 95% held with 92% in two equal strata of 40 labels and a risk of 0.02), so that it
    takes the exact one of every stratum, as ``all_exact`` does.
    """
    failing = list(_shares(tally, tally.failures, more=1.0, all_exact=all_exact))
    if not tally.conditional:
        whole = Sum.of(failing, up=True, deviation=_deviation(tally), points=points)
        return np.clip(whole.quantiles(misses), 0, 1)
    coarse = min(points, RATIO_POINTS)
    above = Sum.of(failing, up=True, deviation=_deviation(tally), points=coarse)
    passing = list(_shares(tally, tally.counted - tally.failures, more=0.0, all_exact=all_exact))
    below = Sum.of(passing, up=False, points=coarse)
    return _ratios(above, below, misses)


def _shares(tally: Tally, hits: FloatArray, *, more: float, all_exact: bool) -> Iterator[Share]:
    """Upper (``more`` 1) or lower (0) confidence distributions; where nothing is labelled, the worst that can be."""
    sizes = np.where(tally.trials > 0, tally.shares / np.maximum(tally.trials, 1e-300), 0)
    exact = int(sizes.argmax())
    for place, (weight, n, k) in enumerate(zip(tally.shares, tally.trials, hits, strict=True)):
        shift = more if all_exact or place == exact else 0.5
        yield Share(weight, k + shift, n - k + 1 - shift) if n > 0 else Share(weight, more, 1 - more)


@dataclass(frozen=True)
class Share:
    """A stratum's share of operation times a Beta(``a``, ``b``) variable; ``b`` 0 is certainty, ``a`` 0 its absence."""

    weight: float
    a: float
    b: float

    @property
    def largest(self) -> float:
        """Practically the largest value."""
        if self.a == 0:
            return 0.0
        return self.weight * (1.0 if self.b == 0 else float(special.betainccinv(self.a, self.b, TAIL)))

    def masses(self, grid: FloatArray, *, up: bool) -> FloatArray:
        """Probability of each point of the grid, every value moved to the next point above or below it."""
        masses = np.zeros(grid.size)
        if self.a == 0 or self.b == 0:
            place = 0.0 if self.a == 0 else self.weight / (grid[1] - grid[0])
            masses[int(np.ceil(place) if up else place)] = 1.0
            return masses
        below = special.betainc(self.a, self.b, np.minimum(grid / self.weight, 1.0))
        steps = np.diff(below)
        masses[1:] = steps if up else 0
        masses[:-1] += 0 if up else steps
        masses[0 if up else -1] += below[0] if up else 1 - below[-1]
        return masses


@dataclass(frozen=True, eq=False)
class Sum:
    """The distribution of a sum: points that rise by equal steps, and their masses."""

    points: FloatArray
    masses: FloatArray

    @classmethod
    def of(cls, shares: Sequence[Share], *, up: bool, deviation: float = 0.0, points: int = POINTS) -> Sum:
        """The sum, rounded ``up`` or down; ``deviation`` is that of a normal error of mean 0 that is added."""
        shift = DEVIATIONS * deviation
        top = sum(share.largest for share in shares) + 2 * shift
        step = max(top, 1e-300) / (points - 1 - 2 * len(shares))
        grid: FloatArray = step * np.arange(points, dtype=float)
        spectrum: NDArray[np.complex128] = np.ones(points + 1, dtype=np.complex128)
        for share in shares:
            spectrum = spectrum * np.fft.rfft(share.masses(grid, up=up), 2 * points)
        if deviation:
            spectrum = spectrum * np.fft.rfft(_normal(grid, shift, deviation), 2 * points)
        masses = np.maximum(np.fft.irfft(spectrum, 2 * points)[:points], 0)
        return cls(grid - shift, masses / masses.sum())

    def below(self, values: FloatArray) -> FloatArray:
        """Probability that the sum is at most each value."""
        cumulated = np.concatenate([[0.0], np.minimum(np.cumsum(self.masses), 1.0)])
        # A point that was hit exactly counts, whatever rounding has done to it.
        return np.asarray(cumulated[np.searchsorted(self.points, values * (1 + 1e-12), side="right")])

    def quantiles(self, misses: FloatArray) -> FloatArray:
        """The smallest points that are exceeded with at most these probabilities."""
        above = np.cumsum(self.masses[::-1])[::-1]
        exceeded = np.append(above[1:], 0.0)
        place = self.points.size - np.searchsorted(exceeded[::-1], misses * (1 + 1e-9), side="right")
        return np.asarray(self.points[np.minimum(place, self.points.size - 1)])


def _normal(grid: FloatArray, centre: float, deviation: float) -> FloatArray:
    density = np.exp(-(((grid - centre) / deviation) ** 2) / 2)
    return np.asarray(density / density.sum())


def _deviation(tally: Tally) -> float:
    """Standard error that the shares bring in, being those of a sample of operation."""
    if tally.seen is None:
        return 0.0
    odds = tally.risk / (1 - tally.risk) if tally.conditional and tally.risk < 1 else 0.0
    passing = (tally.counted - tally.failures) / np.maximum(tally.trials, 1)
    values = (tally.failures + 0.5) / (tally.trials + 1) - odds * passing
    mean = float(tally.shares @ values)
    return math.sqrt(max(float(tally.shares @ (values - mean) ** 2), 0.0) / tally.seen)


def _ratios(above: Sum, below: Sum, misses: FloatArray) -> FloatArray:
    """Limits of above / (above + below), by the confidence that above is at most so many times below."""
    low, high = below.quantiles(np.array([1 - 1e-9, 0.5]))
    most = above.quantiles(np.array([0.9, 1e-11]))
    if high <= 0:
        return np.ones(misses.size)
    odds = np.geomspace(max(most[0] / high / 4, 1e-15), 4 * most[1] / max(low, 1e-6 * high), ODDS)
    surely = np.array([below.masses @ above.below(below.points * each) for each in odds])
    # On the scale of the normal distribution the curve is nearly straight.
    reached = special.ndtri(np.clip(surely, 1e-16, 1 - 1e-15))
    exact = np.exp(np.interp(-special.ndtri(misses), reached, np.log(odds)))
    return np.where(1 - misses > surely[-1], 1.0, exact / (1 + exact))


def lower_limits(tally: Tally, misses: FloatArray, *, points: int = POINTS) -> FloatArray:
    """Lower limits that are missed with these probabilities: what is left by the most that can have passed."""
    return 1 - upper_limits(tally.turned(), misses, points=points, all_exact=True)


def _table(misses: FloatArray, limits: FloatArray, side: Side) -> TabulatedBound:
    widest = 1.0 if side == "upper" else 0.0
    levels, inside = np.append(1 - misses, HIGHEST_LEVEL), np.append(np.clip(limits, 0, 1), widest)
    return TabulatedBound.widened(levels, inside, side, "confidence")


def stratified_posterior(
    tally: Tally, *, level: float, scope: str = "", unit: str = PER_DEMAND, seed: int = 0
) -> Estimate:
    """Posterior of the failure probability under Jeffreys' prior in each stratum; credible.

    It combines with other credible numbers. Shares that were counted among operational rows are uncertain too, with
    Jeffreys' prior for them. One stratum whose rows all count gives the posterior of ``bounds.jeffreys``; otherwise the
    distribution is tabulated from draws.

    Parameters
    ----------
    tally
        Labelled rows of each stratum.
    level
        Of the bounds.
    scope, unit
        Of the estimate.
    seed
        Of the draws.

    Returns
    -------
    Estimate
        With its distribution and credible bounds.

    Raises
    ------
    InvalidInput
        Where a stratum has no labels or a row none, as a distribution cannot be on the safe side of both bounds at
        once.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.hazards.labels import Tally
    >>> counts = [np.array([each]) for each in (1.0, 100.0, 100.0, 2.0)]
    >>> round(stratified_posterior(Tally(("all",), *counts), level=0.95).upper(0.95), 4)
    0.0542

    """
    level = validate.level(level, where="stratified_posterior")
    _check(tally)
    params = {**counts_of(tally), "level": level}
    dist = _distribution(tally, np.random.default_rng(seed))
    return state(
        About(FAILURE_PROBABILITY, unit, scope),
        tally.risk,
        (QuantileBound(dist, "upper", "credible"), QuantileBound(dist, "lower", "credible")),
        dist=dist,
        assumptions=(WITHIN_STRATA, KNOWN_SHARES if tally.seen is None else SAMPLED_SHARES, BY_CHANCE, FIXED_SIZE),
        caveats=(approximate("jeffreys", "Use the method melded where the level must hold."),),
        details=params,
        provenance=Provenance("hazards.stratified_posterior", params, seed=seed),
    )


def _check(tally: Tally) -> None:
    empty = [name for name, trials in zip(tally.names, tally.trials, strict=True) if not trials]
    if empty or np.any(tally.unknown):
        found = f"no label in {', '.join(empty)}" if empty else f"{int(np.sum(tally.unknown))} rows without one"
        remedy = "Label them, or use the method melded, which counts them on the safe side."
        raise InvalidInput(
            "every stratum and row needs a label", where="stratified_posterior", found=found, remedy=remedy
        )


def _distribution(tally: Tally, rng: np.random.Generator) -> Distribution:
    if len(tally.names) == 1 and not tally.conditional:
        failed, trials = float(tally.failures[0]), float(tally.trials[0])
        return Beta.from_counts(failed, trials - failed)
    found = np.quantile(_draws(tally, rng), REACHED)
    inside = np.concatenate([[True], np.diff(found) > 0])
    return Histogram(tuple(found[inside].tolist()), tuple(np.diff(REACHED[inside]).tolist()))


def _draws(tally: Tally, rng: np.random.Generator) -> FloatArray:
    """Draws of the risk; gamma variates with a common scale are those of a Dirichlet distribution."""
    counts = [tally.failures, tally.counted - tally.failures, tally.trials - tally.counted]
    kinds = counts if tally.conditional else counts[:2]
    parts = np.stack([rng.standard_gamma(each + PRIOR, (DRAWS, len(tally.names))) for each in kinds])
    failing, passing = parts[0] / parts.sum(axis=0), parts[1] / parts.sum(axis=0)
    shares = _posterior_shares(tally, rng)
    above, below = (failing * shares).sum(axis=1), (passing * shares).sum(axis=1)
    return above / (above + below)


def _posterior_shares(tally: Tally, rng: np.random.Generator) -> FloatArray:
    if tally.seen is None:
        return np.asarray(tally.shares)
    drawn = rng.standard_gamma(tally.shares * tally.seen + PRIOR, (DRAWS, len(tally.names)))
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def upper_limit(tally: Tally, level: float, *, points: int = POINTS) -> float:
    """The limit at one level."""
    return float(upper_limits(tally, np.array([1 - level]), points=points)[0])
