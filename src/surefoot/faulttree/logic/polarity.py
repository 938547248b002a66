"""How a circuit goes with its events, as its gates show it: rising, falling, or neither."""

from __future__ import annotations

from surefoot.faulttree.logic.circuit import TRUE, Circuit, Gate
from surefoot.faulttree.logic.part import Problem


def polarities(circuit: Circuit) -> dict[int, int]:
    """+1, -1 or 0 for each variable and gate below the top event."""
    gates = {number: circuit.gates[number] for number in circuit.reachable()}
    return _signs(circuit.top, gates)


def leaf_signs(problem: Problem) -> dict[int, int]:
    """How the function goes with the column of each leaf."""
    signs = _signs(problem.root, problem.gates)
    return {leaf: -signs[leaf] if leaf in problem.flipped else signs[leaf] for leaf in problem.leaves}


def true_without_events(circuit: Circuit) -> set[int]:
    """Gates that are true when no event happens."""
    found: set[int] = {TRUE}
    for number in circuit.reachable():
        gate = circuit.gates[number]
        count = sum((abs(literal) in found) == (literal > 0) for literal in gate.inputs)
        if _holds(gate, count):
            found.add(number)
    return found


def _holds(gate: Gate, count: int) -> bool:
    if gate.operator == "and":
        return count == len(gate.inputs)
    return count % 2 == 1 if gate.operator == "xor" else count >= gate.least


def _signs(root: int, gates: dict[int, Gate]) -> dict[int, int]:
    signs = {abs(root): 1 if root > 0 else -1}
    for number in reversed(gates):
        gate = gates[number]
        for literal in gate.inputs:
            sign = 0 if gate.operator == "xor" else signs[number] * (1 if literal > 0 else -1)
            known = signs.setdefault(abs(literal), sign)
            signs[abs(literal)] = sign if known == sign else 0
    return signs
