"""From a case and what was measured to how each node stands and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from surefoot.case.confidence.calculi import (
    Components,
    DempsterShafer,
    Network,
    Program,
    SubjectiveLogic,
    Value,
    network,
    run,
)
from surefoot.case.confidence.compiler import UNDERCUT, Compiler, Field, Graph, graph
from surefoot.case.confidence.judgement import Leaf, UnitStanding, judged_leaves, settled, stand
from surefoot.case.confidence.levers import Handle, levers
from surefoot.case.evaluation import RANK, Assessed, Evaluation, Lever, Measured, Measurements, Methods, Standing
from surefoot.case.model import GIVEN, Case, Node
from surefoot.core import Diagnostic, validate
from surefoot.core.canonical import FrozenMap
from surefoot.opinions import Opinion

if TYPE_CHECKING:
    from surefoot.case.confidence.feedback import Feedback

PRIOR_WEIGHT = 2.0


def evaluate(case: Case, evidence: Measurements | None = None, *, feedback: Iterable[Feedback] = ()) -> Evaluation:
    """Assess every node: its standing by verdicts and checks, its opinion, and what would raise the top claim.

    ``evidence`` holds Evidence by step or Estimates by ``step.quantity``; what is missing is unknown. ``feedback`` are
    incidents in operation, which update the claims they are about.
    """
    measured = Measured(evidence)
    units = graph(case, settled=lambda node, about: settled(node, measured, about))
    leaves = judged_leaves(units, measured, case.policy)
    field = _operation(units, leaves, tuple(feedback))
    confidence = _confidence(units, leaves, field)
    stood = stand(units, leaves, field.fallen)
    nodes = _assessed(units, leaves, stood, confidence.opinions)
    methods = _methods(units, nodes, confidence)
    ranked, weakest = _levers(units, leaves, field, confidence)
    findings = (*field.findings, *disagreements(case, methods), *_remarks(units, confidence))
    return Evaluation(case, FrozenMap(nodes), ranked, FrozenMap(methods), findings, weakest)


def _operation(units: Graph, leaves: Mapping[int, Leaf], feedback: Sequence[Feedback]) -> Field:
    if not feedback:
        return Field()
    # Limits of counted incidents need the package of bounds, which takes a while to load.
    from surefoot.case.confidence.feedback import operate

    return operate(units, leaves, feedback)


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
    once, marked = (
        Compiler(units, stated, undeveloped, field, counting_once=counting_once).compile()
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


# Eliminated doubts: confidence as the share of reasons for doubt that are gone.
#
# Baconian, or eliminative, induction (Goodenough, Weinstock and Klein 2013, "Eliminative induction: a basis for arguing
# system confidence"). Doubts are side-warrants that may fail, evidence that may not show what it should, claims that
# nobody argued for, and defeaters; a doubt is counted once, however many branches rest on it.


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
    """Whether anything is below it; side-warrants alone hold an argument up."""
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
