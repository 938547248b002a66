"""How checks and standings are said. A check that finds nothing proves nothing, and its words say no more."""

from __future__ import annotations

from collections.abc import Iterable

from surefoot.case.evaluation import Assessed, Standing
from surefoot.case.node import GIVEN, Node
from surefoot.core import Estimate, Target, Verdict
from surefoot.documents import significant

CHECK_WORDS = {"supported": "not contradicted", "contradicted": "contradicted", "unchecked": "not checked"}
NOT_CONTRADICTED = CHECK_WORDS["supported"]
SIGNS: dict[Standing, str] = {"supported": "✓", "not shown": "○", "contradicted": "✗"}
_TURNED: dict[Standing, Standing] = {"supported": "contradicted", "not shown": "not shown", "contradicted": "supported"}


def standing_word(node: Node, assessed: Assessed | None) -> str:
    """How the standing is said: a check that found nothing against an assumption proves nothing, a doubt stands."""
    if assessed is None or (node.kind in GIVEN and assessed.standing != "contradicted"):
        return ""
    if node.challenges:
        eliminated = "eliminated" if node.defeated else "refuted"
        return {"supported": "stands", "not shown": "not eliminated", "contradicted": eliminated}[assessed.standing]
    checked = node.kind == "side-claim" and node.assumption and assessed.standing == "supported"
    return NOT_CONTRADICTED if checked else assessed.standing


def for_the_case(node: Node, assessed: Assessed | None) -> Standing | None:
    """Good or bad for the case, by which signs and colours go: a doubt that stands is bad, one that is refuted good.

    None where nothing is said of it.
    """
    if assessed is None or not standing_word(node, assessed):
        return None
    return _TURNED[assessed.standing] if node.challenges else assessed.standing


def unchecked(estimates: Iterable[Estimate]) -> int:
    """How many different assumptions nobody checked."""
    found = (assumption for estimate in estimates for assumption in estimate.assumptions)
    return len({(each.id, each.text) for each in found if each.status == "unchecked"})


def asked(verdict: Verdict) -> str:
    """What the target asks for; of an uncertain limit also where it lies, and which end the verdict rests on."""
    target = verdict.target
    text = f"{target.relation} {significant(target.limit)}"
    if target.uncertainty is None:
        return text
    return f"{text} (itself uncertain, {interval(target)}; the verdict rests on {compared(verdict)})"


def interval(target: Target) -> str:
    """Where an uncertain limit lies at the target's level, rounded outward."""
    low, high = target.interval
    return f"{significant(low, rounding='down')} to {significant(high, rounding='up')}"


def compared(verdict: Verdict) -> str:
    """The end of an uncertain limit that the bound was compared with."""
    low, high = interval(verdict.target).split(" to ")
    cautious = verdict.status != "violated"
    at_low = cautious == (verdict.target.relation == "at most")
    return f"{low if at_low else high}, its {'cautious' if cautious else 'lenient'} end"
