"""How far a weighted sum of sampled risks may lie from the truth.

Box i has weight w_i, risk p_i and k_i failures among n_i points; one failure moves the estimate sum(w_i k_i / n_i) by
its step u_i = w_i / n_i. Numbers of points may depend on earlier points, not on those that are counted. Boxes without
points are left out: their risk is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.core import InvalidInput, Side, validate
from surefoot.core.validate import FloatArray

WHERE = "sampling error"


def sampling_bound(
    weights: ArrayLike, failures: ArrayLike, trials: ArrayLike, *, level: float, side: Side = "upper"
) -> float:
    """One-sided confidence limit of sum(w_i p_i).

    The gamma limits of Fay and Feuer (1997), Statistics in Medicine 16(7), for weighted sums of rare events, with the
    variance of binomial instead of Poisson counts. Without any failure the upper limit is max(u) ln(1 / alpha), which
    is a guarantee: sum(w_i p_i) <= max(u) sum(n_i p_i), and the probability of no failure, prod((1 - p_i)^n_i), is at
    most exp(-sum(n_i p_i)). With failures no proof is known, and simulations, theirs and ours, find it conservative.

    Where most points of a box fail, its successes are the rare events; limits of both kinds of box are joined as
    limits of a difference (Zou and Donner 2008, Statistics in Medicine 27(10)).
    """
    level = validate.level(level, where=WHERE)
    counted = _Counted.checked(weights, failures, trials)
    mostly = (2 * counted.failures > counted.trials) & (counted.trials > 1)
    rare, common = counted.chosen(~mostly), counted.chosen(mostly).of_successes()
    total = float(counted.weights.sum())
    near, far = (rare, common) if side == "upper" else (common, rare)
    reach = math.hypot(near.upper(level) - near.sum, far.sum - far.lower(level))
    estimate = counted.sum
    return min(estimate + reach, total) if side == "upper" else max(estimate - reach, 0.0)


def sampling_variance(weights: ArrayLike, failures: ArrayLike, trials: ArrayLike) -> float:
    """Variance of the estimate of sum(w_i p_i) from its sampling, above 0 while any box was sampled.

    The unbiased stratified estimate, and the square of the largest step, as if one more failure could have been found
    in the box where it counts most (Fay and Feuer 1997).
    """
    counted = _Counted.checked(weights, failures, trials)
    return counted.variance + counted.largest_step**2


def box_limits(failures: ArrayLike, trials: ArrayLike, *, level: float) -> tuple[FloatArray, FloatArray]:
    """Lower and upper limit of the risk of each box, each at the level.

    Clopper and Pearson (1934), Biometrika 26(4). A box without points may have any risk.
    """
    level = validate.level(level, where=WHERE)
    k, n = _counts(failures, trials)
    with np.errstate(invalid="ignore"):
        lower = np.where(k > 0, special.betaincinv(k, n - k + 1, 1 - level), 0.0)
        upper = np.where(k < n, special.betaincinv(k + 1, n - k, level), 1.0)
    return np.asarray(lower), np.asarray(upper)


@dataclass(frozen=True, eq=False)
class _Counted:
    """Boxes of one kind, all with points."""

    weights: FloatArray
    failures: FloatArray
    trials: FloatArray

    @classmethod
    def checked(cls, weights: ArrayLike, failures: ArrayLike, trials: ArrayLike) -> _Counted:
        w = validate.vector(weights, where=WHERE, name="weights", at_least=0)
        k, n = _counts(failures, trials)
        validate.same_length(WHERE, weights=w, failures=k, trials=n)
        if (w < 0).any():
            raise InvalidInput("weights must be at least 0", where=WHERE, found=f"{w.min():g}")
        return cls(w, k, n).chosen(n > 0)

    def chosen(self, boxes: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> _Counted:
        return _Counted(self.weights[boxes], self.failures[boxes], self.trials[boxes])

    def of_successes(self) -> _Counted:
        return _Counted(self.weights, self.trials - self.failures, self.trials)

    @property
    def steps(self) -> FloatArray:
        return self.weights / self.trials

    @property
    def largest_step(self) -> float:
        return float(self.steps.max(initial=0.0))

    @property
    def sum(self) -> float:
        return float(self.steps @ self.failures)

    @property
    def variance(self) -> float:
        """Unbiased, but for single points, which say nothing about theirs: those count as Poisson events."""
        k, n = self.failures, self.trials
        return float(self.steps**2 @ np.where(n > 1, k * (n - k) / np.maximum(n - 1, 1), k))

    def upper(self, level: float) -> float:
        step = self.largest_step
        return _gamma_quantile(self.sum + step, self.variance + step**2, level)

    def lower(self, level: float) -> float:
        return _gamma_quantile(self.sum, float(self.steps**2 @ self.failures), 1 - level)


def _gamma_quantile(mean: float, variance: float, probability: float) -> float:
    if variance == 0 or mean == 0:
        return mean
    return float(special.gammaincinv(mean**2 / variance, probability)) * variance / mean


def _counts(failures: ArrayLike, trials: ArrayLike) -> tuple[FloatArray, FloatArray]:
    k = validate.vector(failures, where=WHERE, name="failures", at_least=0)
    n = validate.vector(trials, where=WHERE, name="trials", at_least=0)
    validate.same_length(WHERE, failures=k, trials=n)
    wrong = np.flatnonzero((k < 0) | (k > n))
    if wrong.size:
        i = wrong[0]
        raise InvalidInput(
            "failures must lie between 0 and the number of trials",
            where=WHERE,
            found=f"{k[i]:g} of {n[i]:g} in box {i} ({wrong.size} such in all)",
        )
    return k, n
