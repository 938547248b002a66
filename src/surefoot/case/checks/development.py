"""Whether what is argued is argued: developed, or marked as undeveloped, and not both."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.case.checks.context import Context
from surefoot.case.checks.rule import case_check
from surefoot.case.node import Node
from surefoot.core import Diagnostic


@case_check(codes=("case-undeveloped-developed",))
def both(context: Context) -> Iterator[Diagnostic]:
    """Marked undeveloped and yet developed."""
    for node in context.nodes:
        if node.undeveloped and (node.supported_by or _answered(node)):
            why = "somebody answers for it" if not node.supported_by else f"{node.supported_by[0]!r} holds it up"
            text = f"{node.kind} {node.id!r} is marked undeveloped, and {why}."
            hint = "Take the mark away, or what is below it."
            yield context.find(node, "error", "case-undeveloped-developed", text, hint)


@case_check(codes=("case-undeveloped-unmarked", "case-argument-empty"))
def neither(context: Context) -> Iterator[Diagnostic]:
    """Neither developed nor marked undeveloped."""
    for node in context.nodes:
        if node.supported_by or node.undeveloped or _answered(node):
            continue
        if node.kind == "claim":
            text = f"Nothing holds claim {node.id!r} up, and it is not marked undeveloped."
            hint = "Argue for it, give evidence, or mark it undeveloped."
            yield context.find(node, "warning", "case-undeveloped-unmarked", text, hint)
        if node.kind == "argument" and not any(each.kind == "side-claim" for each in context.known(node.in_context_of)):
            text = f"Argument {node.id!r} rests on nothing."
            hint = "Say which claims or evidence it argues from, or mark it undeveloped."
            yield context.find(node, "warning", "case-argument-empty", text, hint)


def _answered(node: Node) -> bool:
    return node.stated is not None and node.stated.opinion is not None
