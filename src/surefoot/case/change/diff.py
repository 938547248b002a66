"""What differs between two assessments of a case, from the data up to the top claim."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from surefoot.case.change.causes import Cause, EvidenceChange, evidence_changes, input_causes, operation_causes
from surefoot.case.change.snapshot import NodeChange, Snapshot, node_changes, renamed_nodes
from surefoot.case.evaluation import RANK, Assessed, Standing
from surefoot.case.model import Case, Node
from surefoot.case.wording import at_least
from surefoot.core import Table, validate
from surefoot.documents import counted, listed

THRESHOLD = 0.05
DIFF_VERSION = 3


@dataclass(frozen=True)
class Unchanged:
    """What is as it was: ids of nodes, of claims that stand as they stood, and of evidence."""

    nodes: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class CaseDiff:
    """All differences, the claims first; what is not known of one of the two is said in ``unknown``.

    See Also
    --------
    compare : Makes it.

    """

    claims: tuple[ClaimChange, ...]
    evidence: tuple[EvidenceChange, ...]
    nodes: tuple[NodeChange, ...]
    inputs: tuple[Cause, ...]
    """What differs of data, models, files, versions and targets, whether or not a claim noticed."""
    unchanged: Unchanged
    unknown: tuple[str, ...] = ()

    @property
    def fell(self) -> tuple[ClaimChange, ...]:
        """Claims that stand worse than they stood, or are gone."""
        return tuple(change for change in self.claims if change.direction == "fell")

    @property
    def rose(self) -> tuple[ClaimChange, ...]:
        """Claims that stand better than they stood."""
        return tuple(change for change in self.claims if change.direction == "rose")

    @property
    def empty(self) -> bool:
        """Whether nothing that is known differs."""
        return not (self.claims or self.evidence or self.nodes or self.inputs)

    def lines(self, *, all: bool = False) -> list[str]:
        """The differences as sentences; with ``all`` also what did not change, by its ids."""
        return diff_lines(self, all=all)

    def table(self) -> Table:
        """A row for each difference."""
        return diff_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        parts = {name: [each.to_dict() for each in getattr(self, name)] for name in ("evidence", "nodes", "inputs")}
        return {
            "version": DIFF_VERSION,
            "different": not self.empty,
            "fell": [change.to_dict() for change in self.fell],
            "rose": [change.to_dict() for change in self.rose],
            **parts,
            "unchanged": {name: list(ids) for name, ids in vars(self.unchanged).items()},
            "unknown": list(self.unknown),
        }


@validate.arguments
def compare(before: Snapshot, after: Snapshot, *, threshold: float = THRESHOLD) -> CaseDiff:
    """What differs between two assessments of a case, and which claims fell or rose because of it.

    A claim fell when it was supported and is not shown, contradicted or gone, or was not shown and is contradicted; or
    when it stands as it stood and its confidence sank by more than ``threshold``.

    Parameters
    ----------
    before, after
        The case at both times.
    threshold
        A confidence that moved by more is a change, although the standing is the same.

    Returns
    -------
    CaseDiff
        Claims, evidence, nodes and inputs that differ, with causes.

    Examples
    --------
    >>> from surefoot.case import Case, Node, Snapshot, compare
    >>> cases = [Case.of([Node("C1", "claim", text)]) for text in ("It stops", "It stops in time")]
    >>> [change.what for change in compare(*map(Snapshot, cases)).nodes]
    ['changed']

    """
    threshold = validate.probability(threshold, where="compare", name="threshold")
    renamed = renamed_nodes(before.case, after.case)
    nodes = {change.id: change for change in node_changes(before.case, after.case, renamed)}
    evidence = {change.id: change for change in evidence_changes(before, after, renamed)}
    claims = tuple(Movements(before, after, nodes, evidence, threshold).changes())
    return CaseDiff(
        claims=tuple(sorted(claims, key=_worst_first)),
        evidence=tuple(evidence.values()),
        nodes=tuple(nodes.values()),
        inputs=input_causes(before, after),
        unchanged=_unchanged(after, {each.id for each in claims}, nodes.keys() | evidence.keys()),
        unknown=tuple(_unknown(before, "before") + _unknown(after, "now")),
    )


def _worst_first(change: ClaimChange) -> tuple[bool, int, int]:
    """Falls before rises, the deepest fall first, then claims near the top."""
    rank = -1 if change.after == "gone" else RANK[change.after]
    return change.direction == "rose", rank, len(change.chain)


def _unchanged(after: Snapshot, claims: set[str], differing: set[str]) -> Unchanged:
    ids = [node.id for node in after.case if node.id not in differing]
    kinds = {node.id: node.kind for node in after.case}
    stand = [each for each, kind in kinds.items() if kind == "claim" and each not in claims and after.node(each)]
    return Unchanged(tuple(ids), tuple(stand), tuple(each for each in ids if kinds[each] == "evidence"))


def _unknown(snapshot: Snapshot, when: str) -> list[str]:
    found = [] if snapshot.assessed else [f"How claims stand {when} is not known: it was not assessed."]
    if snapshot.assessed and not snapshot.evidence:
        found.append(f"Where the evidence comes from {when} is not known.")
    return found


# Claims that fell or rose, with the chain to the top and with what below them changed.

Direction = Literal["fell", "rose"]
MOST_CAUSES = 8
"""So many changed nodes are carried up; a claim with more says that there are more."""


@dataclass(frozen=True)
class ClaimChange:
    """One claim that does not stand as it stood.

    See Also
    --------
    compare : Finds all of them.

    """

    id: str
    text: str
    direction: Direction
    before: Standing
    after: Standing | Literal["gone"]
    confidence_before: float | None
    confidence_after: float | None
    chain: tuple[str, ...]
    """From the claim up to a top."""
    left_out: int = 0
    """So many nodes of a long chain are left out before its last."""
    changed: tuple[str, ...] = ()
    """Ids of changed nodes below it, or itself."""
    more: bool = False
    """Whether there are more of them than are named."""
    causes: tuple[Cause, ...] = ()
    why: str = ""
    """What decides now, in words."""

    @property
    def moved(self) -> str:
        """From where to where."""
        if self.before == self.after:
            then, now = ("none" if each is None else at_least(each) for each in self._confidence)
            return f"{self.before}, confidence {then} -> {now}"
        return f"{self.before} -> {self.after}"

    @property
    def _confidence(self) -> tuple[float | None, float | None]:
        return self.confidence_before, self.confidence_after

    def __str__(self) -> str:
        return f"{self.id} {self.direction}: {self.moved}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        lists = {"chain": list(self.chain), "changed": list(self.changed)}
        return {**vars(self), **lists, "causes": [cause.to_dict() for cause in self.causes]}


@dataclass(frozen=True)
class Below:
    """Changed nodes in and under a node, those nearest to the leaves first, and whether more were left out."""

    ids: tuple[str, ...] = ()
    more: bool = False


@dataclass(frozen=True, eq=False)
class Movements:
    """Compares how claims stand in two assessed cases."""

    before: Snapshot
    after: Snapshot
    nodes: Mapping[str, NodeChange]
    """Changes of nodes by their id now; removed ones by the id they had."""
    evidence: Mapping[str, EvidenceChange]
    threshold: float
    """A confidence that moved by more is a change, although the standing is the same."""

    def changes(self) -> Iterator[ClaimChange]:
        """Claims of the older case that fell or rose, in its order; nothing where one of them was not assessed."""
        if not (self.before.assessed and self.after.assessed):
            return
        now = {change.before: change.id for change in self.nodes.values() if change.before}
        for node in self.before.case:
            old = self.before.node(node.id)
            if node.kind == "claim" and old is not None:
                change = self._compared(node, old, now.get(node.id, node.id))
                if change is not None:
                    yield change

    def _compared(self, node: Node, old: Assessed, now: str) -> ClaimChange | None:
        new, first = self.after.node(now), old.confidence
        if new is None:
            gone = ClaimChange(node.id, node.text, "fell", old.standing, "gone", first, None, *self._older.of(node.id))
            gone = replace(gone, causes=(Cause("argument", f"without {node.id}"),))
            return gone if old.standing == "supported" else None
        second = new.confidence
        moved = RANK[new.standing] - RANK[old.standing] or self._slid(first, second)
        if not moved:
            return None
        words = now, self.after.case[now].text, _direction(moved)
        change = ClaimChange(*words, old.standing, new.standing, first, second, *self._newer.of(now), why=new.why)
        below = self.below.get(now, Below())
        return replace(change, changed=below.ids, more=below.more, causes=tuple(self._causes(below)))

    def _slid(self, before: float | None, after: float | None) -> float:
        """By how much the confidence moved, where that is worth telling; losing the number is a fall."""
        if before is None or after is None:
            return float(after is not None) - float(before is not None)
        return after - before if abs(after - before) > self.threshold else 0.0

    @cached_property
    def _older(self) -> Chains:
        return Chains(self.before.case)

    @cached_property
    def _newer(self) -> Chains:
        return Chains(self.after.case)

    @cached_property
    def below(self) -> Mapping[str, Below]:
        """For each node of the newer case what changed in it or below it, bottom-up."""
        found: dict[str, Below] = {}
        case = self.after.case
        for identity in case.upward:
            parts = [found[each] for each in case.needs(case.nodes[identity]) if each in found]
            ids = dict.fromkeys(each for part in parts for each in part.ids)
            if self._asks_otherwise(identity):
                ids = {each: None for each in ids if self._changed(each)}
            if self._changed(identity) or (not ids and self._moved(identity)):
                ids[identity] = None
            more = len(ids) > MOST_CAUSES or any(part.more for part in parts)
            found[identity] = Below(tuple(ids)[:MOST_CAUSES], more)
        return found

    def _changed(self, identity: str) -> bool:
        node, evidence = self.nodes.get(identity), self.evidence.get(identity)
        return _matters(node) or (evidence is not None and evidence.matters) or identity in self._operated

    def _asks_otherwise(self, identity: str) -> bool:
        """Whether it states another number, by which what is below it is judged otherwise without having changed."""
        change = self.nodes.get(identity)
        return change is not None and bool(change.number)

    def _moved(self, identity: str) -> bool:
        change = self.nodes.get(identity)
        old = self.before.node(change.before if change is not None and change.before else identity)
        new = self.after.node(identity)
        return old is not None and new is not None and (old.standing, old.confidence) != (new.standing, new.confidence)

    @cached_property
    def _operated(self) -> Mapping[str, Cause]:
        """Claims that operation speaks of, otherwise than before."""
        found = operation_causes(self.before.operation, self.after.operation)
        return {cause.name.removeprefix("of "): cause for cause in found}

    def _causes(self, below: Below) -> Iterator[Cause]:
        """What was behind the changed nodes; what cannot be told is said to be unknown."""
        found = dict.fromkeys(cause for identity in below.ids for cause in self._behind(identity))
        if self.before.case.policy != self.after.case.policy:
            found[Cause("policy", "of confidence")] = None
        yield from found or (Cause("unknown", "nothing that is recorded differs"),)

    def _behind(self, identity: str) -> Iterator[Cause]:
        node, evidence = self.nodes.get(identity), self.evidence.get(identity)
        yield from evidence.causes if evidence is not None else ()
        yield from (self._operated[identity],) if identity in self._operated else ()
        if node is not None and _matters(node):
            for part in node.number:
                yield Cause("target", f"of {identity}, {part.part} {part.direction}:", part.before, part.after)
            if node.judged:
                yield Cause("judgement", f"of {identity}")
            if not (node.number or node.judged):
                yield Cause("argument", f"at {identity}")


def _direction(moved: float) -> Direction:
    return "rose" if moved > 0 else "fell"


def _matters(change: NodeChange | None) -> bool:
    return change is not None and (change.decisive or change.what == "added")


# The way from a node to the top, for many nodes at once.

LONGEST = 100


class Chains:
    """Ways by the first parent each time; of longer ones than ``LONGEST`` the middle is left out."""

    def __init__(self, case: Case) -> None:
        self._case = case

    def of(self, identity: str) -> tuple[tuple[str, ...], int]:
        """Ids from a node up to a top, and how many before the last are left out."""
        found = {identity: None}
        while parents := self._case.parents.get(next(reversed(found)), ()):
            if parents[0] in found or len(found) == LONGEST:
                break
            found[parents[0]] = None
        last = next(reversed(found))
        top, steps = self._tops.get(last, (last, 0))
        return (*found, *((top,) if steps else ())), max(steps - 1, 0)

    @cached_property
    def _tops(self) -> dict[str, tuple[str, int]]:
        """For each node the top above it, and how many steps away it is; nodes on circles have none."""
        found: dict[str, tuple[str, int]] = {}
        for identity in reversed(self._case.upward):
            parents = self._case.parents[identity]
            if not parents:
                found[identity] = (identity, 0)
            elif parents[0] in found:
                top, steps = found[parents[0]]
                found[identity] = (top, steps + 1)
        return found


# Differences of two cases as people read them.

COLUMNS = ("what", "where", "change", "cause")
MOST_CAUSES_WORDED = 4
LONGEST_TEXT = 12


def diff_lines(diff: CaseDiff, *, all: bool) -> list[str]:
    """Claims, then evidence, nodes and inputs, then what is unknown and what is as it was."""
    measured = {change.id for change in diff.evidence}
    found = [line for change in diff.claims for line in _claim(change)]
    found += [f"{_sort(change)} {change}" for change in diff.evidence if all or change.matters or not change.check]
    found += [f"node {change}" for change in diff.nodes if all or _telling(change, measured)]
    found += [f"changed: {cause}" for cause in diff.inputs]
    found += diff.unknown
    return [*(found or ["Nothing differs."]), *_same(diff, all=all)]


def _sort(change: EvidenceChange) -> str:
    return "check" if change.check else "evidence"


def _telling(change: NodeChange, measured: Collection[str]) -> bool:
    """Whether people want to read of it: notes, and the words of what was measured, follow from the data."""
    return change.decisive or change.what != "changed" or not (change.only_notes or change.id in measured)


def diff_table(diff: CaseDiff) -> Table:
    """A row for each difference."""
    rows = [("claim", claim.id, f"{claim.direction}: {claim.moved}", _all(claim.causes)) for claim in diff.claims]
    rows += [(_sort(each), each.id, each.moved, _all(each.causes)) for each in diff.evidence]
    rows += [(node.kind, node.id, node.told, "") for node in diff.nodes]
    rows += [(cause.sort, cause.name, f"{cause.before} -> {cause.after}", "") for cause in diff.inputs]
    return Table(COLUMNS, tuple(rows))


def _all(causes: Iterable[Cause]) -> str:
    return "; ".join(map(str, causes))


def _claim(change: ClaimChange) -> Iterator[str]:
    yield f"{change}  {change.text}"
    if change.why:
        yield f"  now: {change.why}"
    if change.changed:
        more = " and more" if change.more else ""
        yield f"  changed below: {listed(change.changed)}{more}"
    if change.causes:
        yield f"  because of: {'; '.join(map(str, change.causes[:MOST_CAUSES_WORDED]))}{_rest(change)}"
    if len(change.chain) > 1:
        yield f"  up to the top: {_chain(change)}"


def _rest(change: ClaimChange) -> str:
    more = len(change.causes) - MOST_CAUSES_WORDED
    return f" and {more} more" if more > 0 else ""


def _chain(change: ClaimChange) -> str:
    """The way up, long ones without their middle."""
    chain = change.chain
    if len(chain) <= LONGEST_TEXT:
        return " < ".join(chain)
    more = len(chain) - LONGEST_TEXT + change.left_out
    return f"{' < '.join(chain[: LONGEST_TEXT - 1])} < ({more:,} more) < {chain[-1]}"


def _same(diff: CaseDiff, *, all: bool) -> Iterator[str]:
    same = diff.unchanged
    yield (
        f"Unchanged: {counted(len(same.nodes), 'node')}, {counted(len(same.claims), 'claim')} standing as before, "
        f"{len(same.evidence):,} of evidence."
    )
    if all:
        for name, ids in vars(same).items():
            yield f"  {name}: {', '.join(ids) or 'none'}"
