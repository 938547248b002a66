"""The elements of a SACM file: what each is, where it stands, and what it refers to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from surefoot.case.formats.noted import lost
from surefoot.case.formats.sacm_words import ARTIFACTS, TYPES, Type
from surefoot.core import Diagnostic
from surefoot.documents import Findings, shown
from surefoot.documents.xml import Element

_ROLES = ("argumentationElement", "argumentElement", "argumentAsset", "artifactElement", "artifactAsset")
_TEXTS = ("name", "description", "note", "taggedValue", "implementationConstraint", "content")
_ENDS = ("source", "target", "reasoning", "metaClaim", "structure", "citedElement", "abstractForm")
_PLACES = ("interface", "implements", "participantPackage", "referencedArtifactElement")
_PROPERTIES = frozenset((*_TEXTS, *_ENDS, *_PLACES, "property", "artifactProperty"))
_CONTAINERS = ("ArtifactPackage", "ArtifactPackageBinding")
_ARTIFACT, _CONTAINER = Type("ignored"), Type("case")
_MOST_NOTES = 100
_STEP = re.compile(r"(\w+)(?:\.(\d{1,9}))?")


@dataclass(eq=False)
class Thing:
    """An element of the file with what is known of it."""

    element: Element
    type: str
    meaning: Type
    package: Thing | None
    """The package of arguments that it stands in."""

    @property
    def is_asset(self) -> bool:
        """Whether it is a node of the case: no relation, no package, and not shown by an interface for another."""
        return self.meaning.role in ("claim", "reasoning", "reference") and not self.is_shown

    @property
    def is_shown(self) -> bool:
        """Whether it stands in an interface, for what the package implements."""
        return self.package is not None and self.package.meaning.role == "interface"


@dataclass
class Document:
    """All things of a file that a case can be made of."""

    findings: Findings
    notes: list[Diagnostic] = field(default_factory=list)
    tops: list[Element] = field(default_factory=list)
    things: list[Thing] = field(default_factory=list)
    by_id: dict[str, Thing] = field(default_factory=dict)
    by_element: dict[int, Thing] = field(default_factory=dict)
    _alike: dict[tuple[int, str], list[Element]] = field(default_factory=dict)

    def note(self, element: Element, text: str) -> None:
        """Say what was not taken over."""
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(lost(text, self.findings.place(element.line)))

    def referred(self, thing: Thing, name: str) -> list[Thing]:
        """What an element refers to, in attributes or elements; what is in no place of the file is a problem."""
        found = []
        for written in _written(thing.element, name):
            reference = written.removeprefix("#")
            thing_there = self.by_id.get(reference) or self._at(reference)
            if thing_there is not None:
                found.append(thing_there)
            elif "#" in reference:
                self.note(thing.element, f"{shown(written)} is in another file, which is not read.")
            else:
                text = f"<{thing.type}> refers to {shown(written)} as {name}, which is not in the file."
                self.findings.add("case-syntax", text, line=thing.element.line)
        return found

    def _at(self, path: str) -> Thing | None:
        """The element at a place as EMF writes it: ``//@argumentPackage.0/@argumentationElement.18``."""
        top, *steps = path.split("/@")
        number = top.removeprefix("/") or "0"
        if not path.startswith("/") or not number.isdecimal() or len(number) > 4 or int(number) >= len(self.tops):
            return None
        element = self.tops[int(number)]
        for step in steps:
            parts = _STEP.fullmatch(step)
            alike = self._children(element, parts[1]) if parts else []
            place = int(parts[2] or 0) if parts else 0
            if place >= len(alike):
                return None
            element = alike[place]
        return self.by_element.get(id(element))

    def _children(self, element: Element, tag: str) -> list[Element]:
        key = (id(element), tag)
        if key not in self._alike:
            self._alike[key] = list(element.named(tag))
        return self._alike[key]


def document(root: Element, findings: Findings) -> Document:
    """Collect what a file holds."""
    tops = root.children if root.tag == "XMI" else [root]
    if not any(_type_of(top) in TYPES for top in tops):
        hint = "A case is an AssuranceCasePackage or an ArgumentPackage."
        findings.stop(
            "case-syntax", f"this is no file of SACM: it begins with <{root.tag}>.", line=root.line, hint=hint
        )
    found = Document(findings, tops=tops)
    # From the last to the first, so that the first comes off the stack first.
    waiting: list[tuple[Element, Thing | None]] = [(top, None) for top in reversed(tops)]
    while waiting:
        waiting += _collected(found, *waiting.pop())
    return found


def _collected(found: Document, element: Element, package: Thing | None) -> Iterable[tuple[Element, Thing | None]]:
    """Take an element in; what is still to be looked at inside it, last first."""
    name = _type_of(element)
    meaning = TYPES.get(name) or (_CONTAINER if name in _CONTAINERS else _ARTIFACT if name in ARTIFACTS else None)
    if meaning is None or (meaning.role == "ignored" and meaning is not _ARTIFACT):
        found.note(element, f"<{element.tag}>{f' ({name})' if name else ''} is not read.")
        return ()
    thing = Thing(element, name, meaning, package)
    found.things.append(thing)
    found.by_element[id(element)] = thing
    _register(found, thing)
    if meaning.role in ("case", "package", "interface", "binding"):
        outer = package if meaning.role == "case" else thing
        inner = [child for child in element.children if child.tag not in _PROPERTIES or _has_type(child)]
        return ((child, outer) for child in reversed(inner))
    for child in element.children:
        if child.tag not in _PROPERTIES:
            found.note(child, f"<{child.tag}> inside <{name}> is not read.")
    return ()


def _register(found: Document, thing: Thing) -> None:
    """By its ids; an id that two elements have is a problem."""
    for identity in filter(None, (thing.element.attributes.get(name) for name in ("xmi:id", "id", "xmi:uuid"))):
        if found.by_id.setdefault(identity, thing) is not thing:
            text = f"two elements have the id {shown(identity)}."
            found.findings.add("case-syntax", text, line=thing.element.line, hint="Give each an id of its own.")


def _has_type(element: Element) -> bool:
    return "xsi:type" in element.attributes or "xmi:type" in element.attributes


def _type_of(element: Element) -> str:
    """The class that an element says it is, or that its tag implies."""
    said = element.attributes.get("xsi:type") or element.attributes.get("xmi:type")
    if said:
        return said.rpartition(":")[2].strip()
    return "" if element.tag in _ROLES else element.tag[:1].upper() + element.tag[1:]


def _written(element: Element, name: str) -> Iterator[str]:
    yield from element.attributes.get(name, "").split()
    for child in element.named(name):
        for attribute in ("xmi:idref", "href", "xmi:href", "idref", "ref"):
            if attribute in child.attributes:
                yield from child.attributes[attribute].split()
                break
