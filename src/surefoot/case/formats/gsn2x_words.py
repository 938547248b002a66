"""Words of gsn2x YAML: types of elements, their prefixes, attributes, and which of ours each is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surefoot.case.node import Kind

MODULE = "module"
OURS = "surefoot-"
"""Attributes that begin so say what gsn2x has no word for; it keeps additional attributes and does not draw them."""
PREFIXES = {
    "CG": "CounterGoal",
    "CSn": "CounterSolution",
    "Sn": "Solution",
    "G": "Goal",
    "S": "Strategy",
    "C": "Context",
    "A": "Assumption",
    "J": "Justification",
}
KIND_OF: dict[str, Kind] = {
    "Goal": "claim",
    "Strategy": "argument",
    "Solution": "evidence",
    "Context": "context",
    "Assumption": "side-claim",
    "Justification": "justification",
    "CounterGoal": "defeater",
    "CounterSolution": "evidence",
}
TYPE_OF: dict[Kind, str] = {
    "claim": "Goal",
    "argument": "Strategy",
    "evidence": "Solution",
    "side-claim": "Assumption",
    "justification": "Justification",
    "context": "Context",
    "sub-case": "Goal",
    "contract": "Goal",
    "defeater": "CounterGoal",
}
ATTRIBUTES = {
    "supportedBy": "supported by",
    "inContextOf": "in context of",
    "challenges": "challenges",
    "undeveloped": "undeveloped",
    "defeated": "defeated",
    "url": "url",
}
"""What gsn2x and we have words for, besides the text and the type."""
LAYOUT = ("rankIncrement", "horizontalIndex", "charWrap", "wordWrap", "level", "classes")
"""How gsn2x draws an element, which says nothing of the argument."""
KNOWN = ("text", "nodeType", *ATTRIBUTES, *LAYOUT, "acp", "defeatedRelation")
ABOUT_MODULE = ("name", "brief", "extends", "uses")
RELATION = "->"


def type_by_prefix(identity: str) -> str | None:
    """The type that an id begins with.

    >>> [type_by_prefix(identity) for identity in ("G1", "Sn2", "S3", "CSn1", "X")]
    ['Goal', 'Solution', 'Strategy', 'CounterSolution', None]
    """
    return next((word for prefix, word in PREFIXES.items() if identity.startswith(prefix)), None)


def is_gsn2x(data: Any) -> bool:
    """Whether data without our mark look like elements of gsn2x."""
    if not isinstance(data, Mapping):
        return False
    elements = [each for key, each in data.items() if key != MODULE]
    known = (*KNOWN[:2], *ATTRIBUTES)
    return any(isinstance(each, Mapping) and (not each or any(key in each for key in known)) for each in elements) or (
        isinstance(data.get(MODULE), Mapping) and not elements
    )


def away_id(module: str, identity: str, seen_from: str) -> str:
    """The id of the sub-case that stands, in one module, for an element of another."""
    return f"{module}/{identity} in {seen_from}" if seen_from else f"{module}/{identity}"


def linked(references: list[Any], module: str, owners: Mapping[str, str]) -> list[Any]:
    """References of an element; those to another module as the sub-cases that stand for them."""
    return [
        away_id(owners[each], each, module) if isinstance(each, str) and owners.get(each, module) != module else each
        for each in references
    ]
