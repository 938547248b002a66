"""How far an estimate shows that a target is met, what is known of the leaves of a case, and how units stand by that.

Belief is the highest level at which the estimate's bound shows the target met, disbelief the highest level at which it
shows it violated; the rest is uncertainty. For failures counted in trials these are the lower and upper probability of
Dempster (1966), "New methods for reasoning towards posterior distributions based on sample data": with k failures in n
trials and X binomial at the limit, belief is P(X > k) and disbelief P(X < k).

Both sum to at most 1 wherever bounds do not cross: were the target met at level s and violated at level t with
s + t > 1, the upper limit at s would lie below the lower one at t, and such a pair would miss with probability above 1
for some truth. Where bounds of a heuristic kind do cross, disbelief is kept and belief cut, which is the cautious side.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Literal, NamedTuple

from surefoot.case.confidence.argument_graph import UNDERCUT, Context, Graph, Unit
from surefoot.case.evaluation import BY_STATUS, DocumentEvidence, Measured, References, Standing, checks, is_shared
from surefoot.case.model import GIVEN, Node, Number, Policy
from surefoot.core import (
    Beta,
    Bound,
    BoundFamily,
    Distribution,
    Estimate,
    InvalidInput,
    LogNormal,
    Normal,
    QuantileBound,
    Target,
    Verdict,
    validate,
)
from surefoot.core.bound import Side
from surefoot.core.distributions import Gamma
from surefoot.core.target import Status
from surefoot.opinions import Opinion

HIGHEST_LEVEL = 1 - 1e-12
LOWEST_LEVEL = 1e-9
HALVINGS = 44
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Judgement:
    """How far an estimate shows a target met, and how far violated.

    See Also
    --------
    judge : Makes it.

    """

    belief: float
    disbelief: float
    remark: str = ""


@validate.arguments
def judge(estimate: Estimate, target: Target) -> Judgement:
    """Belief and disbelief in "the target is met".

    Belief is the highest level at which the estimate's bound shows the target met, disbelief the highest at which it
    shows it violated. The estimate's assumptions are side-warrants of a case and left out here.

    Parameters
    ----------
    estimate
        What was measured.
    target
        What is asked.

    Returns
    -------
    Judgement
        Belief and disbelief; the rest is uncertainty.

    References
    ----------
    Dempster (1966), Annals of Mathematical Statistics 37(2).

    Examples
    --------
    >>> import surefoot as sf
    >>> found = sf.case.judge(sf.bounds.clopper_pearson(0, 2995, level=0.95), sf.Target(at_most=0.001))
    >>> round(found.belief, 4), found.disbelief
    (0.95, 0.0)

    """
    estimate.meets(target)  # Refuses units that cannot be compared.
    opposite: Side = "lower" if target.proving_side == "upper" else "upper"
    belief = _highest_level(estimate, target, target.proving_side, "met")
    disbelief = _highest_level(estimate, target, opposite, "violated")
    if belief + disbelief > 1 + ROUNDING:
        return Judgement(max(0.0, 1 - disbelief), disbelief, "its bounds cross, so that belief is cut")
    return Judgement(min(belief, 1 - disbelief), disbelief, _remark(estimate, target))


def _highest_level(estimate: Estimate, target: Target, side: Side, status: Status) -> float:
    own = tuple(family for family in estimate.bounds if family.side == side)
    families = [family for family in own if family.kind in target.kinds]
    if not families:
        return 0.0
    closed = _closed(families[0], target, side) if len(own) == 1 and target.uncertainty is None else None
    if closed is not None:
        return closed
    # Below level 1/2 both verdicts can hold at once; each is asked of its own side alone.
    one_sided = replace(estimate, bounds=own, assumptions=())

    def holds(level: float) -> bool:
        return one_sided.meets(replace(target, level=level)).status == status

    if any(family.kind == "expectation" for family in families):
        return target.level if holds(target.level) else 0.0
    fixed = [_level_of(f, target) for f in families if isinstance(f, Bound) and f.kind != "certain"]
    return max([_bisected(holds), *(level for level in fixed if level > 0 and holds(level))])


def _closed(family: BoundFamily, target: Target, side: Side) -> float | None:
    """Quantiles of a continuous distribution: the level is what lies on the good, or the bad, side of the limit."""
    if not isinstance(family, QuantileBound) or not _continuous(family.dist):
        return None
    below = float(family.dist.cdf(target.limit))
    return below if side == "upper" else 1 - below


def _continuous(dist: Distribution) -> bool:
    return isinstance(dist, Gamma | Normal | LogNormal) or (isinstance(dist, Beta) and dist.a > 0 and dist.b > 0)


def _level_of(bound: Bound, target: Target) -> float:
    """The level of a target that leaves a bound exactly the miss probability of this one."""
    return 1 - bound.alpha * (1 if target.uncertainty is None else 2)


def _bisected(holds: Callable[[float], bool]) -> float:
    """The highest level that holds, given that all below one that holds do too."""
    if holds(HIGHEST_LEVEL):
        return 1.0
    if not holds(LOWEST_LEVEL):
        return 0.0
    low, high = LOWEST_LEVEL, HIGHEST_LEVEL
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _remark(estimate: Estimate, target: Target) -> str:
    """What is particular about the bound that could show the target met."""
    counted = [f for f in estimate.bounds if f.side == target.proving_side and f.kind in target.kinds]
    if not counted:
        return "no bound of a kind that the target accepts, so that nothing can show it met"
    if any(f.kind == "expectation" for f in counted):
        return f"the bound holds on average only; belief is set to the target's level {target.level:g}"
    if all(isinstance(f, Bound) and f.kind != "certain" for f in counted):
        return "the bound is known at one level only, which is all that can be believed"
    return ""


# What is known of leaves: evidence by its number, side-warrants by their checks, the rest by what people state.


class Components(NamedTuple):
    """One opinion as plain numbers."""

    belief: float
    disbelief: float
    uncertainty: float
    base_rate: float

    @classmethod
    def of(cls, opinion: Opinion) -> Components:
        """The components of an opinion."""
        return cls(
            float(opinion.belief), float(opinion.disbelief), float(opinion.uncertainty), float(opinion.base_rate)
        )


UNKNOWN = Components(0.0, 0.0, 1.0, 0.5)
"""Of what is not here nothing is known."""
AGAINST: dict[Standing, Standing] = {"supported": "contradicted", "contradicted": "supported", "not shown": "not shown"}
REFUTED = Components(0.0, 1.0, 0.0, 0.5)


Basis = Literal["number", "given", "stated", "open"]
"""What a leaf rests on: a bound, nothing that could be wrong by itself, somebody's judgement, or nothing yet."""
Risk = tuple[Hashable, float]
"""A bound, and the probability that it misses."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf, judged."""

    opinion: Components
    standing: Standing = "not shown"
    why: str = ""
    estimate: Estimate | None = None
    verdict: Verdict | None = None
    basis: Basis = "open"
    risks: tuple[Risk, ...] = ()
    """Of a number: with what probability its bounds miss, whether or not they show the target met."""
    doubt: float = 0.0
    """Of a judgement: how probable it is that it is wrong, at most."""
    by: str = ""
    """Who answers for it."""


def settled(node: Node, measured: Measured, about: References = ()) -> bool:
    """Whether a node is decided by itself: a challenge was won, or its own check contradicts it."""
    return node.defeated or (bool(node.supported_by) and _checked(node, measured, about) == "contradicted")


def judged_leaves(graph: Graph, judging: Leaves) -> dict[int, Leaf]:
    """All leaves of a case by the number of their unit."""
    return {index: judging.leaf(unit) for index, unit in enumerate(graph.units) if unit.leaf}


class Leaves:
    """Judges leaves by what was measured and by the conventions of a policy."""

    def __init__(self, measured: Measured, policy: Policy) -> None:
        self._measured = measured
        self._known: dict[tuple[int, Number], tuple[Estimate, Leaf]] = {}
        self._policy = {
            name: Components.of(getattr(policy, name))
            for name in ("checked", "unchecked", "contradicted", "undeveloped")
        }

    def leaf(self, unit: Unit) -> Leaf:
        """One leaf."""
        node = unit.node
        if node.kind in GIVEN:
            return Leaf(UNKNOWN, why="Taken as given; it is not judged.", basis="given")
        if node.defeated:
            return self._defeated(node)
        if node.assumption and (node.rests_on or is_shared(node)):
            return self._by_check(node, unit.context.about)
        if node.rests_on and (document := self._measured.document(node.rests_on)) is not None:
            return self._by_document(node, document)
        if node.rests_on:
            return self._by_number(node, unit.context)
        assumed = node.kind == "side-claim" and not node.undeveloped
        undone = "unchecked" if assumed or (node.kind == "evidence" and not node.undeveloped) else "undeveloped"
        unknown = Leaf(
            UNKNOWN if node.kind == "evidence" else self._policy[undone],
            why="Nothing was measured." if node.kind == "evidence" else f"It is {undone}.",
            basis="given" if assumed else "open",
        )
        return self._stated(node, unknown)

    def _defeated(self, node: Node) -> Leaf:
        if node.kind == "defeater":
            return Leaf(REFUTED, "contradicted", "It was eliminated.")
        if node.kind in ("argument", "evidence"):
            return Leaf(UNKNOWN, "not shown", "A challenge to it was won, so that it counts nothing.")
        return Leaf(REFUTED, "contradicted", "A challenge to it was won.")

    def _by_check(self, node: Node, about: References) -> Leaf:
        status = _checked(node, self._measured, about)
        if status == "contradicted":
            return Leaf(self._policy["contradicted"], "contradicted", "Its check speaks against it.")
        if status == "supported":
            found = Leaf(
                self._policy["checked"], "supported", "Its check does not contradict it.", basis="given", by=_by(node)
            )
            doubted = self._stated(node, found)
            return found if doubted is found else replace(found, basis=doubted.basis, doubt=doubted.doubt)
        if status == "unchecked":
            return self._stated(node, Leaf(self._policy["unchecked"], why="Nobody checked it.", basis="given"))
        where = f" in {node.rests_on!r}" if node.rests_on else ""
        return self._stated(node, Leaf(UNKNOWN, why=f"No check of it is known{where}.", basis="given"))

    def _by_document(self, node: Node, document: DocumentEvidence) -> Leaf:
        """Supported only where somebody accepted it as it is, and the case was not written for another content."""
        if node.digest and document.digest and node.digest != document.digest:
            return Leaf(UNKNOWN, why=f"The case was written for another content of {document.title!r}.")
        if document.accepted:
            return Leaf(self._policy["checked"], "supported", document.why, basis="given", by=document.by)
        return Leaf(UNKNOWN, why=document.why)

    def _by_number(self, node: Node, context: Context) -> Leaf:
        pool = context.pool(node.id)
        estimate = self._measured.estimate(node.rests_on) if pool is None else pool.estimate
        if estimate is None:
            return self._stated(node, Leaf(UNKNOWN, why=f"{node.rests_on!r} was not measured."))
        if context.number is None:
            unknown = Leaf(UNKNOWN, why="The claim above states no number for it to show.", estimate=estimate)
            return self._stated(node, unknown)
        try:
            found = self._judged_once(estimate, context.number)
        except InvalidInput as error:
            return Leaf(UNKNOWN, why=f"It cannot be compared with the claim: {error.problem}.", estimate=estimate)
        if pool is not None and pool.text:
            found = replace(found, why=f"{pool.text}. {found.why}")
        return _turned(found) if context.against else found

    def _judged_once(self, estimate: Estimate, number: Number) -> Leaf:
        """Each pair once; the estimate is kept, so that its place in memory names it as long as this lives."""
        key = (id(estimate), number)
        if key not in self._known:
            self._known[key] = (estimate, judged(estimate, number))
        return self._known[key][1]

    def _stated(self, node: Node, otherwise: Leaf) -> Leaf:
        if node.stated is None:
            return otherwise
        if node.stated.opinion is None:
            return replace(otherwise, by=node.stated.by) if node.stated.by else otherwise
        opinion = Components.of(node.stated.opinion)
        standing: Standing = "not shown"
        if max(opinion.belief, opinion.disbelief) > 0.5:
            standing = "supported" if opinion.belief > 0.5 else "contradicted"
        if node.kind == "defeater" and standing == "contradicted":
            # An opinion does not eliminate a doubt: it is marked so, or evidence speaks against it.
            standing = "not shown"
        by = f" by {node.stated.by}" if node.stated.by else ""
        why = f"Stated{by}{f': {node.stated.why}' if node.stated.why else ''}."
        doubt = min(max(1.0 - opinion.belief, 0.0), 1.0)
        return Leaf(opinion, standing, why, otherwise.estimate, basis="stated", doubt=doubt, by=node.stated.by)


def _by(node: Node) -> str:
    return node.stated.by if node.stated is not None else ""


def judged(estimate: Estimate, number: Number) -> Leaf:
    """What an estimate says of a number, as a leaf."""
    target, strict = number.target, number.strict_level
    verdict = estimate.meets(target)
    found = judge(estimate, target)
    opinion = Components(found.belief, found.disbelief, max(1 - found.belief - found.disbelief, 0.0), 0.5)
    why = f"{verdict.text}{f'; {found.remark}' if found.remark else ''}."
    standing, claimed = BY_STATUS[verdict.status], verdict
    if strict is not None:
        claimed = estimate.meets(replace(target, level=strict))
        if standing == "supported" and not claimed:
            standing = "not shown"
            why = f"{why} Met at this look alone, not at level {strict:g}, which covers all looks."
    return Leaf(opinion, standing, why, estimate, verdict, basis="number", risks=tuple(_risks(estimate, claimed)))


def _risks(estimate: Estimate, verdict: Verdict) -> Iterable[Risk]:
    """What may miss: the bound, and the limit where that is itself uncertain; nothing of what always holds.

    All limits of one side and kind of an estimate are one: they are nested, so that where the limit at the lowest level
    holds, all others do.
    """
    target = verdict.target
    kinds = [each.kind for each in estimate.bounds if each.side == target.proving_side and each.kind in target.kinds]
    kind = verdict.bound.kind if verdict.bound is not None and verdict.status == "met" else (kinds or ["certain"])[0]
    if kind in ("confidence", "credible", "heuristic"):
        yield (estimate.key, estimate.digest, target.proving_side, kind), verdict.target.alpha
    if target.uncertainty is not None:
        yield (target.uncertainty, target.relation), verdict.target.alpha


GIVEN_KINDS = ("expectation", "heuristic", "credible")


def rests_on_more(leaf: Leaf) -> bool:
    """Whether its bound holds only given something besides: a prior, or that what is no guarantee is enough."""
    bound = leaf.verdict.bound if leaf.verdict is not None else None
    return bound is not None and bound.kind in GIVEN_KINDS


def _turned(leaf: Leaf) -> Leaf:
    """Evidence against a claim stands where it shows the claim's number violated."""
    belief, disbelief, uncertainty, base_rate = leaf.opinion
    opinion = Components(disbelief, belief, uncertainty, 1 - base_rate)
    return replace(leaf, opinion=opinion, standing=AGAINST[leaf.standing], verdict=None)


def _checked(node: Node, measured: Measured, about: References) -> str | None:
    """What the check of its assumption found; of a shared condition in the results that it is judged for."""
    if not node.assumption:
        return None
    found = checks(measured, (node.rests_on,) if node.rests_on else about, node.assumption)
    return found[0].assumption.status if found else None


# How each unit stands, by verdicts and checks alone; no probabilities.
#
# Supported only where all that is needed is. A contradicted side-warrant breaks what it warrants, so that nothing above
# it is shown, neither way. One that nobody checked is not shown and overrules nothing. What is challenged is not shown
# as long as the challenger is not eliminated; evidence against it that stands contradicts it.

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
    """Set of side-warrants that nobody checked, at or below it, as bits."""


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
    standings = [worst(found[each].above for each in leg) for leg in graph.legs(unit)]
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
    defeated = [each for each in unit.node.supported_by if each in unit.node.defeated_relations]
    if standing == "not shown" and defeated:
        return f"Defeated is its relation to {validate.listed(defeated, MOST_NAMED)}."
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
