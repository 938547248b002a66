"""From a case and what was measured to how each node stands, how surely, and the doubts that are left.

Doubts are assumptions, documents and judgements that may be wrong, evidence that may not show what it should, claims
that nobody argued for, defeaters, references to nothing, and claims that operation contradicts. Each is there once,
however many branches rest on it: eliminated by evidence or a check, accepted by somebody, or open (eliminative
induction: Goodenough, Weinstock and Klein 2013).

First come those that alone keep the top claim from being supported: would it be, if this one were settled and all else
stayed as it is? All doubts are tried at once, as the bits of whole numbers. Then come others that it lacks, and of the
rest those that most claims need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import and_, or_

from surefoot.case.confidence.argument_graph import Context, Graph, Heard, Pool, Unit, graph, heard, pools
from surefoot.case.confidence.feedback import Feedback, Field, operate
from surefoot.case.confidence.judgement import Components, Leaf, Leaves, UnitStanding, judged_leaves, settled, stand
from surefoot.case.confidence.union_bound import Sure, UnionBound
from surefoot.case.evaluation import (
    RANK,
    Assessed,
    Doubt,
    DoubtKind,
    DoubtState,
    Evaluation,
    Ids,
    Measured,
    Measurements,
)
from surefoot.case.model import GIVEN, Case, Node
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


ORDER: tuple[DoubtState, ...] = ("open", "accepted", "eliminated")


def doubts(
    graph: Graph,
    leaves: Mapping[int, Leaf],
    stood: Sequence[UnitStanding],
    fallen: Mapping[int, str],
    lacking: Iterable[str],
) -> tuple[Doubt, ...]:
    """All doubts of a case, what decides most first; ``lacking`` are the ids for which the top claim has no number."""
    found = [
        doubt
        for identity in sorted(graph.case.nodes)
        if (doubt := _doubt(graph, leaves, stood, fallen, graph.case.nodes[identity])) is not None
    ]
    claims = _claims_above(graph)
    names = [unit.node.id for unit in graph.units]
    deciding = _deciding(graph, stood, fallen, [doubt.id for doubt in found])
    missing = frozenset(lacking)

    def placed(doubt: Doubt) -> Doubt:
        mask = reduce(or_, (claims[each] for each in graph.of[doubt.id]))
        alone = doubt.state == "open" and doubt.id in deciding
        return Doubt(doubt.id, doubt.kind, doubt.state, doubt.by, doubt.why, doubt.probability, Ids(mask, names), alone)

    def rank(doubt: Doubt) -> tuple[object, ...]:
        size = 1.0 if doubt.probability is None else doubt.probability
        open_first = ORDER.index(doubt.state)
        return not doubt.alone, open_first, doubt.id not in missing, -len(doubt.decides), -size, doubt.id

    return tuple(sorted(map(placed, found), key=rank))


def _doubt(
    graph: Graph, leaves: Mapping[int, Leaf], stood: Sequence[UnitStanding], fallen: Mapping[int, str], node: Node
) -> Doubt | None:
    """The doubt at a node, where there is one; of several units of a node the one that stands worst."""
    of = graph.of[node.id]
    index = min(of, key=lambda each: ORDER.index(_state(graph.units[each], leaves.get(each), stood[each])))
    unit, leaf, how = graph.units[index], leaves.get(index), stood[index]
    if index in fallen:
        return Doubt(node.id, "operation", "open", why=fallen[index])
    kind = _kind(graph.case, node, leaf)
    if kind is None:
        return None
    state = _state(unit, leaf, how)
    by = _answering(node, leaf)
    probability = _probability(node, leaf)
    return Doubt(node.id, kind, state, by if state == "accepted" else "", leaf.why if leaf else how.why, probability)


def _kind(case: Case, node: Node, leaf: Leaf | None) -> DoubtKind | None:
    if node.kind in GIVEN:
        return None
    if node.kind == "defeater":
        return "defeater"
    if node.kind == "evidence":
        return "evidence" if leaf is None or leaf.basis != "given" else "document"
    if any(each not in case.nodes for each in node.below):
        return "missing"
    if node.kind == "side-claim" and leaf is not None and not node.undeveloped:
        return "assumption"
    if leaf is not None or node.undeveloped:
        return "claim"
    return "inference" if node.combining == "deduction" else None


def _state(unit: Unit, leaf: Leaf | None, how: UnitStanding) -> DoubtState:
    node = unit.node
    if node.kind == "defeater" or node.challenges:
        return "eliminated" if node.defeated or how.standing == "contradicted" else "open"
    if unit.missing or unit.missing_warrants or (node.undeveloped and (leaf is None or leaf.basis != "stated")):
        return "open"
    if leaf is None:
        accepted = node.combining == "deduction" and node.stated is not None and node.stated.by
        return "accepted" if accepted and how.standing == "supported" else "open"
    if leaf.standing == "contradicted" or how.standing == "contradicted":
        return "open"
    if leaf.basis == "number":
        return "eliminated" if leaf.standing == "supported" else "open"
    if leaf.by and (leaf.standing == "supported" or node.kind == "side-claim"):
        return "accepted"
    return "eliminated" if leaf.basis == "given" and leaf.standing == "supported" else "open"


def _answering(node: Node, leaf: Leaf | None) -> str:
    if leaf is not None and leaf.by:
        return leaf.by
    return node.stated.by if node.stated is not None else ""


def _probability(node: Node, leaf: Leaf | None) -> float | None:
    if leaf is None:
        given = node.stated.given_true if node.stated is not None else None
        return None if given is None else 1.0 - float(given.belief)
    if leaf.basis == "stated":
        return leaf.doubt
    return max((alpha for _, alpha in leaf.risks), default=None) if leaf.standing == "supported" else None


# Which claims need a unit, and which doubts alone keep the top claim from being supported.


def _claims_above(graph: Graph) -> list[int]:
    """For each unit the claims at or above it that need it, as bits."""
    found = [1 << index if unit.node.kind == "claim" else 0 for index, unit in enumerate(graph.units)]
    for index in range(len(found) - 1, -1, -1):
        for user in graph.users[index]:
            found[index] |= found[user]
    return found


def _deciding(
    graph: Graph, stood: Sequence[UnitStanding], fallen: Mapping[int, str], names: Sequence[str]
) -> frozenset[str]:
    """Doubts of which each alone keeps the top claim from being supported."""
    if not graph.case.tops:
        return frozenset()
    top = graph.first(graph.case.top.id)
    if stood[top].standing == "supported":
        return frozenset()
    trial = _Trial(graph, stood, fallen, names)
    return frozenset(Ids(trial.supported(top), names))


class _Trial:
    """For each unit the doubts by which it would be supported, if one of them were settled; all doubts at once."""

    def __init__(
        self, graph: Graph, stood: Sequence[UnitStanding], fallen: Mapping[int, str], names: Sequence[str]
    ) -> None:
        self._graph, self._stood, self._fallen = graph, stood, fallen
        self._bits = {identity: 1 << place for place, identity in enumerate(names)}
        self._always = (1 << len(names)) - 1
        self._found: list[int] = []
        for index, unit in enumerate(graph.units):
            self._found.append(self._unit(index, unit))

    def supported(self, index: int) -> int:
        """The doubts by which a unit would be supported."""
        return self._found[index]

    def _own(self, unit: Unit) -> int:
        return self._bits.get(unit.node.id, 0)

    def _unit(self, index: int, unit: Unit) -> int:
        if self._stood[index].above == "supported":
            return self._always
        found = self._own(unit) if unit.leaf else self._of_parts(unit)
        for each in unit.warrants:
            if self._stood[each].standing == "contradicted":
                found &= self._found[each] | self._own(self._graph.units[each])
        for each in unit.challengers:
            if self._stood[each].standing != "contradicted":
                found &= self._own(self._graph.units[each])
        return found & self._own(unit) if index in self._fallen else found

    def _of_parts(self, unit: Unit) -> int:
        legs = [reduce(and_, (self._found[each] for each in leg), self._always) for leg in self._graph.legs(unit)]
        gap = bool(unit.missing or unit.node.undeveloped)
        if unit.node.combining == "legs" and len(legs) + gap > 1:
            against = [leg for leg, members in zip(legs, self._graph.legs(unit), strict=True) if self._speaks(members)]
            return reduce(and_, against, reduce(or_, legs, self._own(unit) if gap else 0))
        found = reduce(and_, legs, self._always)
        if unit.node.combining == "deduction" and found == self._always:
            return self._own(unit)
        return found & self._own(unit) if gap else found

    def _speaks(self, members: Iterable[int]) -> bool:
        return any(self._stood[each].above == "contradicted" for each in members)
