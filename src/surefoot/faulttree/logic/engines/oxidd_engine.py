"""Minimal sets of a function, by OxiDD: its least monotone function from above, then sets without their supersets."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.faulttree.logic.engines.engine import Engine, Limit, Operations, OverLimit
from surefoot.faulttree.logic.variable_order import FALSE, TRUE, Diagram, IntArray, Order, constant

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


# OxiDD (Husung, Dubslaff, Hermanns and Köhl 2024): decision diagrams in Rust with a hard limit on nodes.

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
