"""Doubts: a defeater speaks against something, and what is defeated was challenged (GSN version 3, part 1:5)."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.case.checks.context import Context
from surefoot.case.checks.rule import case_check
from surefoot.core import Diagnostic


@case_check(codes=("case-defeater-idle",))
def idle(context: Context) -> Iterator[Diagnostic]:
    """Defeaters that speak against nothing."""
    for node in context.nodes:
        if node.kind == "defeater" and not node.challenges:
            text = f"Defeater {node.id!r} challenges nothing."
            hint = "Name what it speaks against, or make it a claim."
            yield context.find(node, "warning", "case-defeater-idle", text, hint)


@case_check(codes=("case-defeated-unchallenged",))
def unchallenged(context: Context) -> Iterator[Diagnostic]:
    """Defeated by nothing."""
    for node in context.nodes:
        if not node.defeated or context.case.challengers.get(node.id):
            continue
        if node.kind != "defeater":
            text = f"{node.kind} {node.id!r} is marked defeated, and nothing challenges it."
            hint = "Add what speaks against it, or take the mark away."
        elif not node.stated and not node.note.strip():
            text = f"Defeater {node.id!r} is marked eliminated, and nothing says by what."
            hint = "Add what speaks against it, a note, or who answers for that."
        else:
            continue
        yield context.find(node, "error", "case-defeated-unchallenged", text, hint)
