"""The elements of an Open-PSA file, and the problems found in them."""

from __future__ import annotations

from collections.abc import Container
from typing import TypeAlias

from surefoot import documents

REFERENCES = frozenset({"gate", "basic-event", "house-event", "event"})
CONTAINERS = frozenset({"opsa-mef", "define-fault-tree", "define-component", "model-data"})
DEFINITIONS = frozenset(
    {
        "define-gate",
        "define-basic-event",
        "define-house-event",
        "define-parameter",
        "define-CCF-group",
        "define-event-tree",
        "define-initiating-event",
        "define-rule",
        "define-alignment",
        "define-substitution",
        "define-extern-library",
        "define-extern-function",
    }
)
_NAMED = frozenset({"name"})
_DEFINED = frozenset({"name", "role"})
_NUMBER = frozenset({"value"})
ATTRIBUTES: dict[str, frozenset[str]] = {
    "define-fault-tree": _DEFINED,
    "define-component": _DEFINED,
    "define-gate": _DEFINED,
    "define-basic-event": _DEFINED,
    "define-house-event": _DEFINED,
    "define-parameter": _DEFINED | {"unit"},
    "define-CCF-group": _NAMED | {"model"},
    "define-substitution": _NAMED | {"type"},
    "define-initiating-event": _NAMED | {"event-tree"},
    "define-phase": _NAMED | {"time-fraction"},
    "define-extern-library": _NAMED | {"path", "system", "decorate"},
    "define-extern-function": _NAMED | {"symbol", "library"},
    "parameter": _NAMED | {"unit"},
    "system-mission-time": frozenset({"unit"}),
    "event": _NAMED | {"type"},
    "set-house-event": _NAMED | {"direction"},
    "test-functional-event": _NAMED | {"state"},
    "attribute": _NAMED | {"value", "type"},
    "atleast": frozenset({"min"}),
    "cardinality": frozenset({"min", "max"}),
    "factor": frozenset({"level"}),
    "fork": frozenset({"functional-event"}),
    "path": frozenset({"state"}),
    **dict.fromkeys(("constant", "float", "int", "bool"), _NUMBER),
    **dict.fromkeys(
        (
            *("opsa-mef", "gate", "basic-event", "house-event", "define-alignment", "define-event-tree", "define-rule"),
            *(
                "define-functional-event",
                "define-sequence",
                "define-branch",
                "sequence",
                "branch",
                "rule",
                "event-tree",
            ),
            *("test-initiating-event", "extern-function"),
        ),
        _NAMED,
    ),
}
"""What Open-PSA says in attributes of its elements; the others have none."""


class Element:
    """An element with its line; a reference among its children is just the name it refers to."""

    __slots__ = ("attributes", "children", "line", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.children: list[Child] = []

    def elements(self) -> list[Element]:
        """The children that are elements of their own."""
        return [child for child in self.children if not isinstance(child, str)]

    def text(self) -> str:
        """What a label says."""
        return "".join(child for child in self.children if isinstance(child, str)).strip()

    def first(self, tag: str) -> Element | None:
        """The first child with this tag."""
        return next((child for child in self.elements() if child.tag == tag), None)

    def need(self, attribute: str) -> str:
        """An attribute that must be there."""
        try:
            return self.attributes[attribute]
        except KeyError:
            raise Refused("tree-syntax", f"<{self.tag}> has no attribute {attribute!r}.", self.line) from None


Child: TypeAlias = str | Element


class Refused(documents.Refused):
    """What an element says cannot be taken over."""

    def __init__(self, code: str, text: str, line: int, hint: str = "") -> None:
        super().__init__(code, text, hint)
        self.line = line


def unknown(element: Element, inside: str) -> Refused:
    """The complaint about an element that has no place here."""
    return Refused("tree-syntax", f"<{element.tag}> has no place inside <{inside}>.", element.line)


def is_description(child: Child) -> bool:
    """Whether it is a label or attributes."""
    return not isinstance(child, str) and child.tag in ("label", "attributes")


def content(element: Element) -> list[Child]:
    """The children besides label and attributes."""
    return [child for child in element.children if not is_description(child)]


def require_parts(element: Element, tags: Container[str], *, repeated: str = "") -> None:
    """Refuse what stands in an element besides these parts, each once unless ``repeated``, and its description."""
    seen: set[str] = set()
    for child in content(element):
        if isinstance(child, str):
            raise Refused(
                "tree-syntax", f"the reference to {child!r} has no place inside <{element.tag}>.", element.line
            )
        if child.tag not in tags:
            raise unknown(child, element.tag)
        if child.tag in seen and child.tag != repeated:
            raise Refused("tree-syntax", f"<{child.tag}> is there twice.", child.line, "Remove one of them.")
        seen.add(child.tag)


def only(element: Element) -> Child:
    """The one child that says what is defined."""
    found = content(element) if has_description(element) else element.children
    if len(found) != 1:
        raise Refused("tree-syntax", f"<{element.tag}> needs one element inside, it has {len(found)}.", element.line)
    return found[0]


def has_description(element: Element) -> bool:
    """Whether it carries a label or attributes."""
    children = element.children
    return len(children) > 1 or (len(children) == 1 and is_description(children[0]))
