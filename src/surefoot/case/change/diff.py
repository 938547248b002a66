"""What differs between two assessments of a case, from the data up to the top claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from surefoot.case.change.claims import RANKS, ClaimChange, Movements
from surefoot.case.change.evidence import EvidenceChange, evidence_changes
from surefoot.case.change.nodes import NodeChange, node_changes, renamed_nodes
from surefoot.case.change.origin import Cause, input_causes
from surefoot.case.change.snapshot import Snapshot
from surefoot.case.change.wording import diff_lines, diff_table
from surefoot.core import Table, validate

THRESHOLD = 0.05
DIFF_VERSION = 2


@dataclass(frozen=True)
class Unchanged:
    """What is as it was: ids of nodes, of claims that stand as they stood, and of evidence."""

    nodes: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class CaseDiff:
    """All differences, the claims first; what is not known of one of the two is said in ``unknown``."""

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


def compare(before: Snapshot, after: Snapshot, *, threshold: float = THRESHOLD) -> CaseDiff:
    """What differs, and which claims fell or rose because of it.

    A claim fell when it was supported and is not shown, contradicted or gone, or was not shown and is contradicted; or
    when it stands as it stood and its projected probability sank by more than ``threshold``.
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
    rank = -1 if change.after == "gone" else RANKS[change.after]
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
