"""Priority gates with a stated probability of their order: a conjunction with one more event."""

from __future__ import annotations

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
    if all(inner.order is None for inner in formula.formulas()):
        return formula
    places = _places(formula)
    inputs = [list(inner.inputs) for inner, _, _ in places]
    made = formula
    for index in reversed(range(len(places))):
        inner, outer, place = places[index]
        made = replace(inner, inputs=tuple(inputs[index]))
        if inner.order is not None:
            event = f"[{_path(name, index, places)} order]"
            events[event] = Fixed(inner.order)
            made = Formula("and", (*made.inputs, event))
        if index:
            inputs[outer][place] = made
    return made


def _places(formula: Formula) -> list[tuple[Formula, int, int]]:
    """A formula and those inside it, each after the one it stands in, with that one's index and the place there."""
    found = [(formula, 0, 0)]
    for index, (outer, _, _) in enumerate(found):
        found.extend((item, index, place) for place, item in enumerate(outer.inputs) if isinstance(item, Formula))
    return found


def _path(name: str, index: int, places: list[tuple[Formula, int, int]]) -> str:
    """The name of the gate and the places on the way in, from 1."""
    steps = []
    while index:
        _, index, place = places[index]
        steps.append(f".{place + 1}")
    return name + "".join(reversed(steps))
