"""An assurance case: nodes by id, modules, and how they are to be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from surefoot.case.node import STANDING_IN, Node
from surefoot.case.notation import NOTATIONS, Notation
from surefoot.case.policy import Policy
from surefoot.core import InvalidInput, validate
from surefoot.core.canonical import FrozenMap

if TYPE_CHECKING:
    from surefoot.case.confidence.feedback import Feedback
    from surefoot.case.evaluation import Evaluation
    from surefoot.case.measured import Measurements
    from surefoot.core import Diagnostic, Target
    from surefoot.drawing import Scene, Theme


@dataclass(frozen=True)
class Module:
    """A part of a case that is argued by itself."""

    name: str = ""
    brief: str = ""
    extends: str = ""
    """The module it is a version of, as gsn2x has it."""


@dataclass(frozen=True)
class Case:
    """All nodes of an assurance case, in the order they were written."""

    nodes: Mapping[str, Node]
    name: str = ""
    description: str = ""
    modules: Mapping[str, Module] = field(default_factory=FrozenMap)
    """Modules by their name in nodes; the main one is ``""`` and need not be listed."""
    notation: Notation = "cae"
    """How it is drawn unless somebody asks otherwise."""
    policy: Policy = field(default_factory=Policy)

    def __post_init__(self) -> None:
        validate.choice(self.notation, NOTATIONS, where="Case", name="notation")
        object.__setattr__(self, "nodes", FrozenMap(self.nodes))
        object.__setattr__(self, "modules", FrozenMap(self.modules))
        wrong = next((key for key, node in self.nodes.items() if key != node.id), None)
        if wrong is not None:
            raise InvalidInput("nodes are kept by their ids", where="Case", found=f"{wrong!r}")

    @classmethod
    def of(cls, nodes: Iterable[Node], *, name: str = "", notation: Notation = "cae") -> Self:
        """A case from nodes, each id once."""
        found: dict[str, Node] = {}
        for node in nodes:
            if node.id in found:
                raise InvalidInput("two nodes have one id", where="Case", found=repr(node.id))
            found[node.id] = node
        return cls(found, name=name, notation=notation)

    @classmethod
    def read(cls, path: str | Path) -> Case:
        """A case from a file: YAML, JSON, gsn2x YAML or SACM XMI; problems are collected and shown together."""
        from surefoot.case.formats import read

        return read(path)

    def write(self, path: str | Path) -> Path:
        """Write the case to a file that can be read again: .yaml, .json, .gsn.yaml or .xmi."""
        from surefoot.case.formats import write

        return write(self, path)

    def check(
        self, evidence: Measurements | None = None, *, targets: Mapping[str, Target] | None = None
    ) -> list[Diagnostic]:
        """Everything that is wrong or doubtful with it, worst first; with evidence also what was measured."""
        from surefoot.case.checks import check

        return check(self, evidence, targets=targets)

    def evaluate(self, evidence: Measurements | None = None, *, feedback: Sequence[Feedback] = ()) -> Evaluation:
        """How each node stands, how far it can be trusted, and what would raise that most."""
        from surefoot.case.confidence import evaluate

        return evaluate(self, evidence, feedback=feedback)

    def render(
        self,
        path: str | Path,
        *,
        evidence: Measurements | None = None,
        evaluation: Evaluation | None = None,
        notation: Notation | None = None,
        tag: str | None = None,
        theme: Theme | None = None,
    ) -> Path:
        """Write what people look at: .svg, .pdf, .png, .html, .md, .mmd (Mermaid), or a file that can be read again."""
        from surefoot.case.rendering import render

        return render(self, path, evidence=evidence, evaluation=evaluation, notation=notation, tag=tag, theme=theme)

    def scene(
        self,
        *,
        evaluation: Evaluation | None = None,
        notation: Notation | None = None,
        tag: str | None = None,
        legend: bool = True,
    ) -> Scene:
        """The diagram in CAE or GSN, for ``surefoot.drawing.save`` to write as SVG, PNG or PDF.

        With an ``evaluation`` every node shows how it stands; with a ``tag`` only nodes that carry it are drawn, and
        those above them.
        """
        from surefoot.case.drawings import picture

        return picture(self, evaluation=evaluation, notation=notation, tag=tag, explained=legend)

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes.values())

    def __contains__(self, identity: object) -> bool:
        return identity in self.nodes

    def __getitem__(self, identity: str) -> Node:
        try:
            return self.nodes[identity]
        except KeyError:
            raise InvalidInput("no such node", where="Case", found=repr(identity)) from None

    def resolved(self, identity: str) -> str:
        """The id of the node that a sub-case or contract stands for, as far as it is here; else the id itself."""
        node = self.nodes.get(identity)
        if node is None or node.kind not in STANDING_IN or not node.of:
            return identity
        return self.places.get(node.of, identity)

    @cached_property
    def places(self) -> Mapping[str, str]:
        """Ids by ``module/id``; a module alone stands for its first top claim."""
        found = {f"{node.module}/{node.id}": node.id for node in self}
        first = {top.module: top.id for top in reversed(self.tops)}
        return FrozenMap(found | {name: first[name] for name in self.modules if name in first})

    @cached_property
    def parents(self) -> Mapping[str, tuple[str, ...]]:
        """For each node the ids of those it holds up or stands beside."""
        found: dict[str, list[str]] = {identity: [] for identity in self.nodes}
        for node in self:
            for below in node.below:
                if below in found:
                    found[below].append(node.id)
        return FrozenMap({identity: tuple(ids) for identity, ids in found.items()})

    @cached_property
    def challengers(self) -> Mapping[str, tuple[str, ...]]:
        """For each node that is challenged the ids of those that speak against it."""
        found: dict[str, list[str]] = {}
        for node in self:
            for challenged in node.challenges:
                found.setdefault(challenged, []).append(node.id)
        return FrozenMap({identity: tuple(ids) for identity, ids in found.items()})

    @cached_property
    def tops(self) -> tuple[Node, ...]:
        """Claims that hold nothing else up, in the order they were written; of the main module first."""
        found = [node for node in self if node.kind == "claim" and not self.parents[node.id] and not node.challenges]
        return tuple(sorted(found, key=lambda node: node.module != ""))

    @property
    def top(self) -> Node:
        """The claim that the case is made for."""
        if not self.tops:
            raise InvalidInput("the case has no claim at its top", where="Case", found=f"{len(self)} nodes")
        return self.tops[0]

    @cached_property
    def upward(self) -> tuple[str, ...]:
        """All ids so that what a node rests on comes before it: below, beside, challengers, what a sub-case stands for.

        Nodes on a circle, which ``check`` reports, come last.
        """
        needs = {node.id: [each for each in self.needs(node) if each in self.nodes] for node in self}
        used: dict[str, list[str]] = {identity: [] for identity in self.nodes}
        for identity, below in needs.items():
            for each in below:
                used[each].append(identity)
        left = {identity: len(below) for identity, below in needs.items()}
        ready = [identity for identity, count in left.items() if not count]
        found: list[str] = []
        while ready:
            identity = ready.pop()
            found.append(identity)
            for parent in used[identity]:
                left[parent] -= 1
                if not left[parent]:
                    ready.append(parent)
        return (*found, *(identity for identity, count in left.items() if count))

    def needs(self, node: Node) -> Iterable[str]:
        """Ids of all that a node rests on, each once: below, beside, challengers, and what a sub-case stands for."""
        stands_for = self.resolved(node.id)
        aside = (stands_for,) if stands_for != node.id else ()
        return dict.fromkeys((*node.below, *self.challengers.get(node.id, ()), *aside))

    def with_nodes(self, nodes: Iterable[Node]) -> Self:
        """The case with these nodes put in the place of those with the same ids, or added."""
        return replace(self, nodes={**self.nodes, **{node.id: node for node in nodes}})
