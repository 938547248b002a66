"""From targets and estimates to a case: claim, argument by the method, evidence, and a side-claim an assumption.

Standings are found from below. The claim of a target is supported only where its verdict is *met*, and contradicted
where the target is violated. A contradicted assumption defeats the argument and leaves the claim open. Assumptions
nobody checked stay open side-claims: they do not overrule the verdict, and the argument says how many they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import isfunction
from types import ModuleType

from surefoot.case.model import Case, Node, Standing
from surefoot.case.words import asked, unchecked
from surefoot.core import Assumption, Bound, Estimate, Verdict, digest, wording
from surefoot.core.bound import WITHOUT_LEVEL
from surefoot.core.estimate import COUNTS
from surefoot.draw import percent, sentence, significant

DOCUMENTED = ("bounds", "monitors", "opinions", "reliability", "systems")
BY_STATUS: dict[str, Standing] = {"met": "supported", "violated": "contradicted", "unproven": "open"}
BY_CHECK: dict[str, Standing] = {"supported": "supported", "contradicted": "contradicted", "unchecked": "open"}


@dataclass(frozen=True)
class Goal:
    """One target as part of a case: its claim in words, the verdict, and the estimate behind it."""

    name: str
    text: str
    verdict: Verdict
    estimate: Estimate
    reference: str
    alone: bool = False
    """Met at its level, and no longer at the level that covers all looks at the test data."""

    @property
    def standing(self) -> Standing:
        """How the claim stands."""
        return "open" if self.alone else BY_STATUS[self.verdict.status]

    @property
    def defeated(self) -> bool:
        """Whether the argument fails, which leaves the claim open: an assumption it needs is contradicted."""
        return any(assumption.status == "contradicted" for assumption in self.estimate.assumptions)


def build(*, claim: str, system: str, context: Sequence[str], goals: Sequence[Goal]) -> Case:
    """The case for a system; without a ``claim`` in the user's words the usual one is made.

    Ids are stable: a target keeps its name, and the same assumption has the same id wherever it appears.
    """
    text = claim or f"{system} meets its safety targets under the stated operating conditions."
    standing = worst(goal.standing for goal in goals)
    if not goals:
        return Case(Node("claim", "claim", text, standing, note="No targets are stated."), tuple(context))
    argument = Node(
        "argument",
        "argument",
        "The claim holds if every quantitative target is met under the operating conditions.",
        standing,
        note=f"{sum(goal.standing == 'supported' for goal in goals)} of {len(goals)} targets shown to be met.",
        children=tuple(_claim(goal) for goal in goals),
    )
    note = _supported(goals) if standing == "supported" else ""
    return Case(Node("claim", "claim", text, standing, note, children=(argument,)), tuple(context))


def _supported(goals: Sequence[Goal]) -> str:
    count = unchecked(goal.estimate for goal in goals)
    return f"Supported, under {wording.counted(count, 'unchecked assumption')}." if count else ""


def worst(standings: Iterable[Standing]) -> Standing:
    """What a whole is, given its parts: contradicted if one is, supported only if all are; nothing is open."""
    found = set(standings)
    if "contradicted" in found:
        return "contradicted"
    return "supported" if found == {"supported"} else "open"


def _claim(goal: Goal) -> Node:
    argument = Node(
        f"{goal.name}.argument",
        "argument",
        _method(goal.estimate),
        "contradicted" if goal.defeated else goal.standing,
        note=_checked(goal.estimate.assumptions),
        children=(_evidence(goal), *(_side_claim(assumption) for assumption in goal.estimate.assumptions)),
    )
    return Node(goal.name, "claim", goal.text, goal.standing, note=_finding(goal), children=(argument,))


def _finding(goal: Goal) -> str:
    target, bound = goal.verdict.target, goal.verdict.bound
    limit = f"The target is {asked(goal.verdict)}"
    if goal.defeated:
        return f"{limit}. Nothing is shown, neither way: an assumption is contradicted."
    if bound is None:
        return f"{limit}. No bound of an accepted kind is known at level {percent(1 - target.alpha)}."
    alone = " Met at this look alone." if goal.alone else ""
    return f"{limit}; the {describe(bound)}.{alone}"


def describe(bound: Bound) -> str:
    """A bound in words, rounded to its cautious side."""
    rounded = significant(bound.limit, rounding="up" if bound.side == "upper" else "down")
    at = "" if bound.kind in WITHOUT_LEVEL else f" at {percent(bound.level)}"
    return f"{bound.side} bound is {rounded} ({bound.kind}{at})"


def _method(estimate: Estimate) -> str:
    """The first line of the method's own documentation, so that it is said in one place."""
    package, _, name = estimate.provenance.method.partition(".")
    if estimate.provenance.method == "stated":
        source = estimate.provenance.params.get("source")
        return f"The value is stated, not measured{f': {source}' if source else ''}."
    if estimate.provenance.method == "propagate":
        return f"By propagation of earlier estimates: {', '.join(estimate.provenance.params.get('names', ()))}."
    if package == "faulttree":
        return _by_tree(name, estimate.provenance.params.get("names", ()))
    if package in DOCUMENTED:
        return f"By {name}: {_documented(import_module(f'surefoot.{package}'), name)}"
    return f"By the method {estimate.provenance.method}."


def _by_tree(name: str, uncertain: Iterable[str]) -> str:
    found = "exact probability" if name == "top_event" else "certain interval of the probability"
    carried = ", ".join(uncertain)
    return f"By a fault tree: the {found} of its top event{f', given what is known of {carried}' if carried else ''}."


def _documented(module: ModuleType, name: str) -> str:
    function = name.partition(".")[0]
    known = getattr(module, function) if function in module.__all__ else None
    text = (known if isfunction(known) else module).__doc__ or ""
    return text.partition("\n")[0]


def _checked(assumptions: Sequence[Assumption]) -> str:
    statuses = [assumption.status for assumption in assumptions]
    words = (
        ("nothing found against {}", "supported"),
        ("{} contradicted", "contradicted"),
        ("{} not checked", "unchecked"),
    )
    counts = [text.format(statuses.count(status)) for text, status in words if status in statuses]
    return f"{wording.counted(len(assumptions), 'assumption')}: {', '.join(counts)}." if counts else "No assumptions."


def counted(estimate: Estimate) -> str:
    """Failures, trials and the like, as far as they are known."""
    known = [(estimate.details.get(name), word) for name, word in COUNTS.items()]
    return ", ".join(
        wording.counted(number, word.removesuffix("s")) for number, word in known if isinstance(number, int)
    )


def _evidence(goal: Goal) -> Node:
    estimate, counts = goal.estimate, counted(goal.estimate)
    name = f"{estimate.quantity}{f' of {estimate.scope}' if estimate.scope else ''}"
    shown = f"{significant(estimate.value)} {estimate.unit}{f' ({counts})' if counts else ''}"
    text = f"{name[:1].upper()}{name[1:]}: {shown}"
    bound = goal.verdict.bound
    discount = "; it does not count, an assumption is contradicted" if goal.defeated else ""
    notes = [f"The {describe(bound)}{discount}."] if bound else []
    notes += [f"Caveat: {caveat.text}" for caveat in estimate.caveats]
    return Node(f"{goal.name}.evidence", "evidence", text, goal.standing, " ".join(notes), goal.reference)


def _side_claim(assumption: Assumption) -> Node:
    check = assumption.check
    note = "" if check is None else f"Looked at: {check.method}."
    if check is not None and check.effect is not None:
        note += f" Size of the departure: {significant(check.effect)}."
    identity = f"assumption.{assumption.id}.{digest(assumption.to_dict())[:8]}"
    return Node(identity, "side-claim", sentence(assumption.text), BY_CHECK[assumption.status], note)
