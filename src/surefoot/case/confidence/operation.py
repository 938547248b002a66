"""Claims in the light of operation: what the field says of each, and what must be raised."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from surefoot.case.case import Case
from surefoot.case.confidence.calculus import Components
from surefoot.case.confidence.feedback import Feedback, Record
from surefoot.case.confidence.judgement import judge
from surefoot.case.confidence.leaves import Leaf
from surefoot.case.confidence.units import Graph
from surefoot.core import Diagnostic, LevelUnavailable, MixedKinds, Target


@dataclass
class Field:
    """What operation says of claims, by the number of their unit."""

    opinions: dict[int, Components] = field(default_factory=dict)
    fallen: dict[int, str] = field(default_factory=dict)
    """Claims that operation contradicts, and how."""
    worse: set[int] = field(default_factory=set)
    """Claims of which operation is worse than the tests showed."""
    findings: list[Diagnostic] = field(default_factory=list)


def operate(graph: Graph, leaves: Mapping[int, Leaf], feedback: Iterable[Feedback]) -> Field:
    """Opinions of operation, claims that it contradicts, and findings; what cannot be counted is said and left out."""
    found = Field()
    entries: dict[str, list[Feedback]] = defaultdict(list)
    for entry in feedback:
        entries[entry.claim].append(entry)
    for claim, told in entries.items():
        problem = _problem(graph.case, claim, told)
        if problem is not None:
            found.findings.append(problem)
            continue
        number = graph.case.nodes[claim].number
        assert number is not None, "a claim without a number is a problem"
        _weigh(found, graph, graph.first(claim), leaves, Record.of(told), number.target)
    return found


def _problem(case: Case, claim: str, told: list[Feedback]) -> Diagnostic | None:
    node = case.nodes.get(claim)
    if node is None or node.number is None:
        what = "is not in the case" if node is None else "states no number that operation could speak of"
        return Diagnostic("case-feedback", f"The claim {what}.", "error", claim, "Name a claim with a number.")
    target = node.number.target
    units = sorted({entry.per for entry in told} - {target.per})
    if units:
        text = f"Operation is counted per {', '.join(units)}, the claim per {target.per}; it is not counted."
        return Diagnostic("case-feedback", text, "error", claim, "Convert the exposure.")
    if target.at_least is not None and target.per != "demand":
        text = f"Incidents per {target.per} say nothing of a quantity that shall be at least {target.limit:g}."
        return Diagnostic("case-feedback", text, "error", claim)
    begins = sorted(told, key=lambda entry: entry.period)
    if any(one.overlaps(other) for one, other in pairwise(begins)):
        text = "Periods of its entries overlap, or are not stated, so that operation might be counted twice."
        return Diagnostic("case-feedback", text, "error", claim, "State since and until, or enter the sum once.")
    return None


def _weigh(
    found: Field, graph: Graph, index: int, leaves: Mapping[int, Leaf], operation: Record, target: Target
) -> None:
    estimate = operation.estimate(target)
    # Operation is counted, not estimated, so its exact bounds count whatever kinds the target names.
    judged_by = replace(target, kinds=tuple(dict.fromkeys((*target.kinds, "confidence", "certain"))))
    judged = judge(estimate, judged_by)
    unsure = max(1 - judged.belief - judged.disbelief, 0.0)
    found.opinions[index] = Components(judged.belief, judged.disbelief, unsure, 0.5)
    verdict = replace(estimate, assumptions=()).meets(judged_by)
    claim = graph.units[index].node.id
    if verdict.status == "violated":
        found.fallen[index] = verdict.text
        text = f"Operation contradicts the claim: {operation}; {verdict.text}."
        found.findings.append(Diagnostic("case-operation-contradicts", text, "error", claim, "The claim falls."))
        return
    shown = _shown_by_tests(graph, index, leaves, target)
    chance = 1.0 if shown is None else operation.tail(shown)
    if chance < 1 - target.level:
        text = (
            f"Operation is worse than the tests showed: {operation}, which has probability {chance:.2g} at the "
            f"bound {shown:.3g} that the tests showed."
        )
        found.worse.add(index)
        hint = "Find out what differs in operation before more is observed."
        found.findings.append(Diagnostic("case-operation-worse", text, "warning", claim, hint))


def _shown_by_tests(graph: Graph, index: int, leaves: Mapping[int, Leaf], target: Target) -> float | None:
    """The weakest limit of failures that evidence under the claim shows at the claim's level."""
    limits = []
    below = [*graph.units[index].parts]
    while below:
        unit, leaf = graph.units[each := below.pop()], leaves.get(each)
        if unit.node.id in graph.speaking:
            below += unit.parts
        if leaf is not None and leaf.estimate is not None and leaf.verdict is not None:
            limits.append(_limit(leaf, target))
    known = [limit for limit in limits if limit is not None]
    return max(known, default=None)


def _limit(leaf: Leaf, target: Target) -> float | None:
    assert leaf.estimate is not None, "only measured leaves have limits"
    try:
        if target.at_most is not None:
            return leaf.estimate.upper(target.level)
        return 1 - leaf.estimate.lower(target.level)
    except (LevelUnavailable, MixedKinds):
        return None
