"""How checks and standings are said. A check that finds nothing proves nothing, and its words say no more."""

from __future__ import annotations

from collections.abc import Iterable

from surefoot.core import Estimate, Target, Verdict
from surefoot.draw import significant

CHECK_WORDS = {"supported": "nothing found against it", "contradicted": "contradicted", "unchecked": "not checked"}


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
