"""Parts of a case: some of its nodes alone, one module, what is below a node, what carries a tag, so many levels."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from surefoot.case.extensions import relation_in
from surefoot.case.model import Case, Node
from surefoot.case.standards import STANDARDS, Clause, clause_of_or_none
from surefoot.core import InvalidInput, validate
from surefoot.core.canonical import FrozenMap
from surefoot.documents import closest

MOST_NAMED = 20


@dataclass(frozen=True)
class Part:
    """Some nodes of a case, and how many were cut away below each of them.

    See Also
    --------
    part : Finds them.

    """

    case: Case
    """These nodes alone, without relations to others."""
    cut: Mapping[str, int] = field(default_factory=FrozenMap)
    """For nodes below which something was cut away: how many nodes that hides."""


@validate.arguments
def part(case: Case, *, module: str | None = None, node: str | None = None, depth: int | None = None) -> Part:
    """One module of a case, what is below one node of it, or its upper levels.

    Parameters
    ----------
    case
        The whole.
    module
        What nodes call the module, or its name; ``main`` is the main one where no module has that name.
    node
        The id of the node to begin with, with all that holds it up, stands beside it and challenges it.
    depth
        How many levels to keep; what stands beside a node is on its level.

    Returns
    -------
    Part
        The nodes, and what was cut away below them.

    Examples
    --------
    >>> from surefoot.case import Case, Node, part
    >>> case = Case.of([Node("C1", "claim", "Safe", ("C2",)), Node("C2", "claim", "Kept", ("C3",)),
    ...     Node("C3", "claim", "Tested")])
    >>> found = part(case, depth=2)
    >>> list(found.case.nodes), dict(found.cut)
    (['C1', 'C2'], {'C2': 1})

    """
    kept = set(case.nodes)
    if module is not None:
        key = _module_key(case, module)
        kept = {each.id for each in case if each.module == key}
    if node is not None and node not in kept:
        near = closest(node, kept)
        where = "" if module is None else f" of module {module!r}"
        remedy = f"Did you mean {near!r}?" if near else "surefoot case show lists the ids."
        raise InvalidInput(f"there is no such node{where}", where="node", found=repr(node), remedy=remedy)
    if node is not None or depth is not None:
        starts = [node] if node is not None else _tops(case, kept)
        kept &= {each for level in islice(_levels(case, starts, kept), depth) for each in level}
    if len(kept) == len(case):
        return Part(case)
    cut = {each: count for each in kept if (count := _hidden(case, each, kept))}
    return Part(restricted(case, kept), FrozenMap({each: cut[each] for each in case.nodes if each in cut}))


def _module_key(case: Case, module: str) -> str:
    found = case.module_named(module)
    known = sorted({each.module for each in case} - {""})
    if found is None and module not in (*known, "main"):
        remedy = f"There are: {', '.join(known[:MOST_NAMED])}." if known else "This case has only one module."
        raise InvalidInput("there is no such module", where="module", found=repr(module), remedy=remedy)
    return module if module in known else found or ""


def _tops(case: Case, kept: Container[str]) -> list[str]:
    """Where a part begins: with what nothing in it leads to."""
    inside = [node for node in case if node.id in kept]
    named = {each for node in inside for each in (*_next(case, node), *node.in_context_of)}
    return [node.id for node in inside if node.id not in named] or [node.id for node in inside[:1]]


def _next(case: Case, node: Node) -> Iterator[str]:
    """What is a level below a node: it holds it up, argues its confidence or challenges it."""
    yield from (*node.supported_by, *node.confidence, *case.challengers.get(node.id, ()))


def deepest(case: Case, most: int) -> tuple[int, int]:
    """How many levels of a case can be shown with at most so many nodes, and how many nodes these are."""
    depth = count = 0
    for level in _levels(case, _tops(case, case.nodes), case.nodes):
        if depth and count + len(level) > most:
            break
        depth, count = depth + 1, count + len(level)
    return depth, count


def _levels(case: Case, starts: list[str], within: Container[str]) -> Iterator[list[str]]:
    """Nodes level by level, each once; what stands beside a node is on its level, what holds that up below."""
    found: set[str] = set()
    level = starts
    while level:
        here: list[str] = []
        below: list[str] = []
        for identity in level:
            beside = case[identity].in_context_of if identity in case else ()
            for each in (identity, *beside):
                if each in case and each in within and each not in found:
                    found.add(each)
                    here.append(each)
                    below += _next(case, case[each])
        yield here
        level = below


def _hidden(case: Case, identity: str, kept: Container[str]) -> int:
    """How many nodes below one are left out."""
    waiting = [each for each in case.needs(case[identity]) if each in case and each not in kept]
    hidden = set(waiting)
    while waiting:
        for each in case.needs(case[waiting.pop()]):
            if each in case and each not in kept and each not in hidden:
                hidden.add(each)
                waiting.append(each)
    return len(hidden)


def restricted(case: Case, kept: Container[str]) -> Case:
    """These nodes alone, without relations to others."""
    return replace(case, nodes={node.id: _within(node, kept) for node in case if node.id in kept})


def _within(node: Node, kept: Container[str]) -> Node:
    points = {
        name: replace(each, argued_by=each.argued_by if each.argued_by in kept else "")
        for name, each in node.claim_points.items()
        if all(identity in kept for identity in each.on)
    }
    return replace(
        node,
        supported_by=tuple(each for each in node.supported_by if each in kept),
        in_context_of=tuple(each for each in node.in_context_of if each in kept),
        challenges=tuple(each for each in node.challenges if each in kept or _ends_in(each, kept)),
        defeated_relations=tuple(each for each in node.defeated_relations if each in kept),
        claim_points=points,
        multiplicity={each: many for each, many in node.multiplicity.items() if each in kept},
        choice=tuple(choice for choice in node.choice if all(each in kept for each in choice.among)),
    )


def _ends_in(challenged: str, kept: Container[str]) -> bool:
    relation = relation_in(challenged)
    return relation is not None and all(end in kept for end in relation)


@validate.arguments
def tagged(case: Case, tag: str) -> Case:
    """The part of a case that carries a tag, and all above it up to the tops.

    So it stays clear what the part is good for. Relations to what is left out are left out too, so that the part can
    be drawn and checked by itself.

    Parameters
    ----------
    case
        The whole.
    tag
        ``AMLAS`` finds every tag that begins so, ``AMLAS: stage 5`` or ``AMLAS: model verification`` one stage with all
        that belongs to it; capitals do not matter.

    Returns
    -------
    Case
        The part.

    Raises
    ------
    InvalidInput
        Where no node has the tag.

    Examples
    --------
    >>> from surefoot.case import Case, Node, tagged
    >>> tests = Node("C2", "claim", "Tested", tags=("AMLAS: artefact Z",))
    >>> case = Case.of([Node("C1", "claim", "Safe", ("C2", "C3")), tests, Node("C3", "claim", "Kept")])
    >>> list(tagged(case, "AMLAS: model verification").nodes)
    ['C1', 'C2']

    """
    every = dict.fromkeys(each for node in case for each in node.tags)
    wanted = {each for each in every if tag.strip() and _matches(each, tag)}
    kept = {node.id for node in case if wanted.intersection(node.tags)}
    if not kept:
        known = sorted(every)
        remedy = f"There are: {', '.join(known[:MOST_NAMED])}." if known else "No node of this case has a tag."
        raise InvalidInput("no node has this tag", where="tag", found=repr(tag), remedy=remedy)
    stands_for = _standing_for(case)
    waiting = list(kept)
    while waiting:
        identity = waiting.pop()
        above = (*case.parents[identity], *case.challenged(case[identity]), *stands_for.get(identity, ()))
        new = [each for each in dict.fromkeys(above) if each in case and each not in kept]
        kept.update(new)
        waiting += new
    return restricted(case, kept)


def parts_of(clause: Clause) -> tuple[Clause, ...]:
    """The clause and those that it is a part of, the nearest first."""
    if not clause.within:
        return (clause,)
    return clause, *parts_of(STANDARDS[clause.standard][clause.within])


def _matches(tag: str, wanted: str) -> bool:
    """Whether a tag is the one that is wanted, belongs to it, or begins so; titles count as references do."""
    mine, asked = clause_of_or_none(tag), clause_of_or_none(wanted)
    if mine is not None and asked is not None:
        return (asked.standard, asked.reference) in {(each.standard, each.reference) for each in parts_of(mine)}
    said = (tag, *((mine.tag, f"{mine.standard}: {mine.title}") if mine else ()))
    return any(each.casefold().startswith(wanted.strip().casefold()) for each in said)


def _standing_for(case: Case) -> dict[str, list[str]]:
    """For each claim the sub-cases that stand for it."""
    found: dict[str, list[str]] = {}
    for node in case:
        if (claim := case.resolved(node.id)) != node.id:
            found.setdefault(claim, []).append(node.id)
    return found
