"""Formulas of gates as plain data: ``{or: [a, b]}``, ``{at least: 2, of: [a, b, c]}``, ``{not: a}``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from surefoot.core.errors import SurefootError
from surefoot.documents import Refused, did_you_mean, shown
from surefoot.faulttree.formula import COUNTING, KINDS, ONE_INPUT, Formula, Kind

DEEPEST = 200
"""Formulas inside formulas; gates below gates may be as deep as they like."""
AT_LEAST, BETWEEN, OF, ORDER = "at least", "between", "of", "order"
OPENINGS = (*(kind for kind in KINDS if kind not in COUNTING), AT_LEAST, BETWEEN)
KEYS = (*OPENINGS, OF, ORDER)
QUOTE = "Put names that look like numbers in quotes."


def read_formula(said: Mapping[str, Any], depth: int = 0) -> Formula:
    """The formula that a mapping says."""
    if depth > DEEPEST:
        raise Refused("tree-syntax", f"formulas are nested more than {DEEPEST} deep.", "Give inner formulas names.")
    opening = _opening(said)
    if opening in (AT_LEAST, BETWEEN):
        return _counting(said, opening, depth)
    _refuse_besides(said, opening, (ORDER,) if opening == "pand" else ())
    one = opening in ONE_INPUT
    inputs = (_input(said[opening], depth),) if one else _inputs(said[opening], opening, depth)
    try:
        return Formula(cast(Kind, opening), inputs, order=said.get(ORDER))
    except SurefootError as error:
        raise Refused("tree-probability", f"{error}") from error


def formula_data(formula: Formula, depth: int = 0) -> dict[str, Any]:
    """Plain data that ``read_formula`` reads."""
    if depth > DEEPEST:
        raise Refused(
            "tree-unsupported", f"formulas are nested more than {DEEPEST} deep.", "Give inner formulas names."
        )
    inputs = [formula_data(item, depth + 1) if isinstance(item, Formula) else item for item in formula.inputs]
    if formula.kind == "atleast":
        return {AT_LEAST: formula.minimum, OF: inputs}
    if formula.kind == "cardinality":
        return {BETWEEN: [formula.minimum, formula.maximum], OF: inputs}
    order = {} if formula.order is None else {ORDER: formula.order}
    return {formula.kind: inputs[0] if formula.kind in ONE_INPUT else inputs} | order


def _opening(said: Mapping[str, Any]) -> str:
    found = [key for key in said if key in OPENINGS]
    if len(found) == 1:
        return found[0]
    if found:
        raise Refused("wrong-value", f"a gate has one kind, found {' and '.join(map(shown, found))}.")
    if not said:
        raise Refused("missing-key", "the gate is empty.", "Write for example: {or: [a, b]}")
    first = next(iter(said))
    raise Refused("unknown-key", f"{shown(first)} is no kind of gate.", did_you_mean(first, OPENINGS))


def _counting(said: Mapping[str, Any], opening: str, depth: int) -> Formula:
    _refuse_besides(said, opening, (OF,))
    if OF not in said:
        raise Refused("missing-key", f"{opening!r} needs {OF!r} and a list.", "Write: {at least: 2, of: [a, b, c]}")
    inputs = _inputs(said[OF], OF, depth)
    if opening == AT_LEAST:
        return Formula("atleast", inputs, _whole(said[opening], opening))
    limits = said[opening]
    if not isinstance(limits, list) or len(limits) != 2:
        raise Refused("wrong-value", f"{BETWEEN!r} takes two numbers, found {shown(limits)}.", "Write: between: [1, 2]")
    return Formula("cardinality", inputs, _whole(limits[0], opening), _whole(limits[1], opening))


def _inputs(said: Any, key: str, depth: int) -> tuple[str | bool | Formula, ...]:
    if not isinstance(said, list):
        raise Refused("wrong-value", f"{key!r} takes a list, found {shown(said)}.", f"Write: {key}: [a, b]")
    return tuple(map(partial(_input, depth=depth), said))


def _input(said: Any, depth: int) -> str | bool | Formula:
    if isinstance(said, str | bool):
        return said
    if isinstance(said, Mapping):
        return read_formula(said, depth + 1)
    raise Refused("wrong-value", f"an input is a name, true, false or a formula, found {shown(said)}.", QUOTE)


def _whole(said: Any, key: str) -> int:
    if isinstance(said, bool) or not isinstance(said, int):
        raise Refused("wrong-value", f"{key!r} takes a whole number, found {shown(said)}.")
    return said


def _refuse_besides(said: Mapping[str, Any], opening: str, allowed: tuple[str, ...]) -> None:
    for key in said:
        if key != opening and key not in allowed:
            hint = did_you_mean(key, [*allowed, "label", "component", "attributes"])
            raise Refused("unknown-key", f"{shown(key)} does not belong to a gate of kind {opening!r}.", hint)
