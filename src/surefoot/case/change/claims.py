"""Claims that fell or rose, with the chain to the top and with what below them changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from surefoot.case.change.chains import Chains
from surefoot.case.change.evidence import EvidenceChange
from surefoot.case.change.nodes import NodeChange
from surefoot.case.change.origin import Cause, operation_causes
from surefoot.case.change.snapshot import Snapshot
from surefoot.case.evaluation import Assessed, Standing
from surefoot.case.node import Node

Direction = Literal["fell", "rose"]
RANKS = {"contradicted": 0, "not shown": 1, "supported": 2}
MOST_CAUSES = 8
"""So many changed nodes are carried up; a claim with more says that there are more."""


@dataclass(frozen=True)
class ClaimChange:
    """One claim that does not stand as it stood."""

    id: str
    text: str
    direction: Direction
    before: Standing
    after: Standing | Literal["gone"]
    probability_before: float
    probability_after: float | None
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
        if self.before == self.after and self.probability_after is not None:
            return f"{self.before}, probability {self.probability_before:.3f} -> {self.probability_after:.3f}"
        return f"{self.before} -> {self.after}"

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
    """A probability that moved by more is a change, although the standing is the same."""

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
        new, first = self.after.node(now), float(old.opinion.probability)
        if new is None:
            gone = ClaimChange(node.id, node.text, "fell", old.standing, "gone", first, None, *self._older.of(node.id))
            gone = replace(gone, causes=(Cause("argument", f"without {node.id}"),))
            return gone if old.standing == "supported" else None
        second = float(new.opinion.probability)
        slid = second - first if abs(second - first) > self.threshold else 0.0
        moved = RANKS[new.standing] - RANKS[old.standing] or slid
        if not moved:
            return None
        words = now, self.after.case[now].text, _direction(moved)
        change = ClaimChange(*words, old.standing, new.standing, first, second, *self._newer.of(now), why=new.why)
        below = self.below.get(now, Below())
        return replace(change, changed=below.ids, more=below.more, causes=tuple(self._causes(below)))

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
        return old is not None and new is not None and (old.standing, old.opinion) != (new.standing, new.opinion)

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
