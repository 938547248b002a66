"""Modules: known, used, and referring to each other by what is public (GSN version 3, part 1:4)."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.case.checks import graph
from surefoot.case.checks.context import Context
from surefoot.case.checks.rule import case_check
from surefoot.case.checks.texts import normal
from surefoot.case.node import STANDING_IN, Node
from surefoot.core import Diagnostic, wording


@case_check(codes=("case-module-unknown",))
def listed(context: Context) -> Iterator[Diagnostic]:
    """Nodes of modules that the case does not list."""
    missing: dict[str, list[Node]] = {}
    for node in context.nodes:
        if node.module not in context.modules:
            missing.setdefault(node.module, []).append(node)
    for name, nodes in missing.items():
        text = f"{wording.counted(len(nodes), 'node')} of module {name!r}, which the case does not list."
        hint = "List the module, or take the nodes into another one."
        yield context.find(nodes[0], "error", "case-module-unknown", text, hint)


@case_check(codes=("case-module-extends",))
def extended(context: Context) -> Iterator[Diagnostic]:
    """Modules that extend what is not there, or in the end themselves."""
    modules = context.case.modules
    above = {name: [module.extends] if module.extends in modules else [] for name, module in modules.items()}
    looped = {name for circle in graph.circles(above) for name in circle}
    for name, module in modules.items():
        itself = name in looped or module.extends == name != ""
        if itself or (module.extends and module.extends not in modules):
            text = f"Module {name!r} extends {module.extends!r}, {'and so itself' if itself else 'which is not there'}."
            hint = "Name the module that it is a version of."
            yield Diagnostic("case-module-extends", text, "error", f"{name}/", hint)


@case_check(codes=("case-module-unused",))
def unused(context: Context) -> Iterator[Diagnostic]:
    """Modules that nothing outside refers to."""
    used = {context.home, ""} | {context.case[each].module for each in _entered(context)}
    for name, module in context.case.modules.items():
        used |= {name, module.extends} if module.extends else set()
    for node in context.nodes:
        if node.kind in STANDING_IN and node.of in context.modules:
            used.add(node.of)
    for name in context.case.modules:
        if name not in used:
            text = f"Nothing refers to module {name!r}."
            hint = "Refer to it by a sub-case, or leave it out."
            yield Diagnostic("case-module-unused", text, "warning", f"{name}/", hint)


def _entered(context: Context) -> Iterator[str]:
    """Ids of nodes that a node of another module refers to."""
    nodes = context.by_id
    for identity, needed in context.needs.items():
        yield from (each for each in needed if nodes[each].module != nodes[identity].module)


@case_check(codes=("case-subcase-unresolved", "case-contract-unfulfilled"))
def unresolved(context: Context) -> Iterator[Diagnostic]:
    """Sub-cases that stand for nothing that is here, and contracts that nothing fulfils."""
    for node in context.nodes:
        argued = node.undeveloped or (not node.of and (node.supported_by or node.stated))
        if node.kind == "sub-case" and context.stands_for(node) is None and not argued:
            text = f"Sub-case {node.id!r} stands for {_named(context, node)}."
            hint = "Write module, or module/id of a claim there; mark it undeveloped if it is still to come."
            yield context.find(node, "error", "case-subcase-unresolved", text, hint)
        if node.kind == "contract" and context.stands_for(node) is None and not (node.supported_by or node.undeveloped):
            text = f"Contract {node.id!r} is not fulfilled: it stands for {_named(context, node)}."
            hint = "Name the module or the claim that fulfils it, or put a sub-case below it."
            yield context.find(node, "error", "case-contract-unfulfilled", text, hint)


def _named(context: Context, node: Node) -> str:
    if not node.of:
        return "nothing"
    module = node.of.partition("/")[0]
    if module not in context.modules:
        return f"{node.of!r}, and there is no module {module!r}"
    return f"{node.of!r}, and {'no such node is there' if '/' in node.of else 'that module has no top claim'}"


@case_check(codes=("case-subcase-kind", "case-subcase-text"))
def stood_for(context: Context) -> Iterator[Diagnostic]:
    """What a sub-case stands for: a claim, in the same words."""
    for node in context.nodes:
        claim = context.stands_for(node)
        if claim is None or node.kind != "sub-case":
            continue
        if claim.kind not in ("claim", "side-claim"):
            text = f"Sub-case {node.id!r} stands for {claim.kind} {claim.id!r}, which claims nothing."
            hint = "Let it stand for the claim that is argued there."
            yield context.find(node, "warning", "case-subcase-kind", text, hint)
        elif "/" in node.of and node.text.strip() and normal(node.text) != normal(claim.text):
            text = f"Sub-case {node.id!r} does not say what claim {claim.id!r} says: {claim.text[:80]!r}."
            yield context.find(node, "note", "case-subcase-text", text, "Repeat the words of the claim.")


@case_check(codes=("case-not-public",))
def private(context: Context) -> Iterator[Diagnostic]:
    """References into another module to what is not public."""
    for node in context.nodes:
        away = [each for each in context.known(node.below) if each.module != node.module]
        claim = context.stands_for(node) if "/" in node.of else None
        away += [claim] if claim is not None and claim.module != node.module else []
        hidden = [context.place(each) for each in away if not each.public]
        if hidden:
            text = f"{node.kind} {node.id!r} refers to {wording.listed(hidden)} in another module, not public there."
            hint = "Mark it public there, or refer to something that is."
            yield context.find(node, "warning", "case-not-public", text, hint)
