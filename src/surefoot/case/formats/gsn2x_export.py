"""Nodes as elements of gsn2x, drawn as GSN has it and read back as they were."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from surefoot.case.case import Case
from surefoot.case.formats.fields import FIELDS, TEXTS
from surefoot.case.formats.gsn2x_elements import ours, plain_of
from surefoot.case.formats.gsn2x_words import KIND_OF, OURS, RELATION, TYPE_OF, away_id, linked, type_by_prefix
from surefoot.case.formats.plain import filled, node_to_dict
from surefoot.case.node import Node

_KEYS = {key: key in TEXTS for key in FIELDS}


class Export:
    """What a node becomes depends on the others: on their modules, and on what rests on it."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.owners = {node.id: node.module for node in case}
        self.counters = self._counters()

    @cached_property
    def stand_ins(self) -> Mapping[str, str]:
        """Sub-cases that need no element, since reading makes them anew from a reference to another module."""
        possible = self._possible()
        made: set[str] = set()
        for node in self.case:
            links = self._drawn(node, possible)["supportedBy"]
            if linked(links, node.module, self.owners) == list(node.supported_by):
                made.update(node.supported_by)
        return {identity: target for identity, target in possible.items() if identity in made}

    def element(self, node: Node) -> dict[str, Any]:
        """Attributes of gsn2x, then ours for what they do not say."""
        drawn = self._drawn(node, self.stand_ins)
        kind = self._type(node)
        attributes = {"nodeType": "" if kind == type_by_prefix(node.id) else kind, "text": node.text}
        attributes = filled(attributes | drawn | {"defeated": node.defeated, "url": node.url})
        derived = plain_of(node.id, attributes)
        if "supported by" in derived:
            derived["supported by"] = linked(derived["supported by"], node.module, self.owners)
        wanted = node_to_dict(node)
        wanted.pop("module", None)
        other = {} if KIND_OF[kind] == node.kind else {f"{OURS}kind": node.kind}
        return attributes | other | ours(derived, wanted, _KEYS)

    def _drawn(self, node: Node, stand_ins: Mapping[str, str]) -> dict[str, Any]:
        """Relations as gsn2x draws them: a side-claim that is argued for is a goal below, as GSN has it."""
        argued = [each for each in node.in_context_of if self._is_argued(each)]
        below = [stand_ins.get(each, each) for each in (*node.supported_by, *argued)]
        undeveloped = node.undeveloped
        if node.kind == "sub-case" and not below:
            target = self._targets.get(node.of)
            below = [target.id] if target is not None and target.id != node.id else []
            undeveloped = undeveloped or not below
        challenged = next((each for each in node.challenges if RELATION not in each), "")
        return {
            "supportedBy": below,
            "inContextOf": [each for each in node.in_context_of if each not in argued],
            "challenges": challenged,
            "undeveloped": undeveloped,
        }

    def _type(self, node: Node) -> str:
        if node.kind == "side-claim" and self._is_argued(node.id):
            return "Goal"
        if node.challenges and node.kind in ("claim", "sub-case", "contract"):
            return "CounterGoal"
        if node.kind == "evidence" and (node.challenges or node.id in self.counters):
            return "CounterSolution"
        return TYPE_OF[node.kind]

    def _is_argued(self, identity: str) -> bool:
        node = self.case.nodes.get(identity)
        return node is not None and node.kind == "side-claim" and bool(node.supported_by or node.undeveloped)

    def _possible(self) -> dict[str, str]:
        """Sub-cases that say no more than what they stand for, and that only nodes of their module rest on."""
        named = {each for node in self.case for each in (*node.in_context_of, *node.challenges)}
        abroad = {each for node in self.case for each in node.supported_by if self.owners.get(each) != node.module}
        found = {}
        for node in self.case:
            target = self._targets.get(node.of) if node.kind == "sub-case" and node.of else None
            if target is None or target.kind == "sub-case" or target.module == node.module:
                continue
            same = node_to_dict(node) == node_to_dict(_stand_in(target, node.module))
            if same and node.id == away_id(target.module, target.id, node.module) and node.id not in named | abroad:
                found[node.id] = target.id
        return found

    @cached_property
    def _targets(self) -> Mapping[str, Node]:
        return {f"{node.module}/{node.id}": node for node in self.case}

    def _counters(self) -> set[str]:
        """Evidence that holds up defeaters and nothing else."""
        under = {each for node in self.case if node.kind == "defeater" for each in node.supported_by}
        elsewhere = {each for node in self.case if node.kind != "defeater" for each in node.supported_by}
        return under - elsewhere


def _stand_in(target: Node, module: str) -> Node:
    identity = away_id(target.module, target.id, module)
    return Node(identity, "sub-case", target.text, module=module, of=f"{target.module}/{target.id}")
