"""Assumptions: each one of a result stated as a side-claim, each side-claim checked or answered for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from surefoot.case.checks.context import Context
from surefoot.case.checks.rule import case_check
from surefoot.case.checks.texts import normal
from surefoot.case.node import Node
from surefoot.core import Assumption, Diagnostic, wording


@case_check(
    codes=("case-assumption-contradicted", "case-assumption-unknown", "case-assumption-unchecked"), needs_evidence=True
)
def checked(context: Context) -> Iterator[Diagnostic]:
    """Side-claims by what was measured of them."""
    for node in context.nodes:
        if node.kind != "side-claim" or not (node.rests_on and node.assumption):
            continue
        assumption = context.measured.assumption(node.rests_on, node.assumption)
        if assumption is None:
            if context.measured.estimate(node.rests_on) is not None:
                text = f"Side-claim {node.id!r} is about the assumption {node.assumption!r}, "
                text += f"which {node.rests_on!r} does not have."
                hint = "Name an assumption of that result, or take the side-claim away."
                yield context.find(node, "warning", "case-assumption-unknown", text, hint)
        elif assumption.status == "contradicted":
            how = assumption.check.method if assumption.check else "its check"
            text = f"Side-claim {node.id!r} is contradicted: {how} speaks against {assumption.id!r}."
            hint = "Use a method that does not need it, or other data."
            yield context.find(node, "error", "case-assumption-contradicted", text, hint)
        elif assumption.status == "unchecked" and not _answered(node):
            yield _unchecked(context, node)


@case_check(codes=("case-assumption-unchecked",))
def believed(context: Context) -> Iterator[Diagnostic]:
    """Side-claims that nothing can check and nobody answers for."""
    for node in context.nodes:
        if node.kind == "side-claim" and not (node.rests_on and node.assumption) and not _answered(node):
            yield _unchecked(context, node)


def _unchecked(context: Context, node: Node) -> Diagnostic:
    text = f"Nobody checked side-claim {node.id!r}, and nobody answers for it."
    hint = "Check it, argue for it, or say who answers for it and why."
    return context.find(node, "note", "case-assumption-unchecked", text, hint)


def _answered(node: Node) -> bool:
    return node.stated is not None or bool(node.supported_by) or node.undeveloped or node.uninstantiated


@case_check(codes=("case-assumption-unstated",), needs_evidence=True)
def unstated(context: Context) -> Iterator[Diagnostic]:
    """Assumptions of results that no side-claim states."""
    stated = {(node.rests_on, node.assumption) for node in context.nodes if node.kind == "side-claim"}
    seen: set[str] = set()

    @cache
    def beside(identity: str) -> frozenset[str]:
        return frozenset(each for node in _warrants(context, identity) for each in (node.assumption, normal(node.text)))

    for node in context.nodes:
        if node.kind != "evidence" or not node.rests_on or node.rests_on in seen or _speaks_against(context, node):
            continue
        estimate = context.measured.estimate(node.rests_on)
        places = {node.rests_on, node.rests_on.partition(".")[0]}
        near = [beside(each) for each in _near(context, node)] if estimate and estimate.assumptions else []
        missing = [
            each.id
            for each in (estimate.assumptions if estimate else ())
            if not any((place, name) in stated for place in places for name in _names(each))
            and not any({*_names(each), normal(each.text)} & told for told in near)
        ]
        if missing:
            seen.add(node.rests_on)
            text = (
                f"{node.rests_on!r} assumes {wording.listed(list(dict.fromkeys(missing)))}, and no side-claim says so."
            )
            hint = "Add a side-claim with rests_on and assumption beside the argument."
            yield context.find(node, "warning", "case-assumption-unstated", text, hint)


def _speaks_against(context: Context, node: Node) -> bool:
    """Whether the evidence is that of a doubt, which may well stop at what it doubts."""
    above = [context.by_id[each].kind for each in _near(context, node) if each in context.by_id]
    return bool(node.challenges) or "defeater" in above


def _warrants(context: Context, identity: str) -> Iterator[Node]:
    """Side-claims beside a node, and those that these are argued from."""
    waiting, seen = [identity], {identity}
    while waiting:
        node = context.by_id[waiting.pop()]
        for each in context.known(node.in_context_of):
            if each.kind == "side-claim" and each.id not in seen:
                seen.add(each.id)
                yield each
                waiting += [below.id for below in context.known(each.supported_by) if below.kind == "argument"]


def _near(context: Context, node: Node) -> Iterator[str]:
    """What the evidence holds up, and what an argument among these holds up."""
    for parent in context.known(context.case.parents[node.id]):
        yield parent.id
        if parent.kind == "argument":
            yield from context.case.parents[parent.id]


def _names(assumption: Assumption) -> tuple[str, str]:
    return assumption.id, f"{assumption.id}[{assumption.scope}]"


@case_check(codes=("case-opinion-anonymous",))
def anonymous(context: Context) -> Iterator[Diagnostic]:
    """Opinions that nobody answers for."""
    for node in context.nodes:
        if node.stated is not None and not node.stated.by.strip():
            text = f"An opinion is stated on {node.kind} {node.id!r}, and nobody answers for it."
            yield context.find(node, "note", "case-opinion-anonymous", text, "Say who does, and why.")
