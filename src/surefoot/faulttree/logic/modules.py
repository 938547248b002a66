"""Modules: gates whose events occur nowhere else, so that they can be solved on their own (Dutuit and Rauzy 1996)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from surefoot.faulttree.logic.circuit import TRUE, Circuit, Gate


def modules(circuit: Circuit) -> list[int]:
    """Gates that are modules, inputs first; the top gate is the last of them."""
    visits = _Visits(circuit)
    first, last = visits.first, visits.last
    lowest, highest = dict(first), dict(last)
    found = []
    for gate in visits.left:
        inputs = [abs(literal) for literal in circuit.gates[gate].inputs]
        low = min(lowest[number] for number in inputs)
        high = max(highest[number] for number in inputs)
        if low > first[gate] and high < visits.leaving[gate]:
            found.append(gate)
        lowest[gate], highest[gate] = min(low, first[gate]), max(high, last[gate])
    return found


class _Visits:
    """Dates of the first and last visit of each node, and of leaving each gate, in a walk from the top."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit, self.date = circuit, 0
        self.first: dict[int, int] = {}
        self.last: dict[int, int] = {}
        self.leaving: dict[int, int] = {}
        self.left: list[int] = []
        self._walk(abs(circuit.top))

    def _walk(self, top: int) -> None:
        stack = [(top, self._inputs(top))] if self._enter(top) else []
        while stack:
            gate, inputs = stack[-1]
            if inputs:
                number = inputs.pop()
                if self._enter(number):
                    stack.append((number, self._inputs(number)))
            else:
                self.date += 1
                self.leaving[gate] = self.last[gate] = self.date
                self.left.append(gate)
                stack.pop()

    def _inputs(self, gate: int) -> list[int]:
        return [abs(literal) for literal in reversed(self.circuit.gates[gate].inputs)]

    def _enter(self, number: int) -> bool:
        """Note a visit; true for a gate that is entered for the first time."""
        self.date += 1
        self.last[number] = self.date
        if number in self.first:
            return False
        self.first[number] = self.date
        return number in self.circuit.gates


# One module of a circuit as a problem of its own.


@dataclass(frozen=True, eq=False)
class Problem:
    """The gates below ``root`` down to ``leaves``: variables, and gates that are solved on their own.

    ``flipped`` are the leaves whose column stands for their complement.
    """

    root: int
    gates: dict[int, Gate]
    """By number, inputs first."""
    leaves: tuple[int, ...]
    """In the order of a walk from the root."""
    flipped: frozenset[int]

    @classmethod
    def of(cls, circuit: Circuit, root: int, solved: Collection[int], flipped: Collection[int]) -> Problem:
        """The part of ``circuit`` below the literal ``root`` and above the gates in ``solved``."""
        gates: dict[int, Gate] = {}
        leaves: dict[int, None] = {}
        stack = [abs(root)]
        while stack:
            number = stack.pop()
            if number in gates or number in leaves:
                continue
            if number in circuit.gates and (number not in solved or number == abs(root)):
                gates[number] = circuit.gates[number]
                stack.extend(abs(literal) for literal in reversed(gates[number].inputs))
            else:
                leaves[number] = None
        complements = frozenset(leaf for leaf in leaves if leaf in flipped)
        return cls(root, dict(sorted(gates.items())), tuple(leaves), complements)

    @cached_property
    def parents(self) -> dict[int, int]:
        """How many gates use a leaf or gate."""
        found = dict.fromkeys((*self.leaves, *self.gates), 0)
        for gate in self.gates.values():
            for literal in gate.inputs:
                found[abs(literal)] += 1
        return found


# How a circuit goes with its events, as its gates show it: rising, falling, or neither.


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
