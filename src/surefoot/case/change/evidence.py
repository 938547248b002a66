"""Evidence whose content is not what it was, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from surefoot.case.change.origin import SHORT, Cause, Origins, provenance_causes
from surefoot.case.change.snapshot import Snapshot
from surefoot.case.node import Node


@dataclass(frozen=True)
class EvidenceChange:
    """One piece of evidence that differs, in its content or only in where it comes from."""

    id: str
    rests_on: str
    before: str
    after: str
    """Content hashes; empty where nothing was measured."""
    shown_before: str = ""
    shown_after: str = ""
    """The value, or what the check of an assumption said."""
    causes: tuple[Cause, ...] = ()
    check: bool = False
    """Whether it is the check of an assumption."""

    @property
    def matters(self) -> bool:
        """Whether it can decide how a claim stands: a check by its outcome, everything else by its content."""
        return self.shown_before != self.shown_after if self.check else not self.same

    @property
    def same(self) -> bool:
        """Whether the result is the same although something behind it differs."""
        return self.before == self.after

    def __str__(self) -> str:
        why = "; ".join(map(str, self.causes)) or "the cause is not recorded"
        return f"{self.id} ({self.rests_on or 'no reference'}) {self.moved}: {why}"

    @property
    def moved(self) -> str:
        """From what to what."""
        if self.same:
            return "is the same, from something else"
        if not self.before:
            return "is measured now"
        if not self.after:
            return "is not measured any more"
        if not self.shown_before or self.shown_before == self.shown_after:
            return f"{self.shown_after} {self.before[:SHORT]}... -> {self.after[:SHORT]}...".strip()
        return f"{self.shown_before} -> {self.shown_after}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**vars(self), "same": self.same, "causes": [cause.to_dict() for cause in self.causes]}


def evidence_changes(before: Snapshot, after: Snapshot, renamed: Mapping[str, str]) -> Iterator[EvidenceChange]:
    """Evidence and checked assumptions that are in both cases and differ."""
    origins = Origins(before, after)
    former = {new: old for old, new in renamed.items()}
    for node in after.case:
        old = before.case.nodes.get(former.get(node.id, node.id))
        if old is not None and (node.rests_on or old.rests_on or node.digest or old.digest):
            found = _compared(before, after, old, node, origins)
            if not found.same or (found.causes and not node.assumption):
                yield found


def _compared(before: Snapshot, after: Snapshot, old: Node, new: Node, origins: Origins) -> EvidenceChange:
    contents = before.content(old), after.content(new)
    causes = _causes(before, after, old, new, origins)
    # What was never assessed is not known to differ.
    if (not contents[0] and not before.measured) or (not contents[1] and not after.measured):
        contents = (max(contents), max(contents))
    shown = before.shown(old), after.shown(new)
    return EvidenceChange(new.id, new.rests_on, *contents, *shown, causes, bool(new.assumption))


def _causes(before: Snapshot, after: Snapshot, old: Node, new: Node, origins: Origins) -> tuple[Cause, ...]:
    if old.rests_on != new.rests_on:
        return (Cause("input", "reference", old.rests_on, new.rests_on),)
    step = new.rests_on.partition(".")[0]
    if origins.known(step):
        return origins.of_step(step)
    first, second = before.estimate(old), after.estimate(new)
    if first is None or second is None:
        return ()
    return tuple(provenance_causes(first.provenance, second.provenance))
