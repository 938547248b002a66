"""The elements of an Open-PSA file, and the problems found in them."""

from __future__ import annotations

from typing import TypeAlias

from surefoot.faulttree.formats import findings

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


class Refused(findings.Refused):
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
