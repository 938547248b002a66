"""Minimal sets of a function, by OxiDD: its least monotone function from above, then sets without their supersets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from surefoot.faulttree.logic.diagram import Diagram
from surefoot.faulttree.logic.engines.base import Limit, OverLimit
from surefoot.faulttree.logic.engines.oxidd_engine import OxiddEngine, exported

SPACES = (1 << 19, 1 << 22, 1 << 25)


def minimal_sets(diagram: Diagram, signs: Mapping[int, int], limit: Limit) -> Diagram:
    """The zero-suppressed diagram of the minimal sets of columns that make a function true, all others being false.

    ``signs`` says of each column whether the function rises (+1) or falls (-1) with it, or neither is known (0).
    """
    if not diagram.levels:
        return diagram
    for nodes in SPACES:
        within = Limit(nodes, limit.deadline)
        try:
            monotone = diagram if _rises(diagram, signs) else _hull(diagram, signs, within)
            return _minimal(monotone, within)
        except OverLimit:
            limit.check_time()
    raise OverLimit("the minimal sets have too many nodes")


def _rises(diagram: Diagram, signs: Mapping[int, int]) -> bool:
    return all(signs[column] > 0 for column, _ in diagram.levels)


def _hull(diagram: Diagram, signs: Mapping[int, int], limit: Limit) -> Diagram:
    """The least monotone function above a function.

    Where the function rises with a column there is nothing to do, and where it falls the column is not needed.
    """
    columns = tuple(column for column, _ in reversed(diagram.levels))
    operations = OxiddEngine(collect=True).operations(len(columns), limit)
    found = _Held(diagram, operations.constant(False), operations.constant(True))
    for level, (column, nodes) in zip(reversed(range(len(columns))), diagram.levels, strict=True):
        limit.check_time()
        variable, sign = operations.variable(level), signs[column]
        for low, high in found.children(nodes):
            if sign < 0:
                found.add(low)
            else:
                then = high if sign > 0 else operations.disjunction(high, low)
                found.add(operations.choice(variable, then, low))
    return operations.diagram(found.root, columns)


def _minimal(diagram: Diagram, limit: Limit) -> Diagram:
    """Minimal sets of a monotone function (Coudert and Madre 1992): with x, those of f1 that are none of f0."""
    from oxidd.util import DDMemoryError
    from oxidd.zbdd import ZBDDManager

    if not diagram.levels:
        return diagram
    columns = tuple(column for column, _ in reversed(diagram.levels))
    manager = ZBDDManager(limit.nodes, limit.nodes, 1)
    manager.add_vars(len(columns))
    found = _Held(diagram, manager.empty(), manager.base())
    try:
        for level, (_, nodes) in zip(reversed(range(len(columns))), diagram.levels, strict=True):
            limit.check_time()
            single = manager.singleton(level)
            for low, high in found.children(nodes):
                found.add(single.make_node(high - low, low))
    except DDMemoryError as error:
        raise OverLimit("the minimal sets have too many nodes") from error
    return exported(manager, [found.root], columns)[0]


class _Held:
    """What was found for each node, held as long as a node above it needs it."""

    def __init__(self, diagram: Diagram, false: Any, true: Any) -> None:
        self.diagram, self.found = diagram, [false, true]
        children = np.concatenate([diagram.low[2:], diagram.high[2:], [0, 1, diagram.root]])
        self.uses = np.bincount(children, minlength=len(diagram.column)).tolist()

    @property
    def root(self) -> Any:
        return self.found[self.diagram.root]

    def add(self, item: Any) -> None:
        self.found.append(item)

    def children(self, nodes: slice) -> Any:
        """What was found for the low and the high child of each node."""
        pairs = zip(self.diagram.low[nodes].tolist(), self.diagram.high[nodes].tolist(), strict=True)
        for low, high in pairs:
            yield self.found[low], self.found[high]
            for child in (low, high):
                self.uses[child] -= 1
                if not self.uses[child]:
                    self.found[child] = None
