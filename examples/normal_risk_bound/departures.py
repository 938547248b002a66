"""Section 4 of NRB asks how far from normal the margins may be: a map of violation rates.

Each family of margins is shifted so that its true risk P(Z <= 0) is known, whatever its shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from surefoot.bounds import clopper_pearson, hoeffding, normal_score_minimum, normality
from surefoot.core import Mixture, Normal

Floats = NDArray[np.float64]

LEVEL = 0.95
RISKS = (0.1, 0.03, 0.01, 1e-3, 1e-4)
SIZES = (30, 100, 300, 1000)
METHODS = ("normal_score", "normal_exact", "clopper_pearson", "hoeffding")


@dataclass(frozen=True)
class Family:
    """A shape of margins: how to draw it, its quantiles, and its distance from normal."""

    name: str
    draw: Callable[[np.random.Generator, tuple[int, int]], Floats]
    quantile: Callable[[float], float]
    skewness: float
    kurtosis: float


def families() -> tuple[Family, ...]:
    """From normal to far from normal: heavy tails, skewness to either side, contamination, two groups."""
    return (
        _frozen("normal", stats.norm()),
        *(_frozen(f"Student t, {df} degrees", stats.t(df)) for df in (30, 10, 5, 3)),
        *(_frozen(f"skew-normal, shape {a:+d}", stats.skewnorm(a)) for a in (2, 5)),
        *(_frozen(f"skew-normal, shape {a:+d}", stats.skewnorm(a)) for a in (-1, -2, -5)),
        *(_mirrored_lognormal(s) for s in (0.1, 0.25, 0.5)),
        *(_mixture(f"{share:.1%} wide (sd 4)", share, 0.0, 4.0) for share in (0.001, 0.01, 0.05)),
        *(_mixture(f"{share:.0%} in a group 4 sd lower", share, -4.0, 1.0) for share in (0.01, 0.05)),
    )


@dataclass(frozen=True)
class Cell:
    """Violation rates of one family at one sample size, by true risk and method."""

    family: Family
    n: int
    contradicted: float
    rates: dict[float, dict[str, float]]


def violation_map(sets: int, checked: int, *, seed: int) -> Iterator[Cell]:
    """Simulate ``sets`` data sets a cell; the normality checks look at ``checked`` of them."""
    rng = np.random.default_rng(seed)
    tables = {n: Limits.of(n) for n in SIZES}
    for family in families():
        for n in SIZES:
            draws = family.draw(rng, (sets, n))
            rejected = np.mean([normality(row).status == "contradicted" for row in draws[:checked]])
            bounds = {risk: _bounds(draws, family.quantile(risk), tables[n]) for risk in RISKS}
            yield Cell(
                family,
                n,
                float(rejected),
                {r: {m: float((b < r).mean()) for m, b in found.items()} for r, found in bounds.items()},
            )


@dataclass(frozen=True)
class Limits:
    """Upper limits for one sample size: by observed mean/sd (normal margins) and by failures seen."""

    n: int
    ratios: Floats
    exact: Floats
    counted: Floats
    averaged: Floats

    @classmethod
    def of(cls, n: int) -> Limits:
        """Tabulate: the critical ratio of each risk is a quantile of the noncentral t distribution."""
        risk = special.ndtr(-np.linspace(-1.5, 6.5, 321))
        ratios = stats.nct.ppf(LEVEL, n - 1, -np.sqrt(n) * special.ndtri(risk)) / np.sqrt(n)
        counted = [clopper_pearson(k, n, level=LEVEL).upper(LEVEL) for k in range(n + 1)]
        averaged = [hoeffding(np.arange(n) < k, level=LEVEL).upper(LEVEL) for k in range(n + 1)]
        return cls(n, ratios, risk, np.array(counted), np.array(averaged))


def _bounds(draws: Floats, shift: float, limits: Limits) -> dict[str, Floats]:
    """Bounds of each row of ``draws - shift``, taken as margins."""
    ratio = (draws.mean(axis=1) - shift) / draws.std(axis=1, ddof=1)
    failures = (draws <= shift).sum(axis=1)
    return {
        "normal_score": normal_score_minimum(ratio, limits.n),
        "normal_exact": np.exp(np.interp(ratio, limits.ratios, np.log(limits.exact))),
        "clopper_pearson": limits.counted[failures],
        "hoeffding": limits.averaged[failures],
    }


def _frozen(name: str, dist: stats.rv_continuous) -> Family:
    skewness, kurtosis = dist.stats("sk")
    return Family(name, lambda rng, size: dist.rvs(size, random_state=rng), dist.ppf, float(skewness), float(kurtosis))


def _mirrored_lognormal(sigma: float) -> Family:
    dist = stats.lognorm(sigma)
    skewness, kurtosis = dist.stats("sk")
    return Family(
        f"mirrored log-normal, {sigma:g}",
        lambda rng, size: -dist.rvs(size, random_state=rng),
        lambda q: -float(dist.isf(q)),
        -float(skewness),
        float(kurtosis),
    )


def _mixture(name: str, share: float, mean: float, sd: float) -> Family:
    dist = Mixture((Normal(0, 1), Normal(mean, sd)), (1 - share, share))

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
        z, other = rng.standard_normal(size), rng.random(size) < share
        return np.where(other, mean + sd * z, z)

    skewness, kurtosis = _shape(share, mean, sd)
    return Family(name, draw, lambda q: float(dist.ppf(q)), skewness, kurtosis)


def _shape(share: float, mean: float, sd: float) -> tuple[float, float]:
    """Skewness and excess kurtosis of (1 - share) N(0, 1) + share N(mean, sd)."""
    weights, means, sds = np.array([1 - share, share]), np.array([0, mean]), np.array([1, sd])
    shift = means - weights @ means

    def moment(values: ArrayLike) -> float:
        return float(weights @ np.asarray(values))

    variance = moment(sds**2 + shift**2)
    third = moment(shift**3 + 3 * shift * sds**2)
    fourth = moment(shift**4 + 6 * shift**2 * sds**2 + 3 * sds**4)
    return third / variance**1.5, fourth / variance**2 - 3
