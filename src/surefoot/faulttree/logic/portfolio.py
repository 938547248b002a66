"""Orders tried one after the other under growing limits, until one gives a diagram."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from surefoot.faulttree.logic.diagram import Diagram
from surefoot.faulttree.logic.engines import Engine, Limit, OverLimit
from surefoot.faulttree.logic.orders import Order, pulled, walks
from surefoot.faulttree.logic.part import Problem
from surefoot.faulttree.logic.single import of_one_gate

WALK, PULLED = "walk", "pulled"
FIRST, FIRST_WITH_PARITY = 1 << 16, 1 << 18
"""Nodes for the first walk, which is enough for most trees; FORCE is of little use where there is parity."""
SCREEN = 1 << 15
"""Nodes with which orders by FORCE show how far they come."""
SCREENED = 3
ROUNDS = (
    (1 << 16, (PULLED,)),
    (1 << 19, (PULLED, WALK, PULLED)),
    (1 << 22, (WALK, PULLED, PULLED)),
    (1 << 24, (WALK, WALK, PULLED)),
    (1 << 26, (WALK, PULLED, WALK)),
)
"""Nodes allowed, and the orders tried with them: walks and orders by FORCE, the best of each first."""
SECONDS_PER_NODE = 3e-7
"""A round that could not be finished before the deadline is not begun."""
BURST = 16
"""An order that got out of hand is tried again with so many times the nodes."""


def solved(problem: Problem, columns: dict[int, int], engine: Engine, limit: Limit) -> Diagram:
    """The diagram by the first order that keeps within the limit of a round; raises ``OverLimit``."""
    simple = of_one_gate(problem, columns)
    return _Race(problem, columns, engine, limit).winner() if simple is None else simple


@dataclass(eq=False)
class _Race:
    problem: Problem
    columns: dict[int, int]
    engine: Engine
    limit: Limit
    progress: dict[Order, int] = field(default_factory=dict)
    """Gates that an order had built when it was stopped."""
    burst: dict[Order, int] = field(default_factory=dict)
    """Orders with an operation that got out of hand, and the nodes they were allowed: a few more would go that way."""

    def winner(self) -> Diagram:
        parity = any(gate.operator == "xor" for gate in self.problem.gates.values())
        first = FIRST_WITH_PARITY if parity else FIRST
        found = self._try(next(walks(self.problem)), first)
        if found is None and self.limit.nodes > first:
            found = self._screened() or self._rounds()
        if found is None:
            raise OverLimit("no order of variables gave a diagram within the node budget and the time limit")
        return found

    def _screened(self) -> Diagram | None:
        """Let orders by FORCE show how far they come; the furthest first, the least span among equals."""
        orders = pulled(self.problem)[:SCREENED]
        for order in orders:
            found = self._try(order, SCREEN)
            if found is not None:
                return found
        self.by_kind = {
            WALK: list(dict.fromkeys(walks(self.problem))),
            PULLED: sorted(orders, key=lambda order: -self.progress[order]),
        }
        return None

    def _rounds(self) -> Diagram | None:
        for nodes, kinds in ROUNDS:
            allowed = min(nodes, self.limit.nodes)
            for order in self._chosen(kinds, allowed):
                if time.monotonic() + allowed * SECONDS_PER_NODE > self.limit.deadline:
                    return None
                found = self._try(order, allowed)
                if found is not None:
                    return found
            if nodes >= self.limit.nodes:
                break
        return None

    def _chosen(self, kinds: tuple[str, ...], nodes: int) -> Iterator[Order]:
        """The best order of each kind, then the second best."""
        left = {kind: iter(orders) for kind, orders in self.by_kind.items()}
        chosen = (next(left[kind], None) for kind in kinds)
        return (order for order in chosen if order is not None and nodes > BURST * self.burst.get(order, 0))

    def _try(self, order: Order, nodes: int) -> Diagram | None:
        self.limit.check_time()
        within = replace(self.limit, nodes=min(nodes, self.limit.nodes))
        try:
            return self.engine.build(self.problem, order, within, tuple(self.columns[leaf] for leaf in order))
        except OverLimit as over:
            self.progress[order] = over.built
            if over.burst:
                self.burst[order] = within.nodes
            return None
