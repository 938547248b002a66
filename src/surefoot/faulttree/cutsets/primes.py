"""Prime implicants: what brings about the top event of a tree that need not be coherent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.faulttree.cutsets.minimal_cut_sets import By, Sets, known_probabilities
from surefoot.faulttree.cutsets.set_families import Chain, Found
from surefoot.faulttree.logic.decision_diagram import FALSE, TRUE, Compiled, Diagram
from surefoot.faulttree.logic.engines import Budget, Limit, OverLimit, relibmss_diagram


class Literal(NamedTuple):
    """An event that happens, or (written with a minus) one that does not.

    See Also
    --------
    Implicant : Consists of them.

    """

    event: str
    present: bool

    def __str__(self) -> str:
        return self.event if self.present else f"-{self.event}"


@dataclass(frozen=True)
class Implicant:
    """Literals, by name, that together bring about the top event, and no fewer of them do.

    See Also
    --------
    FaultTree.prime_implicants : Finds them, with an example.

    """

    literals: tuple[Literal, ...]
    probability: float | None

    @property
    def order(self) -> int:
        """The number of literals."""
        return len(self.literals)

    def __str__(self) -> str:
        return ", ".join(map(str, self.literals)) or "(nothing needed)"


class PrimeImplicants(Sets[Implicant]):
    """Prime implicants, one after the other, as many as asked for.

    See Also
    --------
    FaultTree.prime_implicants : Makes it, with an example.

    """


def prime_implicants(
    compiled: Compiled,
    probabilities: Mapping[str, float] | None = None,
    *,
    order: int | None = None,
    cutoff: float | None = None,
    limit: int | None = None,
    by: By = "order",
    budget: Budget | None = None,
) -> PrimeImplicants:
    """Enumerate prime implicants lazily, as ``cut_sets`` does minimal cut sets.

    Their diagram is built at once (Coudert and Madre 1992), within a budget of nodes and seconds; what goes beyond is
    refused (``tree-beyond-budget``). A module of the tree is a variable of what is above it; its literals stand for
    the prime implicants of the module and of its complement. Of a coherent tree they are the minimal cut sets.
    """
    events = compiled.events
    p = known_probabilities(events, probabilities or {})
    labels = [Literal(event, present) for present in (True, False) for event in events]
    chain = Chain.of(labels, _families_within(compiled, budget or Budget(nodes=10_000_000, seconds=60.0)))
    both = np.concatenate([p, 1 - p])
    return PrimeImplicants(chain, both, _implicant, order=order, cutoff=cutoff, limit=limit, by=by)


def _families_within(compiled: Compiled, budget: Budget) -> list[Diagram]:
    try:
        return _families(compiled, budget.limit())
    except OverLimit as error:
        text = f"the prime implicants take more than {budget.nodes:,} nodes or {budget.seconds:g} s: {error}."
        hint = "Give a larger budget, or ask for minimal cut sets, which are cheaper."
        raise DiagnosticsError.of("tree-beyond-budget", text, where="prime_implicants", hint=hint) from error


def _families(compiled: Compiled, limit: Limit) -> list[Diagram]:
    """The families of all parts and complements of parts that the top event needs, bottom up."""
    found = _needed(compiled, limit)
    events, order = len(compiled.events), sorted(found)
    columns = {(c, present): c + events * (not present) for c in range(events) for present in (True, False)}
    columns |= {(events + part, present): 2 * events + i for i, (part, present) in enumerate(order)}
    return [_with_columns(found[key], columns) for key in order]


def _needed(compiled: Compiled, limit: Limit) -> dict[Signed, PrimeFamily]:
    last, found = len(compiled.parts) - 1, {}
    wanted = {(last, not compiled.negated)}
    for index in range(last, -1, -1):
        function = Function(compiled.parts[index].diagram, limit)
        for present in (True, False):
            if (index, present) in wanted:
                family = function.prime_implicants(of_complement=not present)
                found[index, present] = family
                wanted |= _parts_of(family, len(compiled.events))
    return found


def _parts_of(family: PrimeFamily, events: int) -> set[Signed]:
    """The parts that the family speaks of, and whether of their truth."""
    asked = (family.literals[column] for column, _ in family.diagram.levels)
    return {(column - events, present) for column, present in asked if column >= events}


def _with_columns(family: PrimeFamily, columns: Mapping[Signed, int]) -> Diagram:
    """The family with the columns that its literals have in the chain; those it does not speak of have none."""
    names = np.array([*(columns.get(literal, -1) for literal in family.literals), -1])
    old = family.diagram
    return Diagram(names[old.column], old.low, old.high, old.root)


def _implicant(found: Found) -> Implicant:
    return Implicant(found.labels, None if math.isnan(found.probability) else found.probability)


# The prime implicants of one part, as a diagram over literals (Coudert and Madre 1992).

Signed = tuple[int, bool]


@dataclass(frozen=True, eq=False)
class PrimeFamily:
    """A zero-suppressed diagram whose column ``i`` is the literal ``literals[i]``: a column, present or absent."""

    diagram: Diagram
    literals: tuple[Signed, ...]


@dataclass(eq=False)
class Function:
    """A Boolean function, handed to an engine that can conjoin and complement, and its families of implicants."""

    diagram: Diagram
    limit: Limit

    def __post_init__(self) -> None:
        import relibmss

        self.functions, self.families = relibmss.PyBDD(), relibmss.PyZDD()
        self.primes: dict[int, Any] = {FALSE: self.families._empty(), TRUE: self.families._base()}

    def prime_implicants(self, *, of_complement: bool = False) -> PrimeFamily:
        """The prime implicants of the function, or of its complement."""
        root = self._root._not() if of_complement else self._root
        depth = len(self._literals) - 1
        names = {depth - index: index for index in range(depth + 1)}
        return PrimeFamily(relibmss_diagram(self._primes_of(root), names), self._literals)

    @cached_property
    def _columns(self) -> list[int]:
        return [column for column, _ in self.diagram.levels]

    @cached_property
    def _literals(self) -> tuple[Signed, ...]:
        return tuple((column, present) for column in self._columns for present in (False, True))

    @cached_property
    def _singletons(self) -> list[tuple[Any, Any]]:
        """The literals of each level, absent and present, named by their depth; the deepest must be made first."""
        depth = len(self._literals) - 1
        found = {literal: self.families._singleton(str(depth - index)) for index, literal in enumerate(self._literals)}
        return [(found[column, False], found[column, True]) for column in self._columns]

    @cached_property
    def _root(self) -> Any:
        low, high = self.diagram.low.tolist(), self.diagram.high.tolist()
        nodes = [self.functions._value(False), self.functions._value(True)]
        for column, places in self.diagram.levels:
            header = self.functions._defvar(str(column))._get_header()
            for node in range(places.start, places.stop):
                nodes.append(self.functions._create_node(header, nodes[low[node]], nodes[high[node]]))
        return nodes[self.diagram.root]

    def _primes_of(self, root: Any) -> Any:
        """Children first, and then ``P(f) = P(f0 f1) + -x (P(f0) - P(f0 f1)) + x (P(f1) - P(f0 f1))``."""
        cofactors: dict[int, tuple[Any, Any, Any]] = {}
        stack = [root]
        while stack:
            node = stack[-1]
            key = node._get_id()
            if key in self.primes:
                stack.pop()
                continue
            if key not in cofactors:
                low, high = node._get_children()
                cofactors[key] = (low._and(high), low, high)
                stack.extend(child for child in cofactors[key] if child._get_id() not in self.primes)
                self._check_limit()
            else:
                stack.pop()
                self.primes[key] = self._joined(node._get_level(), *cofactors.pop(key))
        return self.primes[root._get_id()]

    def _check_limit(self) -> None:
        self.limit.check_time()
        if self.functions._size()[1] + self.families._size()[1] > self.limit.nodes:
            raise OverLimit("the diagrams have too many nodes")

    def _joined(self, level: int, both: Any, low: Any, high: Any) -> Any:
        absent, present = self._singletons[level]
        shared, without, within = (self.primes[child._get_id()] for child in (both, low, high))
        found = shared._union(absent._product(without._setdiff(shared)))
        return found._union(present._product(within._setdiff(shared)))
