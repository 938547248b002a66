"""Labels, attributes and roles, and what Open-PSA has no words for."""

from __future__ import annotations

from typing import Any

from surefoot.documents import json
from surefoot.documents.files import FORBIDDEN
from surefoot.faulttree.formats.mef.draft import Names, Scope
from surefoot.faulttree.formats.mef.elements import Element, Refused, unknown

EXACT = "surefoot"
"""The attribute that holds, as JSON, what Open-PSA has no words for."""
ROLES = {"private": True, "public": False}


def described(element: Element) -> tuple[str | None, dict[str, str]]:
    """The label and the attributes that an element carries."""
    label, holder = element.first("label"), element.first("attributes")
    said: dict[str, str] = {}
    for item in holder.elements() if holder else ():
        if item.tag != "attribute":
            raise unknown(item, "attributes")
        said[item.need("name")] = item.need("value")
        if "type" in item.attributes:
            said[f"type of {item.need('name')}"] = item.attributes["type"]
    return (label.text() if label else None), said


def exact_words(said: dict[str, str], element: Element) -> dict[str, Any]:
    """Take our own attribute out of the others and read it."""
    text = said.pop(EXACT, "{}")
    try:
        found = json.loads(text)
        controls = "\\" in text and FORBIDDEN.search(json.written(found))
    except ValueError:
        found, controls = None, None
    if controls:
        raise Refused("wrong-value", f"the attribute {EXACT!r} holds a control character.", element.line, "Remove it.")
    if not isinstance(found, dict) or not _is_sound(found):
        problem = f"the attribute {EXACT!r} does not hold what was written into it."
        raise Refused("tree-syntax", problem, element.line, "Remove it.")
    return found


def _is_sound(found: dict[str, Any]) -> bool:
    texts = (found.get(key, "") for key in ("name", "label", "top"))
    attributes = found.get("attributes", {})
    left_out = found.get("left out", [])
    listed = isinstance(left_out, list) and all(isinstance(text, str) for text in left_out)
    return listed and all(isinstance(text, str) for text in texts) and _is_texts(attributes)


def _is_texts(found: object) -> bool:
    return isinstance(found, dict) and all(isinstance(value, str) for value in found.values())


def describe(names: Names, name: str, label: str | None, said: dict[str, str], exact: dict[str, Any]) -> None:
    """Keep what was said of a name."""
    label = exact.get("label", label)
    if label is not None:
        names.labels[name] = label
    said |= exact.get("attributes", {})
    if said or "attributes" in exact:
        names.attributes[name] = said
    if exact:
        names.exact[name] = exact


def is_private(element: Element, scope: Scope) -> bool:
    """Whether what is defined is only known by its path."""
    role = element.attributes.get("role")
    if role is None:
        return scope.private
    if role not in ROLES:
        raise Refused("tree-syntax", f"a role is private or public, found {role[:40]!r}.", element.line)
    return ROLES[role]
