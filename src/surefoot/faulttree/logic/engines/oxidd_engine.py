"""OxiDD (Husung, Dubslaff, Hermanns and Köhl 2024): decision diagrams in Rust with a hard limit on nodes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.faulttree.logic.diagram import FALSE, TRUE, Diagram, IntArray
from surefoot.faulttree.logic.engines.base import Engine, Limit, Operations, OverLimit
from surefoot.faulttree.logic.orders import Order


ROOM = 2
"""The hard limit of a manager, in limits: close to full, a manager would spend its time collecting garbage."""


class OxiddEngine(Engine):
    """Builds diagrams with OxiDD."""

    name = "oxidd"

    def operations(self, variables: int, limit: Limit) -> Operations:
        return _Operations(variables, limit)


class _Operations(Operations):
    def __init__(self, variables: int, limit: Limit) -> None:
        from oxidd.bdd import BDDManager
        from oxidd.util import DDMemoryError

        self.full: type[Exception] = DDMemoryError
        self.most = limit.nodes
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
        if not f.satisfiable() or f.valid():
            nothing: IntArray = np.zeros(2, dtype=np.int64)
            return Diagram(nothing, nothing, nothing, TRUE if f.valid() else FALSE)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "diagram"
            self.manager.export_dddmp(path, [f], ascii=True)
            return _read(path.read_bytes(), columns)

    def _limited(self, operation: Any, *arguments: Any) -> Any:
        try:
            found = operation(*arguments)
        except self.full as error:
            over = OverLimit("the diagram has too many nodes")
            over.burst = True
            raise over from error
        if self.manager.approx_num_inner_nodes() > self.most:
            raise OverLimit("the diagram has too many nodes")
        return found


def _read(content: bytes, columns: Order) -> Diagram:
    """Nodes of a DDDMP file: number from 1, position of the variable in the support, high child, low child.

    The two constants come first, then the deepest level.
    """
    support = _numbers(content, b".permids ", b"\n")
    nodes = content[content.index(b".nodes\n") + 7 : content.index(b".end")]
    first, second, inner = nodes.split(b"\n", 2)
    table = np.fromstring(inner, dtype=np.int64, sep=" ").reshape(-1, 4)
    number = np.arange(-1, len(table) + 2)
    number[1], number[2] = (FALSE, TRUE) if first.startswith(b"1 F") else (TRUE, FALSE)
    column = np.zeros(len(table) + 2, dtype=np.int64)
    column[2:] = np.asarray(columns)[support][table[:, 1]]
    low, high = column * 0, column * 0
    low[2:], high[2:] = number[table[:, 3]], number[table[:, 2]]
    root = int(number[_numbers(content, b".rootids ", b"\n")[0]])
    return Diagram(column, low, high, root)


def _numbers(content: bytes, start: bytes, end: bytes) -> IntArray:
    begin = content.index(start) + len(start)
    return np.fromstring(content[begin : content.index(end, begin)], dtype=np.int64, sep=" ")
