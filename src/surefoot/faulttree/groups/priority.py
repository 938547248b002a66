"""Priority gates with a stated probability of their order: a conjunction with one more event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from surefoot.faulttree.formula import Formula
from surefoot.faulttree.quantities import Fixed, Quantity

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


def with_orders(tree: FaultTree) -> FaultTree:
    """The tree with an event ``[gate order]`` under each priority gate that states an order.

    The event is independent of the inputs, as the stated probability is one given that all of them happen.
    """
    events: dict[str, Quantity | None] = {}
    gates = {name: _ordered(formula, name, events) for name, formula in tree.gates.items()}
    return replace(tree, gates=gates, events={**tree.events, **events}) if events else tree


def _ordered(formula: Formula, name: str, events: dict[str, Quantity | None]) -> Formula:
    inputs = tuple(
        _ordered(item, f"{name}.{place}", events) if isinstance(item, Formula) else item
        for place, item in enumerate(formula.inputs, 1)
    )
    if formula.kind == "pand" and formula.order is not None:
        event = f"[{name} order]"
        events[event] = Fixed(formula.order)
        return Formula("and", (*inputs, event))
    return formula if inputs == formula.inputs else replace(formula, inputs=inputs)
