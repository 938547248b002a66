"""Orders of variables, which decide the size of a diagram.

Walks from the top that visit the inputs of a gate by some preference, each also improved by FORCE (Aloul, Markov and
Sakallah 2003), which pulls what stands in one gate together. The sum of spans, how far the inputs of each gate are
apart, tells good orders from bad ones before a diagram is built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.faulttree.logic.diagram import IntArray
from surefoot.faulttree.logic.part import Problem

Order = tuple[int, ...]
Preference = Callable[[int], Any]

FORCE_ROUNDS = 60


def walks(problem: Problem) -> dict[str, Order]:
    """Orders in which a walk from the top meets the leaves, by name of the preference."""
    return {name: _walk(problem, preference) for name, preference in _preferences(problem).items()}


def ranked(problem: Problem) -> Iterator[Order]:
    """Orders to try, the most promising first; each is different.

    A walk comes first because it costs nothing to find; orders by FORCE, the least span first, and walks take turns.
    """
    found = list(walks(problem).values())
    yield found[0]
    hypergraph = _Hypergraph(problem)
    improved = sorted((hypergraph.force(order) for order in found), key=hypergraph.span)
    seen = {found[0]}
    for pair in zip(improved, [*found[1:], found[0]], strict=True):
        for order in pair:
            if order not in seen:
                seen.add(order)
                yield order


def _preferences(problem: Problem) -> dict[str, Preference]:
    parents, weight, depth = problem.parents, dict.fromkeys(problem.leaves, 1), dict.fromkeys(problem.leaves, 0)
    for number, gate in problem.gates.items():
        inputs = [abs(literal) for literal in gate.inputs]
        weight[number] = sum(weight[item] for item in inputs)
        depth[number] = 1 + max(depth[item] for item in inputs)
    return {
        "shared gates first": lambda n: (n not in problem.gates, -parents[n], n),
        "deep first": lambda n: (-depth[n], -parents[n], n),
        "light first": lambda n: (weight[n], -parents[n], n),
        "shared and light first": lambda n: (-parents[n], weight[n], n),
        "heavy first": lambda n: (-weight[n], -parents[n], n),
        "shared first": lambda n: (-parents[n], n),
        "as written": lambda n: n,
        "events first": lambda n: (n in problem.gates, -parents[n], n),
    }


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
        best, least = position, np.inf
        for _ in range(FORCE_ROUNDS):
            rank = _ranks(position)
            span = self._span(rank)
            if span < least:
                best, least = rank, span
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
    order: IntArray = np.argsort(position, kind="stable")
    rank[order] = np.arange(len(position))
    return rank
