"""Formulas of Open-PSA files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from surefoot.faulttree.formats.mef.elements import Child, Element, Refused, unknown
from surefoot.faulttree.formula import KINDS, Formula, Kind

KIND_OF: dict[str, Kind] = {kind: kind for kind in KINDS if kind not in ("pass", "inhibit", "pand")}
_ONLY_NAMES = frozenset({str})
TRUTH = {"true": True, "1": True, "false": False, "0": False}


def gate_formula(child: Child) -> Formula:
    """The formula of a gate; a lone reference or constant is passed on."""
    found = formula(child)
    return found if isinstance(found, Formula) else Formula("pass", (found,))


def formula(child: Child) -> str | bool | Formula:
    """A reference, a constant or a formula with all that is inside it; the parser bounds the depth."""
    if isinstance(child, str):
        return child
    if child.tag == "constant":
        return truth(child)
    kind = KIND_OF.get(child.tag)
    if kind is None:
        _complain(child)
    inputs: tuple[str | bool | Formula, ...]
    if _ONLY_NAMES.issuperset(map(type, child.children)):
        inputs = tuple(child.children)  # type: ignore[arg-type]
    else:
        inputs = tuple(map(formula, child.children))
    if kind == "atleast":
        return Formula(kind, inputs, minimum=whole_number(child, "min"))
    if kind == "cardinality":
        return Formula(kind, inputs, minimum=whole_number(child, "min"), maximum=whole_number(child, "max"))
    return Formula(kind, inputs)


def truth(element: Element) -> bool:
    """The value of a constant."""
    value = element.need("value")
    if value not in TRUTH:
        raise Refused("tree-syntax", f"a constant is true or false, found {value!r}.", element.line)
    return TRUTH[value]


def renamed(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The formula with other names for its inputs; the same object where none changes."""
    inputs = tuple(
        names.get(item, item) if isinstance(item, str) else renamed(item, names) if isinstance(item, Formula) else item
        for item in formula.inputs
    )
    if all(new is old for new, old in zip(inputs, formula.inputs, strict=True)):
        return formula
    return Formula(formula.kind, inputs, formula.minimum, formula.maximum, formula.order)


def whole_number(element: Element, attribute: str) -> int:
    """An attribute that counts."""
    text = element.need(attribute)
    if not text.strip().isdecimal() or len(text) > 9:
        problem = f"the attribute {attribute!r} of <{element.tag}> must be a whole number, found {text[:40]!r}."
        raise Refused("tree-gate", problem, element.line)
    return int(text)


def _complain(element: Element) -> NoReturn:
    if element.tag in ("gate", "basic-event", "house-event", "event"):
        element.need("name")
    raise unknown(element, "formula")
