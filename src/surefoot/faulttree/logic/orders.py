"""Orders of variables, which decide the size of a diagram.

Walks from the top visit the inputs of a gate by some preference, such as shared gates first. FORCE (Aloul, Markov and
Sakallah 2003) pulls what stands in one gate together; the sum of spans, how far the inputs of each gate are apart,
tells its good orders from its bad ones before a diagram is built.
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
    order: IntArray = np.argsort(position, kind="stable")
    rank[order] = np.arange(len(position))
    return rank
