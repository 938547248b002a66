"""A case as plain data, the same for YAML, JSON and results; what is as usual is left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surefoot.case.case import Case, Module
from surefoot.case.formats.fields import CONVENTIONS, FIELDS, LINKS, MARK, TEXTS, TRUTHS, VERSION
from surefoot.case.formats.statements import number_to_dict, opinion_to_dict, stated_to_dict
from surefoot.case.node import Choice, Node
from surefoot.case.policy import Policy

_USUAL = {"combining": "all"}


def case_to_dict(case: Case) -> dict[str, Any]:
    """Everything the case says, as mappings, lists, texts and numbers.

    >>> from surefoot.case.node import Node
    >>> case_to_dict(Case.of([Node("C1", "claim", "It stops", undeveloped=True)], name="brake"))["nodes"]
    {'C1': {'claim': 'It stops', 'undeveloped': True}}
    """
    about = {
        "name": case.name,
        "description": case.description,
        "notation": "" if case.notation == "cae" else case.notation,
        "confidence": policy_to_dict(case.policy),
        "modules": {key: module_to_dict(key, module) for key, module in case.modules.items()},
    }
    nodes = {identity: node_to_dict(node) for identity, node in case.nodes.items()}
    return {MARK: VERSION, **filled(about), "nodes": nodes}


def node_to_dict(node: Node) -> dict[str, Any]:
    """Kind and text first, then what else is said, in a fixed order."""
    found: dict[str, Any] = {node.kind: node.text}
    for key, attribute in FIELDS.items():
        value = getattr(node, attribute)
        if value and value != _USUAL.get(key):
            found[key] = _plain(key, value)
    return found


def module_to_dict(key: str, module: Module) -> dict[str, Any]:
    """A module; its name is left out where it is the one that nodes use."""
    named = {} if module.name == key else {"name": module.name}
    return named | filled({"brief": module.brief, "extends": module.extends})


def policy_to_dict(policy: Policy) -> dict[str, Any]:
    """What differs from the usual conventions."""
    usual = Policy()
    found: dict[str, Any] = {}
    for name in (*CONVENTIONS, "discounting", "disagreement"):
        value = getattr(policy, name)
        if value != getattr(usual, name):
            found[name] = opinion_to_dict(value) if name in CONVENTIONS else value
    return found


def filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value}


def _plain(key: str, value: Any) -> Any:
    if key in LINKS or key == "tags":
        return list(value)
    if key in TEXTS or key in TRUTHS:
        return value
    if key == "number":
        return number_to_dict(value)
    if key == "stated":
        return stated_to_dict(value)
    return dict(value) if key == "multiplicity" else [_choice(each) for each in value]


def _choice(choice: Choice) -> dict[str, Any]:
    amounts = {name: getattr(choice, name) for name in ("least", "most") if getattr(choice, name) != 1}
    return {"among": list(choice.among), **amounts}
