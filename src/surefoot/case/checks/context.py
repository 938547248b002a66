"""What all checks share: how one is registered, the case with what was measured, and indexes that are made once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from surefoot.case.evaluation import Measured
from surefoot.case.model import STANDING_IN, Case, Node
from surefoot.core import CODES, Diagnostic, Target
from surefoot.core.canonical import FrozenMap
from surefoot.core.diagnostics import Severity
from surefoot.core.registry import Entry, Registry


@dataclass(frozen=True)
class Context:
    """A case under check."""

    case: Case
    measured: Measured = field(default_factory=lambda: Measured(None))
    targets: Mapping[str, Target] = field(default_factory=FrozenMap)
    """What the system is asked for, by name."""
    unattached: tuple[str, ...] = ()
    """Fragments that were offered and that the case does not use, such as ``@target misses``."""

    def place(self, node: Node) -> str:
        """The id of a node, with its module."""
        return f"{node.module}/{node.id}" if node.module else node.id

    def find(self, node: Node, severity: Severity, code: str, text: str, hint: str) -> Diagnostic:
        """A finding at a node."""
        return Diagnostic(code, text, severity, self.place(node), hint)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, as they were written."""
        return tuple(self.case)

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """All nodes by their ids."""
        return {node.id: node for node in self.nodes}

    def known(self, identities: tuple[str, ...]) -> Iterator[Node]:
        """The nodes of these ids, as far as they are there."""
        nodes = self.by_id
        return (nodes[each] for each in identities if each in nodes)

    @cached_property
    def modules(self) -> frozenset[str]:
        """Names of all modules that are listed, and the main one."""
        return frozenset({"", *self.case.modules})

    @cached_property
    def home(self) -> str:
        """The module of the claim that the case is made for."""
        return self.case.tops[0].module if self.case.tops else ""

    def stands_for(self, node: Node) -> Node | None:
        """What a sub-case or contract stands for, as far as it is there."""
        identity = self.case.places.get(node.of) if node.of and node.kind in STANDING_IN else None
        return None if identity is None else self.by_id[identity]

    @cached_property
    def needs(self) -> Graph:
        """For each node what is below, beside or against it and what it stands for, as far as that is there."""
        found = {}
        for node in self.nodes:
            stands_for = self.stands_for(node)
            aside = () if stands_for is None else (stands_for.id,)
            found[node.id] = [each for each in dict.fromkeys((*self.case.needs(node), *aside)) if each in self.by_id]
        return found

    @cached_property
    def circles(self) -> list[tuple[str, ...]]:
        """Nodes that rest on each other."""
        return circles(self.needs)

    @cached_property
    def reached(self) -> set[str]:
        """Ids of all nodes that a top claim leads to."""
        return reached(self.needs, (top.id for top in self.case.tops))

    def results(self, claim: Node) -> list[tuple[Node, bool]]:
        """Evidence on results that speaks for a claim, through arguments alone; each with whether it is a leg."""
        return [(self.by_id[identity], leg) for identity, leg in self._collected(claim, self._shared)]

    @cached_property
    def _shared(self) -> dict[str, list[tuple[str, bool]]]:
        """Results below arguments that several nodes rest on, so that they are collected once."""
        found: dict[str, list[tuple[str, bool]]] = {}
        for identity in self.case.upward:
            node = self.by_id[identity]
            if node.kind == "argument" and len(self.case.parents[identity]) > 1:
                found[identity] = self._collected(node, found)
        return found

    def _collected(self, start: Node, known: Mapping[str, list[tuple[str, bool]]]) -> list[tuple[str, bool]]:
        found: dict[tuple[str, bool], None] = {}
        seen, waiting = {start.id}, [(start, False)]
        while waiting:
            node, leg = waiting.pop()
            leg = leg or node.combining == "legs"
            for each in self.known(node.supported_by):
                if each.id in known:
                    found |= dict.fromkeys((identity, leg or below) for identity, below in known[each.id])
                elif each.kind == "evidence" and each.rests_on:
                    found[each.id, leg] = None
                elif each.kind == "argument" and each.id not in seen:
                    seen.add(each.id)
                    waiting.append((each, leg))
        return list(found)


# Circles and reach in a directed graph, in linear time and without recursion.

Graph = Mapping[str, Sequence[str]]
"""For each name the names it leads to, all of them keys."""


def circles(graph: Graph) -> list[tuple[str, ...]]:
    """One circle of each group of names that all lead to each other; a name that leads to itself is no circle.

    >>> circles({"a": ["b"], "b": ["c", "a"], "c": ["c"]})
    [('a', 'b')]
    """
    left = _on_or_before_circles(graph)
    return [_shortest_from(group[0], graph, frozenset(group)) for group in _groups(graph, left)] if left else []


def reached(graph: Graph, starts: Iterable[str]) -> set[str]:
    """All names that the starts lead to, with the starts."""
    found = set(starts)
    waiting = list(found)
    while waiting:
        for name in graph[waiting.pop()]:
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def _on_or_before_circles(graph: Graph) -> list[str]:
    """Names that remain when those that lead nowhere are taken away again and again."""
    left = {name: sum(each != name for each in after) for name, after in graph.items()}
    before: dict[str, list[str]] = {name: [] for name in graph}
    for name, after in graph.items():
        for each in after:
            if each != name:
                before[each].append(name)
    ready = [name for name, count in left.items() if not count]
    while ready:
        for name in before[ready.pop()]:
            left[name] -= 1
            if not left[name]:
                ready.append(name)
    return [name for name, count in left.items() if count]


def _groups(graph: Graph, names: Sequence[str]) -> list[list[str]]:
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    index = {name: position for position, name in enumerate(names)}
    pairs = [(index[name], index[each]) for name in names for each in graph[name] if each in index]
    rows, columns = zip(*pairs, strict=True)
    matrix = csr_matrix(([1] * len(pairs), (rows, columns)), shape=(len(names), len(names)))
    _, labels = connected_components(matrix, directed=True, connection="strong")
    groups: dict[int, list[str]] = {}
    for name, label in zip(names, labels.tolist(), strict=True):
        groups.setdefault(label, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _shortest_from(start: str, graph: Graph, group: frozenset[str]) -> tuple[str, ...]:
    came_from: dict[str, str] = {}
    waiting = deque([start])
    while waiting:
        name = waiting.popleft()
        for each in graph[name]:
            if each == start and name != start:
                return _back(name, start, came_from)
            if each in group and each not in came_from and each != start:
                came_from[each] = name
                waiting.append(each)
    raise AssertionError("names of one group lead to each other")


def _back(name: str, start: str, came_from: Mapping[str, str]) -> tuple[str, ...]:
    path = [name]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))


# What a check is: a small function over shared indexes, and the codes it may raise.

Check = Callable[[Context], Iterator[Diagnostic]]
THEMES = ("structure", "texts", "evidence", "numbers")
"""The order in which checks run; those of other modules follow."""
case_check: Registry[Check] = Registry(
    "case check", "surefoot.case.checks", facts=("codes", "needs_evidence"), first=THEMES
)
"""Registers a check of cases with the codes it may raise; ``{code: meaning}`` brings codes that are new."""


@dataclass(frozen=True)
class Rule:
    """A check and its codes; ``needs_evidence`` keeps it silent where nobody said what was measured."""

    check: Check
    codes: tuple[str, ...]
    needs_evidence: bool = False

    @classmethod
    def of(cls, entry: Entry[Check]) -> Self:
        """A registered check, loaded; codes that it brings are known from then on."""
        check, facts = entry.load(), case_check.facts_of(entry)
        codes = facts.get("codes", ())
        for code, meaning in codes.items() if isinstance(codes, Mapping) else ():
            CODES.setdefault(code, meaning)
        return cls(check, tuple(codes), bool(facts.get("needs_evidence")))
