"""Evidence: there, fresh, of the quantity and unit of the claim, with bounds that the claim accepts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surefoot.case.checks.context import Context
from surefoot.case.checks.rule import case_check
from surefoot.case.node import Node
from surefoot.case.number import Number
from surefoot.core import Diagnostic, Estimate, wording


@case_check(codes=("case-evidence-unreferenced",))
def referring(context: Context) -> Iterator[Diagnostic]:
    """Evidence that leads to nothing one can look at."""
    for node in context.nodes:
        open_ = node.kind == "evidence" and not (node.rests_on or node.url.strip() or node.stated)
        if open_ and not node.uninstantiated:
            text = f"Evidence {node.id!r} names no result, no document and nobody who answers for it."
            hint = "Give rests_on, a url, or who states it."
            yield context.find(node, "note", "case-evidence-unreferenced", text, hint)


@case_check(codes=("case-evidence-missing", "case-evidence-stale"), needs_evidence=True)
def present(context: Context) -> Iterator[Diagnostic]:
    """Results that were not measured, or differ from what the case was written with."""
    for node in context.nodes:
        if node.kind not in ("evidence", "side-claim") or not node.rests_on:
            continue
        estimate = context.measured.estimate(node.rests_on)
        if estimate is None:
            if node.kind == "evidence" or context.measured.assumption(node.rests_on, node.assumption) is None:
                text = f"{node.kind} {node.id!r} rests on {node.rests_on!r}, which was not measured."
                hint = "Measure it, or name a result as step.quantity."
                yield context.find(node, "error", "case-evidence-missing", text, hint)
        elif node.digest and node.digest != estimate.digest:
            text = f"{node.kind} {node.id!r} was written for another result of {node.rests_on!r}: "
            text += f"digest {node.digest[:12]}, measured {estimate.digest[:12]}."
            hint = "Look at what changed, then write the case anew."
            yield context.find(node, "warning", "case-evidence-stale", text, hint)


@case_check(
    codes=("case-quantity-differs", "case-unit-differs", "case-confidence-unstated", "case-bound-kind"),
    needs_evidence=True,
)
def fitting(context: Context) -> Iterator[Diagnostic]:
    """Estimates that cannot speak of the claim above, or only weakly."""
    for claim in context.nodes:
        if claim.kind != "claim" or claim.number is None:
            continue
        for node, _ in context.results(claim):
            estimate = context.measured.estimate(node.rests_on)
            if estimate is not None:
                yield from _fit(context, claim, node, estimate, claim.number)


def _fit(context: Context, claim: Node, node: Node, estimate: Estimate, number: Number) -> Iterator[Diagnostic]:
    target, side = number.target, number.target.proving_side
    said = f"Evidence {node.id!r} ({node.rests_on})"
    if not _same_quantity(number.quantity, node.rests_on, estimate):
        text = f"{said} is about {estimate.reference!r}, and claim {claim.id!r} about {number.quantity!r}."
        hint = "Name the quantity alike, or argue from one to the other."
        yield context.find(node, "note", "case-quantity-differs", text, hint)
    if estimate.unit != f"per {target.per}":
        text = f"{said} is {estimate.unit}, and claim {claim.id!r} per {target.per}."
        hint = "Convert the exposure, or state the claim in the unit that was measured."
        yield context.find(node, "error", "case-unit-differs", text, hint)
    kinds = list(dict.fromkeys(family.kind for family in estimate.bounds if family.side == side))
    if not estimate.bounds:
        text = f"{said} gives a value without any bound, so that its confidence is not stated."
        hint = "Use a method that gives a bound at a level."
        yield context.find(node, "warning", "case-confidence-unstated", text, hint)
    elif kinds and not set(kinds) & set(target.kinds):
        text = f"{said} has {side} bounds of kind {wording.listed(kinds)}, and claim {claim.id!r} accepts "
        text += f"{wording.listed(target.kinds)}."
        hint = "Use a method with a bound that counts, or let the target name the kind."
        yield context.find(node, "warning", "case-bound-kind", text, hint)


def _same_quantity(quantity: str, reference: str, estimate: Estimate) -> bool:
    wanted = _words(quantity)
    return any(wanted in name or name in wanted for name in map(_words, (estimate.reference, reference)) if name)


def _words(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()
