"""Relations of a SACM file as links between the nodes of a case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from surefoot.case.formats.sacm_document import Document, Thing
from surefoot.case.formats.sacm_relations import Relation
from surefoot.case.formats.sacm_wording import is_true


@dataclass
class Places:
    """Which nodes support, give context or speak against; it tells what an element is for."""

    supporting: set[str] = field(default_factory=set)
    supported: set[str] = field(default_factory=set)
    contextual: set[str] = field(default_factory=set)
    countering: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, relations: Iterable[Relation]) -> Places:
        """The places of all nodes."""
        found = cls()
        for relation in relations:
            if relation.counter:
                found.countering.update(relation.sources)
            elif relation.context:
                found.contextual.update(relation.sources)
            else:
                found.supporting.update(relation.sources)
                found.supported.add(relation.target)
        return found


def read_relations(document: Document, ids: Mapping[Thing, str]) -> list[Relation]:
    """All relations between nodes; ends that are no nodes are noted."""
    found: list[Relation] = []
    for thing in document.things:
        if thing.meaning.role == "relation":
            found += _relation(document, thing, ids)
        if thing.meaning.role in ("relation", "claim"):
            found += _about(document, thing, ids)
    return found


def _relation(document: Document, thing: Thing, ids: Mapping[Thing, str]) -> list[Relation]:
    sources, targets = (document.referred(thing, name) for name in ("source", "target"))
    if thing.meaning.turned:
        sources, targets = targets, sources
    counter = is_true(thing.element, "isCounter")
    if counter:
        targets = [each for target in targets for each in _undercut(document, target)]
    known = _nodes(document, thing, sources, ids)
    reasoning = _nodes(document, thing, document.referred(thing, "reasoning"), ids)[:1]
    ends = _nodes(document, thing, targets, ids)
    if not known or not ends:
        document.note(thing.element, f"<{thing.type}> has no source or no target among the nodes and is not read.")
        return []
    argument = "" if thing.meaning.context or counter else "".join(reasoning)
    return [Relation(thing.type, tuple(known), end, argument, counter, thing.meaning.context) for end in ends]


def _undercut(document: Document, target: Thing) -> list[Thing]:
    """A challenge to an inference speaks against its reasoning, or where that is not given, against what it shows."""
    if target.meaning.role != "relation":
        return [target]
    reasoning = document.referred(target, "reasoning")
    return reasoning or document.referred(target, "source" if target.meaning.turned else "target")


def _about(document: Document, thing: Thing, ids: Mapping[Thing, str]) -> list[Relation]:
    """Claims about an assertion stand beside it, or beside the reasoning of an inference."""
    claims = _nodes(document, thing, document.referred(thing, "metaClaim"), ids)
    if not claims:
        return []
    ends = [thing] if thing.meaning.role == "claim" else _undercut(document, thing)
    return [Relation("metaClaim", tuple(claims), end, context=True) for end in _nodes(document, thing, ends, ids)]


def _nodes(document: Document, thing: Thing, found: Iterable[Thing], ids: Mapping[Thing, str]) -> list[str]:
    nodes = []
    for each in found:
        actual = next(iter(document.referred(each, "citedElement")), each) if each.is_shown else each
        if actual in ids:
            nodes.append(ids[actual])
        else:
            document.note(thing.element, f"<{thing.type}> refers to <{each.type}>, which is no node of a case.")
    return nodes


def apart(relations: list[Relation], used: Iterable[str]) -> tuple[list[Relation], dict[str, str]]:
    """A reasoning that leads from different premises to different targets becomes several arguments.

    The ids of the further ones are given with the id they are copies of.
    """
    premises: dict[tuple[str, str], dict[str, None]] = {}
    for relation in relations:
        if relation.reasoning:
            premises.setdefault((relation.reasoning, relation.target), {}).update(dict.fromkeys(relation.sources))
    taken, copies = set(used), {}
    named: dict[tuple[str, frozenset[str]], str] = {}
    first: set[str] = set()
    for (reasoning, _), sources in premises.items():
        key = (reasoning, frozenset(sources))
        if key not in named:
            named[key] = reasoning if reasoning not in first else _new(reasoning, taken)
            if reasoning in first:
                copies[named[key]] = reasoning
            first.add(reasoning)
    return [_renamed(relation, premises, named) for relation in relations], copies


def _renamed(
    relation: Relation,
    premises: Mapping[tuple[str, str], dict[str, None]],
    named: Mapping[tuple[str, frozenset[str]], str],
) -> Relation:
    if not relation.reasoning:
        return relation
    sources = frozenset(premises[relation.reasoning, relation.target])
    return replace(relation, reasoning=named[relation.reasoning, sources])


def _new(name: str, taken: set[str]) -> str:
    count = 2
    while f"{name}-{count}" in taken:
        count += 1
    taken.add(f"{name}-{count}")
    return f"{name}-{count}"
