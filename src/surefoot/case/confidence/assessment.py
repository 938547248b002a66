"""From a case and what was measured to how each node stands, how surely, and which doubts are left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from surefoot.case.confidence.argument_graph import Context, Graph, Heard, Unit, graph, heard
from surefoot.case.confidence.doubts import doubts
from surefoot.case.confidence.feedback import Feedback, Field, operate
from surefoot.case.confidence.judgement import (
    Components,
    Leaf,
    Leaves,
    UnitStanding,
    judged_leaves,
    settled,
    stand,
)
from surefoot.case.confidence.pooling import Pool, pools
from surefoot.case.confidence.union_bound import Sure, UnionBound
from surefoot.case.evaluation import RANK, Assessed, Evaluation, Measured, Measurements
from surefoot.case.model import Case, Node
from surefoot.core import Diagnostic, validate
from surefoot.core.canonical import FrozenMap
from surefoot.opinions import Opinion

MOST_NAMED = 3


def evaluate(case: Case, evidence: Measurements | None = None, *, feedback: Iterable[Feedback] = ()) -> Evaluation:
    """Assess every node: its standing by verdicts and checks, how surely its targets hold together, and the doubts.

    ``evidence`` holds Evidence by step or Estimates by ``step.quantity``; what is missing is unknown. ``feedback`` are
    incidents in operation, which count for the claims they are about.
    """
    measured = Measured(evidence)
    judging = Leaves(measured, case.policy)

    def broken(node: Node) -> bool:
        return judging.leaf(Unit(node, Context())).standing == "contradicted"

    hearing = heard(case, broken)
    field = operate(case, hearing, measured, feedback)
    units = graph(
        case,
        settled=lambda node, about: settled(node, measured, about),
        pooled=_pooled(hearing, measured, field),
    )
    leaves = judged_leaves(units, judging)
    fallen = {units.first(claim): why for claim, why in field.fallen.items()}
    stood = stand(units, leaves, fallen)
    bound = UnionBound(units, leaves, stood, measured, fallen)
    nodes, sure = _assessed(units, leaves, stood, bound, measured)
    lacking = bound.open(sure[case.top.id].proof) if case.tops else ()

    def view() -> Mapping[str, Opinion]:
        return _opinions(units, leaves, stood, field)

    findings = (*field.findings, *_common_ground(units))
    return Evaluation(case, FrozenMap(nodes), doubts(units, leaves, stood, fallen, tuple(lacking)), findings, view)


def _pooled(hearing: Mapping[str, Heard], measured: Measured, field: Field) -> dict[str, tuple[Pool, ...]]:
    """What is pooled under each claim; where operation is worse than the tests showed, it alone speaks there."""
    found = {}
    for claim, evidence in hearing.items():
        record = field.records.get(claim)
        if claim in field.worse and record is not None:
            found[claim] = tuple(Pool((node,), record.estimate, record.text) for node in evidence.all)
        elif len(evidence.poolable) > 1 or record is not None:
            count = None if record is None or claim in field.fallen else record.count
            unit = "" if record is None else record.estimate.unit
            found[claim] = tuple(pools(evidence.poolable, measured, count, unit=unit))
            if any(pool.operated for pool in found[claim]):
                field.pooled.add(claim)
    return found


def _assessed(
    units: Graph, leaves: Mapping[int, Leaf], stood: Sequence[UnitStanding], bound: UnionBound, measured: Measured
) -> tuple[dict[str, Assessed], dict[str, Sure]]:
    """One entry a node, in the order of the case; of several units the weakest is shown."""
    found, surely = {}, {}
    for identity in units.case.nodes:
        of = units.of[identity]
        sures = {index: bound.of(index) for index in of}
        index = min(of, key=lambda each: (RANK[stood[each].standing], sures[each].confidence or 0.0))
        leaf, how, sure, node = leaves.get(index), stood[index], sures[index], units.case.nodes[identity]
        estimate = leaf.estimate if leaf else None
        if estimate is not None and node.rests_on:
            estimate = measured.estimate(node.rests_on)
        surely[identity] = sure
        found[identity] = Assessed(
            how.standing,
            _why(units, index, how),
            estimate,
            how.verdict,
            sure.confidence,
            bound.given(sure.proof),
            sure.proof.targets.bit_count(),
            bound.open(sure.proof),
        )
    return found, surely


def _why(units: Graph, index: int, how: UnitStanding) -> str:
    unit = units.units[index]
    unchecked = how.unchecked.bit_count() if unit.node.kind == "claim" and how.standing == "supported" else 0
    return f"{how.why} Under {validate.counted(unchecked, 'unchecked assumption')}." if unchecked else how.why


def _opinions(
    units: Graph, leaves: Mapping[int, Leaf], stood: Sequence[UnitStanding], field: Field
) -> Mapping[str, Opinion]:
    """The view of subjective logic: of several units of a node the one that stands worst, and of these the weakest."""
    from surefoot.case.confidence.subjective_logic import SubjectiveLogic

    policy = units.case.policy
    said = {units.first(claim): opinion for claim, opinion in field.opinions.items() if claim not in field.pooled}
    alone = [units.first(claim) for claim in (*field.fallen, *field.worse)]
    logic = SubjectiveLogic(units, leaves, Components.of(policy.undeveloped), policy.discounting, said, alone)
    found = {}
    for identity in units.case.nodes:
        index = min(units.of[identity], key=lambda each: (RANK[stood[each].standing], logic.values[each].probability))
        found[identity] = logic.values[index].opinion
    return FrozenMap(found)


def _common_ground(units: Graph) -> Iterator[Diagnostic]:
    """Legs that share something are no legs of their own."""
    for unit in units.units:
        legs = units.legs(unit)
        if unit.node.combining == "legs" and len(legs) > 1:
            seen: set[int] = set()
            for leg in legs:
                below = _below(units, leg)
                if below & seen:
                    text = "Its legs rest on common ground: what breaks one of them may break the others."
                    hint = "Use legs that share nothing, or one argument."
                    yield Diagnostic("case-legs-shared", text, "warning", unit.node.id, hint)
                    break
                seen |= below


def _below(units: Graph, start: Iterable[int]) -> set[int]:
    found = set(start)
    todo = list(found)
    while todo:
        unit = units.units[todo.pop()]
        new = {*unit.parts, *unit.warrants, *unit.challengers} - found
        found |= new
        todo += new
    return found
