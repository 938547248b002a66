"""Nodes as plain data, to be compared and hashed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from surefoot.case.case import Case, Module
from surefoot.case.node import Choice, Node
from surefoot.case.number import Number, Stated
from surefoot.case.policy import Policy
from surefoot.core import Target
from surefoot.core.canonical import digest

RECORDS = (Node, Number, Stated, Choice, Module, Policy, Target)


def plain(value: Any) -> Any:
    """Nested plain data of a part of a case."""
    if isinstance(value, RECORDS):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def case_digest(case: Case) -> str:
    """Hash of what a case says; how it is drawn, and what was measured, are no part of it."""
    nodes = {node.id: _said(node) for node in case}
    modules, policy = plain(case.modules), plain(case.policy)
    return digest([case.name, case.description, nodes, list(nodes), modules, policy])


def _said(node: Node) -> dict[str, Any]:
    """What a node says, without what it leaves out; every field is empty by default, but one that has a name."""
    return {name: plain(value) for name, value in vars(node).items() if value and name != "digest"}
