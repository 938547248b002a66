"""What all checks share: the case, what was measured, and indexes that are made once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from surefoot.case.case import Case
from surefoot.case.checks import graph
from surefoot.case.measured import Measured
from surefoot.case.node import STANDING_IN, Node
from surefoot.core import Diagnostic, Target
from surefoot.core.canonical import FrozenMap
from surefoot.core.diagnostics import Severity


@dataclass(frozen=True)
class Context:
    """A case under check."""

    case: Case
    measured: Measured = field(default_factory=lambda: Measured(None))
    targets: Mapping[str, Target] = field(default_factory=FrozenMap)
    """What the system is asked for, by name."""

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
    def needs(self) -> graph.Graph:
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
        return graph.circles(self.needs)

    @cached_property
    def reached(self) -> set[str]:
        """Ids of all nodes that a top claim leads to."""
        return graph.reached(self.needs, (top.id for top in self.case.tops))

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
