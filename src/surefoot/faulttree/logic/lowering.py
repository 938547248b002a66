"""From the formulas of a tree to a circuit."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from surefoot.faulttree.formula import Formula
from surefoot.faulttree.logic.circuit import FIRST, TRUE, Circuit

Node = str | Formula


def lower(top: str, gates: Mapping[str, Formula], events: Mapping[str, object], houses: Mapping[str, bool]) -> Circuit:
    """The circuit of everything below ``top``; constants are gone and equal gates merged.

    Variables are numbered in the order in which a reader meets them from the top, from left to right.
    """
    order = _inputs_first(top, gates)
    names = [node for node in order if isinstance(node, str) and node in events]
    circuit = Circuit(names)
    literals: dict[object, int] = {name: FIRST + index for index, name in enumerate(names)}
    literals |= {name: TRUE if state else -TRUE for name, state in houses.items()}
    for node in order:
        if isinstance(node, Formula):
            literals[id(node)] = _literal(circuit, node, literals)
        elif node in gates:
            literals[node] = literals[id(gates[node])]
    circuit.top = literals[top]
    return circuit


def _inputs_first(top: str, gates: Mapping[str, Formula]) -> list[Node]:
    """Names and formulas below ``top``, each after its inputs; the tree has no cycles."""
    order: list[Node] = []
    seen: set[object] = set()
    stack: list[tuple[Node, bool]] = [(top, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
            continue
        key = node if isinstance(node, str) else id(node)
        if key in seen:
            continue
        seen.add(key)
        stack.append((node, True))
        if isinstance(node, Formula):
            stack.extend((item, False) for item in reversed(node.inputs) if not isinstance(item, bool))
        elif node in gates:
            stack.append((gates[node], False))
    return order


def _literal(circuit: Circuit, formula: Formula, literals: Mapping[object, int]) -> int:
    inputs = [_input(item, literals) for item in formula.inputs]
    if formula.kind == "atleast":
        return circuit.at_least(formula.minimum or 0, inputs)
    if formula.kind == "cardinality":
        most = len(inputs) if formula.maximum is None else formula.maximum
        enough, too_many = circuit.at_least(formula.minimum or 0, inputs), circuit.at_least(most + 1, inputs)
        return circuit.conjunction([enough, -too_many])
    return _BY_KIND[formula.kind](circuit, inputs)


def _input(item: str | bool | Formula, literals: Mapping[object, int]) -> int:
    if isinstance(item, bool):
        return TRUE if item else -TRUE
    return literals[item if isinstance(item, str) else id(item)]


_BY_KIND: dict[str, Callable[[Circuit, list[int]], int]] = {
    "pass": lambda _, inputs: inputs[0],
    "not": lambda _, inputs: -inputs[0],
    "and": Circuit.conjunction,
    "inhibit": Circuit.conjunction,
    "pand": Circuit.conjunction,
    "or": Circuit.disjunction,
    "nand": lambda circuit, inputs: -circuit.conjunction(inputs),
    "nor": lambda circuit, inputs: -circuit.disjunction(inputs),
    "xor": Circuit.parity,
    "iff": lambda circuit, inputs: -circuit.parity(inputs),
    "imply": lambda circuit, inputs: circuit.disjunction([-inputs[0], inputs[1]]),
}
