"""The elements of Open-PSA files, read in pieces, and what a model says before its names are resolved."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from itertools import chain
from sys import intern
from typing import Any, Protocol, TypeAlias

from surefoot import documents
from surefoot.documents import Findings, json
from surefoot.documents.files import FORBIDDEN
from surefoot.documents.xml import Reader
from surefoot.faulttree.common_cause import CommonCause
from surefoot.faulttree.formats.assembly import TREE
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.quantities import Quantity

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


# Open-PSA files read in pieces: definitions are handed on as they are complete.

MODEL = replace(
    TREE,
    largest=200_000_000,
    deepest=250,
    empty=TREE.syntax,
    beginning="Export the tree again.",
    flatter="Define gates instead of nesting formulas.",
)


class Sink(Protocol):
    """Takes definitions as they are complete, so that a large file is never held as a whole."""

    findings: Findings
    mentions: dict[str, set[str]]
    """Names that formulas of the open container refer to, by kind."""

    def enter(self, element: Element) -> None:
        """A container opens."""

    def define(self, element: Element) -> None:
        """A definition is complete."""

    def leave(self, element: Element) -> None:
        """A container closes."""

    def pass_over(self, tag: str, attributes: set[str], line: int) -> None:
        """An element has attributes that the format does not give it."""

    def finish(self, outside: Element) -> None:
        """The file ends; ``outside`` holds what stood in no container."""


def parse(pieces: Iterable[bytes], sink: Sink) -> None:
    """Hand the definitions of a file to ``sink``; what is not well-formed raises ``DiagnosticsError``."""
    reader, outside = Reader(sink.findings), Element("", {}, 0)
    _listen(reader, sink, outside)
    whole = iter(pieces)
    begun = next(whole, b"")
    reader.read(chain([begun], whole), hint=_hint(begun.lstrip()[:1]))
    sink.finish(outside)


def _listen(reader: Reader, sink: Sink, outside: Element) -> None:
    """Set the functions that meet every element; local names make them twice as fast."""
    deepest = MODEL.deepest
    parser, mentions = reader.parser, sink.mentions
    stack = [outside]
    children = outside.children
    inside = ""
    known, none = ATTRIBUTES, frozenset[str]()

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal inside, children, mentions
        if inside:
            sink.findings.unparsable(f"<{tag}> has no place inside <{inside}>.", line=reader.place)
        if attributes and not (attributes.keys() <= known.get(tag, none)):
            sink.pass_over(tag, attributes.keys() - known.get(tag, none), parser.CurrentLineNumber)
        if tag in REFERENCES and "name" in attributes:
            inside = tag
            name = intern(attributes["name"])
            children.append(name)
            mentions[attributes.get("type", tag)].add(name)
            return
        element = Element(tag, attributes, parser.CurrentLineNumber)
        stack.append(element)
        children = element.children
        if tag in CONTAINERS:
            sink.enter(element)
            mentions = sink.mentions
        elif len(stack) > deepest:
            sink.findings.refuse(f"elements are nested deeper than {deepest}.", line=reader.place, hint=MODEL.flatter)
        elif tag == "label":
            parser.CharacterDataHandler = children.append

    def end(tag: str) -> None:
        nonlocal inside, children, mentions
        if inside:
            inside = ""
            return
        element = stack.pop()
        children = stack[-1].children
        if tag in DEFINITIONS:
            sink.define(element)
        elif tag in CONTAINERS:
            sink.leave(element)
            mentions = sink.mentions
        else:
            children.append(element)
            if tag == "label":
                parser.CharacterDataHandler = None

    parser.StartElementHandler, parser.EndElementHandler = start, end


def _hint(begun: bytes) -> str:
    """What does not even begin like XML, or with the mark of an encoding, is another format."""
    if begun not in (b"<", b"\xef", b"\xfe", b"\xff"):
        return "Name other formats as such: .yaml, .json, .dag (Aralia) or .dft (Galileo)."
    return "Mend this line, or export the model again."


# What a model says, collected from its files before names are resolved.


@dataclass(eq=False)
class Scope:
    """A container, the names mentioned in it, and what they turned out to mean."""

    path: str
    private: bool
    findings: Findings
    mentions: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    renames: dict[str, str] = field(default_factory=dict)

    def inner(self, name: str) -> str:
        """The path of a name defined here."""
        return f"{self.path}.{name}" if self.path else name

    @property
    def tree(self) -> str:
        """The name of the fault tree that it belongs to."""
        return self.path.partition(".")[0]


@dataclass
class Names:
    """One namespace: what each name of the model is, where it is defined, and how the file refers to it."""

    kinds: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    public: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    homes: dict[str, Scope] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)
    labels: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    exact: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What the file says of a name in words of our own, where Open-PSA has none."""

    def find(self, reference: str, scope: Scope) -> str | None:
        """The name that a reference means: looked for in its container, outward, among public names, as a path."""
        path = scope.path
        while path:
            found = self.paths.get(f"{path}.{reference}")
            if found is not None:
                return found
            path = path.rpartition(".")[0]
        return self.public.get(reference) or self.paths.get(reference)


@dataclass
class Draft:
    """Definitions by their final names; until ``resolve``, formulas refer to others as the file does."""

    events: Names = field(default_factory=Names)
    shared: Names = field(default_factory=Names)
    grouped: Names = field(default_factory=Names)
    gates: dict[str, Formula] = field(default_factory=dict)
    basic: dict[str, Quantity | None] = field(default_factory=dict)
    houses: dict[str, bool] = field(default_factory=dict)
    parameters: dict[str, Quantity] = field(default_factory=dict)
    groups: list[CommonCause] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    expressions: dict[str, tuple[Element, Scope]] = field(default_factory=dict)
    """Of basic events, by name."""
    shared_expressions: dict[str, tuple[Element, Scope]] = field(default_factory=dict)
    """Of parameters, by name."""
    later: dict[str, list[tuple[Element, Scope]]] = field(default_factory=lambda: defaultdict(list))
    """Elements that can be read once all names are known, by tag."""
    trees: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """What the files mean and no static tree can say, a sentence each."""
    conditions: list[str | bool | Formula] = field(default_factory=list)
    """What substitutions ask for beside the top event."""
    foreign: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    """Attributes that the format does not have, by tag and name: the first place, and how often."""
    about: dict[str, str] = field(default_factory=dict)
    """What the file says of itself."""
    containers: dict[str, dict[str, str]] = field(default_factory=dict)
    """What it says of its containers, by path."""
    stated: dict[str, Any] = field(default_factory=dict)
    """What ``write_mef`` said of the tree as a whole."""
    main: str = ""
    """The path of the fault tree that it wrote."""

    @property
    def findings(self) -> list[Findings]:
        """The problems, file by file."""
        return list({id(scope.findings): scope.findings for scope in self.scopes}.values())


# Labels, attributes and roles, and our own attribute with what Open-PSA has no words for.

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
    text = said.pop(EXACT, None)
    if text is None:
        return {}
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
    if not listed or not isinstance(attributes, dict):
        return False
    return all(isinstance(text, str) for text in (*texts, *attributes.values()))


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


# Text of elements.

INDENT = "  "
_UNSAFE = re.compile("[^\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def is_safe(text: str) -> bool:
    """Whether XML keeps the text as it is, without line breaks and with something in it."""
    return bool(text) and not _UNSAFE.search(text)


def element(tag: str, attributes: Mapping[str, str], inner: Iterable[str] = ()) -> list[str]:
    """The lines of an element around the lines inside it."""
    said = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    lines = [f"{INDENT}{line}" for line in inner]
    return [f"<{tag}{said}>", *lines, f"</{tag}>"] if lines else [f"<{tag}{said}/>"]


def escaped_json(value: Any) -> str:
    """JSON in ASCII, which an attribute keeps as it is."""
    return json.written(value, ascii_only=True)
