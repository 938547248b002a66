"""All cells of an assessment as columns, and the few of them that people look at."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.core import InvalidInput, Side, Table, validate
from surefoot.core.distributions import beta_quantile
from surefoot.core.validate import FloatArray
from surefoot.reliability.cells.grid import ASKED, CROSS_BOUNDARY, EMPTY, SOURCES, CellLabels, Grid
from surefoot.reliability.local_risk import KINDS, LocalRisk

MOST_SHOWN = 20
COLUMNS = ("source", "label", "points", "how", "trials", "mass", "risk", "contribution")


@dataclass(frozen=True, eq=False)
class Cells:
    """All cells of an assessment, one entry a cell in every column; cells are numbered in C order.

    See Also
    --------
    assess_cells

    """

    grid: Grid
    classes: tuple[str, ...]
    source: NDArray[np.uint8]
    """Where the label comes from, as a number into ``SOURCES``."""
    label: NDArray[np.int64]
    points: NDArray[np.int64]
    """Labelled points inside."""
    how: NDArray[np.uint8]
    """How the risk was found, as a number into ``KINDS``."""
    trials: NDArray[np.int64]
    shares: FloatArray
    """Share of each answer inside."""
    mass: FloatArray
    """Probability that the next input falls inside; sums to 1."""
    risk: FloatArray
    """Probability of a failure inside; 1 in cross-boundary cells."""

    @classmethod
    def of(
        cls,
        grid: Grid,
        classes: tuple[str, ...],
        labelled: CellLabels,
        local: LocalRisk,
        mass: FloatArray,
        undesired: NDArray[np.bool_],
    ) -> Cells:
        """Put together what labelling, estimator and profile found."""
        risk = local.risk(undesired)
        risk[labelled.source == CROSS_BOUNDARY] = 1.0
        return cls(
            grid,
            classes,
            labelled.source,
            local.labels,
            labelled.points,
            local.how,
            local.trials,
            local.shares,
            mass,
            risk,
        )

    def __len__(self) -> int:
        return len(self.grid)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """A column by its name."""
        return np.asarray(getattr(self, validate.choice(column, COLUMNS, where="cells", name="column")))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return COLUMNS

    @property
    def contribution(self) -> FloatArray:
        """What each cell adds to the failure probability."""
        return self.mass * self.risk

    @property
    def failures(self) -> FloatArray:
        """Failures among the sampled points of each cell."""
        return np.rint(np.where(self.source == CROSS_BOUNDARY, 0, self.risk) * self.trials)

    def evidence_kinds(self) -> Table:
        """Mass and risk by kind of evidence: what is known of the label, and how the risk was found."""
        total = max(float(self.contribution.sum()), np.finfo(float).tiny)
        rows = []
        for name, chosen in self._kinds():
            mass, part = float(self.mass[chosen].sum()), float(self.contribution[chosen].sum())
            rows.append((name, int(chosen.sum()), mass, part, part / total))
        return Table(("evidence", "cells", "share of operation", "failure probability", "share of it"), tuple(rows))

    def _kinds(self) -> list[tuple[str, NDArray[np.bool_]]]:
        cross = self.source == CROSS_BOUNDARY
        kinds = [(f"{SOURCES[CROSS_BOUNDARY]} cells, set to 1", cross)]
        for source in (1, ASKED, EMPTY):
            for how, word in enumerate(KINDS):
                chosen = (self.source == source) & (self.how == how)
                kinds.append((f"{SOURCES[source]} cells, {word}", chosen))
        return [(name, chosen) for name, chosen in kinds if chosen.any()]

    def share_resting_on(self, source: int) -> float:
        """Share of the failure probability in cells whose label has this source."""
        total = float(self.contribution.sum())
        return float(self.contribution[self.source == source].sum()) / total if total else 0.0

    @property
    def voted_mass(self) -> float:
        """Share of operation in cells labelled by vote."""
        return float(self.mass[self.source == EMPTY].sum())

    def sampled(self) -> NDArray[np.bool_]:
        """Cells whose risk was sampled."""
        return (self.trials > 0) & (self.source != CROSS_BOUNDARY)

    def sampling_variance(self, weights: FloatArray) -> float:
        """Variance that sampling inside cells gives to the weighted sum of their risks."""
        chosen = self.sampled()
        if not chosen.any():
            return 0.0
        return sampling_variance(weights[chosen], self.failures[chosen], self.trials[chosen])

    def sampling_reach(self, level: float) -> float:
        """How far sampling inside cells may have left their sum below the truth."""
        chosen = self.sampled()
        if not chosen.any():
            return 0.0
        parts = self.mass[chosen], self.failures[chosen], self.trials[chosen]
        return sampling_bound(*parts, level=level) - float((parts[0] * parts[1] / parts[2]).sum())

    def risk_limits(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limit of the risk inside each cell; exact for each, not for all of them at once."""
        lower, upper = box_limits(self.failures, self.trials, level=level)
        chosen = self.sampled()
        return np.where(chosen, lower, self.risk), np.where(chosen, upper, self.risk)

    def leading(self, most: int = MOST_SHOWN) -> NDArray[np.int64]:
        """Numbers of the cells that add most to the failure probability, the largest first."""
        part = self.contribution
        count = min(most, int((part > 0).sum()))
        chosen = np.argpartition(-part, max(count - 1, 0))[:count] if count else np.empty(0, np.int64)
        return chosen[np.lexsort((chosen, -part[chosen]))]

    def top(self, most: int = MOST_SHOWN) -> Table:
        """The cells that add most to the failure probability, with their place."""
        return self.table(self.leading(most))

    def table(self, chosen: NDArray[np.int64] | None = None) -> Table:
        """The chosen cells as a table for people; all of them where nothing is said."""
        chosen = np.arange(len(self)) if chosen is None else chosen
        lower, upper = self.grid.corners(chosen)
        part = self.contribution
        rows = [
            (
                int(cell),
                *(f"{low:.6g} to {high:.6g}" for low, high in zip(lower[row], upper[row], strict=True)),
                SOURCES[self.source[cell]],
                "several" if self.source[cell] == CROSS_BOUNDARY else self.classes[self.label[cell]],
                "set to 1" if self.source[cell] == CROSS_BOUNDARY else KINDS[self.how[cell]],
                float(self.mass[cell]),
                float(self.risk[cell]),
                float(part[cell]),
            )
            for row, cell in enumerate(chosen)
        ]
        axes = tuple(f"feature {axis}" for axis in range(self.grid.dimensions))
        names = ("cell", *axes, "label from", "label", "risk", "mass", "risk inside", "contribution")
        return Table(names, tuple(rows))

    def by_pair(self) -> Table:
        """Probability of each wrong answer for each true label; cross-boundary cells are left out."""
        known = self.source != CROSS_BOUNDARY
        rows = []
        for truth, name in enumerate(self.classes):
            chosen = known & (self.label == truth)
            sums = self.mass[chosen] @ self.shares[chosen]
            rows += [(name, self.classes[a], float(p)) for a, p in enumerate(sums) if a != truth]
        return Table(("true label", "answer", "probability"), tuple(rows))


# How far a weighted sum of sampled risks may lie from the truth.
#
# Box i has weight w_i, risk p_i and k_i failures among n_i points; one failure moves the estimate sum(w_i k_i / n_i) by
# its step u_i = w_i / n_i. Numbers of points may depend on earlier points, not on those that are counted. Boxes without
# points are left out: their risk is known.

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
    counted = _SampledBoxes.checked(weights, failures, trials)
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
    counted = _SampledBoxes.checked(weights, failures, trials)
    return counted.variance + counted.largest_step**2


def box_limits(failures: ArrayLike, trials: ArrayLike, *, level: float) -> tuple[FloatArray, FloatArray]:
    """Lower and upper limit of the risk of each box, each at the level.

    Clopper and Pearson (1934), Biometrika 26(4). A box without points may have any risk.
    """
    level = validate.level(level, where=WHERE)
    k, n = _counts(failures, trials)
    lower = np.where(k > 0, beta_quantile(np.maximum(k, 1), n - k + 1, 1 - level), 0.0)
    upper = np.where(k < n, beta_quantile(k + 1, np.maximum(n - k, 1), level), 1.0)
    return lower, upper


@dataclass(frozen=True, eq=False)
class _SampledBoxes:
    """Boxes of one kind, all with points."""

    weights: FloatArray
    failures: FloatArray
    trials: FloatArray

    @classmethod
    def checked(cls, weights: ArrayLike, failures: ArrayLike, trials: ArrayLike) -> _SampledBoxes:
        w = validate.vector(weights, where=WHERE, name="weights", at_least=0)
        k, n = _counts(failures, trials)
        validate.same_length(WHERE, weights=w, failures=k, trials=n)
        if (w < 0).any():
            raise InvalidInput("weights must be at least 0", where=WHERE, found=f"{w.min():g}")
        return cls(w, k, n).chosen(n > 0)

    def chosen(self, boxes: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> _SampledBoxes:
        return _SampledBoxes(self.weights[boxes], self.failures[boxes], self.trials[boxes])

    def of_successes(self) -> _SampledBoxes:
        return _SampledBoxes(self.weights, self.trials - self.failures, self.trials)

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
