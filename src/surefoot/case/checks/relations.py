"""Which kinds of nodes may be related how, and which properties they may have.

The rules are those of the GSN Community Standard (version 3, parts 1:2, 1:4 and 1:5) and of CAE blocks (Bloomfield and
Netkachova 2014), which agree but for one: in CAE an argument stands between a claim and its sub-claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from surefoot.case.checks.context import Context
from surefoot.case.checks.references import RELATIONS
from surefoot.case.checks.rule import case_check
from surefoot.case.node import BESIDE, KINDS, STANDING_IN, Node
from surefoot.core import Diagnostic, wording

ARGUED = ("claim", "argument", "side-claim", "defeater")
"""Kinds that something can hold up and stand beside."""
HOLDING = ("claim", "argument", "evidence", "sub-case", "contract")
ALLOWED: dict[str, dict[str, tuple[str, ...]]] = {
    "supported_by": {**dict.fromkeys(ARGUED, HOLDING), "contract": ("claim", "sub-case")},
    "in_context_of": dict.fromkeys(ARGUED, (*BESIDE, "sub-case")),
    "challenges": {"defeater": KINDS, "evidence": KINDS},
}
REMEDIES = {
    "supported_by": "Only claims, arguments, evidence, sub-cases and contracts hold up claims, arguments, side-claims "
    "and defeaters.",
    "in_context_of": "Only side-claims, justifications, contexts and sub-cases stand beside claims, arguments, "
    "side-claims and defeaters.",
    "challenges": "Only defeaters and evidence challenge; make it a defeater.",
}
OWNERS: dict[str, tuple[tuple[str, ...], Callable[[Node], bool]]] = {
    "block": (("argument",), lambda node: node.block is not None),
    "number": (("claim",), lambda node: node.number is not None),
    "of": (STANDING_IN, lambda node: bool(node.of)),
    "rests_on": (("evidence", "side-claim"), lambda node: bool(node.rests_on)),
    "assumption": (("side-claim",), lambda node: bool(node.assumption)),
    "digest": (("evidence", "side-claim"), lambda node: bool(node.digest)),
    "combining": (ARGUED, lambda node: node.combining != "all"),
    "undeveloped": ((*ARGUED, *STANDING_IN), lambda node: node.undeveloped),
}


@case_check(codes=("case-relation",))
def related(context: Context) -> Iterator[Diagnostic]:
    """Kinds that may not be related so."""
    for node in context.nodes:
        for relation, allowed in ALLOWED.items():
            kinds = allowed.get(node.kind, ())
            wrong = [each for each in context.known(getattr(node, relation)) if each.kind not in kinds]
            if wrong:
                named = wording.listed([f"{each.kind} {each.id!r}" for each in wrong])
                text = f"{node.kind} {node.id!r} {RELATIONS[relation]} {named}, which these kinds cannot."
                yield context.find(node, "error", "case-relation", text, REMEDIES[relation])


@case_check(codes=("case-claim-on-claim", "case-argument-nested"))
def directly(context: Context) -> Iterator[Diagnostic]:
    """Claims on claims in CAE, and arguments on arguments."""
    for node in context.nodes:
        if node.kind == "claim" and context.case.notation == "cae":
            found = [each.id for each in context.known(node.supported_by) if each.kind in ("claim", "sub-case")]
            if found:
                text = f"Claim {node.id!r} rests on {wording.listed(found)} without an argument that says why."
                hint = "Put an argument between them, with its block."
                yield context.find(node, "note", "case-claim-on-claim", text, hint)
        if node.kind == "argument":
            found = [each.id for each in context.known(node.supported_by) if each.kind == "argument"]
            if found:
                text = f"Argument {node.id!r} rests on argument {wording.listed(found)}."
                hint = "Say the claim that the lower one argues for."
                yield context.find(node, "note", "case-argument-nested", text, hint)


@case_check(codes=("case-field-misplaced",))
def misplaced(context: Context) -> Iterator[Diagnostic]:
    """Properties that mean nothing for the kind of node that has them."""
    for node in context.nodes:
        wrong = [name for name, (kinds, given) in OWNERS.items() if node.kind not in kinds and given(node)]
        if not node.rests_on:
            wrong += [name for name in ("assumption", "digest") if getattr(node, name) and name not in wrong]
        if wrong:
            text = f"{node.kind} {node.id!r} has {wording.listed(wrong)}, which nothing looks at there."
            hint = "Take it away, or change the kind; an assumption or digest needs rests_on."
            yield context.find(node, "warning", "case-field-misplaced", text, hint)
