"""Risk in operation from a test set that does not follow operation, by importance weights."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from surefoot.bounds.betting import two_sided
from surefoot.bounds.capital import PluginCapital
from surefoot.bounds.families import CentralLimitBound, EmpiricalBernsteinBound, HoeffdingBound
from surefoot.bounds.statement import (
    EXPECTED_LOSS,
    FIXED_SIZE,
    INDEPENDENT_LOSSES,
    ORDER_FIRST,
    About,
    approximate,
    bound,
    state,
)
from surefoot.core import (
    Assumption,
    BoundFamily,
    Check,
    Diagnostic,
    Estimate,
    InvalidInput,
    Kind,
    Provenance,
    array_digest,
    validate,
)
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray

METHODS = ("betting", "hoeffding", "empirical_bernstein", "normal")
MAX_SCORE = 4.0

UP_TO_A_FACTOR = Assumption("weights-are-ratios", "Weights are proportional to density in operation over in testing.")


def effective_weight_count(weights: ArrayLike) -> float:
    """Number of equally weighted losses worth as much as these: Kish (1965), sum(w)^2 / sum(w^2)."""
    values = _checked_weights(weights, where="effective_weight_count")
    scaled = values / values.max()
    return float(scaled.sum() ** 2 / (scaled**2).sum())


@bound
def weighted(
    losses: ArrayLike,
    weights: ArrayLike,
    *,
    level: float,
    max_weight: float | None = None,
    method: str = "betting",
    seed: int = 0,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bounds of the mean loss in operation from losses in [0, 1] tested elsewhere.

    ``weights`` are densities in operation over densities in testing. ``max_weight`` is the largest
    value that weight can take, and makes the bound guaranteed; without it the largest weight seen
    takes its place and the bound is marked heuristic.

    ``method``: ``"betting"`` bets on the ratio E[w l] / E[w], so weights may miss a common factor;
    ``"hoeffding"`` and ``"empirical_bernstein"`` bound E[w l] and need weights with mean 1;
    ``"normal"`` is the self-normalised ratio with its delta-method error and is always heuristic
    (Owen, "Monte Carlo theory, methods and examples", chapter 9).
    """
    where = "weighted"
    validate.choice(method, METHODS, where=where, name="method")
    level, seed = validate.level(level, where=where), validate.seed(seed, where=where)
    if max_weight is not None:
        max_weight = validate.positive(max_weight, where=where, name="max_weight")
    sample = _Sample.checked(losses, weights, max_weight, where=where)
    kind: Kind = "confidence" if max_weight is not None and method != "normal" else "heuristic"
    params = {"level": level, "method": method, "max_weight": max_weight}
    order = [ORDER_FIRST] if method == "betting" else []
    return state(
        About(quantity, unit, scope),
        sample.mean if method in ("hoeffding", "empirical_bernstein") else sample.ratio,
        sample.bounds(method, level, kind, seed),
        assumptions=(sample.assumption(method), INDEPENDENT_LOSSES, FIXED_SIZE, *order),
        caveats=_caveats(method, max_weight, sample),
        details={
            **params,
            "trials": sample.losses.size,
            "effective_sample_size": effective_weight_count(sample.weights),
            "largest_weight": sample.largest,
            "self_normalised": sample.ratio,
        },
        provenance=Provenance(
            f"bounds.{where}",
            params,
            data={"losses": array_digest(sample.losses), "weights": array_digest(sample.weights)},
            seed=seed if method == "betting" else None,
        ),
    )


@dataclass(frozen=True)
class _Sample:
    losses: FloatArray
    weights: FloatArray
    largest: float

    @classmethod
    def checked(cls, losses: ArrayLike, weights: ArrayLike, max_weight: float | None, *, where: str) -> _Sample:
        values = validate.unit_vector(losses, where=where, name="losses")
        ratios = _checked_weights(weights, where=where)
        validate.same_length(where, losses=values, weights=ratios)
        if values.size < 2:
            raise InvalidInput("needs at least two losses", where=where, found="1")
        seen = float(ratios.max())
        if max_weight is None:
            return cls(values, ratios, seen)
        if max_weight < seen:
            raise InvalidInput(
                "a weight exceeds the stated largest one",
                where=where,
                found=f"{seen:g} > {max_weight:g}",
                remedy="State the largest weight possible in operation, at least the largest seen.",
            )
        return cls(values, ratios, max_weight)

    @property
    def mean(self) -> float:
        return float(np.mean(self.weights * self.losses))

    @property
    def ratio(self) -> float:
        return float(np.sum(self.weights * self.losses) / np.sum(self.weights))

    def bounds(self, method: str, level: float, kind: Kind, seed: int) -> tuple[BoundFamily, ...]:
        if method == "betting":
            return self._betting(level, kind, seed)
        n, products = self.losses.size, self.weights * self.losses
        if method == "hoeffding":
            make_h = HoeffdingBound
            return make_h(self.mean, n, self.largest, "upper", kind), make_h(self.mean, n, self.largest, "lower", kind)
        if method == "empirical_bernstein":
            make, spread = EmpiricalBernsteinBound, float(products.var(ddof=1))
            args = (self.mean, spread, n, self.largest)
            return make(*args, "upper", kind), make(*args, "lower", kind)
        error = self._delta_error()
        make_c = CentralLimitBound
        return make_c(self.ratio, error, n, "upper", kind), make_c(self.ratio, error, n, "lower", kind)

    def _betting(self, level: float, kind: Kind, seed: int) -> tuple[BoundFamily, ...]:
        order = np.random.default_rng(seed).permutation(self.losses.size)
        size = self.weights[order] / self.largest
        capital = PluginCapital.tuned(size * self.losses[order], size, level=level)
        return two_sided(capital, level=level, kind=kind)

    def _delta_error(self) -> float:
        n = self.losses.size
        residuals = self.weights * (self.losses - self.ratio)
        return math.sqrt(n / (n - 1) * float((residuals**2).sum())) / float(self.weights.sum())

    def assumption(self, method: str) -> Assumption:
        """Density ratios average 1 over the test data; methods that rely on it show whether they do."""
        if method in ("betting", "normal"):
            return UP_TO_A_FACTOR
        n, mean = self.weights.size, float(self.weights.mean())
        error = float(self.weights.std(ddof=1)) / math.sqrt(n)
        off = abs(mean - 1) > MAX_SCORE * error + 1e-9
        figures = {"mean_weight": mean, "standard_error": error}
        check = Check("contradicted" if off else "supported", "mean weight against 1", figures, effect=mean - 1)
        return Assumption("weights-are-ratios", "Weights are density in operation over density in testing.", check)


def _checked_weights(weights: ArrayLike, *, where: str) -> FloatArray:
    values = validate.vector(weights, where=where, name="weights")
    if (values < 0).any() or values.max() == 0:
        raise InvalidInput(
            "weights must be at least 0 and not all 0",
            where=where,
            found=f"between {values.min():g} and {values.max():g}",
        )
    return values


def _caveats(method: str, max_weight: float | None, sample: _Sample) -> Iterable[Diagnostic]:
    if method == "normal":
        yield approximate("The delta method", "State max_weight and use betting where the level must hold.")
    elif max_weight is None:
        yield Diagnostic(
            "weights-estimated",
            f"The largest possible weight was taken from the data ({sample.largest:g}).",
            hint="State max_weight to have a guarantee.",
        )
