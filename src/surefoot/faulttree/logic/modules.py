"""Modules: gates whose events occur nowhere else, so that they can be solved on their own (Dutuit and Rauzy 1996)."""

from __future__ import annotations

from surefoot.faulttree.logic.circuit import Circuit


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
