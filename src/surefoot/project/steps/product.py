"""The step that multiplies results of earlier steps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

import numpy as np

from surefoot.core import (
    Assumption,
    Estimate,
    Evidence,
    InvalidInput,
    Side,
    Table,
    TabulatedBound,
    propagate,
    union,
)
from surefoot.core.count_budget import count_of
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.propagation import Proven, takes_a_share
from surefoot.core.validate import FloatArray
from surefoot.faulttree import FaultTree, Formula
from surefoot.faulttree.counted import INDEPENDENT_TESTS, LEVELS
from surefoot.faulttree.quantities import as_quantity
from surefoot.faulttree.uncertainty import counted_inputs
from surefoot.project.step import step
from surefoot.project.steps.parameters import Level, Mix, Quantity, UnitOfProduct
from surefoot.project.steps.tables import limit, one_sided

CONDITIONAL = Assumption(
    "conditional-factors", "Each factor holds given the events of the factors before it, or is independent of them."
)


@step
def product(
    *,
    factors: Mapping[str, Estimate],
    quantity: Quantity = "hazard probability",
    unit: UnitOfProduct = None,
    level: Level = 0.95,
    mix: Mix = False,
    seed: int = 0,
) -> Evidence:
    """Product of results of earlier steps, such as exposure times failure probability.

    Factors with distributions are drawn together; bounds without are combined by sharing the miss probability among
    them, which holds however their errors depend on each other. Probabilities that were counted on different data
    have one share together, as in a fault tree. Bounds of probabilities that hold on average give one that does. Gives
    the `quantity` that is named.
    """
    _require_not_negative(factors, level)
    found = propagate(
        _product,
        factors,
        quantity=quantity,
        direction=Proven(dict.fromkeys(factors, 1)),
        level=level,
        seed=seed,
        unit=unit,
        scope=", ".join(dict.fromkeys(factor.scope for factor in factors.values() if factor.scope)),
        assumptions=[CONDITIONAL],
        linear=[name for name, factor in factors.items() if factor.unit == PER_DEMAND],
        mix=mix,
    )
    stated = [name for name, factor in factors.items() if _is_certain(factor)]
    share = 1 - (1 - level) / max(len(factors) - len(stated), 1)
    limits = {name: limit(factor, "upper", share) for name, factor in factors.items()}
    if found.dist is None and None not in limits.values():
        found = replace(found, details={**found.details, "factors": limits, "stated": stated})
    found = _counted_together(found, factors, level)
    return Evidence((found,), tables={"factors": _table(factors, found, level)})


def _counted_together(found: Estimate, factors: Mapping[str, Estimate], level: float) -> Estimate:
    """With the bounds that counts of several factors give together, where they were counted on different data."""
    counts = {n: e for n, e in factors.items() if e.unit == PER_DEMAND and count_of(e) is not None}
    if found.dist is not None or {family.kind for family in found.bounds} != {"confidence"} or len(counts) < 2:
        return found
    events = {name: as_quantity(estimate) for name, estimate in counts.items()}
    together = counted_inputs(FaultTree("product", {"product": Formula("and", tuple(counts))}, events))
    if together is None or together.others:
        return found
    rest = {name: factor for name, factor in factors.items() if name not in counts}

    def family(side: Side) -> TabulatedBound:
        shares = 1 + sum(takes_a_share(factor, side) for factor in rest.values())
        levels = sorted({*(each for each in LEVELS if each > level), level})
        limits = [
            together.limit((1 - each) / shares, side)
            * math.prod(factor.bound(side, 1 - (1 - each) / shares).limit for factor in rest.values())
            for each in levels
        ]
        return TabulatedBound.widened(levels, limits, side, "confidence")

    return replace(
        found,
        bounds=tuple(family(bound.side) for bound in found.bounds),
        assumptions=union(found.assumptions, (INDEPENDENT_TESTS,)),
        details={**found.details, **together.details()},
    )


def _product(**factors: FloatArray) -> FloatArray:
    return reduce(np.multiply, factors.values())


def _is_certain(factor: Estimate) -> bool:
    return all(family.kind == "certain" for family in factor.bounds if family.side == "upper")


def _require_not_negative(factors: Mapping[str, Estimate], level: float) -> None:
    """A product rises with each factor only where no other one is negative."""
    for name, factor in factors.items():
        lowest = min(factor.value, limit(factor, "lower", level) or 0.0)
        if lowest < 0:
            raise InvalidInput("a factor may be negative", where=f"factor {name!r}", found=f"{lowest:g}")


def _table(factors: Mapping[str, Estimate], found: Estimate, level: float) -> Table:
    rows = [(name, e.quantity, e.scope, e.value, limit(e, "upper", level)) for name, e in factors.items()]
    result = ("product", found.quantity, found.scope, found.value, limit(found, "upper", level))
    return Table(("factor", "quantity", "about", "value", f"upper bound ({one_sided(level)})"), (*rows, result))
