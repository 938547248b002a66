"""Intervals of a mean of returns: exact where a row has two values, by resampling units or by betting otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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
    bound_after,
)
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.monitors.evaluation.bootstrap import Resampled
from surefoot.monitors.evaluation.deviation import FEW, Deviation, beside_two_values, effective_count
from surefoot.monitors.evaluation.measured import Measured
from surefoot.monitors.evaluation.strata import STRATIFIED, ResampledStrata, Strata, TwoValues, Unseen

Method = Literal["auto", "bootstrap", "betting"]
METHODS: tuple[Method, ...] = ("auto", "bootstrap", "betting")
TWO_VALUED = Assumption("two-valued-returns", "A row's figure is always one of the two values that were seen.")
GUARANTEED = "Use method='betting' where the level must hold."


@dataclass(frozen=True)
class Limits:
    """Bounds of a mean, by which method, and what they rest on."""

    bounds: tuple[BoundFamily, ...]
    method: str
    assumptions: tuple[Assumption, ...]
    caveats: tuple[Diagnostic, ...] = ()


MANY_EQUAL = 20
"""Units of unequal weight that are worth fewer equal ones than this are resampled badly."""


def limits_in_strata(
    measured: Measured,
    strata: Strata,
    resampled: ResampledStrata,
    figure: int,
    *,
    unseen: Unseen,
    alarms: NDArray[np.bool_] | None,
    method: Method,
    level: float,
) -> Limits:
    """Limits of the mean of one figure over strata whose shares are fixed."""
    worth = strata.worth(measured.values, unseen, alarms)
    one_each = measured.basis.unit_count == measured.basis.rows
    if method == "auto" and measured.basis.two_valued and one_each:
        found = TwoValues.of(measured, strata, worth, alarms).limits(level)
        if found is not None:
            by_design = () if worth is None else (strata.assumption(),)
            return Limits(found[0], found[1], (*STRATIFIED, *by_design))
    drawn = _by_resampling(measured, resampled, figure)
    return replace(drawn, assumptions=STRATIFIED)


def limits(measured: Measured, resampled: Resampled, figure: int, *, method: Method, level: float, seed: int) -> Limits:
    """Limits of the mean of one figure."""
    if method == "betting":
        return _by_betting(measured, level, seed)
    found = _from_counts(measured) if method == "auto" else None
    return found or _by_resampling(measured, resampled, figure)


def _from_counts(measured: Measured) -> Limits | None:
    """Limits that need no resampling; None where many units move the mean."""
    independent = measured.basis.independent
    pair = _two_values(measured) if independent else None
    if pair is not None:
        return _exact(measured, *pair)
    if independent and measured.distinct.size == 2:
        low, high = measured.distinct.tolist()
        families = beside_two_values(measured.values, low, high, measured.range)
        return Limits(families, "deviation", (INDEPENDENT,))
    deviation = _deviation(measured)
    few = deviation.movers < FEW if independent else deviation.few_move
    return _by_deviation(measured, deviation) if few else None


def _two_values(measured: Measured) -> tuple[float, float] | None:
    """The two values a row can have; None where there are more, or where others may not have been seen yet."""
    distinct, (low, high) = measured.distinct, measured.range
    if measured.basis.two_valued and np.isin(distinct, (0.0, high)).all():
        return 0.0, high
    ends = np.abs(distinct[:, None] - np.array([low, 0.0, high])).min(axis=1) <= measured.close
    return (float(distinct[0]), float(distinct[1])) if distinct.size == 2 and ends.all() else None


def _exact(measured: Measured, low: float, high: float) -> Limits:
    """Clopper and Pearson (1934), on how often the higher of the two values occurs."""
    middle = (low + high) / 2
    counts = Counts(int((measured.values > middle).sum()), measured.values.size)
    steps = (Scaled(high - low), Shifted(low))
    plain = (low, high) == (0.0, 1.0)
    families = counts.exact_bounds()
    assumed = (INDEPENDENT,) if measured.basis.two_valued else (INDEPENDENT, TWO_VALUED)
    return Limits(tuple(f if plain else bound_after(f, steps) for f in families), "exact", assumed)


def _deviation(measured: Measured) -> Deviation:
    return Deviation.of(measured.sums, measured.sizes, measured.range)


def _by_deviation(measured: Measured, deviation: Deviation) -> Limits:
    """Nearly all units have one value: the others lie anywhere in the range, as often as Clopper and Pearson allow."""
    assumed = INDEPENDENT if measured.basis.independent else INDEPENDENT_GROUPS
    if deviation.equal:
        return Limits(deviation.bounds(), "deviation", (assumed,))
    text = f"No {measured.basis.unit} is taken to weigh more than the heaviest one seen."
    return Limits(deviation.bounds(), "deviation", (assumed,), (Diagnostic("approximate-coverage", text),))


def _by_resampling(measured: Measured, resampled: Resampled | ResampledStrata, figure: int) -> Limits:
    families = (resampled.limits(figure, "upper"), resampled.limits(figure, "lower"))
    units = measured.basis.unit_count
    moving = _deviation(measured).movers
    caveats = [approximate("Resampling", GUARANTEED)]
    if min(moving, units) < FEW:
        noun = measured.basis.unit
        text = f"Only {counted(min(moving, units), noun)} of {units:,} move this figure, so its limits are rough."
        caveats.append(Diagnostic("few-effective-rows", text, hint=GUARANTEED))
    if effective_count(measured.sizes) < MANY_EQUAL:
        text = f"A few of {counted(units, measured.basis.unit)} weigh as much as all others, so limits are rough."
        caveats.append(Diagnostic("few-effective-rows", text, hint=GUARANTEED))
    assumed = INDEPENDENT if measured.basis.independent else INDEPENDENT_GROUPS
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
