"""How much work an exact answer may cost, and what is said where that is not enough."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from surefoot.core import validate
from surefoot.core.errors import SurefootError
from surefoot.faulttree.logic.circuit import Gate
from surefoot.faulttree.logic.modules import Problem
from surefoot.faulttree.logic.variable_order import Diagram, Order


@dataclass(frozen=True)
class Budget:
    """How many nodes a diagram may have, and how many seconds the exact probability or an interval of it may take.

    The minimal cut sets may take five times as long: they are computed when they are first asked for.
    """

    nodes: int = 20_000_000
    seconds: float = 120.0

    @property
    def minimal_seconds(self) -> float:
        """Time for the minimal cut sets."""
        return 5 * self.seconds

    def __post_init__(self) -> None:
        validate.count(self.nodes, where="Budget", name="nodes", at_least=1)
        validate.positive(self.seconds, where="Budget", name="seconds")

    def limit(self) -> Limit:
        """The limit of work that begins now."""
        return Limit(max(self.nodes, 1024), time.monotonic() + self.seconds)


class BeyondBudget(SurefootError):
    """A tree is too large for an exact answer; its probability lies between ``low`` and ``high``, which is certain."""

    def __init__(self, *, low: float, high: float) -> None:
        self.low, self.high = low, high
        super().__init__(
            "the tree is too large for an exact probability within the budget",
            found=f"certified interval {low:.6g} to {high:.6g}",
            remedy="Use the interval, or give a larger budget of nodes and seconds.",
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.low, self.high)


def _rebuild(low: float, high: float) -> BeyondBudget:
    return BeyondBudget(low=low, high=high)


# How a problem becomes a diagram, whatever library does the work.


class OverLimit(SurefootError):
    """A diagram needs more nodes or more time than it was given.

    ``built`` gates were finished before; ``burst`` says that a single operation went far beyond the limit.
    """

    built = 0
    burst = False


@dataclass(frozen=True)
class Limit:
    """Most nodes of a diagram, garbage included, and the moment (of ``time.monotonic``) at which to stop."""

    nodes: int
    deadline: float = float("inf")

    def check_time(self) -> None:
        """Raise ``OverLimit`` after the deadline."""
        if time.monotonic() > self.deadline:
            raise OverLimit("the time limit was reached")


class Operations(ABC):
    """The operations of one manager of one library; a function is whatever the library says it is."""

    @abstractmethod
    def constant(self, value: bool) -> Any:
        """The function that is always ``value``."""

    @abstractmethod
    def variable(self, level: int) -> Any:
        """The function of the variable at a level; level 0 is asked first."""

    @abstractmethod
    def negation(self, f: Any) -> Any: ...

    @abstractmethod
    def conjunction(self, f: Any, g: Any) -> Any: ...

    @abstractmethod
    def disjunction(self, f: Any, g: Any) -> Any: ...

    @abstractmethod
    def parity(self, f: Any, g: Any) -> Any: ...

    @abstractmethod
    def choice(self, condition: Any, then: Any, otherwise: Any) -> Any: ...

    @abstractmethod
    def diagram(self, f: Any, columns: Order) -> Diagram:
        """The diagram of a function; the variable at level i asks about ``columns[i]``."""


class Engine(ABC):
    """A library that builds diagrams."""

    @abstractmethod
    def operations(self, variables: int, limit: Limit) -> Operations:
        """A fresh manager."""

    def build(self, problem: Problem, order: Order, limit: Limit, columns: Order) -> Diagram:
        """The diagram of the problem's root; ``columns`` are the columns of the leaves, in the order of ``order``."""
        operations = self.operations(len(order), limit)
        return operations.diagram(Builder(problem, order, operations, limit).root(), columns)


class Builder:
    """The function of a problem, gate by gate, inputs first.

    Complements are pushed down to the leaves, where they cost nothing.
    """

    def __init__(self, problem: Problem, order: Order, operations: Operations, limit: Limit) -> None:
        self.problem, self.operations, self.limit = problem, operations, limit
        self.first = {leaf: level for level, leaf in enumerate(order)}
        for number, gate in problem.gates.items():
            self.first[number] = min(self.first[abs(literal)] for literal in gate.inputs)
        self.level = {leaf: level for level, leaf in enumerate(order)}
        self.found: dict[int, Any] = {}

    def root(self) -> Any:
        """The function of the root; what is no longer needed is forgotten on the way."""
        needed = self._needed()
        uses = Counter(part for literal in needed for part in self._parts(literal))
        for built, literal in enumerate(needed):
            self.limit.check_time()
            try:
                self.found[literal] = self._gate(literal, self.problem.gates[abs(literal)])
            except OverLimit as over:
                over.built = built
                raise
            for part in self._parts(literal):
                uses[part] -= 1
                if not uses[part]:
                    self.found.pop(part, None)
        return self._value(self.problem.root)

    def _needed(self) -> list[int]:
        """Literals of gates that must be built, inputs first."""
        seen, stack = set[int](), [self.problem.root]
        while stack:
            literal = stack.pop()
            if literal not in seen and abs(literal) in self.problem.gates:
                seen.add(literal)
                stack.extend(self._parts(literal))
        return sorted(seen, key=lambda literal: (abs(literal), literal))

    def _parts(self, literal: int) -> list[int]:
        """Literals that a gate's literal is built from."""
        gate = self.problem.gates.get(abs(literal))
        if gate is None:
            return []
        if literal > 0 or gate.operator == "xor":
            return list(gate.inputs)
        return [-part for part in gate.inputs]

    def _value(self, literal: int) -> Any:
        if literal in self.found:
            return self.found[literal]
        number = abs(literal)
        if number not in self.level:
            return self.operations.constant(literal > 0)
        variable = self.operations.variable(self.level[number])
        positive = (literal > 0) != (number in self.problem.flipped)
        self.found[literal] = variable if positive else self.operations.negation(variable)
        return self.found[literal]

    def _gate(self, literal: int, gate: Gate) -> Any:
        # What lies deep is joined first: the results stay small until the end.
        parts = sorted(self._parts(literal), key=lambda part: -self.first[abs(part)])
        if gate.operator == "and":
            return self._joined(self.operations.conjunction if literal > 0 else self.operations.disjunction, parts)
        if gate.operator == "xor":
            odd = self._joined(self.operations.parity, parts)
            return odd if literal > 0 else self.operations.negation(odd)
        return self._count(gate.least if literal > 0 else len(parts) - gate.least + 1, parts)

    def _joined(self, operation: Callable[[Any, Any], Any], parts: list[int]) -> Any:
        found = self._value(parts[0])
        for part in parts[1:]:
            found = operation(found, self._value(part))
        return found

    def _count(self, least: int, parts: list[int]) -> Any:
        reached = [self.operations.constant(True)] + [self.operations.constant(False)] * least
        for index, part in enumerate(parts):
            condition = self._value(part)
            for count in range(min(least, index + 1), max(0, least - len(parts) + index), -1):
                reached[count] = self.operations.choice(condition, reached[count - 1], reached[count])
        return reached[least]
