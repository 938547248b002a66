"""References between nodes: known, not to oneself, each once, without circles, and leading down from a top claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from surefoot.case.checks import graph
from surefoot.case.checks.context import Context
from surefoot.case.checks.rule import case_check
from surefoot.case.node import Node
from surefoot.core import Diagnostic, wording
from surefoot.documents import closest

RELATIONS = {"supported_by": "rests on", "in_context_of": "is in the context of", "challenges": "challenges"}
MOST_GUESSED = 5
MOST_NAMED = 8


@case_check(codes=("case-unknown-node",))
def unknown(context: Context) -> Iterator[Diagnostic]:
    """References that lead nowhere."""
    alike = {identity.casefold(): identity for identity in context.by_id}
    guesses = 0
    for node in context.nodes:
        for relation, word in RELATIONS.items():
            for identity in getattr(node, relation):
                if identity not in context.by_id:
                    near = alike.get(identity.strip().casefold())
                    if near is None and guesses < MOST_GUESSED:
                        # Looking for a similar id takes a look at all of them.
                        guesses += 1
                        near = closest(identity, context.by_id)
                    text = f"{node.kind} {node.id!r} {word} {identity!r}, which is no node of the case."
                    yield context.find(node, "error", "case-unknown-node", text, _remedy(identity, near))


def _remedy(identity: str, near: str | None) -> str:
    if "," in identity:
        return "It looks like a list written as one text: put each id by itself in brackets."
    return f"Did you mean {near!r}?" if near else "Add the node, or take the reference away."


@case_check(codes=("case-self-reference", "case-self-challenge"))
def itself(context: Context) -> Iterator[Diagnostic]:
    """Nodes that name themselves."""
    for node in context.nodes:
        if node.id in node.below:
            text = f"{node.kind} {node.id!r} rests on itself or is its own context."
            yield context.find(node, "error", "case-self-reference", text, "Take the reference to itself away.")
        if node.id in node.challenges:
            text = f"{node.kind} {node.id!r} challenges itself."
            hint = "Name the node that it speaks against."
            yield context.find(node, "error", "case-self-challenge", text, hint)


@case_check(codes=("case-repeated-reference",))
def repeated(context: Context) -> Iterator[Diagnostic]:
    """One id named twice by one node."""
    for node in context.nodes:
        named = (*node.supported_by, *node.in_context_of)
        twice = _twice(named) or _twice(node.challenges)
        if twice:
            text = f"{node.kind} {node.id!r} names {wording.listed(twice)} more than once."
            yield context.find(node, "warning", "case-repeated-reference", text, "Name each once.")


def _twice(named: Sequence[str]) -> list[str]:
    if len(set(named)) == len(named):
        return []
    return [each for each, times in Counter(named).items() if times > 1]


@case_check(codes=("case-circle",))
def circular(context: Context) -> Iterator[Diagnostic]:
    """Nodes that rest on each other."""
    for circle in context.circles:
        shown = [*circle[:MOST_NAMED], *([f"({len(circle) - MOST_NAMED:,} more)"] if len(circle) > MOST_NAMED else [])]
        text = f"Reasoning in a circle: {' -> '.join([*shown, circle[0]])}."
        hint = "Take away one of these references; a claim cannot hold itself up."
        yield context.find(context.case[circle[0]], "error", "case-circle", text, hint)


@case_check(codes=("case-no-top", "case-several-tops"))
def tops(context: Context) -> Iterator[Diagnostic]:
    """The claim that the case is made for: there, and one."""
    found = [top for top in context.case.tops if top.module == context.home]
    if not found:
        text = f"None of the {wording.counted(len(context.case), 'node')} is a claim that holds nothing else up."
        hint = "Add the claim that the case is made for, with the rest below it."
        yield Diagnostic("case-no-top", text, "error", "", hint)
    if len(found) > 1:
        names = wording.listed([top.id for top in found])
        text = f"{len(found):,} claims are at the top: {names}."
        hint = "Put them below one claim, or each but one in a module of its own."
        yield context.find(found[1], "warning", "case-several-tops", text, hint)


@case_check(codes=("case-unreachable",))
def unreachable(context: Context) -> Iterator[Diagnostic]:
    """Nodes that no top claim leads to, one finding for each part that hangs together."""
    left = {identity for identity in context.by_id if identity not in context.reached}
    if not left or not context.case.tops:
        return
    within = {identity: [each for each in context.needs[identity] if each in left] for identity in left}
    for entry in _entries(context, left):
        if entry.id in left:
            below = _taken(within, entry.id, left)
            rest = f", nor to {wording.counted(below, 'node')} below it" if below else ""
            text = f"No top claim leads to {entry.kind} {entry.id!r}{rest}."
            hint = "Refer to it where it belongs, or delete it."
            yield context.find(entry, "warning", "case-unreachable", text, hint)


def _entries(context: Context, left: set[str]) -> Iterator[Node]:
    """Where to begin: what nothing refers to, then one node of each circle, then the rest."""
    named = {each for identity in left for each in context.needs[identity] if each != identity}
    yield from (node for node in context.nodes if node.id in left and node.id not in named)
    yield from (context.case[circle[0]] for circle in context.circles)
    yield from (node for node in context.nodes if node.id in left)


def _taken(within: graph.Graph, start: str, left: set[str]) -> int:
    """Take a node and what is below it from those left; how many there were below."""
    left.discard(start)
    waiting, count = [start], 0
    while waiting:
        for each in within[waiting.pop()]:
            if each in left:
                left.discard(each)
                waiting.append(each)
                count += 1
    return count
