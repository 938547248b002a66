"""Whether splitting says the same again: what it cannot reach, it reaches at times and misses at others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import Assumption, Check, Executor
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.problem import BELOW, SPLIT, BallEstimator, BallProblem, BallRisks

REACHED = Assumption(
    "splitting-reaches-all-failures",
    "Splitting met every kind of failure that matters: its moves mix, and none hides behind a nearer miss.",
)
MOST = 8
"""Balls that are split once more."""
RARE = 1e-3
"""A disagreement that chance alone brings less often than this contradicts."""
LEAST_SD = 0.05


def examined(
    problem: BallProblem,
    estimator: BallEstimator,
    numbers: NDArray[np.int64],
    risks: BallRisks,
    weights: FloatArray,
    *,
    executor: Executor,
    seed: int,
) -> tuple[Assumption, ...]:
    """The assumption with its check, where splitting had a part: the balls that add most are split once more."""
    split = np.flatnonzero((risks.how == SPLIT) | (risks.how == BELOW))
    if not split.size:
        return ()
    # Half of those that add most, and half of the rest: a failure that was missed makes a ball look harmless.
    order = split[np.argsort(-(weights * risks.risk)[split], kind="stable")]
    rest = np.random.default_rng(seed).permutation(order[MOST // 2 :])
    chosen = np.concatenate([order[: MOST // 2], rest])[:MOST]
    again = estimator.risks(problem, numbers[chosen], executor=executor, seed=seed + 1)
    return (replace(REACHED, check=_compared(risks.take(chosen), again, risks.take(split))),)


def _compared(first: BallRisks, second: BallRisks, all_split: BallRisks) -> Check:
    """By the differences of logarithms in units of what both state, and by failures that uniform points met."""
    gaps = np.where((first.how == BELOW) & (second.how == BELOW), 0.0, _logs(first) - _logs(second))
    stated = np.sqrt(np.maximum(_sd(first) ** 2 + _sd(second) ** 2, LEAST_SD**2))
    chance_of_gaps = float(special.chdtrc(len(gaps), float(((gaps / stated) ** 2).sum())))
    met, foreseen = int(all_split.failures.sum()), float((all_split.trials * all_split.risk).sum())
    chance_of_met = float(special.pdtrc(met - 1, foreseen)) if met else 1.0
    contradicted = min(chance_of_gaps, chance_of_met) < RARE
    figures = {
        "balls split again": len(gaps),
        "largest gap, as a factor": float(np.exp(np.abs(gaps).max())),
        "chance of such gaps": chance_of_gaps,
        "failures met by uniform points": met,
        "failures foreseen there": foreseen,
    }
    method = "some balls split again with other random numbers; failures among uniform points against the risks"
    return Check("contradicted" if contradicted else "supported", method, figures, float(np.abs(gaps).max()))


def _logs(risks: BallRisks) -> FloatArray:
    """Logarithms of risks; of none counted, half a failure."""
    return np.where(np.isfinite(risks.log_risk), risks.log_risk, -np.log(2.0 * np.maximum(risks.trials, 1)))


def _sd(risks: BallRisks) -> FloatArray:
    """Of logarithms: stated by splitting, from counts of failures by counting."""
    split = (risks.how == SPLIT) | (risks.how == BELOW)
    return np.where(split, risks.log_sd, 1 / np.sqrt(risks.failures + 0.5))
