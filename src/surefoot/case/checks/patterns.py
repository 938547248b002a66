"""Patterns: what a template leaves open, and whether it is still open where a case says that it is complete."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surefoot.case.checks.context import Context
from surefoot.case.checks.rule import case_check
from surefoot.case.node import Node
from surefoot.core import Diagnostic, wording

MULTIPLICITY = re.compile(r"\s*(\d+|[A-Za-z]\d*)\s*(?:\.\.\s*(\d+|[A-Za-z]\d*|\*)\s*)?")


@case_check(codes=("case-pattern-left",))
def left(context: Context) -> Iterator[Diagnostic]:
    """Parts of a pattern in a case that is none: evidence is given, or its top claim is filled in."""
    filled = any(not top.uninstantiated for top in context.case.tops if top.module == context.home)
    if not filled and not context.measured.known:
        return
    for node in context.nodes:
        open_ = [name for name, given in _parts(node).items() if given]
        if open_:
            text = f"{node.kind} {node.id!r} is still part of a pattern: {' and '.join(open_)}."
            hint = "Instantiate it; if the whole case is a pattern, mark its top claim uninstantiated."
            yield context.find(node, "warning", "case-pattern-left", text, hint)


def _parts(node: Node) -> dict[str, bool]:
    return {
        "a multiplicity": bool(node.multiplicity),
        "a choice": bool(node.choice),
        "not instantiated": node.uninstantiated,
    }


@case_check(codes=("case-pattern-part",))
def strangers(context: Context) -> Iterator[Diagnostic]:
    """Multiplicities and choices of what is not below."""
    for node in context.nodes:
        below = set(node.below)
        named = (*node.multiplicity, *(each for choice in node.choice for each in choice.among))
        wrong = [each for each in dict.fromkeys(named) if each not in below]
        if wrong:
            text = f"A multiplicity or choice of {node.kind} {node.id!r} names {wording.listed(wrong)}, not below it."
            hint = "Put the node below it, or take it out of the multiplicity or choice."
            yield context.find(node, "error", "case-pattern-part", text, hint)


@case_check(codes=("case-multiplicity",))
def unreadable(context: Context) -> Iterator[Diagnostic]:
    """Multiplicities that say no number."""
    for node in context.nodes:
        wrong = [f"{stated!r} of {each}" for each, stated in node.multiplicity.items() if not _readable(stated)]
        if wrong:
            text = f"{node.kind} {node.id!r} has the multiplicity {wording.listed(wrong)}."
            yield context.find(node, "error", "case-multiplicity", text, "Write n, 3, 1..n or 0..1.")


def _readable(stated: str) -> bool:
    found = MULTIPLICITY.fullmatch(str(stated))
    if not found:
        return False
    least, most = found[1], found[2]
    return not (most and least.isdecimal() and most.isdecimal() and int(least) > int(most))
