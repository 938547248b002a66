"""Arguments: which CAE block they are, whether they are made as that block says, and how they combine what is below."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.case.checks.context import Context
from surefoot.case.checks.rule import case_check
from surefoot.core import Diagnostic


@case_check(codes=("case-block-missing", "case-block-mismatch"))
def blocks(context: Context) -> Iterator[Diagnostic]:
    """Arguments without a block in CAE, or not of the shape that their block has."""
    for node in context.nodes:
        if node.kind != "argument":
            continue
        if node.block is None and context.case.notation == "cae":
            text = f"Argument {node.id!r} does not say which block it is."
            hint = "One of decomposition, substitution, evidence incorporation, concretion and calculation."
            yield context.find(node, "note", "case-block-missing", text, hint)
        kinds = [each.kind for each in context.known(node.supported_by)]
        if node.block == "evidence incorporation" and kinds and "evidence" not in kinds:
            text = f"Argument {node.id!r} incorporates evidence, and no evidence is below it."
            hint = "Put the evidence below it, or choose another block."
            yield context.find(node, "warning", "case-block-mismatch", text, hint)
        if node.block == "decomposition" and len(node.supported_by) == 1 and not node.multiplicity:
            text = f"Argument {node.id!r} decomposes a claim into one part."
            hint = "Add the other parts, or choose substitution or concretion."
            yield context.find(node, "warning", "case-block-mismatch", text, hint)


@case_check(codes=("case-deduction-unstated", "case-conditionals-unused", "case-legs-alone"))
def combined(context: Context) -> Iterator[Diagnostic]:
    """Deductions without conditionals, conditionals without a deduction, legs that are none."""
    for node in context.nodes:
        conditional = node.stated is not None and node.stated.given_true is not None
        if node.combining == "deduction" and not conditional:
            text = f"{node.kind} {node.id!r} is a deduction, and its conditionals are not stated."
            hint = "State the opinions given that what holds it up is true, and given that it is not."
            yield context.find(node, "error", "case-deduction-unstated", text, hint)
        if conditional and node.combining != "deduction":
            text = f"{node.kind} {node.id!r} states conditionals, and it is no deduction."
            hint = "Set combining to deduction, or take the conditionals away."
            yield context.find(node, "warning", "case-conditionals-unused", text, hint)
        if node.combining == "legs" and len(set(node.supported_by)) < 2:
            text = f"{node.kind} {node.id!r} has independent legs, of which there is {len(node.supported_by)}."
            hint = "Add another leg, or let all that is below it be needed."
            yield context.find(node, "warning", "case-legs-alone", text, hint)
