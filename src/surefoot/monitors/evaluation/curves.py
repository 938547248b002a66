"""``curve``: what a monitor is worth at every threshold."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.monitors.evaluation.bands import exact_possible, require_tail
from surefoot.monitors.evaluation.operating_curve import WHERE, Curve
from surefoot.monitors.evaluation.ordering import Ordered
from surefoot.monitors.returns.stakes import Stakes

Way = Literal["auto", "exact", "bootstrap"]
WAYS: tuple[Way, ...] = ("auto", "exact", "bootstrap")


def curve(
    stakes: Stakes,
    scores: ArrayLike,
    *,
    level: float = 0.95,
    bands: Way = "auto",
    draws: int = 500,
    points: int | None = 1000,
    seed: int = 0,
    scope: str = "",
) -> Curve:
    """Safety gain, residual hazard and availability cost at every threshold (MON, section II).

    Bands are exact (Clopper and Pearson 1934) where rows are independent, weigh the same, and each figure of a row is 0
    or one other value; otherwise units are resampled. They are computed at ``points`` thresholds, dense where alarms
    are few, or at all with None.
    """
    validate.kind(stakes, Stakes, where=WHERE, name="stakes", example="returns.errors(predictions, truths)")
    level, seed = validate.level(level, where=WHERE), validate.seed(seed, where=WHERE)
    ordered = Ordered.of(scores, stakes.rows, where=WHERE)
    marks, method = _marks(ordered.thresholds.size, points), _way(stakes, bands)
    if method == "bootstrap":
        require_tail(draws, level, where=WHERE)
    return Curve(stakes, ordered, marks, method, level, draws, seed, scope)


def _way(stakes: Stakes, bands: Way) -> Way:
    validate.choice(bands, WAYS, where=WHERE, name="bands")
    possible = exact_possible(stakes) if bands != "bootstrap" else False
    if bands == "exact" and not possible:
        raise InvalidInput(
            "exact bands need independent rows without weights whose figures are 0 or one other value",
            where=WHERE,
            remedy="Use bands='bootstrap'.",
        )
    if not possible and stakes.unit_count < 2:
        raise InvalidInput("needs at least two independent units", where=WHERE, found=f"1 {stakes.unit}")
    return "exact" if possible else "bootstrap"


def _marks(size: int, points: int | None) -> NDArray[np.int64]:
    """All places, or about so many: half evenly, half ever denser towards few alarms."""
    if points is None or size <= validate.count(points, where=WHERE, name="points", at_least=2):
        return np.arange(size)
    half = max(points // 2, 2)
    even = np.linspace(0, size - 1, half)
    dense = size - np.geomspace(1, size, half)
    return np.unique(np.rint(np.concatenate([even, dense])).astype(np.int64).clip(0, size - 1))
