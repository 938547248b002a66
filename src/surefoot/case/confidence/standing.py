"""How each unit stands, by verdicts and checks alone; no probabilities.

Supported only where all that is needed is. A contradicted side-claim breaks what it warrants, so that nothing
above it is shown, neither way. One that nobody checked is not shown and overrules nothing. What is challenged is not
shown as long as the challenger is not eliminated; evidence against it that stands contradicts it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from surefoot.case.confidence.compiling import UNDERCUT
from surefoot.case.confidence.leaves import Leaf
from surefoot.case.confidence.units import Graph, Unit
from surefoot.case.evaluation import Standing
from surefoot.core import Verdict, wording
from surefoot.opinions import Opinion

SHOWN_BY_BELIEF = 0.5
MOST_NAMED = 3
FALLEN = "Operation contradicts it: the field data violate the number it states."
WORST: dict[str, int] = {"violated": 0, "not shown": 1, "met": 2}


@dataclass(frozen=True, slots=True)
class Stood:
    """How a unit stands, what that means above it, and why."""

    standing: Standing
    above: Standing
    why: str = ""
    verdict: Verdict | None = None
    unchecked: int = 0
    """Set of side-claims that nobody checked, at or below it, as bits."""


def stand(graph: Graph, leaves: Mapping[int, Leaf], fallen: Collection[int]) -> list[Stood]:
    """All units; ``fallen`` claims are contradicted by operation."""
    found: list[Stood] = []
    for index, unit in enumerate(graph.units):
        below = _of_leaf(index, unit, leaves[index]) if unit.leaf else _of_parts(graph, unit, found)
        if index in fallen:
            below = replace(below, standing="contradicted", above="contradicted", why=FALLEN)
        found.append(_challenged(graph, unit, _warranted(graph, unit, below, found), found))
    return found


def worst(standings: Iterable[Standing]) -> Standing:
    """What a whole is, given its parts: contradicted if one is, supported only if all are, and there are some."""
    found = set(standings)
    if "contradicted" in found:
        return "contradicted"
    return "supported" if found == {"supported"} else "not shown"


def _of_leaf(index: int, unit: Unit, leaf: Leaf) -> Stood:
    unchecked = 1 << index if unit.node.kind == "side-claim" and leaf.standing == "not shown" else 0
    return Stood(leaf.standing, leaf.standing, leaf.why, leaf.verdict, unchecked)


def _of_parts(graph: Graph, unit: Unit, found: list[Stood]) -> Stood:
    parts = [found[each] for each in unit.parts]
    standings = [part.above for part in parts]
    if unit.missing or unit.node.undeveloped:
        standings.append("not shown")
    speaking = [found[each] for each in unit.parts if graph.units[each].node.id in graph.speaking]
    verdicts = [part.verdict for part in speaking if part.verdict is not None]
    verdict = min(verdicts, key=lambda each: WORST[each.status], default=None)
    if unit.node.combining == "legs" and len(standings) > 1:
        standing = _of_legs(standings, violated=verdict is not None and verdict.status == "violated")
    else:
        standing = worst(standings)
        if unit.node.combining == "deduction" and unit.node.stated is not None:
            standing = _deduced(standing, unit.node.stated.given_true, unit.node.stated.given_false)
    unchecked = _union(part.unchecked for part in parts)
    return Stood(standing, standing, _reason(graph, unit, standing, found), verdict, unchecked)


def _union(sets: Iterable[int]) -> int:
    return reduce(or_, sets, 0)


def _of_legs(standings: Collection[Standing], *, violated: bool) -> Standing:
    """One leg suffices, unless another speaks against it."""
    if "contradicted" in standings:
        return "contradicted" if violated or "supported" not in standings else "not shown"
    return "supported" if "supported" in standings else "not shown"


def _deduced(standing: Standing, given_true: Opinion | None, given_false: Opinion | None) -> Standing:
    given = {"supported": given_true, "contradicted": given_false}.get(standing)
    if given is None:
        return "not shown"
    if given.belief > SHOWN_BY_BELIEF:
        return "supported"
    return "contradicted" if given.disbelief > SHOWN_BY_BELIEF else "not shown"


def _reason(graph: Graph, unit: Unit, standing: Standing, found: list[Stood]) -> str:
    if standing == "supported":
        return "All that it needs is supported." if unit.node.combining == "all" else "What it rests on supports it."
    if standing == "not shown" and unit.missing:
        return f"{wording.counted(unit.missing, 'part').capitalize()} of it cannot be found."
    named = [graph.units[each].node.id for each in unit.parts if found[each].above == standing]
    if not named:
        return "It is not developed completely." if unit.node.undeveloped else "What it rests on speaks both ways."
    return f"{'Contradicted' if standing == 'contradicted' else 'Not shown'} by {wording.listed(named, MOST_NAMED)}."


def _warranted(graph: Graph, unit: Unit, below: Stood, found: list[Stood]) -> Stood:
    if not unit.warrants:
        return below
    unchecked = _union([below.unchecked, *(found[each].unchecked for each in unit.warrants)])
    broken = [graph.units[each].node.id for each in unit.warrants if found[each].standing == "contradicted"]
    if not broken or below.why == FALLEN:
        return replace(below, unchecked=unchecked)
    why = f"Nothing is shown, neither way: contradicted is {wording.listed(broken, MOST_NAMED)}."
    standing: Standing = "contradicted" if unit.node.kind == "argument" else "not shown"
    return Stood(standing, "not shown", why, below.verdict, unchecked)


def _challenged(graph: Graph, unit: Unit, before: Stood, found: list[Stood]) -> Stood:
    alive = [each for each in unit.challengers if found[each].standing != "contradicted"]
    if not alive or "contradicted" in (before.standing, before.above):
        return before
    names = wording.listed([graph.units[each].node.id for each in alive], MOST_NAMED)
    standing = [each for each in alive if found[each].standing == "supported"]
    if not any(graph.units[each].node.kind == "evidence" for each in standing):
        return replace(
            before, standing="not shown", above="not shown", why=f"Challenged by {names}, which is not eliminated."
        )
    above: Standing = "not shown" if unit.node.kind in UNDERCUT else "contradicted"
    return replace(before, standing="contradicted", above=above, why=f"Challenged by {names}, which stands.")
