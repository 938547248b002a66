"""The nearest formulas that Open-PSA can say and other tools accept.

Inhibit and priority-and become conjunctions. Gates with one input pass it on, an exclusive or of many is nested, and
an input stands in a gate once, because SCRAM refuses others.
"""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

from surefoot.documents import Refused
from surefoot.faulttree.formats.formulas import DEEPEST
from surefoot.faulttree.formula import Formula

Truth: TypeAlias = str | bool | Formula
CONJUNCTIONS = ("and", "inhibit", "pand")
MOST_SPLITS = 6
"""Repeated inputs of one gate that are taken apart; each doubles the formula."""
INVERSE = {"nand": "and", "nor": "or"}


def plain_formula(formula: Formula) -> Formula:
    """A formula with the same truth for every state; of a priority-and without its order."""
    found = _nearest(formula)
    return found if isinstance(found, Formula) else Formula("pass", (found,))


def _nearest(item: Truth) -> Truth:
    """Formulas may be nested as deep as files allow, which bounds the recursion."""
    if not isinstance(item, Formula):
        return item
    inputs = tuple(map(_nearest, item.inputs))
    if item.kind == "pass":
        return inputs[0]
    if item.kind in CONJUNCTIONS:
        return _joined("and", inputs)
    if item.kind == "or":
        return _joined("or", inputs)
    if item.kind in INVERSE:
        return _inverted(item, inputs)
    if item.kind == "xor":
        return _nested_xor(_apart(inputs))
    if item.kind == "atleast":
        return _counted(item.minimum or 0, inputs)
    return Formula(item.kind, _apart(inputs), item.minimum, item.maximum)


def _joined(kind: str, inputs: tuple[Truth, ...]) -> Truth:
    """A conjunction or disjunction in which nothing stands twice."""
    once = tuple(dict.fromkeys(inputs))
    return once[0] if len(once) == 1 else Formula("and" if kind == "and" else "or", once)


def _inverted(item: Formula, inputs: tuple[Truth, ...]) -> Truth:
    once = tuple(dict.fromkeys(inputs))
    return Formula("not", once) if len(once) == 1 else Formula(item.kind, once)


def _counted(least: int, inputs: tuple[Truth, ...], splits: int = MOST_SPLITS) -> Truth:
    """At least so many inputs; one that stands there again is taken apart, because SCRAM miscounts it."""
    if least <= 0:
        return True
    if least > len(inputs):
        return False
    if least == 1:
        return _joined("or", inputs)
    if least == len(inputs):
        return _joined("and", inputs)
    again = next((item for item, times in Counter(inputs).items() if times > 1), None)
    if again is None or not splits:
        return Formula("atleast", _apart(inputs), least)
    others = tuple(item for item in inputs if item != again)
    with_it = _counted(least - (len(inputs) - len(others)), others, splits - 1)
    without = _counted(least, others, splits - 1)
    both = again if with_it is True else _joined("and", (again, with_it))
    return both if without is False else _joined("or", (both, without))


def _nested_xor(inputs: tuple[Truth, ...]) -> Truth:
    """Pairs of pairs, so that many inputs are not nested deep."""
    level = list(inputs)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [*(Formula("xor", pair) for pair in pairs), *(level[-1:] if len(level) % 2 else [])]
    return level[0]


def _apart(inputs: tuple[Truth, ...]) -> tuple[Truth, ...]:
    """Inputs of a gate that counts them: one that stands there again is negated twice."""
    seen: set[Truth] = set()
    found: list[Truth] = []
    for item in inputs:
        found.append(Formula("not", (Formula("not", (item,)),)) if item in seen else item)
        seen.add(item)
    return tuple(found)


def require_shallow(name: str, formula: Formula) -> None:
    """Refuse what no reader of the file could take."""
    level: list[Formula] = [formula]
    for _ in range(DEEPEST):
        level = [item for each in level for item in each.inputs if isinstance(item, Formula)]
        if not level:
            return
    text = f"the formulas of {name!r} are nested more than {DEEPEST} deep."
    raise Refused("tree-unsupported", text, "Give inner formulas names.")
