"""Modules of a circuit, each a problem of its own, and the orders of its variables that are tried.

A module is a gate whose events occur nowhere else, so that it can be solved by itself (Dutuit and Rauzy 1996). Orders
decide the size of a diagram. Walks from the top visit the inputs of a gate by some preference, such as shared gates
first. FORCE (Aloul, Markov and Sakallah 2003) pulls what stands in one gate together; the sum of spans, how far the
inputs of each gate are apart, tells its good orders from its bad ones before a diagram is built.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from surefoot.core.validate import FloatArray
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


# Orders of variables.

Order = tuple[int, ...]
Preference = Callable[[int], Any]

FORCE_ROUNDS = 60
PATIENCE = 8
"""Rounds without a better span after which FORCE stops."""
RANDOM_STARTS = 2


def walks(problem: Problem) -> Iterator[Order]:
    """Orders in which walks from the top meet the leaves, the most promising preference first."""
    return (_walk(problem, preference) for preference in _preferences(problem))


def pulled(problem: Problem) -> list[Order]:
    """Orders by FORCE from all walks and from random orders, the least span first."""
    hypergraph = _Hypergraph(problem)
    rng = np.random.default_rng(0)
    starts = [*walks(problem), *(tuple(rng.permutation(problem.leaves).tolist()) for _ in range(RANDOM_STARTS))]
    return sorted({hypergraph.force(order) for order in starts}, key=lambda order: (hypergraph.span(order), order))


def _preferences(problem: Problem) -> tuple[Preference, ...]:
    parents, weight, depth = problem.parents, dict.fromkeys(problem.leaves, 1), dict.fromkeys(problem.leaves, 0)
    for number, gate in problem.gates.items():
        inputs = [abs(literal) for literal in gate.inputs]
        weight[number] = sum(weight[item] for item in inputs)
        depth[number] = 1 + max(depth[item] for item in inputs)
    return (
        lambda n: (n not in problem.gates, -parents[n], n),
        lambda n: (-depth[n], -parents[n], n),
        lambda n: (weight[n], -parents[n], n),
        lambda n: (-parents[n], weight[n], n),
        lambda n: (-weight[n], -parents[n], n),
        lambda n: (-parents[n], n),
        lambda n: n,
        lambda n: (n in problem.gates, -parents[n], n),
    )


def _walk(problem: Problem, preference: Preference) -> Order:
    found: dict[int, None] = {}
    entered: set[int] = set()
    stack = [abs(problem.root)]
    while stack:
        number = stack.pop()
        if number not in problem.gates:
            found[number] = None
        elif number not in entered:
            entered.add(number)
            inputs = (abs(literal) for literal in problem.gates[number].inputs)
            stack.extend(sorted(inputs, key=preference, reverse=True))
    return tuple(found)


class _Hypergraph:
    """Each gate with its inputs is an edge."""

    def __init__(self, problem: Problem) -> None:
        self.leaves = problem.leaves
        numbers = [*problem.leaves, *problem.gates]
        place = {number: index for index, number in enumerate(numbers)}
        pins = [
            (edge, place[member])
            for edge, (number, gate) in enumerate(problem.gates.items())
            for member in (number, *(abs(literal) for literal in gate.inputs))
        ]
        self.place, self.gates = place, problem.gates
        self.edge, self.pin = np.array(pins, dtype=np.int64).T
        self.starts = np.flatnonzero(np.diff(self.edge, prepend=-1))
        self.members = np.bincount(self.edge)
        self.edges_of = np.bincount(self.pin)

    def span(self, order: Order) -> float:
        """Sum over the gates of the distance between the first and the last that it joins."""
        return self._span(_ranks(self._positions(order)))

    def force(self, order: Order) -> Order:
        """The best order met while everything moves to the middle of its gates."""
        position = self._positions(order)
        best, least, found = position, np.inf, 0
        for round_ in range(FORCE_ROUNDS):
            rank = _ranks(position)
            span = self._span(rank)
            if span < least:
                best, least, found = rank, span, round_
            elif round_ - found >= PATIENCE:
                break
            centre = np.bincount(self.edge, rank[self.pin]) / self.members
            position = np.bincount(self.pin, centre[self.edge]) / self.edges_of
        leaves = np.argsort(best[: len(self.leaves)], kind="stable")
        return tuple(self.leaves[index] for index in leaves.tolist())

    def _span(self, rank: FloatArray) -> float:
        pins = rank[self.pin]
        return float((np.maximum.reduceat(pins, self.starts) - np.minimum.reduceat(pins, self.starts)).sum())

    def _positions(self, order: Order) -> FloatArray:
        position = np.zeros(len(self.place))
        for index, leaf in enumerate(order):
            position[self.place[leaf]] = index
        for number, gate in self.gates.items():
            inputs = [position[self.place[abs(literal)]] for literal in gate.inputs]
            position[self.place[number]] = sum(inputs) / len(inputs)
        return position


def _ranks(position: FloatArray) -> FloatArray:
    rank = np.empty(len(position))
    order = np.argsort(position, kind="stable")
    rank[order] = np.arange(len(position))
    return rank
