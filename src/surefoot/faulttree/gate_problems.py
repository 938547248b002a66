"""What can be wrong with one gate: how many inputs it has, what it counts to, what it repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TypeGuard

from surefoot import documents
from surefoot.core.diagnostics import Diagnostic
from surefoot.documents import counted
from surefoot.faulttree.formula import COUNTING, ONE_INPUT, TWO_INPUTS, Formula

MOST_NAMED = 10
AT_LEAST_TWO = ("xor", "pand")
EXACTLY_TWO = (*TWO_INPUTS, "inhibit")
EACH_COUNTS = (*COUNTING, "xor")
ONE_ORDER = "Events come in one order: name the order an event of its own, and use it in both gates."
REPEATS = "An input that stands there twice counts twice."


def inner_formulas(formula: Formula) -> list[Formula]:
    """The formula and all inside it, however deep, in the order of reading."""
    if len(_own_names(formula)) == len(formula.inputs):
        return [formula]
    found: list[Formula] = []
    stack = [formula]
    while stack:
        found.append(stack.pop())
        stack.extend(item for item in reversed(found[-1].inputs) if isinstance(item, Formula))
    return found


def input_names(formula: Formula) -> list[str]:
    """Every name below, in the order of reading, as often as it stands there."""
    names = _own_names(formula)
    if len(names) == len(formula.inputs):
        return names
    names = []
    stack: list[str | bool | Formula] = [formula]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            names.append(item)
        elif isinstance(item, Formula):
            stack.extend(reversed(item.inputs))
    return names


def _own_names(formula: Formula) -> list[str]:
    return [item for item in formula.inputs if isinstance(item, str)]


def gate_problems(gates: Mapping[str, Formula], places: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Wrong numbers of inputs (errors), inputs that count twice (warnings), other repeated inputs (one note)."""
    repeating = []
    for name, formula in gates.items():
        for inner in inner_formulas(formula):
            for text in _shape(inner):
                yield Diagnostic("tree-gate", text, "error", _place(name, places))
            repeated = _repeated(inner)
            if repeated and inner.kind in EACH_COUNTS:
                text = f"the inputs of {_article(inner.kind)} gate repeat {listed(repeated)}."
                yield Diagnostic("tree-gate", text, "warning", _place(name, places), REPEATS)
            elif repeated:
                repeating.append(name)
    if repeating:
        text = f"{counted(len(repeating), 'gate')} with an input that stands there twice: {listed(repeating)}."
        yield Diagnostic("tree-gate", text, "note", hint="The second one changes nothing.")
    yield from _orders_in_common(gates, places)


def _orders_in_common(gates: Mapping[str, Formula], places: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Priority gates that state the order of the same two inputs; their orders are taken as independent."""
    stated: dict[frozenset[str], str] = {}
    for name, formula in gates.items():
        for inner in inner_formulas(formula):
            pairs = combinations(dict.fromkeys(_own_names(inner)), 2) if inner.order is not None else ()
            known = {frozenset(pair) for pair in pairs}
            others = sorted({stated[pair] for pair in known if pair in stated})
            if others:
                text = f"the order of its inputs is also stated at {listed(others)}, and taken as independent of that."
                yield Diagnostic("tree-gate", text, "warning", _place(name, places), ONE_ORDER)
            stated |= dict.fromkeys(known - set(stated), name)


def _place(gate: str, places: Mapping[str, str]) -> str:
    return places.get(gate) or f"gate {gate!r}"


def listed(names: list[str]) -> str:
    """Up to ten names, and how many there are besides."""
    return documents.listed([repr(name) for name in names], MOST_NAMED)


def _shape(formula: Formula) -> Iterator[str]:
    kind, have = formula.kind, len(formula.inputs)
    needs = _needed(kind)
    if not needs[0] <= have <= (needs[1] or have):
        wanted = f"exactly {needs[0]}" if needs[1] else f"at least {needs[0]}"
        yield f"{_article(kind)} gate needs {wanted} input{'' if needs[0] == 1 else 's'}, it has {have}."
    if kind in COUNTING:
        yield from _counting(formula)
    elif formula.minimum is not None or formula.maximum is not None:
        yield f"{_article(kind)} gate counts nothing, so it takes neither a minimum nor a maximum."
    if formula.order is not None and kind != "pand":
        yield f"the probability of an order belongs to a pand gate, not to {_article(kind)} gate."


def _needed(kind: str) -> tuple[int, int | None]:
    """The least and, where there is one, the largest number of inputs."""
    if kind in ONE_INPUT:
        return 1, 1
    if kind in EXACTLY_TWO:
        return 2, 2
    return (2, None) if kind in AT_LEAST_TWO else (1, None)


def _counting(formula: Formula) -> Iterator[str]:
    have = len(formula.inputs)
    low, high = formula.minimum, formula.maximum
    if formula.kind == "atleast":
        if high is not None:
            yield "an atleast gate takes a minimum only; use a cardinality gate."
        high = have
    if not (_whole(low) and _whole(high)):
        yield f"{_article(formula.kind)} gate needs whole numbers to count to, found {low!r} and {high!r}."
    elif not 0 <= low <= high <= have:
        if formula.kind == "atleast":
            yield f"at least {low} of {counted(have, 'input')} cannot be asked for."
        else:
            yield f"between {low} and {high} of {counted(have, 'input')} cannot be asked for."


def _whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _repeated(formula: Formula) -> list[str]:
    names = _own_names(formula)
    if len(set(names)) == len(names):
        return []
    return [name for name, times in Counter(names).items() if times > 1]


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeio' or kind == 'xor' else 'a'} {kind}"
