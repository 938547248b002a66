"""Whether what was measured shows what is claimed: not at all, not quite, or far more than is claimed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from surefoot.case.checks.context import Context
from surefoot.case.checks.rule import case_check
from surefoot.case.node import Node
from surefoot.case.number import Number
from surefoot.core import Bound, Diagnostic, Estimate, InvalidInput, Verdict
from surefoot.core.bound import WITHOUT_LEVEL

FACTOR = 2.0
"""A claim weaker than what was measured by more than this could be tightened."""
UNGUARANTEED = ("heuristic", "expectation")


@dataclass(frozen=True)
class Found:
    """What one piece of evidence says of a claim."""

    node: Node
    verdict: Verdict
    leg: bool
    alone: bool
    """Met at the level asked for, and no longer at the one that covers all looks at the data."""

    @property
    def shown(self) -> bool:
        """Whether it shows the claim."""
        return self.verdict.status == "met" and not self.alone


@case_check(
    codes=("case-claim-contradicted", "case-claim-unshown", "case-bound-heuristic", "case-claim-weaker"),
    needs_evidence=True,
)
def shown(context: Context) -> Iterator[Diagnostic]:
    """Claims by the verdicts of their evidence."""
    for claim in context.nodes:
        if claim.kind == "claim" and claim.number is not None:
            found = list(_found(context, claim, claim.number))
            if found:
                yield from _judged(context, claim, claim.number, found)


def _found(context: Context, claim: Node, number: Number) -> Iterator[Found]:
    for node, leg in context.results(claim):
        estimate = context.measured.estimate(node.rests_on)
        verdict = None if estimate is None else _verdict(estimate, number, number.target.level)
        if estimate is None or verdict is None:
            continue
        strict = _verdict(estimate, number, number.strict_level) if number.strict_level is not None else verdict
        yield Found(node, verdict, leg, bool(verdict) and not strict)


def _verdict(estimate: Estimate, number: Number, level: float) -> Verdict | None:
    """None where the units differ, which has a code of its own."""
    try:
        return estimate.meets(number.target if level == number.target.level else replace(number.target, level=level))
    except InvalidInput:
        return None


def _judged(context: Context, claim: Node, number: Number, found: list[Found]) -> Iterator[Diagnostic]:
    against = next((each for each in found if each.verdict.status == "violated"), None)
    if against is not None:
        text = f"Claim {claim.id!r} is contradicted by evidence {against.node.id!r}: {against.verdict.text}."
        hint = "The claim is false as it stands: improve the system, or claim less."
        yield context.find(claim, "error", "case-claim-contradicted", text, hint)
        return
    missing = _missing(found)
    if missing is not None:
        alone = f" at this look alone, not at level {number.strict_level:g}" if missing.alone else ""
        text = f"Evidence {missing.node.id!r} does not show claim {claim.id!r}: {missing.verdict}{alone}."
        hint = "Gather more evidence, or claim less."
        yield context.find(claim, "warning", "case-claim-unshown", text, hint)
        return
    yield from _shown(context, claim, number, [each for each in found if each.shown])


def _missing(found: list[Found]) -> Found | None:
    """What is needed and does not show the claim; of several legs one suffices."""
    needed = next((each for each in found if not each.leg and not each.shown), None)
    legs = [each for each in found if each.leg]
    return needed or (legs[0] if legs and not any(each.shown for each in legs) else None)


def _shown(context: Context, claim: Node, number: Number, found: list[Found]) -> Iterator[Diagnostic]:
    bounds = [(each, each.verdict.bound) for each in found if each.verdict.bound is not None]
    for each, bound in bounds:
        if bound.kind in UNGUARANTEED:
            text = f"Claim {claim.id!r} rests on a bound that carries no confidence: {bound.kind}, of {each.node.id!r}."
            hint = "Use a method with a stated confidence where the claim matters."
            yield context.find(claim, "warning", "case-bound-heuristic", text, hint)
    if bounds and all(_far(number, bound) for _, bound in bounds):
        each, bound = bounds[0]
        at = "" if bound.kind in WITHOUT_LEVEL else f" at level {bound.level:g}"
        text = f"Claim {claim.id!r} states {number.target}; {each.node.id!r} shows {bound.limit:.3g}{at}."
        yield context.find(claim, "note", "case-claim-weaker", text, "It could be tightened.")


def _far(number: Number, bound: Bound) -> bool:
    limit = number.target.limit
    if number.target.at_most is not None:
        return limit > FACTOR * bound.limit
    if number.target.per == "demand":
        return 1 - limit > FACTOR * (1 - bound.limit)
    return bound.limit > FACTOR * limit
