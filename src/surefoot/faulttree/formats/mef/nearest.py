"""The nearest quantities and groups that Open-PSA can say, for those that it has no words for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isclose
from typing import Any, cast

from surefoot.core.distributions import Beta, Distribution
from surefoot.core.distributions import LogNormal as LogNormalBelief
from surefoot.faulttree.formats.mef.nearest_formulas import plain_formula
from surefoot.faulttree.groups import CommonCause, Expansion, FactorModel
from surefoot.faulttree.quantities import (
    MISSION_TIME,
    BetaDeviate,
    Counts,
    Drawn,
    Fixed,
    Histogram,
    LogNormalMuSigma,
    Measured,
    MissionTime,
    Operation,
    Parameter,
    PeriodicTest,
    Quantity,
    parameter_order,
)


def plain_quantity(quantity: Quantity, shared: Mapping[str, Quantity]) -> Quantity:
    """The quantity with deviates or means in place of what Open-PSA lacks; ``shared`` are the parameters.

    The value without uncertainty stays the same.
    """
    if isinstance(quantity, Counts):
        return _deviate(quantity.posterior, quantity.posterior.mean)
    if isinstance(quantity, Measured):
        return _deviate(quantity.estimate.dist, quantity.estimate.value)
    if isinstance(quantity, Drawn):
        return _deviate(quantity.distribution, quantity.distribution.mean)
    if isinstance(quantity, PeriodicTest) and quantity.average:
        return Fixed(nominal(quantity, shared))
    if isinstance(quantity, MissionTime) and MISSION_TIME in shared:
        return Parameter(MISSION_TIME)
    parts = {name: getattr(quantity, name) for name in _fields(quantity)}
    plain = {name: _plain_part(part, shared) for name, part in parts.items()}
    return cast(Quantity, replace(cast(Any, quantity), **plain))


def _fields(quantity: Quantity) -> tuple[str, ...]:
    if isinstance(quantity, Operation):
        return ("operands",)
    return ("edges", "weights") if isinstance(quantity, Histogram) else quantity.argument_names


def _plain_part(part: Any, shared: Mapping[str, Quantity]) -> Any:
    return tuple(plain_quantity(q, shared) for q in part) if isinstance(part, tuple) else plain_quantity(part, shared)


def _deviate(belief: Distribution | None, value: float) -> Quantity:
    """A deviate with this mean if there is one, else the value.

    SCRAM refuses a wide belief about a probability unless it is cut off at 1.
    """
    if belief is None or value > 1 or not isclose(belief.mean, value, rel_tol=1e-12):
        return Fixed(value)
    if isinstance(belief, Beta):
        return Operation("min", (Fixed(1.0), BetaDeviate(belief.a, belief.b)))
    if isinstance(belief, LogNormalBelief):
        return Operation("min", (Fixed(1.0), LogNormalMuSigma(belief.mu, belief.sigma)))
    return Fixed(value)


def nominal(quantity: Quantity, shared: Mapping[str, Quantity]) -> float:
    """The value where every uncertain part has its mean."""
    known: dict[str, Any] = {}
    for name in parameter_order(shared, dict.fromkeys(quantity.references())):
        known[name] = shared[name].evaluate({}, name, known)
    return float(quantity.evaluate({}, "", known))


def plain_group(group: FactorModel, shared: Mapping[str, Quantity]) -> FactorModel:
    """The group with plain quantities."""
    given = {name: getattr(group, name) for name in ("distribution", group.given_as)}
    return replace(group, **{name: _plain_part(part, shared) for name, part in given.items()})


def nearest_expansion(group: CommonCause, shared: Mapping[str, Quantity]) -> Expansion:
    """Gates and events in place of a group that Open-PSA does not know."""
    whole = group.expansion()
    known = {**shared, **whole.parameters}
    return Expansion(
        {name: plain_formula(formula) for name, formula in whole.gates.items()},
        {name: plain_quantity(quantity, known) for name, quantity in whole.events.items()},
        {name: plain_quantity(quantity, known) for name, quantity in whole.parameters.items()},
    )
