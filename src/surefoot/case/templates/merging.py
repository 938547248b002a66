"""A user's own part of a case, merged by ids into what a template made."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from surefoot.case.case import Case
from surefoot.case.node import Node

UNITED = ("supported_by", "in_context_of", "challenges", "choice", "tags")
OF_THE_NODE = ("id", "kind")
DEFAULTS = Node("id", "claim", "")


def merged(template: Case, own: Case) -> Case:
    """The template's case with what the user wrote.

    A node with the id of a template's node adds to it: what it gives overrides (its kind where it has a text),
    relations and tags are united, and it is undeveloped no longer once something is below, it stands for another claim
    or somebody answers for it. Other nodes are new. Where relations lead nowhere, ``check`` tells.
    """
    nodes = dict(template.nodes)
    for node in own:
        before = nodes.get(node.id)
        nodes[node.id] = node if before is None else _added(before, node)
    return replace(
        template,
        nodes={identity: _developed(node) for identity, node in nodes.items()},
        name=own.name or template.name,
        description=own.description or template.description,
        modules={**template.modules, **own.modules},
        notation=own.notation,
        policy=own.policy,
    )


def _added(before: Node, node: Node) -> Node:
    given: dict[str, Any] = {}
    for each in fields(Node):
        value = getattr(node, each.name)
        if each.name in UNITED:
            given[each.name] = tuple(dict.fromkeys((*getattr(before, each.name), *value)))
        elif each.name == "multiplicity":
            given[each.name] = {**before.multiplicity, **value}
        elif each.name not in OF_THE_NODE and value != getattr(DEFAULTS, each.name):
            given[each.name] = value
    return replace(before, **given, kind=node.kind if node.text else before.kind)


def _developed(node: Node) -> Node:
    answered = node.supported_by or node.of or node.stated
    return replace(node, undeveloped=False) if node.undeveloped and answered else node
