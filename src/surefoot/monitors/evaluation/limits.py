"""Intervals of a mean of returns: exact where a row has two values, by resampling units or by betting otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from surefoot import bounds
from surefoot.bounds.counts import Counts
from surefoot.bounds.groups import INDEPENDENT_GROUPS
from surefoot.bounds.statement import INDEPENDENT, approximate
from surefoot.core import (
    Assumption,
    BoundFamily,
    Diagnostic,
    Estimate,
    Scaled,
    Shifted,
    Side,
    TabulatedBound,
    bound_after,
    certain,
)
from surefoot.core.validate import FloatArray
from surefoot.core.wording import counted
from surefoot.monitors.evaluation.bootstrap import Resampled, levels_up_to
from surefoot.monitors.evaluation.measured import Measured

Method = Literal["auto", "bootstrap", "betting"]
METHODS: tuple[Method, ...] = ("auto", "bootstrap", "betting")
FEW = 10
"""Resampling says little about a mean that fewer rows than this move."""

DEVIATION_LEVELS = tuple(levels_up_to(1 - 1e-9, 120).tolist())

TWO_VALUED = Assumption("two-valued-returns", "A row's figure is always one of the two values that were seen.")
GUARANTEED = "Use method='betting' where the level must hold."


@dataclass(frozen=True)
class Limits:
    """Bounds of a mean, by which method, and what they rest on."""

    bounds: tuple[BoundFamily, ...]
    method: str
    assumptions: tuple[Assumption, ...]
    caveats: tuple[Diagnostic, ...] = ()


def limits(measured: Measured, resampled: Resampled, figure: int, *, method: Method, level: float, seed: int) -> Limits:
    """Limits of the mean of one figure."""
    if method == "betting":
        return _by_betting(measured, level, seed)
    if method == "auto" and measured.independent:
        pair = _two_values(measured)
        if pair is not None:
            return _exact(measured, *pair)
        if _movers(measured) < FEW:
            return _by_deviation(measured)
    return _by_resampling(measured, resampled, figure)


def _two_values(measured: Measured) -> tuple[float, float] | None:
    """The two values a row can have; None where there are more, or only one is seen and the other is not known."""
    distinct, high = measured.distinct, measured.range[1]
    if measured.basis.two_valued and np.isin(distinct, (0.0, high)).all():
        return 0.0, high
    return (float(distinct[0]), float(distinct[1])) if distinct.size == 2 else None


def _exact(measured: Measured, low: float, high: float) -> Limits:
    """Clopper and Pearson (1934), on how often the higher of the two values occurs."""
    middle = (low + high) / 2
    counts = Counts(int((measured.values > middle).sum()), measured.values.size)
    steps = (Scaled(high - low), Shifted(low))
    plain = (low, high) == (0.0, 1.0)
    families = counts.exact_bounds()
    assumed = (INDEPENDENT,) if measured.basis.two_valued else (INDEPENDENT, TWO_VALUED)
    return Limits(tuple(f if plain else bound_after(f, steps) for f in families), "exact", assumed)


def _movers(measured: Measured) -> int:
    """Rows whose figure is not the commonest one."""
    _, counts = np.unique(measured.values, return_counts=True)
    return int(measured.values.size - counts.max())


def _by_deviation(measured: Measured) -> Limits:
    """Nearly all rows have one value: the others lie anywhere in the range, as often as Clopper and Pearson allow."""
    known, counts = np.unique(measured.values, return_counts=True)
    usual, (low, high) = float(known[counts.argmax()]), measured.range
    share, _ = Counts(_movers(measured), measured.values.size).exact_bounds()
    upper = _away(share, usual, high, "upper")
    return Limits((upper, _away(share, usual, low, "lower")), "deviation", (INDEPENDENT,))


def _away(share: BoundFamily, usual: float, end: float, side: Side) -> BoundFamily:
    """Limits on one side of the usual value; ``share`` bounds how many rows lie elsewhere, at worst at ``end``."""
    if usual == end:
        return certain(end, side)
    limits = usual + (end - usual) * np.array([share.limit_at(level) for level in DEVIATION_LEVELS])
    return TabulatedBound(DEVIATION_LEVELS, tuple(limits.tolist()), side, "confidence")


def _by_resampling(measured: Measured, resampled: Resampled, figure: int) -> Limits:
    families = (resampled.limits(figure, "upper"), resampled.limits(figure, "lower"))
    units = measured.basis.unit_count
    moving = int((np.abs(measured.sums - measured.mean * measured.sizes) > 0).sum())
    caveats = [approximate("Resampling", GUARANTEED)]
    if min(moving, units) < FEW:
        noun = measured.basis.unit
        text = f"Only {counted(min(moving, units), noun)} of {units:,} move this figure, so its limits are rough."
        caveats.append(Diagnostic("few-effective-rows", text, hint=GUARANTEED))
    assumed = INDEPENDENT if measured.independent else INDEPENDENT_GROUPS
    return Limits(families, "bootstrap", (assumed,), tuple(caveats))


def _by_betting(measured: Measured, level: float, seed: int) -> Limits:
    low, high = measured.range
    losses = np.clip((measured.values - low) / (high - low), 0.0, 1.0)
    found = _bet(measured, losses, level, seed)
    steps = (Scaled(high - low), Shifted(low))
    return Limits(_moved(found, steps), "betting", found.assumptions, found.caveats)


def _bet(measured: Measured, losses: FloatArray, level: float, seed: int) -> Estimate:
    basis = measured.basis
    if basis.weights is not None:
        return bounds.weighted(losses, basis.weights, level=level, seed=seed)
    if basis.units is not None:
        return bounds.grouped(losses, basis.units, level=level, seed=seed)
    return bounds.betting(losses, level=level, seed=seed)


def _moved(found: Estimate, steps: Iterable[Scaled | Shifted]) -> tuple[BoundFamily, ...]:
    taken = tuple(steps)
    return tuple(bound_after(family, taken) for family in found.bounds)
