"""OxiDD (Husung, Dubslaff, Hermanns and Köhl 2024): decision diagrams in Rust with a hard limit on nodes."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.faulttree.logic.diagram import FALSE, TRUE, Diagram, IntArray, constant
from surefoot.faulttree.logic.engines.base import Engine, Limit, Operations, OverLimit
from surefoot.faulttree.logic.orders import Order

ROOM = 2
"""The hard limit of a manager, in limits: close to full, a manager would spend its time collecting garbage."""


class OxiddEngine(Engine):
    """Builds diagrams with OxiDD.

    With ``collect``, a manager that reaches the limit looks for garbage before it gives up. That takes time, and is
    of use only where functions are thrown away all the time.
    """

    def __init__(self, *, collect: bool = False) -> None:
        self.collect = collect

    def operations(self, variables: int, limit: Limit) -> OxiddOperations:
        return OxiddOperations(variables, limit, collect=self.collect)


class OxiddOperations(Operations):
    """One manager of OxiDD."""

    def __init__(self, variables: int, limit: Limit, *, collect: bool = False) -> None:
        from oxidd.bdd import BDDManager
        from oxidd.util import DDMemoryError

        self.full: type[Exception] = DDMemoryError
        self.most, self.collect = limit.nodes, collect
        # With a smaller cache, one operation can do the same work over and over without making a node.
        self.manager = BDDManager(ROOM * limit.nodes, ROOM * limit.nodes, 1)
        self.manager.add_vars(variables)

    def constant(self, value: bool) -> Any:
        return self.manager.true() if value else self.manager.false()

    def variable(self, level: int) -> Any:
        return self._limited(self.manager.var, level)

    def negation(self, f: Any) -> Any:
        return self._limited(f.__invert__)

    def conjunction(self, f: Any, g: Any) -> Any:
        return self._limited(f.__and__, g)

    def disjunction(self, f: Any, g: Any) -> Any:
        return self._limited(f.__or__, g)

    def parity(self, f: Any, g: Any) -> Any:
        return self._limited(f.__xor__, g)

    def choice(self, condition: Any, then: Any, otherwise: Any) -> Any:
        return self._limited(condition.ite, then, otherwise)

    def diagram(self, f: Any, columns: Order) -> Diagram:
        return self.diagrams([f], columns)[0]

    def diagrams(self, functions: Sequence[Any], columns: Order) -> list[Diagram]:
        """Several functions at once: diagrams that share their nodes and differ in their roots."""
        constants = {place: f.valid() for place, f in enumerate(functions) if f.valid() or not f.satisfiable()}
        others = [f for place, f in enumerate(functions) if place not in constants]
        shared = exported(self.manager, others, columns) if others else []
        found = iter(shared)
        return [constant(constants[place]) if place in constants else next(found) for place in range(len(functions))]

    def _limited(self, operation: Any, *arguments: Any) -> Any:
        try:
            found = operation(*arguments)
        except self.full as error:
            over = OverLimit("the diagram has too many nodes")
            over.burst = True
            raise over from error
        if self.manager.approx_num_inner_nodes() > self.most and not self._has_room_again():
            raise OverLimit("the diagram has too many nodes")
        return found

    def _has_room_again(self) -> bool:
        if self.collect:
            self.manager.gc()
        return self.collect and self.manager.approx_num_inner_nodes() <= self.most // 2


def exported(manager: Any, functions: Sequence[Any], columns: Order) -> list[Diagram]:
    """Diagrams of functions, or of families of sets, that are not constant; they share their nodes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "diagram"
        manager.export_dddmp(path, functions, ascii=True)
        return _read(path.read_bytes(), columns)


def _read(content: bytes, columns: Order) -> list[Diagram]:
    """Nodes of a DDDMP file: number from 1, position of the variable in the support, high child, low child.

    The two constants come first (F and T, or E and B for families of sets), then the deepest level.
    """
    support = _numbers(content, b".permids ")
    nodes = content[content.index(b".nodes\n") + 7 : content.index(b".end")]
    first, _, inner = nodes.split(b"\n", 2)
    table = np.fromstring(inner, dtype=np.int64, sep=" ").reshape(-1, 4)
    number = np.arange(-1, len(table) + 2)
    number[1], number[2] = (FALSE, TRUE) if first[:3] in (b"1 F", b"1 E") else (TRUE, FALSE)
    column, low, high = (np.zeros(len(table) + 2, dtype=np.int64) for _ in range(3))
    column[2:] = np.asarray(columns)[support][table[:, 1]]
    low[2:], high[2:] = number[table[:, 3]], number[table[:, 2]]
    return [Diagram(column, low, high, int(number[root])) for root in _numbers(content, b".rootids ")]


def _numbers(content: bytes, start: bytes) -> IntArray:
    begin = content.index(start) + len(start)
    return np.fromstring(content[begin : content.index(b"\n", begin)], dtype=np.int64, sep=" ")
