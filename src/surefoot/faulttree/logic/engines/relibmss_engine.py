"""relibmss (Okamura): decision diagrams in Rust; the second engine, and set algebra for prime implicants."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.faulttree.logic.engines.engine import Engine, Limit, Operations, OverLimit
from surefoot.faulttree.logic.variable_order import FALSE, TRUE, Diagram, IntArray, Order


class RelibmssEngine(Engine):
    """Builds diagrams with relibmss; the limit on nodes is checked between two operations."""

    def operations(self, variables: int, limit: Limit) -> Operations:
        return _Operations(variables, limit)


class _Operations(Operations):
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
        return exported(f, dict(enumerate(columns)))

    def _limited(self, f: Any) -> Any:
        if self.manager._size()[1] > self.limit.nodes:
            raise OverLimit("the diagram has too many nodes")
        return f


def exported(f: Any, columns: dict[int, int]) -> Diagram:
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
