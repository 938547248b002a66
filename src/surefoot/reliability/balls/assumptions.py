"""The assumptions behind reliability from balls as data, each with what the data at hand say about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Assumption, Check, Diagnostic
from surefoot.core.validate import FloatArray
from surefoot.profile import representativeness
from surefoot.profile.two_sample import MOST_ROWS
from surefoot.reliability.balls.drawn import Drawn
from surefoot.reliability.balls.inputs import Frame
from surefoot.reliability.balls.radius import radius_against_separation
from surefoot.reliability.balls.shares import VarianceParts

REPRESENTATIVE = Assumption(
    "frame-represents-operation",
    "The rows, weighed as they are, are a random sample of what operation brings (RAM, Assumption 2).",
)
SINGLE_LABEL = Assumption(
    "single-label-balls", "All inputs in a ball have the label of its centre (Assumption 3, Remark 3)."
)
UNIFORM = Assumption(
    "uniform-inside", "Inputs are distributed uniformly inside each ball (Assumption 5).", beyond_tests=True
)
SAMPLING_DOMINATES = Assumption(
    "sampling-of-balls-dominates",
    "What is not known of risks inside and weights is small beside the sampling of balls (Assumption 7; the printed "
    "variance needs it).",
)
NORMAL = Assumption("normal-mean", "The mean over the draws is close to normally distributed.")
DETERMINISTIC = Assumption("deterministic-model", "The model answers the same input always the same.")
CHANGING = ("model-random", "model-batch-dependent")
LARGE_SHARE = 0.1
FEWEST = 30
COCHRAN = 25


@dataclass(frozen=True, eq=False)
class Examined:
    """What the checks look at."""

    frame: Frame
    drawn: Drawn
    parts: VarianceParts
    operational: NDArray[np.floating] | None
    caveats: tuple[Diagnostic, ...]
    """What the model's answers showed before."""
    seed: int


def examine(data: Examined) -> tuple[Assumption, ...]:
    """All assumptions, each with its check."""
    checks: tuple[tuple[Assumption, Callable[[Examined], Check | None]], ...] = (
        (REPRESENTATIVE, _representative),
        (SINGLE_LABEL, _single_label),
        (UNIFORM, _unchecked),
        (DETERMINISTIC, _deterministic),
        (SAMPLING_DOMINATES, _sampling_dominates),
        (NORMAL, _normal),
    )
    return tuple(replace(assumption, check=check(data)) for assumption, check in checks)


def unexamined() -> tuple[Assumption, ...]:
    """All assumptions, none of them checked."""
    return (REPRESENTATIVE, SINGLE_LABEL, UNIFORM, DETERMINISTIC, SAMPLING_DOMINATES, NORMAL)


def _representative(data: Examined) -> Check | None:
    if data.operational is None or min(len(data.operational), len(data.frame)) < 2:
        return None
    rows = data.frame.rows
    if not data.drawn.equal_weights:
        rng = np.random.default_rng(data.seed)
        rows = rows[rng.choice(len(rows), min(len(rows), MOST_ROWS), p=data.drawn.weights)]
    return representativeness(rows, data.operational, seed=data.seed)


def _single_label(data: Examined) -> Check:
    return radius_against_separation(data.frame, seed=data.seed)


def _unchecked(data: Examined) -> Check | None:
    return None


def _deterministic(data: Examined) -> Check:
    against = [caveat.text.rstrip(".") for caveat in data.caveats if caveat.code in CHANGING]
    if against:
        return Check("contradicted", "; ".join(against))
    return Check("supported", "some inputs were answered again, in other batches, and the answers agreed")


def _sampling_dominates(data: Examined) -> Check | None:
    if not data.parts.draws:
        return None
    share = data.parts.not_sampling
    words = f"risks inside and weights make {share:.1%} of the variance, the sampling of balls {1 - share:.1%}"
    figures = {name: part for name, _, part in data.parts.table().rows}
    return Check("supported" if share <= LARGE_SHARE else "contradicted", words, figures, share)


def _normal(data: Examined) -> Check:
    """Cochran (1977), 2.15: more draws than 25 times the square of the skewness."""
    sizes, values = data.drawn.sequence(flat=False)
    shifts: FloatArray = sizes * (values - np.average(values, weights=sizes))
    spread = float(np.sqrt(np.mean((shifts - shifts.mean()) ** 2)))
    skewness = float(np.mean((shifts - shifts.mean()) ** 3)) / spread**3 if spread else 0.0
    needed = max(COCHRAN * skewness**2, FEWEST)
    enough = bool(spread) and values.size >= needed
    words = f"{values.size:,} draws of skewness {skewness:.3g}; {needed:,.0f} would do"
    if not spread:
        words = f"all {values.size:,} draws found the same risk, so nothing shows how they spread"
    return Check("supported" if enough else "contradicted", words, {"draws": values.size, "skewness": skewness})
