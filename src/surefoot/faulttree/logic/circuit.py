"""The logic of a tree with as few gates as simple rules can make it.

Every gate is a conjunction, a parity or a count over literals; a disjunction is a conjunction under two
complements. So each rule is written once and holds for its dual as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

Operator = Literal["and", "xor", "atleast"]

TRUE = 1
"""Literal of the constant; its complement is -1. Variables and gates have larger numbers."""
FIRST = 2


@dataclass(frozen=True, slots=True)
class Gate:
    """An operator over literals, in ascending order; ``least`` counts for ``atleast``."""

    operator: Operator
    inputs: tuple[int, ...]
    least: int = 0


@dataclass
class Circuit:
    """Variables ``FIRST .. FIRST + len(events) - 1``, gates above them, and the literal of the top event.

    Gates are numbered in the order they were made, so that inputs have smaller numbers. Equal gates are one gate.
    """

    events: list[str]
    gates: dict[int, Gate] = field(default_factory=dict)
    top: int = TRUE
    _numbers: dict[Gate, int] = field(default_factory=dict)

    @property
    def first_gate(self) -> int:
        """The number above those of all variables."""
        return FIRST + len(self.events)

    @property
    def size(self) -> int:
        """Inputs of all gates below the top event."""
        return sum(len(self.gates[number].inputs) for number in self.reachable())

    def conjunction(self, inputs: Iterable[int]) -> int:
        """Literal of the conjunction."""
        found = set(inputs)
        found.discard(TRUE)
        if -TRUE in found or any(-literal in found for literal in found):
            return -TRUE
        if not found:
            return TRUE
        if len(found) == 1:
            return found.pop()
        return self._gate("and", found)

    def disjunction(self, inputs: Iterable[int]) -> int:
        """Literal of the disjunction."""
        return -self.conjunction([-literal for literal in inputs])

    def parity(self, inputs: Iterable[int]) -> int:
        """Literal that is true for an odd number of true inputs."""
        sign, odd = 1, set[int]()
        for literal in inputs:
            if literal < 0:
                sign, literal = -sign, -literal
            if literal == TRUE:
                sign = -sign
            else:
                odd ^= {literal}
        if not odd:
            return -TRUE * sign
        if len(odd) == 1:
            return odd.pop() * sign
        return self._gate("xor", odd) * sign

    def at_least(self, least: int, inputs: Iterable[int]) -> int:
        """Literal that is true when ``least`` of the inputs are; an input that stands twice counts twice."""
        left, repeated = set[int](), []
        for literal in inputs:
            if literal == TRUE:
                least -= 1
            elif literal == -TRUE:
                continue
            elif -literal in left:
                left.discard(-literal)
                least -= 1
            elif literal in left:
                repeated.append(literal)
            else:
                left.add(literal)
        if repeated:
            return self._weighted(least, left, Counter(repeated))
        if least <= 0:
            return TRUE
        if least > len(left):
            return -TRUE
        if least == 1:
            return self.disjunction(left)
        if least == len(left):
            return self.conjunction(left)
        return self._gate("atleast", left, least)

    def _weighted(self, least: int, single: set[int], more: Counter[int]) -> int:
        """``single`` count once, ``more`` as often as it says, besides the once that they may stand in ``single``."""
        once = {literal for literal in single if literal not in more}
        for literal in single - once:
            more[literal] += 1
        reached = [self.at_least(count, once) for count in range(max(least, 0) + 1)]
        for literal, times in sorted(more.items()):
            for count in range(len(reached) - 1, 0, -1):
                with_it = self.conjunction([literal, reached[max(count - times, 0)]])
                reached[count] = self.disjunction([with_it, reached[count]])
        return reached[-1]

    def _gate(self, operator: Operator, inputs: Iterable[int], least: int = 0) -> int:
        gate = Gate(operator, tuple(sorted(inputs)), least)
        number = self._numbers.get(gate)
        if number is None:
            number = self.first_gate + len(self._numbers)
            self._numbers[gate] = number
            self.gates[number] = gate
        return number

    def again(self, gate: Gate, inputs: Iterable[int]) -> int:
        """A gate of the same kind over other inputs."""
        if gate.operator == "and":
            return self.conjunction(inputs)
        if gate.operator == "xor":
            return self.parity(inputs)
        return self.at_least(gate.least, inputs)

    def reachable(self) -> Iterator[int]:
        """Gates below the top event, inputs before the gates that use them."""
        seen, stack = set[int](), [abs(self.top)]
        while stack:
            number = stack.pop()
            if number in self.gates and number not in seen:
                seen.add(number)
                stack.extend(abs(literal) for literal in self.gates[number].inputs)
        return iter(sorted(seen))
