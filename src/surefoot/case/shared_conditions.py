"""Conditions of the whole system: one side-warrant that many arguments share, judged by the results of each.

A side-warrant that names an assumption and no result is about every result whose argument it stands beside. Where the
check of one of these results contradicts it, the arguments from that result are broken and no others; the node itself
shows the worst that was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from surefoot.case.evaluation import CHECKS_WORST_FIRST, Measured
from surefoot.case.model import Case, Node
from surefoot.core import Assumption

References = tuple[str, ...]
"""Results by ``step.quantity``."""
Shared = Mapping[str, Mapping[str, References]]
"""For each shared condition, by the nodes that it stands beside, the results that these argue from."""


class Checked(NamedTuple):
    """The assumption of one result, as its check found it."""

    reference: str
    assumption: Assumption


def is_shared(node: Node) -> bool:
    """Whether a side-warrant is about all results that it stands beside, and not about one that it names."""
    return node.kind == "side-claim" and bool(node.assumption) and not node.rests_on


def results_beside(case: Case) -> Shared:
    """For each shared condition, by the nodes that it stands beside, the results that these argue from.

    >>> counted = [Node("A", "argument", "Counted", ("E",), ("dry",)), Node("E", "evidence", "1 of 90", rests_on="a.b")]
    >>> case = Case.of([*counted, Node("dry", "side-claim", "It is dry.", assumption="dry")])
    >>> results_beside(case)
    {'dry': {'A': ('a.b',)}}
    """
    return {node.id: _by_user(case, node) for node in case if is_shared(node)}


def results_of(case: Case, node: Node) -> References:
    """All results that a side-warrant or evidence is about."""
    if not is_shared(node):
        return (node.rests_on,) if node.rests_on else ()
    return tuple(dict.fromkeys(each for found in _by_user(case, node).values() for each in found))


def checks(measured: Measured, references: Iterable[str], identity: str) -> list[Checked]:
    """The assumption of each result that has it, the one that stands worst first."""
    found = [
        Checked(reference, assumption)
        for reference in references
        if (assumption := measured.assumption(reference, identity)) is not None
    ]
    return sorted(found, key=lambda each: CHECKS_WORST_FIRST.index(each.assumption.status))


def _by_user(case: Case, node: Node) -> dict[str, References]:
    return {user: _argued_from(case, user) for user in case.parents.get(node.id, ()) if user in case.nodes}


def _argued_from(case: Case, identity: str) -> References:
    """Results that a node argues from; of one that argues from none, those of what it is argued for."""
    found = _below(case, identity)
    waiting, seen = [identity], {identity}
    while waiting and not found:
        above = [each for name in waiting for each in case.parents[name] if each not in seen]
        seen.update(above)
        found = tuple(dict.fromkeys(result for each in above for result in _at_or_below(case, each)))
        waiting = above
    return found


def _at_or_below(case: Case, identity: str) -> References:
    node = case.nodes[identity]
    own = node.rests_on if node.kind == "side-claim" and not node.assumption else ""
    return (own,) if own else _below(case, identity)


def _below(case: Case, identity: str) -> References:
    """Results of evidence that holds a node up, however far down."""
    found: dict[str, None] = {}
    waiting, seen = [identity], {identity}
    while waiting:
        node = case.nodes[waiting.pop()]
        if node.kind == "evidence" and node.rests_on:
            found[node.rests_on] = None
        stands_for = case.resolved(node.id)
        for each in (*node.supported_by, *(() if stands_for == node.id else (stands_for,))):
            if each in case.nodes and each not in seen:
                seen.add(each)
                waiting.append(each)
    return tuple(found)
