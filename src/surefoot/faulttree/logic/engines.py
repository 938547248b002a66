"""Libraries that build decision diagrams, behind one small interface.

``Engine.build`` gives the diagram of a problem, or raises ``OverLimit``. OxiDD is asked first: its number of nodes has
a hard limit, and its diagrams come out in one piece. relibmss brings set algebra for prime implicants, and checks OxiDD
in the tests.
"""

from __future__ import annotations

import tempfile
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.core import validate
from surefoot.core.errors import SurefootError
from surefoot.faulttree.logic.circuit import Gate, Order, Problem
from surefoot.faulttree.logic.decision_diagram import FALSE, TRUE, Diagram, IntArray, constant


@dataclass(frozen=True)
class Budget:
    """How many nodes a diagram may have, and how many seconds the exact probability or an interval of it may take.

    The minimal cut sets may take five times as long: they are computed when they are first asked for.

    Parameters
    ----------
    nodes
        Most nodes of a decision diagram.
    seconds
        Half of them are kept for a certified interval, in case the diagram is too large.

    Examples
    --------
    >>> from surefoot.faulttree import Budget
    >>> Budget(nodes=1_000_000, seconds=10).minimal_seconds
    50

    """

    nodes: int = 20_000_000
    seconds: float = 120.0

    @property
    def minimal_seconds(self) -> float:
        """Time for the minimal cut sets."""
        return 5 * self.seconds

    def __post_init__(self) -> None:
        validate.count(self.nodes, where="Budget", name="nodes", at_least=1)
        validate.positive(self.seconds, where="Budget", name="seconds")

    def limit(self) -> Limit:
        """The limit of work that begins now."""
        return Limit(max(self.nodes, 1024), time.monotonic() + self.seconds)


class BeyondBudget(SurefootError):
    """A tree is too large for an exact answer; its probability lies between ``low`` and ``high``, which is certain.

    Parameters
    ----------
    low, high
        Ends of the certified interval.

    See Also
    --------
    FaultTree.interval : The exact probability twice, or this interval.
    Budget : What an exact answer may cost.

    """

    def __init__(self, *, low: float, high: float) -> None:
        self.low, self.high = low, high
        super().__init__(
            "the tree is too large for an exact probability within the budget",
            found=f"certified interval {low:.6g} to {high:.6g}",
            remedy="Use the interval, or give a larger budget of nodes and seconds.",
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.low, self.high)


def _rebuild(low: float, high: float) -> BeyondBudget:
    return BeyondBudget(low=low, high=high)


class OverLimit(SurefootError):
    """A diagram needs more nodes or more time than it was given.

    ``built`` gates were finished before; ``burst`` says that a single operation went far beyond the limit.
    """

    built = 0
    burst = False


@dataclass(frozen=True)
class Limit:
    """Most nodes of a diagram, garbage included, and the moment (of ``time.monotonic``) at which to stop."""

    nodes: int
    deadline: float = float("inf")

    def check_time(self) -> None:
        """Raise ``OverLimit`` after the deadline."""
        if time.monotonic() > self.deadline:
            raise OverLimit("the time limit was reached")


class Operations(ABC):
    """The operations of one manager of one library; a function is whatever the library says it is."""

    @abstractmethod
    def constant(self, value: bool) -> Any:
        """The function that is always ``value``."""

    @abstractmethod
    def variable(self, level: int) -> Any:
        """The function of the variable at a level; level 0 is asked first."""

    @abstractmethod
    def negation(self, f: Any) -> Any: ...

    @abstractmethod
    def conjunction(self, f: Any, g: Any) -> Any: ...

    @abstractmethod
    def disjunction(self, f: Any, g: Any) -> Any: ...

    @abstractmethod
    def parity(self, f: Any, g: Any) -> Any: ...

    @abstractmethod
    def choice(self, condition: Any, then: Any, otherwise: Any) -> Any: ...

    @abstractmethod
    def diagram(self, f: Any, columns: Order) -> Diagram:
        """The diagram of a function; the variable at level i asks about ``columns[i]``."""


class Engine(ABC):
    """A library that builds diagrams."""

    @abstractmethod
    def operations(self, variables: int, limit: Limit) -> Operations:
        """A fresh manager."""

    def build(self, problem: Problem, order: Order, limit: Limit, columns: Order) -> Diagram:
        """The diagram of the problem's root; ``columns`` are the columns of the leaves, in the order of ``order``."""
        operations = self.operations(len(order), limit)
        return operations.diagram(Builder(problem, order, operations, limit).root(), columns)


class Builder:
    """The function of a problem, gate by gate, inputs first.

    Complements are pushed down to the leaves, where they cost nothing.
    """

    def __init__(self, problem: Problem, order: Order, operations: Operations, limit: Limit) -> None:
        self.problem, self.operations, self.limit = problem, operations, limit
        self.first = {leaf: level for level, leaf in enumerate(order)}
        for number, gate in problem.gates.items():
            self.first[number] = min(self.first[abs(literal)] for literal in gate.inputs)
        self.level = {leaf: level for level, leaf in enumerate(order)}
        self.found: dict[int, Any] = {}

    def root(self) -> Any:
        """The function of the root; what is no longer needed is forgotten on the way."""
        needed = self._needed()
        uses = Counter(part for literal in needed for part in self._parts(literal))
        for built, literal in enumerate(needed):
            self.limit.check_time()
            try:
                self.found[literal] = self._gate(literal, self.problem.gates[abs(literal)])
            except OverLimit as over:
                over.built = built
                raise
            for part in self._parts(literal):
                uses[part] -= 1
                if not uses[part]:
                    self.found.pop(part, None)
        return self._value(self.problem.root)

    def _needed(self) -> list[int]:
        """Literals of gates that must be built, inputs first."""
        seen, stack = set[int](), [self.problem.root]
        while stack:
            literal = stack.pop()
            if literal not in seen and abs(literal) in self.problem.gates:
                seen.add(literal)
                stack.extend(self._parts(literal))
        return sorted(seen, key=lambda literal: (abs(literal), literal))

    def _parts(self, literal: int) -> list[int]:
        """Literals that a gate's literal is built from."""
        gate = self.problem.gates.get(abs(literal))
        if gate is None:
            return []
        if literal > 0 or gate.operator == "xor":
            return list(gate.inputs)
        return [-part for part in gate.inputs]

    def _value(self, literal: int) -> Any:
        if literal in self.found:
            return self.found[literal]
        number = abs(literal)
        if number not in self.level:
            return self.operations.constant(literal > 0)
        variable = self.operations.variable(self.level[number])
        positive = (literal > 0) != (number in self.problem.flipped)
        self.found[literal] = variable if positive else self.operations.negation(variable)
        return self.found[literal]

    def _gate(self, literal: int, gate: Gate) -> Any:
        # What lies deep is joined first: the results stay small until the end.
        parts = sorted(self._parts(literal), key=lambda part: -self.first[abs(part)])
        if gate.operator == "and":
            return self._joined(self.operations.conjunction if literal > 0 else self.operations.disjunction, parts)
        if gate.operator == "xor":
            odd = self._joined(self.operations.parity, parts)
            return odd if literal > 0 else self.operations.negation(odd)
        return self._count(gate.least if literal > 0 else len(parts) - gate.least + 1, parts)

    def _joined(self, operation: Callable[[Any, Any], Any], parts: list[int]) -> Any:
        found = self._value(parts[0])
        for part in parts[1:]:
            found = operation(found, self._value(part))
        return found

    def _count(self, least: int, parts: list[int]) -> Any:
        reached = [self.operations.constant(True)] + [self.operations.constant(False)] * least
        for index, part in enumerate(parts):
            condition = self._value(part)
            for count in range(min(least, index + 1), max(0, least - len(parts) + index), -1):
                reached[count] = self.operations.choice(condition, reached[count - 1], reached[count])
        return reached[least]


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
        shared = oxidd_diagrams(self.manager, others, columns) if others else []
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


def oxidd_diagrams(manager: Any, functions: Sequence[Any], columns: Order) -> list[Diagram]:
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


# Minimal sets of a function, by OxiDD: its least monotone function from above, then sets without their supersets.

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
            rises = all(signs[column] > 0 for column, _ in diagram.levels)
            monotone = diagram if rises else _hull(diagram, signs, within)
            return _minimal(monotone, within)
        except OverLimit:
            limit.check_time()
    raise OverLimit("the minimal sets have too many nodes")


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
    return oxidd_diagrams(manager, [found.root], columns)[0]


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


# relibmss (Okamura): decision diagrams in Rust.


class RelibmssEngine(Engine):
    """Builds diagrams with relibmss; the limit on nodes is checked between two operations."""

    def operations(self, variables: int, limit: Limit) -> Operations:
        return _RelibmssOperations(variables, limit)


class _RelibmssOperations(Operations):
    def __init__(self, variables: int, limit: Limit) -> None:
        from relibmss import PyBDD

        self.manager, self.limit = PyBDD(), limit
        # The variable that is defined last is asked first.
        defined = [self.manager._defvar(str(level)) for level in reversed(range(variables))]
        self.variables = defined[::-1]

    def constant(self, value: bool) -> Any:
        return self.manager._value(value)

    def variable(self, level: int) -> Any:
        return self.variables[level]

    def negation(self, f: Any) -> Any:
        return self._limited(f._not())

    def conjunction(self, f: Any, g: Any) -> Any:
        return self._limited(f._and(g))

    def disjunction(self, f: Any, g: Any) -> Any:
        return self._limited(f._or(g))

    def parity(self, f: Any, g: Any) -> Any:
        return self._limited(f._xor(g))

    def choice(self, condition: Any, then: Any, otherwise: Any) -> Any:
        return self._limited(condition._ifelse(then, otherwise))

    def diagram(self, f: Any, columns: Order) -> Diagram:
        return relibmss_diagram(f, dict(enumerate(columns)))

    def _limited(self, f: Any) -> Any:
        if self.manager._size()[1] > self.limit.nodes:
            raise OverLimit("the diagram has too many nodes")
        return f


def relibmss_diagram(f: Any, columns: dict[int, int]) -> Diagram:
    """The diagram of a function or a family of sets; variables are named by their level."""
    place, rows = _walk(f)
    level = np.array([row[0] for row in rows], dtype=np.int64)
    order = np.argsort(-level, kind="stable")
    number: IntArray = np.empty(len(rows) + 2, dtype=np.int64)
    number[:2] = FALSE, TRUE
    number[order + 2] = np.arange(2, len(rows) + 2)
    column, low, high = (np.zeros(len(rows) + 2, dtype=np.int64) for _ in range(3))
    if rows:
        column[2:] = np.array([columns[item] for item in level[order].tolist()])
        children = np.array([row[1:] for row in rows], dtype=np.int64)[order]
        low[2:], high[2:] = number[children[:, 0]], number[children[:, 1]]
    return Diagram(column, low, high, int(number[place]))


def _walk(f: Any) -> tuple[int, list[tuple[int, int, int]]]:
    """Place of the root, and level and children of each node, which stand after their children."""
    places: dict[int, int] = {}
    rows: list[tuple[int, int, int]] = []
    stack = [f]
    while stack:
        node = stack[-1]
        key = node._get_id()
        if key in places:
            stack.pop()
            continue
        children = node._get_children()
        if not children:
            places[key] = key  # the library numbers its constants as we do
            continue
        low, high = children
        missing = [child for child in (low, high) if child._get_id() not in places]
        if missing:
            stack.extend(missing)
            continue
        rows.append((int(node._get_label()), places[low._get_id()], places[high._get_id()]))
        places[key] = len(rows) + 1
        stack.pop()
    return places[f._get_id()], rows
