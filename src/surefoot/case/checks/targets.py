"""Targets of the system: each claimed, and not by less than is asked."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose

from surefoot.case.checks.context import Context
from surefoot.case.checks.limits import weaker
from surefoot.case.checks.rule import case_check
from surefoot.case.node import Node
from surefoot.core import Diagnostic, Target


@case_check(codes=("case-target-unclaimed", "case-target-weaker"))
def claimed(context: Context) -> Iterator[Diagnostic]:
    """Targets that no claim states, and claims that state less.

    A claim states a target whose name is its id or its quantity, or one with the same limit.
    """
    stating = [node for node in context.nodes if node.kind == "claim" and node.number is not None]
    named: dict[str, list[tuple[Node, Target]]] = {}
    limits: dict[tuple[str, str], list[float]] = {}
    for node in stating:
        if node.number is not None:
            target = node.number.target
            for name in {node.id, context.place(node), node.number.quantity}:
                named.setdefault(name, []).append((node, target))
            limits.setdefault((target.per, target.relation), []).append(target.limit)
    for name, target in context.targets.items():
        candidates = [(node, said) for node, said in named.get(name, ()) if _comparable(said, target)]
        if candidates and all(_less(said, target) for _, said in candidates):
            node, said = candidates[0]
            text = f"Claim {node.id!r} states {said}, and the target {name!r} asks for {target}."
            yield context.find(node, "error", "case-target-weaker", text, "Claim what is asked for.")
        same = limits.get((target.per, target.relation), ())
        if not candidates and not any(isclose(limit, target.limit) for limit in same):
            text = f"No claim states the target {name!r}: {target}."
            hint = "Add a claim with that number, and argue for it."
            yield Diagnostic("case-target-unclaimed", text, "error", f"target {name}", hint)


def _comparable(said: Target, asked: Target) -> bool:
    return (said.per, said.relation) == (asked.per, asked.relation)


def _less(said: Target, asked: Target) -> bool:
    return weaker(said, asked) or said.level < asked.level - 1e-12
