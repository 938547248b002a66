"""From a case and what was measured to how each node stands and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from surefoot.case.confidence.compiler import UNDERCUT, Compiler, Graph, graph
from surefoot.case.confidence.feedback import Feedback, Field, operate
from surefoot.case.confidence.judgement import Leaf, judged_leaves, settled
from surefoot.case.confidence.levers import Handle, levers
from surefoot.case.confidence.network import Network, network
from surefoot.case.confidence.standing import UnitStanding, disagreements, doubts, stand
from surefoot.case.confidence.subjective_logic import Components, DempsterShafer, Program, SubjectiveLogic, Value, run
from surefoot.case.evaluation import Assessed, Evaluation, Lever, Measured, Measurements, Methods
from surefoot.case.model import GIVEN, Case
from surefoot.core import Diagnostic, validate
from surefoot.core.canonical import FrozenMap
from surefoot.opinions import Opinion

RANK = {"contradicted": 0, "not shown": 1, "supported": 2}
PRIOR_WEIGHT = 2.0


def evaluate(case: Case, evidence: Measurements | None = None, *, feedback: Iterable[Feedback] = ()) -> Evaluation:
    """Assess every node: its standing by verdicts and checks, its opinion, and what would raise the top claim.

    ``evidence`` holds Evidence by step or Estimates by ``step.quantity``; what is missing is unknown. ``feedback`` are
    incidents in operation, which update the claims they are about.
    """
    measured = Measured(evidence)
    units = graph(case, settled=[node.id for node in case if settled(node, measured)])
    leaves = judged_leaves(units, measured, case.policy)
    field = operate(units, leaves, feedback)
    confidence = _confidence(units, leaves, field)
    stood = stand(units, leaves, field.fallen)
    nodes = _assessed(units, leaves, stood, confidence.opinions)
    methods = _methods(units, nodes, confidence)
    ranked, weakest = _levers(units, leaves, field, confidence)
    findings = (*field.findings, *disagreements(case, methods), *_remarks(units, confidence))
    return Evaluation(case, FrozenMap(nodes), ranked, FrozenMap(methods), findings, weakest)


@dataclass(frozen=True)
class Confidence:
    """Every unit by every calculus."""

    program: Program
    values: Sequence[Value]
    """Of subjective logic, one for each operation."""
    opinions: Sequence[Value]
    masses: Sequence[Value]
    probabilities: Sequence[float]
    network: Network
    logic: SubjectiveLogic


def _confidence(units: Graph, leaves: Mapping[int, Leaf], field: Field) -> Confidence:
    stated = {index: leaf.opinion for index, leaf in leaves.items()}
    undeveloped = Components.of(units.case.policy.undeveloped)
    alone = {*field.fallen, *field.worse}
    once, marked = (
        Compiler(units, stated, undeveloped, field.opinions, alone, counting_once=counting_once).compile()
        for counting_once in (True, False)
    )
    logic = SubjectiveLogic(units.case.policy.discounting)
    values, masses = run(once, logic), run(once, DempsterShafer())
    opinions = [values[place] for place in once.shown]
    probabilities, calculus = network(marked, _base_rates(units, opinions))
    return Confidence(once, values, opinions, [masses[place] for place in once.shown], probabilities, calculus, logic)


def _base_rates(units: Graph, opinions: Sequence[Value]) -> list[float]:
    """The base rate of each unit before it is challenged."""

    def unchallenged(index: int) -> float:
        unit, rate = units.units[index], float(opinions[index].base_rate)
        if unit.node.kind in UNDERCUT or not unit.challengers:
            return rate
        return min(rate / prod(1.0 - float(opinions[each].base_rate) for each in unit.challengers), 1.0)

    return [unchallenged(index) for index in range(len(units.units))]


def _assessed(
    units: Graph, leaves: Mapping[int, Leaf], stood: Sequence[UnitStanding], opinions: Sequence[Value]
) -> dict[str, Assessed]:
    """One entry a node, in the order of the case; of several units the weakest is shown."""
    found = {}
    for identity in units.case.nodes:
        of = units.of[identity]
        index = min(of, key=lambda each: (RANK[stood[each].standing], opinions[each].probability))
        leaf, how = leaves.get(index), stood[index]
        estimate = leaf.estimate if leaf else None
        found[identity] = Assessed(
            how.standing, _opinion(opinions[index]), _why(units, index, how), estimate, how.verdict
        )
    return found


def _why(units: Graph, index: int, how: UnitStanding) -> str:
    unit = units.units[index]
    unchecked = how.unchecked.bit_count() if unit.node.kind == "claim" and how.standing == "supported" else 0
    return f"{how.why} Under {validate.counted(unchecked, 'unchecked assumption')}." if unchecked else how.why


def _opinion(value: Value) -> Opinion:
    disbelief = min(max(float(value.disbelief), 0.0), 1.0)
    uncertainty = min(max(float(value.uncertainty), 0.0), 1.0 - disbelief)
    belief = 1.0 - disbelief - uncertainty
    return Opinion._trusted(belief, disbelief, uncertainty, float(value.base_rate), PRIOR_WEIGHT)  # type: ignore[arg-type]


def _methods(units: Graph, nodes: Mapping[str, Assessed], confidence: Confidence) -> dict[str, Methods]:
    counted = doubts(units.case, {identity: node.standing for identity, node in nodes.items()})
    found = {}
    for claim, (total, eliminated) in counted.items():
        index = units.first(claim)
        mass = confidence.masses[index]
        found[claim] = Methods(
            opinion=float(confidence.opinions[index].probability),
            belief=float(mass.probability),
            plausibility=float(mass.not_disbelieved),
            network=confidence.probabilities[index],
            eliminated=eliminated,
            doubts=total,
        )
    return found


def _levers(
    units: Graph, leaves: Mapping[int, Leaf], field: Field, confidence: Confidence
) -> tuple[tuple[Lever, ...], str]:
    if not units.case.tops:
        return (), ""
    top = confidence.program.shown[units.first(units.case.top.id)]
    handles = list(_handles(units, leaves, field.fallen, confidence.program))
    return levers(units.case, confidence.program, confidence.values, top, handles, confidence.logic)


def _handles(units: Graph, leaves: Mapping[int, Leaf], fallen: Iterable[int], program: Program) -> Iterable[Handle]:
    for index in fallen:
        yield Handle(units.units[index].node.id, (program.field[index],), fixed=True)
    for identity, of in units.of.items():
        node = units.case.nodes[identity]
        if node.kind == "defeater":
            contraries = tuple(place for each in of for place in program.contraries.get(each, ()))
            if contraries:
                yield Handle(identity, contraries, eliminated=True)
            continue
        places = tuple(program.leaves[each] for each in of if each in program.leaves)
        places += tuple(place for each in of for place in program.gaps.get(each, ()))
        if not places or node.kind in GIVEN:
            continue
        against = bool(node.challenges)
        wrong = "supported" if against else "contradicted"
        fixed = any(leaves[each].standing == wrong for each in of if each in leaves)
        yield Handle(identity, places, false=against, fixed=fixed)


def _remarks(units: Graph, confidence: Confidence) -> Iterable[Diagnostic]:
    def named(indices: Iterable[int]) -> list[str]:
        return list(dict.fromkeys(units.units[each].node.id for each in indices))

    for claim in named(confidence.program.common):
        text = "Its legs rest on common ground, so that they are not independent and the fused opinion is too sure."
        yield Diagnostic("case-legs-shared", text, "warning", claim, "Use legs that share nothing, or one argument.")
    inexact = named(confidence.program.inexact)
    if inexact:
        text = f"What other branches rest on too is counted here as well, at {validate.listed(inexact)}."
        yield Diagnostic("case-shared-inexact", text, "note", inexact[0], "Opinions above are approximate.")
    if confidence.network.sampled:
        error = confidence.network.standard_error
        text = f"Too many shared statements to go through all states; standard error up to {error:.3f}."
        yield Diagnostic("case-network-sampled", text, "note")
