"""Eliminated doubts: confidence as the share of reasons for doubt that are gone.

Baconian, or eliminative, induction (Goodenough, Weinstock and Klein 2013, "Eliminative induction: a basis for arguing
system confidence"). Doubts are side-claims that may fail, evidence that may not show what it should, claims that nobody
argued for, and defeaters; a doubt is counted once, however many branches rest on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from surefoot.case.case import Case
from surefoot.case.evaluation import Standing
from surefoot.case.node import GIVEN, Node


class Doubts(NamedTuple):
    """So many doubts, and so many of them eliminated."""

    total: int
    eliminated: int


def doubts(case: Case, standings: Mapping[str, Standing]) -> dict[str, Doubts]:
    """For each claim the doubts in it and in all that it rests on."""
    seen: dict[str, int] = {}
    found: dict[str, Doubts] = {}
    gone = count = 0
    for identity in case.upward:
        node = case.nodes[identity]
        mask = 0
        for each in case.needs(node):
            mask |= seen.get(each, 0)
        if _doubtful(case, node):
            mask |= 1 << count
            gone |= int(_eliminated(case, node, standings[identity])) << count
            count += 1
        seen[identity] = mask
        if node.kind == "claim":
            found[identity] = Doubts(mask.bit_count(), (mask & gone).bit_count())
    return found


def _doubtful(case: Case, node: Node) -> bool:
    if node.kind in GIVEN:
        return False
    bare = not _held_up(case, node)
    return node.kind in ("evidence", "defeater") or node.undeveloped or bare or _lacking(case, node)


def _held_up(case: Case, node: Node) -> bool:
    """Whether anything is below it; side-claims alone hold an argument up."""
    beside = node.kind == "argument" and any(_judged(case, each) for each in node.in_context_of)
    return bool(node.supported_by) or case.resolved(node.id) != node.id or beside


def _judged(case: Case, identity: str) -> bool:
    return identity not in case.nodes or case.nodes[identity].kind not in GIVEN


def _lacking(case: Case, node: Node) -> bool:
    """Whether it refers to something that is not there."""
    return any(each not in case.nodes for each in node.below)


def _eliminated(case: Case, node: Node, standing: Standing) -> bool:
    if node.kind == "defeater" or node.challenges:
        return node.defeated or standing == "contradicted"
    return standing == "supported" and not _lacking(case, node)
