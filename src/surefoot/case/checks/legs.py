"""Independent legs: what they share makes them less independent than they look.

What two legs may share is an evidence or side-claim, the measured result behind two of these, or the data behind two
results. Sets of shared things are kept as bits of whole numbers, so that the union of thousands is one operation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from surefoot.case.checks import graph
from surefoot.case.checks.context import Context
from surefoot.case.checks.rule import case_check
from surefoot.case.node import Node
from surefoot.core import Diagnostic, wording

Thing = tuple[str, str]
"""A sort of thing and its name."""


@case_check(codes=("case-legs-shared",))
def shared(context: Context) -> Iterator[Diagnostic]:
    """Legs that rest on the same things."""
    forked = [node for node in context.nodes if node.combining == "legs" and len(node.supported_by) > 1]
    if not forked:
        return
    bits = _bits(context)
    below = _below(context, bits)
    for node in forked:
        common = _common([below.get(each, 0) for each in dict.fromkeys(node.supported_by)])
        if common:
            names = wording.listed([f"{sort} {name}" for (sort, name), bit in bits.items() if common & bit])
            text = f"The legs of {node.kind} {node.id!r} are not independent: they share {names}."
            hint = "Find a leg that does without it, or let all legs be needed."
            yield context.find(node, "warning", "case-legs-shared", text, hint)


def _common(legs: list[int]) -> int:
    seen = common = 0
    for leg in legs:
        common |= seen & leg
        seen |= leg
    return common


def _bits(context: Context) -> dict[Thing, int]:
    """A bit for each thing that two legs can reach, because two nodes use it or two ways lead to it."""
    users: dict[Thing, int] = {}
    forked = _reached_twice(context)
    for node in context.nodes:
        for thing in _things(context, node):
            users[thing] = users.get(thing, 0) + (2 if node.id in forked else 1)
    return {thing: 1 << place for place, thing in enumerate(each for each, count in users.items() if count > 1)}


def _reached_twice(context: Context) -> set[str]:
    """Nodes that two nodes need, and all that is below these."""
    needed = Counter(each for below in context.needs.values() for each in below)
    return graph.reached(context.needs, [identity for identity, times in needed.items() if times > 1])


def _things(context: Context, node: Node) -> Iterator[Thing]:
    if node.kind not in ("evidence", "side-claim"):
        return
    if not node.rests_on or node.kind == "side-claim":
        yield node.kind, repr(node.id)
        return
    yield "result", repr(node.rests_on)
    estimate = context.measured.estimate(node.rests_on)
    for name, digest in estimate.provenance.data.items() if estimate else ():
        # All legs are about one model; what they must not share is the data.
        if name.rpartition(".")[2] != "model":
            yield "data", digest[:12]


def _below(context: Context, bits: dict[Thing, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for identity in context.case.upward:
        node, held = context.by_id[identity], 0
        for thing in _things(context, node) if bits else ():
            held |= bits.get(thing, 0)
        aside = context.stands_for(node)
        for each in (*node.below, *(() if aside is None else (aside.id,))):
            held |= found.get(each, 0)
        found[identity] = held
    return found
