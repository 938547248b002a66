"""Orders tried one after the other under growing limits, until one gives a diagram."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from surefoot.faulttree.logic.diagram import Diagram
from surefoot.faulttree.logic.engines import Engine, Limit, OverLimit
from surefoot.faulttree.logic.orders import Order, ranked
from surefoot.faulttree.logic.part import Problem

ROUNDS = ((1 << 16, 1), (1 << 18, 3), (1 << 21, 2), (1 << 24, 3), (1 << 26, 4))
"""Nodes allowed, and how many orders are tried with them."""


def solved(problem: Problem, columns: dict[int, int], engine: Engine, limit: Limit) -> Diagram:
    """The diagram by the first order that keeps within the limits of a round; raises ``OverLimit``."""
    candidates, known = ranked(problem), list[Order]()
    for nodes, count in ROUNDS:
        known.extend(islice(candidates, max(count - len(known), 0)))
        for order in known[:count]:
            limit.check_time()
            try:
                within = replace(limit, nodes=min(nodes, limit.nodes))
                return engine.build(problem, order, within, tuple(columns[leaf] for leaf in order))
            except OverLimit:
                continue
        if nodes >= limit.nodes:
            break
    raise OverLimit("no order of variables gave a diagram within the node budget")
