"""A case as a list of operations, which every calculus can run.

What several branches rest on is counted once. In the program for belief (``counting_once``) each unit is a core, in
which nothing is shared, and two sets of shared units: parts that it needs, and warrants that it stands under. Sets are
united where branches come together, and applied where all uses of a unit meet or where the unit itself is shown. The
belief of Dempster and Shafer is then exactly that of all distinct leaves. Probability and disbelief are exact where no
shared warrant stands above some branches only; otherwise the whole counts as not shown when that warrant fails, and
disbelief in a needed part is put back (``raise``).

In the other program shared units are marked (``share``), and the calculus treats their states one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, Literal, NamedTuple

from surefoot.case.confidence.calculus import Calculus, Components

Code = Literal["leaf", "and", "discount", "not", "fuse", "deduce", "raise", "share"]
NOTHING = -1


class Operation(NamedTuple):
    """One step: what it does, to the results of which earlier steps, and what else it needs."""

    code: Code
    inputs: tuple[int, ...]
    data: Any = None


@dataclass
class Program:
    """Operations in order; the result of each is named by its place."""

    operations: list[Operation] = dataclass_field(default_factory=list)
    shown: list[int] = dataclass_field(default_factory=list)
    """For each unit the result that is its own opinion."""
    leaves: dict[int, int] = dataclass_field(default_factory=dict)
    """For each leaf unit the operation that states it."""
    field: dict[int, int] = dataclass_field(default_factory=dict)
    """For each unit that was operated the operation that states what was found."""
    gaps: dict[int, list[int]] = dataclass_field(default_factory=dict)
    """For each unit that lacks something the operations that stand for what is not there."""
    contraries: dict[int, list[int]] = dataclass_field(default_factory=dict)
    """For each unit that challenges the operations that say it is not so, one a challenge."""
    inexact: dict[int, None] = dataclass_field(default_factory=dict)
    """Units at which shared ones had to be applied before all their uses met."""
    common: dict[int, None] = dataclass_field(default_factory=dict)
    """Units whose legs share something."""

    def add(self, code: Code, inputs: Sequence[int] = (), data: Any = None) -> int:
        """Append an operation and say its place."""
        self.operations.append(Operation(code, tuple(inputs), data))
        return len(self.operations) - 1

    def conjunction(self, places: Sequence[int]) -> int:
        """The conjunction of one or several results."""
        return places[0] if len(places) == 1 else self.add("and", places)

    def needed_for(self, place: int) -> list[int]:
        """The operations that a result rests on, in order."""
        wanted = bytearray(len(self.operations))
        wanted[place] = 1
        for each in range(place, -1, -1):
            if wanted[each]:
                for below in self.operations[each].inputs:
                    if below != NOTHING:
                        wanted[below] = 1
        return [each for each in range(place + 1) if wanted[each]]


def run(program: Program, calculus: Calculus) -> list[Any]:
    """The result of every operation."""
    values: list[Any] = []
    for operation in program.operations:
        values.append(perform(operation, values, calculus))
    return values


def perform(operation: Operation, values: Sequence[Any] | Mapping[int, Any], calculus: Calculus) -> Any:
    """The result of one operation."""
    code, inputs, data = operation
    match code:
        case "and":
            return calculus.conjunction([values[each] for each in inputs])
        case "leaf":
            return calculus.leaf(data)
        case "discount":
            return calculus.discounted(values[inputs[0]], values[inputs[1]], data)
        case "not":
            return calculus.negated(values[inputs[0]])
        case "fuse":
            return calculus.fused([values[each] for each in inputs], data)
        case "deduce":
            return calculus.deduced(values[inputs[0]], *data)
        case "raise":
            trust = None if inputs[1] == NOTHING else values[inputs[1]]
            return calculus.raised(values[inputs[0]], trust, [values[each] for each in inputs[2:]])
        case "share":
            return calculus.shared(values[inputs[0]])


UNKNOWN = Components(0.0, 0.0, 1.0, 0.5)
"""Of what is not here nothing is known."""
