"""Nodes that came, went, got another id, or say something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from surefoot.case.case import Case
from surefoot.case.change.numbers import NumberChange, number_changes
from surefoot.case.change.plain import plain
from surefoot.case.node import Kind, Node
from surefoot.case.number import Stated
from surefoot.documents import listed

What = Literal["added", "removed", "renamed", "changed"]
RELATIONS = ("supported_by", "in_context_of", "challenges")
WORDS = ("text", "note", "url", "tags", "public")
"""What a node says to people, which does not decide how anything stands."""
COMPARED_ELSEWHERE = ("id", "number", "digest", *RELATIONS)


@dataclass(frozen=True)
class NodeChange:
    """One node, and how it differs."""

    id: str
    kind: Kind
    what: What
    text: str
    details: tuple[str, ...] = ()
    number: tuple[NumberChange, ...] = ()
    decisive: bool = False
    """Whether something differs that can decide how a claim stands, beside what was measured."""
    before: str = ""
    """The id it had before, where that was another one."""

    @property
    def only_notes(self) -> bool:
        """Whether nothing but the note differs."""
        return not self.decisive and all(detail.startswith("note: ") for detail in self.details) and bool(self.details)

    @property
    def judged(self) -> bool:
        """Whether what somebody answers for differs, and nothing else that decides."""
        beside = tuple(f"{name}: " for name in WORDS)
        decisive = [detail for detail in self.details if not detail.startswith(beside)]
        return bool(decisive) and all(detail.startswith("stated: ") for detail in decisive)

    @property
    def told(self) -> str:
        """How it differs."""
        was = f" (was {self.before})" if self.before else ""
        return f"{self.what}{was}: {'; '.join([*map(str, self.number), *self.details]) or self.text}"

    def __str__(self) -> str:
        return f"{self.id} {self.told}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        numbers = [vars(change) for change in self.number]
        found = {"id": self.id, "kind": self.kind, "change": self.what, "text": self.text, "before": self.before}
        return {**found, "details": list(self.details), "number": numbers}


def renamed_nodes(before: Case, after: Case) -> dict[str, str]:
    """New ids of nodes that are gone, where exactly one new node has their kind, text, number and reference."""
    gone = _by_words(node for node in before if node.id not in after)
    new = _by_words(node for node in after if node.id not in before)
    return {
        old[0].id: new[words][0].id for words, old in gone.items() if len(old) == 1 and len(new.get(words, ())) == 1
    }


def node_changes(before: Case, after: Case, renamed: Mapping[str, str]) -> Iterator[NodeChange]:
    """All differences of nodes, in the order of the newer case; what is gone comes last."""
    former = {new: old for old, new in renamed.items()}
    for node in after:
        old = before.nodes.get(former.get(node.id, node.id))
        if old is None:
            yield NodeChange(node.id, node.kind, "added", node.text)
        elif change := _compared(old, node, renamed):
            yield change
    for node in before:
        if node.id not in after and node.id not in renamed:
            yield NodeChange(node.id, node.kind, "removed", node.text)


def _by_words(nodes: Iterator[Node]) -> dict[Any, list[Node]]:
    found: dict[Any, list[Node]] = {}
    for node in nodes:
        words = (node.kind, node.text, str(node.number), node.rests_on, node.assumption)
        found.setdefault(words, []).append(node)
    return found


def _compared(old: Node, new: Node, renamed: Mapping[str, str]) -> NodeChange | None:
    if old == new:
        return None
    numbers = number_changes(old.number, new.number)
    words = [_detail(name, old, new) for name in WORDS if getattr(old, name) != getattr(new, name)]
    decisive = [*_relations(old, new, renamed), *_fields(old, new)]
    another = "" if old.id == new.id else old.id
    if not (numbers or words or decisive or another):
        return None
    what: What = "changed" if numbers or words or decisive else "renamed"
    details = (*decisive, *words)
    return NodeChange(new.id, new.kind, what, new.text, details, numbers, bool(numbers or decisive), another)


def _relations(old: Node, new: Node, renamed: Mapping[str, str]) -> Iterator[str]:
    for name in RELATIONS:
        before = dict.fromkeys(renamed.get(each, each) for each in getattr(old, name))
        after = dict.fromkeys(getattr(new, name))
        signed = [f"+{each}" for each in after if each not in before]
        signed += [f"-{each}" for each in before if each not in after]
        if signed:
            yield f"{name.replace('_', ' ')} {listed(signed)}"


def _fields(old: Node, new: Node) -> Iterator[str]:
    for name in vars(new):
        if name not in (*COMPARED_ELSEWHERE, *WORDS) and getattr(old, name) != getattr(new, name):
            yield _detail(name, old, new)


def _detail(name: str, old: Node, new: Node) -> str:
    return f"{name.replace('_', ' ')}: {_shown(getattr(old, name))} -> {_shown(getattr(new, name))}"


def _shown(value: Any) -> str:
    if isinstance(value, Stated) and value.opinion is not None:
        by, why = f" by {value.by}" if value.by else "", f": {value.why}" if value.why else ""
        return f"{value.opinion}{by}{why}"
    found = plain(value)
    return repr(found) if isinstance(found, str) else "none" if found in (None, [], {}) else str(found)
