"""Relations of SACM, and the links between nodes that they stand for.

SACM relates sources (what supports) to a target (what is supported); an argument is the reasoning of such a relation.
An argument without anything below it, or in an unusual place, is itself source or target, as GSN files have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from surefoot.case.case import Case
from surefoot.case.formats.sacm_words import REFERENCES
from surefoot.case.node import Node


@dataclass(frozen=True)
class Relation:
    """``sources`` support, give context to, or (``counter``) speak against ``target``."""

    type: str
    sources: tuple[str, ...]
    target: str
    reasoning: str = ""
    counter: bool = False
    context: bool = False


@dataclass
class Links:
    """Ids that one node refers to, in order."""

    supported_by: dict[str, None] = field(default_factory=dict)
    in_context_of: dict[str, None] = field(default_factory=dict)
    challenges: dict[str, None] = field(default_factory=dict)


def links(relations: Iterable[Relation]) -> dict[str, Links]:
    """What relations say of each node."""
    found: dict[str, Links] = {}

    def of(identity: str) -> Links:
        return found.setdefault(identity, Links())

    for relation in relations:
        sources = dict.fromkeys(relation.sources)
        if relation.counter:
            for source in sources:
                of(source).challenges[relation.target] = None
        elif relation.context:
            of(relation.target).in_context_of.update(sources)
        elif relation.reasoning:
            of(relation.target).supported_by[relation.reasoning] = None
            of(relation.reasoning).supported_by.update(sources)
        else:
            of(relation.target).supported_by.update(sources)
    return found


def relations(case: Case) -> list[Relation]:
    """The relations of a case, by what they support; links to nodes that are not there are left out."""
    reasoned = _reasoned(case)
    return [relation for node in case for relation in _of_node(case, node, reasoned)]


def _reasoned(case: Case) -> set[str]:
    """Arguments that are the reasoning of a relation: under something else, and over something else."""
    over = {node.id for node in case if node.kind == "argument" and _premises(case, node)}
    placed = {below for node in case if node.kind != "argument" for below in node.supported_by}
    return over & placed


def _of_node(case: Case, node: Node, reasoned: set[str]) -> Iterator[Relation]:
    below = _known(case, node.supported_by)
    if node.kind != "argument":
        for argument in (case[each] for each in below if each in reasoned):
            yield from _supports(case, _premises(case, argument), node, argument.id, legs=argument.combining == "legs")
        rest = [each for each in below if each not in reasoned]
    else:
        rest = [each for each in below if node.id not in reasoned or case[each].kind == "argument"]
    yield from _supports(case, rest, node, "", legs=node.combining == "legs")
    for kind, sources in _by_type(case, _known(case, node.in_context_of), node, context=True).items():
        yield Relation(kind, tuple(sources), node.id, context=True)
    for challenged in _known(case, node.challenges):
        yield Relation(_type(node, case[challenged], context=False), (node.id,), challenged, counter=True)


def _supports(case: Case, sources: Sequence[str], target: Node, reasoning: str, *, legs: bool) -> Iterator[Relation]:
    """One relation for premises that are needed together, one each for independent legs."""
    for kind, alike in _by_type(case, sources, target, context=False).items():
        for together in [(each,) for each in alike] if legs else [tuple(alike)]:
            yield Relation(kind, together, target.id, reasoning)


def _by_type(case: Case, sources: Sequence[str], target: Node, *, context: bool) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for source in sources:
        found.setdefault(_type(case[source], target, context=context), []).append(source)
    return found


def _type(source: Node, target: Node, *, context: bool) -> str:
    from_artifact, to_artifact = source.kind in REFERENCES, target.kind in REFERENCES
    if context:
        return "AssertedArtifactContext" if from_artifact and to_artifact else "AssertedContext"
    if from_artifact:
        return "AssertedArtifactSupport" if to_artifact else "AssertedEvidence"
    return "AssertedInference"


def _premises(case: Case, argument: Node) -> list[str]:
    return [each for each in _known(case, argument.supported_by) if case[each].kind != "argument"]


def _known(case: Case, identities: Iterable[str]) -> list[str]:
    return [each for each in dict.fromkeys(identities) if each in case.nodes]
