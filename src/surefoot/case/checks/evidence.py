"""Checks of what was measured: evidence is there and fits its claim, assumptions are stated, legs are independent.

What two legs may share is an evidence or side-warrant, the measured result behind two of these, or the data behind two
results. Sets of shared things are kept as bits of whole numbers, so that the union of thousands is one operation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from surefoot.case.checks import context as graph
from surefoot.case.checks.context import Context, case_check
from surefoot.case.checks.texts import normal
from surefoot.case.evaluation import Checked, checks, is_shared, results_of
from surefoot.case.model import Node, Number
from surefoot.core import Assumption, Diagnostic, Estimate, validate

MOST_NAMED = 5
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
            names = validate.listed([f"{sort} {name}" for (sort, name), bit in bits.items() if common & bit])
            text = f"The legs of {node.called} {node.id!r} are not independent: they share {names}."
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
        yield node.called, repr(node.id)
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


# Evidence: there, fresh, of the quantity and unit of the claim, with bounds that the claim accepts.


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
        if context.measured.document(node.rests_on) is not None:
            continue
        if estimate is None:
            if node.kind == "evidence" or context.measured.assumption(node.rests_on, node.assumption) is None:
                text = f"{node.called} {node.id!r} rests on {node.rests_on!r}, which was not measured."
                hint = "Measure it, or name a result as step.quantity, or a document by its step."
                yield context.find(node, "error", "case-evidence-missing", text, hint)
        elif node.digest and node.digest != estimate.digest:
            text = f"{node.called} {node.id!r} was written for another result of {node.rests_on!r}: "
            text += f"digest {node.digest[:12]}, measured {estimate.digest[:12]}."
            hint = "Look at what changed, then write the case anew."
            yield context.find(node, "warning", "case-evidence-stale", text, hint)


@case_check(
    codes=("case-document-draft", "case-document-anonymous", "case-document-stale", "case-document-unpinned"),
    needs_evidence=True,
)
def accepted(context: Context) -> Iterator[Diagnostic]:
    """Documents that nobody accepted, or that are others now than those which were accepted."""
    for node in context.nodes:
        document = context.measured.document(node.rests_on) if node.rests_on else None
        if document is None:
            continue
        other = bool(node.digest and document.digest and node.digest != document.digest)
        if document.changed or other:
            text = f"{node.called} {node.id!r}: the content of {document.title!r} is not the one that "
            text += "the case was written for." if other else f"was {document.state}."
            hint = "Have it accepted anew as it is now, then write its hash."
            yield context.find(node, "error", "case-document-stale", text, hint)
        elif document.state != "accepted":
            text = (
                f"{node.called} {node.id!r} rests on the {document.kind} {document.title!r}, which is {document.state}."
            )
            hint = "It supports nothing until it is accepted: state: accepted, with by: and date:."
            yield context.find(node, "warning", "case-document-draft", text, hint)
        elif not document.by:
            text = f"{node.called} {node.id!r} rests on the {document.kind} {document.title!r}, which nobody accepted."
            hint = "Say by: whom it was accepted, and on which date:."
            yield context.find(node, "warning", "case-document-anonymous", text, hint)
        elif not (document.pinned or node.digest):
            text = f"{node.called} {node.id!r} rests on the {document.kind} {document.title!r}, which is accepted "
            text += "whatever it says: its hash was not written down."
            hint = f"Write sha256: {document.digest}." if document.digest else "Write sha256: of what was accepted."
            yield context.find(node, "warning", "case-document-unpinned", text, hint)


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
    if estimate.unit != target.counted:
        text = f"{said} is {estimate.unit}, and claim {claim.id!r} {target.counted}."
        hint = "Convert the exposure, or state the claim in the unit that was measured."
        yield context.find(node, "error", "case-unit-differs", text, hint)
    kinds = list(dict.fromkeys(family.kind for family in estimate.bounds if family.side == side))
    if not estimate.bounds:
        text = f"{said} gives a value without any bound, so that its confidence is not stated."
        hint = "Use a method that gives a bound at a level."
        yield context.find(node, "warning", "case-confidence-unstated", text, hint)
    elif kinds and not set(kinds) & set(target.kinds):
        text = f"{said} has {side} bounds of kind {validate.listed(kinds)}, and claim {claim.id!r} accepts "
        text += f"{validate.listed(target.kinds)}."
        hint = "Use a method with a bound that counts, or let the target name the kind."
        yield context.find(node, "warning", "case-bound-kind", text, hint)


def _same_quantity(quantity: str, reference: str, estimate: Estimate) -> bool:
    wanted = _words(quantity)
    return any(wanted in name or name in wanted for name in map(_words, (estimate.reference, reference)) if name)


def _words(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


# Assumptions: each one of a result stated as a side-warrant, each side-warrant checked or answered for.


@case_check(
    codes=("case-assumption-contradicted", "case-assumption-unknown", "case-assumption-unchecked"), needs_evidence=True
)
def checked(context: Context) -> Iterator[Diagnostic]:
    """Side-warrants by what was measured of them."""
    for node in context.nodes:
        if node.kind != "side-claim" or not node.assumption:
            continue
        references = results_of(context.case, node)
        found = checks(context.measured, references, node.assumption)
        if not found:
            # A condition of the system holds for all of it, also where no result was made under it.
            of_the_system = is_shared(node) and node.id == f"assumption.{node.assumption}"
            known = [repr(each) for each in references if context.measured.estimate(each) is not None]
            if known and not of_the_system:
                text = f"Side-claim {node.id!r} is about the assumption {node.assumption!r}, "
                text += f"which {validate.listed(known, MOST_NAMED)} {'do' if len(known) > 1 else 'does'} not have."
                hint = "Name an assumption of that result, or take the side-warrant away."
                yield context.find(node, "warning", "case-assumption-unknown", text, hint)
            elif is_shared(node) and not _answered(node):
                yield _unchecked(context, node)
        elif found[0].assumption.status == "contradicted":
            yield _contradicted(context, node, found)
        elif found[0].assumption.status == "unchecked" and not _answered(node):
            yield _unchecked(context, node)


def _contradicted(context: Context, node: Node, found: Sequence[Checked]) -> Diagnostic:
    """With the results that it breaks, where it is about several."""
    assumption = found[0].assumption
    how = assumption.check.method if assumption.check else "its check"
    text = f"Side-claim {node.id!r} is contradicted: {how} speaks against {assumption.id!r}"
    broken = [each.reference for each in found if each.assumption.status == "contradicted"]
    if len(found) > len(broken):
        text += f" for {validate.listed([repr(each) for each in broken], MOST_NAMED)}, and not for the others"
    hint = "Use a method that does not need it, or other data."
    return context.find(node, "error", "case-assumption-contradicted", f"{text}.", hint)


@case_check(codes=("case-assumption-unchecked",))
def believed(context: Context) -> Iterator[Diagnostic]:
    """Side-warrants that nothing can check and nobody answers for."""
    for node in context.nodes:
        if node.kind == "side-claim" and not node.assumption and not _answered(node):
            yield _unchecked(context, node)


def _unchecked(context: Context, node: Node) -> Diagnostic:
    text = f"Nobody checked side-warrant {node.id!r}, and nobody answers for it."
    hint = "Check it, argue for it, or say who answers for it and why."
    return context.find(node, "note", "case-assumption-unchecked", text, hint)


def _answered(node: Node) -> bool:
    return node.stated is not None or bool(node.supported_by) or node.undeveloped or node.uninstantiated


@case_check(codes=("case-assumption-unstated",), needs_evidence=True)
def unstated(context: Context) -> Iterator[Diagnostic]:
    """Assumptions of results that no side-warrant states."""
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
            named = validate.listed(list(dict.fromkeys(missing)))
            text = f"{node.rests_on!r} assumes {named}, and no side-warrant says so."
            hint = "Add a side-warrant (side-claim: in a file) with rests on and assumption beside the argument."
            yield context.find(node, "warning", "case-assumption-unstated", text, hint)


def _speaks_against(context: Context, node: Node) -> bool:
    """Whether the evidence is that of a doubt, which may well stop at what it doubts."""
    above = [context.by_id[each].kind for each in _near(context, node) if each in context.by_id]
    return bool(node.challenges) or "defeater" in above


def _warrants(context: Context, identity: str) -> Iterator[Node]:
    """Side-warrants beside a node, and those that these are argued from."""
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
            text = f"An opinion is stated on {node.called} {node.id!r}, and nobody answers for it."
            yield context.find(node, "note", "case-opinion-anonymous", text, "Say who does, and why.")
