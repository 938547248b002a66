"""How each unit stands, by verdicts and checks alone; no probabilities.

Supported only where all that is needed is. A contradicted side-claim breaks what it warrants, so that nothing
above it is shown, neither way. One that nobody checked is not shown and overrules nothing. What is challenged is not
shown as long as the challenger is not eliminated; evidence against it that stands contradicts it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import NamedTuple

from surefoot.case.confidence.compiler import UNDERCUT, Graph, Unit
from surefoot.case.confidence.judgement import Leaf
from surefoot.case.evaluation import Methods, Standing
from surefoot.case.model import GIVEN, Case, Node
from surefoot.core import Diagnostic, Verdict, validate
from surefoot.opinions import Opinion

SHOWN_BY_BELIEF = 0.5
MOST_NAMED = 3
FALLEN = "Operation contradicts it: the field data violate the number it states."
WORST: dict[str, int] = {"violated": 0, "not shown": 1, "met": 2}


@dataclass(frozen=True, slots=True)
class UnitStanding:
    """How a unit stands, what that means above it, and why."""

    standing: Standing
    above: Standing
    why: str = ""
    verdict: Verdict | None = None
    unchecked: int = 0
    """Set of side-claims that nobody checked, at or below it, as bits."""


def stand(graph: Graph, leaves: Mapping[int, Leaf], fallen: Collection[int]) -> list[UnitStanding]:
    """All units; ``fallen`` claims are contradicted by operation."""
    found: list[UnitStanding] = []
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


def _of_leaf(index: int, unit: Unit, leaf: Leaf) -> UnitStanding:
    unchecked = 1 << index if unit.node.kind == "side-claim" and leaf.standing == "not shown" else 0
    return UnitStanding(leaf.standing, leaf.standing, leaf.why, leaf.verdict, unchecked)


def _of_parts(graph: Graph, unit: Unit, found: list[UnitStanding]) -> UnitStanding:
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
    return UnitStanding(standing, standing, _reason(graph, unit, standing, found), verdict, unchecked)


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


def _reason(graph: Graph, unit: Unit, standing: Standing, found: list[UnitStanding]) -> str:
    if standing == "supported":
        return "All that it needs is supported." if unit.node.combining == "all" else "What it rests on supports it."
    if standing == "not shown" and unit.missing:
        return f"{validate.counted(unit.missing, 'part').capitalize()} of it cannot be found."
    named = [graph.units[each].node.id for each in unit.parts if found[each].above == standing]
    if not named:
        return "It is not developed completely." if unit.node.undeveloped else "What it rests on speaks both ways."
    return f"{'Contradicted' if standing == 'contradicted' else 'Not shown'} by {validate.listed(named, MOST_NAMED)}."


def _warranted(graph: Graph, unit: Unit, below: UnitStanding, found: list[UnitStanding]) -> UnitStanding:
    if not unit.warrants:
        return below
    unchecked = _union([below.unchecked, *(found[each].unchecked for each in unit.warrants)])
    broken = [graph.units[each].node.id for each in unit.warrants if found[each].standing == "contradicted"]
    if not broken or below.why == FALLEN:
        return replace(below, unchecked=unchecked)
    why = f"Nothing is shown, neither way: contradicted is {validate.listed(broken, MOST_NAMED)}."
    standing: Standing = "contradicted" if unit.node.kind == "argument" else "not shown"
    return UnitStanding(standing, "not shown", why, below.verdict, unchecked)


def _challenged(graph: Graph, unit: Unit, before: UnitStanding, found: list[UnitStanding]) -> UnitStanding:
    alive = [each for each in unit.challengers if found[each].standing != "contradicted"]
    if not alive or "contradicted" in (before.standing, before.above):
        return before
    names = validate.listed([graph.units[each].node.id for each in alive], MOST_NAMED)
    standing = [each for each in alive if found[each].standing == "supported"]
    if not any(graph.units[each].node.kind == "evidence" for each in standing):
        return replace(
            before, standing="not shown", above="not shown", why=f"Challenged by {names}, which is not eliminated."
        )
    above: Standing = "not shown" if unit.node.kind in UNDERCUT else "contradicted"
    return replace(before, standing="contradicted", above=above, why=f"Challenged by {names}, which stands.")


# Eliminated doubts: confidence as the share of reasons for doubt that are gone.
#
# Baconian, or eliminative, induction (Goodenough, Weinstock and Klein 2013, "Eliminative induction: a basis for arguing
# system confidence"). Doubts are side-claims that may fail, evidence that may not show what it should, claims that
# nobody
# argued for, and defeaters; a doubt is counted once, however many branches rest on it.


class Doubts(NamedTuple):
    """So many doubts, and so many of them eliminated."""

    total: int
    eliminated: int


def doubts(case: Case, standings: Mapping[str, Standing]) -> dict[str, Doubts]:
    """For each claim the doubts in it and in all that it rests on."""
    seen: dict[str, int] = {}
    found: dict[str, Doubts] = {}
    gone = count = 0
    for identity in case.upward:
        node = case.nodes[identity]
        mask = 0
        for each in case.needs(node):
            mask |= seen.get(each, 0)
        if _doubtful(case, node):
            mask |= 1 << count
            gone |= int(_eliminated(case, node, standings[identity])) << count
            count += 1
        seen[identity] = mask
        if node.kind == "claim":
            found[identity] = Doubts(mask.bit_count(), (mask & gone).bit_count())
    return found


def _doubtful(case: Case, node: Node) -> bool:
    if node.kind in GIVEN:
        return False
    bare = not _held_up(case, node)
    return node.kind in ("evidence", "defeater") or node.undeveloped or bare or _lacking(case, node)


def _held_up(case: Case, node: Node) -> bool:
    """Whether anything is below it; side-claims alone hold an argument up."""
    beside = node.kind == "argument" and any(_judged(case, each) for each in node.in_context_of)
    return bool(node.supported_by) or case.resolved(node.id) != node.id or beside


def _judged(case: Case, identity: str) -> bool:
    return identity not in case.nodes or case.nodes[identity].kind not in GIVEN


def _lacking(case: Case, node: Node) -> bool:
    """Whether it refers to something that is not there."""
    return any(each not in case.nodes for each in node.below)


def _eliminated(case: Case, node: Node, standing: Standing) -> bool:
    if node.kind == "defeater" or node.challenges:
        return node.defeated or standing == "contradicted"
    return standing == "supported" and not _lacking(case, node)


# Where ways to reckon disagree strongly about one claim.

LIKELY, UNLIKELY = 0.9, 0.5
HINT = "Look at what the claim rests on before trusting any of the numbers."


def disagreements(case: Case, methods: Mapping[str, Methods]) -> list[Diagnostic]:
    """One finding a claim and kind of disagreement; claims that only inherit it from one below are left out."""
    below: dict[str, set[str]] = {}
    found = []
    for identity in case.upward:
        inherited: set[str] = set()
        for each in case.needs(case.nodes[identity]):
            inherited |= below.get(each, set())
        below[identity] = inherited
        if identity in methods:
            kinds = dict(_disagreements(methods[identity], case.policy.disagreement))
            found += [
                Diagnostic("case-methods-disagree", text, "warning", where=identity, hint=HINT)
                for kind, text in kinds.items()
                if kind not in inherited
            ]
            below[identity] = inherited | set(kinds)
    return found


def _disagreements(found: Methods, most: float) -> Iterator[tuple[str, str]]:
    opinion, network = f"{found.opinion:.2f}", f"{found.network:.2f}"
    if abs(found.opinion - found.network) > most:
        yield "network", f"Subjective logic gives it probability {opinion}, the Bayesian network {network}."
    if network_outside(found) > most:
        between = f"between {found.belief:.2f} and {found.plausibility:.2f}"
        yield "masses", f"The Bayesian network gives it {network}, Dempster and Shafer allow only {between}."
    left = found.doubts - found.eliminated
    if found.doubts and not left and found.opinion < UNLIKELY:
        yield "eliminated", f"All {found.doubts} doubts are eliminated, but its probability is only {opinion}."
    if left and found.opinion > LIKELY:
        yield "doubts", f"Its probability is {opinion}, but {left} of {found.doubts} doubts are open."


def network_outside(found: Methods) -> float:
    """How far the network's probability lies outside belief and plausibility."""
    return max(found.belief - found.network, found.network - found.plausibility, 0.0)
