"""Quantities as expressions of Open-PSA."""

from __future__ import annotations

from collections.abc import Callable

from surefoot.faulttree.formats.mef.expressions import ELEMENTS
from surefoot.faulttree.formats.mef.xml_text import element
from surefoot.faulttree.quantities import Fixed, Histogram, MissionTime, Operation, Parameter, Quantity


def expression(quantity: Quantity, refer: Callable[[str], str]) -> list[str]:
    """The lines of an expression; ``refer`` tells how a parameter is referred to."""
    if isinstance(quantity, Fixed):
        return element("float", {"value": repr(quantity.value)})
    if isinstance(quantity, Parameter):
        return element("parameter", {"name": refer(quantity.name)})
    if isinstance(quantity, MissionTime):
        return element("system-mission-time", {})
    if isinstance(quantity, Histogram):
        return _histogram(quantity, refer)
    if isinstance(quantity, Operation) and quantity.name == "switch":
        return _switch(quantity, refer)
    tag = quantity.name if isinstance(quantity, Operation) else ELEMENTS[type(quantity)]
    return element(tag, {}, _all(quantity.arguments, refer))


def _all(quantities: tuple[Quantity, ...], refer: Callable[[str], str]) -> list[str]:
    return [line for quantity in quantities for line in expression(quantity, refer)]


def _histogram(quantity: Histogram, refer: Callable[[str], str]) -> list[str]:
    low, *highs = quantity.arguments[: len(quantity.edges)]
    lines = expression(low, refer)
    for pair in zip(highs, quantity.arguments[len(quantity.edges) :], strict=True):
        lines += element("bin", {}, _all(pair, refer))
    return element("histogram", {}, lines)


def _switch(quantity: Operation, refer: Callable[[str], str]) -> list[str]:
    *pairs, otherwise = quantity.arguments
    cases = zip(pairs[::2], pairs[1::2], strict=True)
    lines = [line for pair in cases for line in element("case", {}, _all(pair, refer))]
    return element("switch", {}, [*lines, *expression(otherwise, refer)])
