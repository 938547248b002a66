"""Prime implicants of a Boolean function as a diagram over literals (Coudert and Madre 1992)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from surefoot.faulttree.logic.diagram import FALSE, TRUE, Diagram
from surefoot.faulttree.logic.engines import Limit, OverLimit
from surefoot.faulttree.logic.engines.relibmss_engine import exported

Signed = tuple[int, bool]


@dataclass(frozen=True, eq=False)
class PrimeFamily:
    """A zero-suppressed diagram whose column ``i`` is the literal ``literals[i]``: a column, present or absent."""

    diagram: Diagram
    literals: tuple[Signed, ...]


@dataclass(eq=False)
class Function:
    """A Boolean function, handed to an engine that can conjoin and complement, and its families of implicants."""

    diagram: Diagram
    limit: Limit

    def __post_init__(self) -> None:
        import relibmss

        self.functions, self.families = relibmss.PyBDD(), relibmss.PyZDD()
        self.primes: dict[int, Any] = {FALSE: self.families._empty(), TRUE: self.families._base()}

    def prime_implicants(self, *, of_complement: bool = False) -> PrimeFamily:
        """The prime implicants of the function, or of its complement."""
        root = self._root._not() if of_complement else self._root
        depth = len(self._literals) - 1
        names = {depth - index: index for index in range(depth + 1)}
        return PrimeFamily(exported(self._primes_of(root), names), self._literals)

    @cached_property
    def _columns(self) -> list[int]:
        return [column for column, _ in self.diagram.levels]

    @cached_property
    def _literals(self) -> tuple[Signed, ...]:
        return tuple((column, present) for column in self._columns for present in (False, True))

    @cached_property
    def _singletons(self) -> list[tuple[Any, Any]]:
        """The literals of each level, absent and present, named by their depth; the deepest must be made first."""
        depth = len(self._literals) - 1
        found = {literal: self.families._singleton(str(depth - index)) for index, literal in enumerate(self._literals)}
        return [(found[column, False], found[column, True]) for column in self._columns]

    @cached_property
    def _root(self) -> Any:
        low, high = self.diagram.low.tolist(), self.diagram.high.tolist()
        nodes = [self.functions._value(False), self.functions._value(True)]
        for column, places in self.diagram.levels:
            header = self.functions._defvar(str(column))._get_header()
            for node in range(places.start, places.stop):
                nodes.append(self.functions._create_node(header, nodes[low[node]], nodes[high[node]]))
        return nodes[self.diagram.root]

    def _primes_of(self, root: Any) -> Any:
        """Children first, and then ``P(f) = P(f0 f1) + -x (P(f0) - P(f0 f1)) + x (P(f1) - P(f0 f1))``."""
        cofactors: dict[int, tuple[Any, Any, Any]] = {}
        stack = [root]
        while stack:
            node = stack[-1]
            key = node._get_id()
            if key in self.primes:
                stack.pop()
                continue
            if key not in cofactors:
                low, high = node._get_children()
                cofactors[key] = (low._and(high), low, high)
                stack.extend(child for child in cofactors[key] if child._get_id() not in self.primes)
                self._check_limit()
            else:
                stack.pop()
                self.primes[key] = self._joined(node._get_level(), *cofactors.pop(key))
        return self.primes[root._get_id()]

    def _check_limit(self) -> None:
        self.limit.check_time()
        if self.functions._size()[1] + self.families._size()[1] > self.limit.nodes:
            raise OverLimit("the diagrams have too many nodes")

    def _joined(self, level: int, both: Any, low: Any, high: Any) -> Any:
        absent, present = self._singletons[level]
        shared, without, within = (self.primes[child._get_id()] for child in (both, low, high))
        found = shared._union(absent._product(without._setdiff(shared)))
        return found._union(present._product(within._setdiff(shared)))
