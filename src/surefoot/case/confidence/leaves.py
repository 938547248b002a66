"""What is known of leaves: evidence by its number, side-claims by their checks, the rest by what people state."""

from __future__ import annotations

from dataclasses import dataclass, replace

from surefoot.case.confidence.calculus import Components
from surefoot.case.confidence.judgement import judge
from surefoot.case.confidence.program import UNKNOWN
from surefoot.case.confidence.units import Context, Graph, Unit
from surefoot.case.evaluation import BY_STATUS, Standing
from surefoot.case.measured import Measured
from surefoot.case.node import GIVEN, Node
from surefoot.case.number import Number
from surefoot.case.policy import Policy
from surefoot.core import Estimate, InvalidInput, Verdict

AGAINST: dict[Standing, Standing] = {"supported": "contradicted", "contradicted": "supported", "not shown": "not shown"}
REFUTED = Components(0.0, 1.0, 0.0, 0.5)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf, judged."""

    opinion: Components
    standing: Standing = "not shown"
    why: str = ""
    estimate: Estimate | None = None
    verdict: Verdict | None = None


def settled(node: Node, measured: Measured) -> bool:
    """Whether a node is decided by itself: a challenge was won, or its own check contradicts it."""
    return node.defeated or (bool(node.supported_by) and _checked(node, measured) == "contradicted")


def judged_leaves(graph: Graph, measured: Measured, policy: Policy) -> dict[int, Leaf]:
    """All leaves of a case by the number of their unit."""
    judging = Leaves(measured, policy)
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
            return Leaf(UNKNOWN, why="Taken as given; it is not judged.")
        if node.defeated:
            return self._defeated(node)
        if node.rests_on and node.assumption:
            return self._by_check(node)
        if node.rests_on:
            return self._by_number(node, unit.context)
        undone = "undeveloped" if node.kind not in ("evidence", "side-claim") or node.undeveloped else "unchecked"
        unknown = Leaf(
            UNKNOWN if node.kind == "evidence" else self._policy[undone],
            why="Nothing was measured." if node.kind == "evidence" else f"It is {undone}.",
        )
        return self._stated(node, unknown)

    def _defeated(self, node: Node) -> Leaf:
        if node.kind == "defeater":
            return Leaf(REFUTED, "contradicted", "It was eliminated.")
        if node.kind in ("argument", "evidence"):
            return Leaf(UNKNOWN, "not shown", "A challenge to it was won, so that it counts nothing.")
        return Leaf(REFUTED, "contradicted", "A challenge to it was won.")

    def _by_check(self, node: Node) -> Leaf:
        status = _checked(node, self._measured)
        if status == "contradicted":
            return Leaf(self._policy["contradicted"], "contradicted", "Its check speaks against it.")
        if status == "supported":
            return Leaf(self._policy["checked"], "supported", "Its check does not contradict it.")
        if status == "unchecked":
            return self._stated(node, Leaf(self._policy["unchecked"], why="Nobody checked it."))
        return self._stated(node, Leaf(UNKNOWN, why=f"No check of it is known in {node.rests_on!r}."))

    def _by_number(self, node: Node, context: Context) -> Leaf:
        estimate = self._measured.estimate(node.rests_on)
        if estimate is None:
            return self._stated(node, Leaf(UNKNOWN, why=f"{node.rests_on!r} was not measured."))
        if context.number is None:
            unknown = Leaf(UNKNOWN, why="The claim above states no number for it to show.", estimate=estimate)
            return self._stated(node, unknown)
        try:
            found = self._judged_once(estimate, context.number)
        except InvalidInput as error:
            return Leaf(UNKNOWN, why=f"It cannot be compared with the claim: {error.problem}.", estimate=estimate)
        return _turned(found) if context.against else found

    def _judged_once(self, estimate: Estimate, number: Number) -> Leaf:
        """Each pair once; the estimate is kept, so that its place in memory names it as long as this lives."""
        key = (id(estimate), number)
        if key not in self._known:
            self._known[key] = (estimate, _judged(estimate, number))
        return self._known[key][1]

    def _stated(self, node: Node, otherwise: Leaf) -> Leaf:
        if node.stated is None or node.stated.opinion is None:
            return otherwise
        opinion = Components.of(node.stated.opinion)
        standing: Standing = "not shown"
        if max(opinion.belief, opinion.disbelief) > 0.5:
            standing = "supported" if opinion.belief > 0.5 else "contradicted"
        if node.kind == "defeater" and standing == "contradicted":
            # An opinion does not eliminate a doubt: it is marked so, or evidence speaks against it.
            standing = "not shown"
        by = f" by {node.stated.by}" if node.stated.by else ""
        why = f"Stated{by}{f': {node.stated.why}' if node.stated.why else ''}."
        return Leaf(opinion, standing, why, otherwise.estimate)


def _judged(estimate: Estimate, number: Number) -> Leaf:
    target, strict = number.target, number.strict_level
    verdict = estimate.meets(target)
    found = judge(estimate, target)
    opinion = Components(found.belief, found.disbelief, max(1 - found.belief - found.disbelief, 0.0), 0.5)
    why = f"{verdict.text}{f'; {found.remark}' if found.remark else ''}."
    standing = BY_STATUS[verdict.status]
    if standing == "supported" and strict is not None and not estimate.meets(replace(target, level=strict)):
        standing, why = "not shown", f"{why} Met at this look alone, not at level {strict:g}, which covers all looks."
    return Leaf(opinion, standing, why, estimate, verdict)


def _turned(leaf: Leaf) -> Leaf:
    """Evidence against a claim stands where it shows the claim's number violated."""
    belief, disbelief, uncertainty, base_rate = leaf.opinion
    opinion = Components(disbelief, belief, uncertainty, 1 - base_rate)
    return replace(leaf, opinion=opinion, standing=AGAINST[leaf.standing], verdict=None)


def _checked(node: Node, measured: Measured) -> str | None:
    if not (node.rests_on and node.assumption):
        return None
    assumption = measured.assumption(node.rests_on, node.assumption)
    return assumption.status if assumption else None
