"""One module of a circuit as a problem of its own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from surefoot.faulttree.logic.circuit import Circuit, Gate


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
