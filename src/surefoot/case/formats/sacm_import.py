"""A case from a SACM file (Structured Assurance Case Metamodel 2, Object Management Group), of Surefoot or other tools.

Of other tools are read: one namespace or several, ``xsi:type`` or ``xmi:type``, ``argumentElement`` or
``argumentationElement``, references by id, href or EMF path, and the types of the GSN metamodel (Goal, Strategy,
Solution, SupportedBy and others), whose relations point the other way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from surefoot.case.extensions import Module
from surefoot.case.formats.fields import (
    CASE,
    FIELDS,
    attributes,
    choices,
    claim_points,
    claimed,
    lists_by_name,
    made,
    policy,
    stated,
    texts,
    texts_by_name,
)
from surefoot.case.formats.native import Reading
from surefoot.case.formats.sacm_document import (
    ARTIFACTS,
    FORMAT,
    Document,
    Links,
    Places,
    Tags,
    Thing,
    apart,
    document,
    is_true,
    links,
    read_relations,
    worded,
)
from surefoot.case.model import Case, Kind, Node, Policy
from surefoot.documents import Findings, Refused, read_bytes, shown, xml
from surefoot.documents.xml import Element

SACM = replace(CASE, deepest=100, empty=CASE.syntax, beginning="Export the case again.", flatter="No case needs that.")
PREFIXES = {"XMLSchema-instance": "xsi", "XMI": "xmi"}
"""Of attributes, by a part of their namespaces, on which tools do not agree."""


def read_sacm_noted(path: str | Path) -> Reading:
    """A case from an XMI file, and notes on what of the file a case has no place for."""
    place = Path(path)
    findings = Findings(place.name, SACM)
    return case_of(xml.parse(read_bytes(place, SACM.largest), findings, PREFIXES), findings)


def case_of(root: Element, findings: Findings) -> Reading:
    """The case, and notes on what was not taken over; problems are raised together."""
    found = document(root, findings)
    tags = _all_tags(found)
    ids = identities(found, tags)
    relations, copies = apart(read_relations(found, ids), ids.values())
    modules = _keys(found, tags)
    public = {each for thing in found.things if thing.is_shown for each in found.referred(thing, "citedElement")}
    reading = SacmReading(found, tags, ids, modules, links(relations), Places.of(relations), public)
    nodes = _nodes(reading, copies)
    case = _case(found, tags, modules, nodes)
    found.findings.raise_if_any()
    return Reading(case, tuple(found.notes))


def _all_tags(found: Document) -> dict[Thing, Tags]:
    tags = {}
    for thing in found.things:
        if thing.meaning.role != "relation":
            try:
                tags[thing] = Tags(thing.element)
            except Refused as error:
                refused(found, thing, error)
    return tags


def _nodes(reading: SacmReading, copies: Mapping[str, str]) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    again: dict[str, list[str]] = {}
    for copy, original in copies.items():
        again.setdefault(original, []).append(copy)
    for thing, identity in reading.ids.items():
        try:
            for name in (identity, *again.get(identity, ())):
                nodes[name] = reading.node(thing, name)
        except Refused as error:
            refused(reading.document, thing, error)
    return nodes


def _keys(found: Document, tags: Mapping[Thing, Tags]) -> dict[Thing, str]:
    """Names of modules: a package that stands alone is the main one."""
    packages = [thing for thing in found.things if _is_module(found, thing) and thing in tags]
    outermost = [thing for thing in packages if thing.package is None]
    used = {tags[thing].text("module") for thing in packages if "module" in tags[thing]}
    keys: dict[Thing, str] = {}
    for count, thing in enumerate(packages, 1):
        if "module" in tags[thing]:
            keys[thing] = tags[thing].text("module")
            continue
        alone = outermost == [thing] and "" not in used
        called = "" if alone else worded(thing.element, "name") or f"module {count}"
        while called in used:
            called += "'"
        used.add(called)
        keys[thing] = called
    return keys


def _is_module(found: Document, thing: Thing) -> bool:
    """Packages; of those that bind others only such that hold arguments themselves."""
    if thing.meaning.role != "binding":
        return thing.meaning.role == "package"
    inner = (found.by_element.get(id(child)) for child in thing.element.children)
    return any(each is not None and each.is_asset for each in inner)


def _case(found: Document, tags: Mapping[Thing, Tags], keys: Mapping[Thing, str], nodes: dict[str, Node]) -> Case:
    top = next((thing for thing in found.things if thing.type == "AssuranceCasePackage" and thing in tags), None)
    said = tags[top] if top else Tags(Element("", {}, 0))
    first = top or next(iter(keys), None)
    if first is None:
        return Case(nodes)
    if said.text("format", FORMAT) != FORMAT:
        problem = f"the file was written by another version of Surefoot: {shown(said.text('format'))}."
        found.findings.add("unsupported-version", problem, line=first.element.line)
    gsn = any(thing.meaning.kind is not None for thing in found.things)
    notation = said.text("notation", "gsn" if gsn else "cae")
    try:
        return made(
            lambda: Case(
                _ordered(nodes, said),
                name=said.text("name") or worded(first.element, "name"),
                description=said.text("description") or worded(first.element, "description"),
                modules=_modules(tags, keys),
                notation=notation,  # type: ignore[arg-type]
                policy=policy(said.data("policy")) if "policy" in said else Policy(),
            ),
            "this is no case",
        )
    except Refused as error:
        refused(found, first, error)
        return Case({})


def _modules(tags: Mapping[Thing, Tags], keys: Mapping[Thing, str]) -> dict[str, Module]:
    found = {}
    for thing, key in keys.items():
        said = tags[thing]
        own = "module" in said
        if "unlisted" not in said and (own or key):
            name = said.text("name", key if own else worded(thing.element, "name"))
            brief = said.text("brief") or worded(thing.element, "description")
            more = lists_by_name(said.data("develops") or {}), attributes(said.data("attributes") or {})
            found[key] = Module(name, brief, said.text("extends"), *more)
    return found


def _ordered(nodes: dict[str, Node], said: Tags) -> dict[str, Node]:
    if "order" not in said:
        return nodes
    place = {identity: count for count, identity in enumerate(texts(said.data("order")))}
    return dict(sorted(nodes.items(), key=lambda item: place.get(item[0], len(place))))


# Nodes of a case from the elements of a SACM file, of Surefoot or of other tools.

_NAME = re.compile(r"[^\s/]{1,40}")
_STRUCTURED: dict[str, Callable[[Any], Any]] = {
    "number": claimed,
    "stated": stated,
    "multiplicity": texts_by_name,
    "choice": choices,
    "defeated relations": texts,
    "claim points": claim_points,
    "attributes": attributes,
}
_TEXTS = ("block", "combining", "assumption")
_RESULTS = ("rests_on", "digest", "url")


@dataclass
class SacmReading:
    """What nodes need to know of the file."""

    document: Document
    tags: Mapping[Thing, Tags]
    ids: Mapping[Thing, str]
    modules: Mapping[Thing, str]
    """Names of packages."""
    links: Mapping[str, Links]
    places: Places
    public: set[Thing]

    @cached_property
    def _known(self) -> set[str]:
        return set(self.ids.values())

    def node(self, thing: Thing, identity: str) -> Node:
        """One node; what does not fit is refused."""
        tags = self.tags[thing]
        kind = cast(Kind, tags.text("kind")) or self._kind(thing, identity)
        declared = worded(thing.element, "assertionDeclaration")
        fields: dict[str, Any] = {name: tags.text(name) for name in _TEXTS if name in tags}
        fields["defeated_relations"] = tuple(self.links.get(identity, Links()).defeated)
        fields |= {FIELDS[name]: read(tags.data(name)) for name, read in _STRUCTURED.items() if name in tags}
        fields |= dict(self._results(thing, tags)) | dict(self._linked(identity, tags))
        fields["of"] = tags.text("of") or self._stands_for(thing, kind)
        fields["tags"] = (*tags.texts("tag"), *tags.foreign, *self._marks(kind, declared, tags))
        fields["undeveloped"] = declared == "needsSupport" or "undeveloped" in tags or self._is(thing, "undeveloped")
        fields["defeated"] = declared == "defeated" or "defeated" in tags
        fields["by_contract"] = "by_contract" in tags
        fields["uninstantiated"] = self._is(thing, "isAbstract", "uninstantiated")
        fields["public"] = thing in self.public or self._is(thing, "isPublic")
        text, note = self._text(thing, tags), tags.text("note") or self._note(thing, tags)
        module = self.modules.get(thing.package, "") if thing.package else ""
        return made(lambda: Node(identity, kind, text, module=module, note=note, **fields), "this is no node")

    def _kind(self, thing: Thing, identity: str) -> Kind:
        """By its class, and for claims and references by their place."""
        if thing.meaning.role == "reasoning":
            return "argument"
        if thing.meaning.role == "reference":
            return thing.meaning.kind or self._kind_of_reference(thing, identity)
        if thing.meaning.kind in (None, "claim") and self._is_cited(thing):
            return "sub-case"
        return thing.meaning.kind or self._kind_of_claim(identity, worded(thing.element, "assertionDeclaration"))

    def _kind_of_reference(self, thing: Thing, identity: str) -> Kind:
        for referred in self.document.referred(thing, "referencedArtifactElement"):
            if referred.meaning.role in ("package", "binding"):
                return "sub-case" if referred.meaning.role == "package" else "contract"
        beside = identity in self.places.contextual and identity not in self.places.supporting
        return "context" if beside else "evidence"

    def _kind_of_claim(self, identity: str, declared: str) -> Kind:
        places = self.places
        if identity in places.supporting or (identity in places.supported and identity not in places.contextual):
            return "claim"
        if identity in places.countering:
            return "defeater"
        if declared == "axiomatic":
            return "justification"
        return "side-claim" if identity in places.contextual or declared == "assumed" else "claim"

    def _is_cited(self, thing: Thing) -> bool:
        declared = worded(thing.element, "assertionDeclaration") == "asCited"
        return declared or is_true(thing.element, "isCitation") or thing.meaning.cited

    def _stands_for(self, thing: Thing, kind: str) -> str:
        """The module, or ``module/id``, that a sub-case or contract refers to."""
        if kind not in ("sub-case", "contract"):
            return ""
        found = self.document.referred(thing, "citedElement") + self.document.referred(thing, "module")
        for referred in found + self.document.referred(thing, "referencedArtifactElement"):
            if referred.meaning.role == "binding":
                bound = self.document.referred(referred, "participantPackage")
                return next((self.modules.get(each, "") for each in bound if each is not thing.package), "")
            if referred in self.modules:
                return self.modules[referred]
            if referred in self.ids:
                module = self.modules.get(referred.package, "") if referred.package else ""
                return f"{module}/{self.ids[referred]}"
        return ""

    def _text(self, thing: Thing, tags: Tags) -> str:
        said = tags.text("text") or worded(thing.element, "description", "content")
        if said or "kind" in tags:
            return said
        cited = (
            worded(each.element, "description", "content", "name")
            for each in self.document.referred(thing, "citedElement")
        )
        return worded(thing.element, "name") or next(cited, "")

    def _note(self, thing: Thing, tags: Tags) -> str:
        """Its notes, and a name that says more than an id."""
        said, called = worded(thing.element, "note"), worded(thing.element, "name")
        more = "kind" not in tags and called and not _NAME.fullmatch(called) and called != self._text(thing, tags)
        return "\n".join(filter(None, (called if more else "", said)))

    def _results(self, thing: Thing, tags: Tags) -> Iterator[tuple[str, str]]:
        """What it rests on, said by itself or by the artifact that it refers to."""
        referred = self.document.referred(thing, "referencedArtifactElement")
        artifacts = [each for each in referred if each.type in ARTIFACTS and each in self.tags]
        for name in _RESULTS:
            sources = (tags, *(self.tags[each] for each in artifacts))
            yield name, next((found.text(name) for found in sources if name in found), "")

    def _linked(self, identity: str, tags: Tags) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Ids in the order that was written down, as far as there is one."""
        linked = self.links.get(identity, Links())
        for name in ("supported_by", "in_context_of", "challenges"):
            found: dict[str, None] = getattr(linked, name)
            listed = texts(tags.data(name)) if name in tags else ()
            kept = [each for each in listed if each in found or each not in self._known]
            new = dict.fromkeys(found)
            for each in kept:
                new.pop(each, None)
            if name == "in_context_of" and "claim points" in tags:
                for point in claim_points(tags.data("claim points")).values():
                    new.pop(point.argued_by, None)
            yield name, (*kept, *new)

    def _marks(self, kind: str, declared: str, tags: Tags) -> tuple[str, ...]:
        """What is asserted of a claim of another tool, and has no place in a case."""
        marked = kind == "claim" and "kind" not in tags and declared in ("assumed", "axiomatic")
        return (f"SACM: {declared}",) if marked else ()

    def _is(self, thing: Thing, *names: str) -> bool:
        return is_true(thing.element, *names)


def identities(document: Document, tags: Mapping[Thing, Tags]) -> dict[Thing, str]:
    """An id for each node: what Surefoot wrote, else a name that is not all its text, else an id of the file."""
    assets = [thing for thing in document.things if thing.is_asset and thing in tags]
    found: dict[Thing, str] = {}
    used: set[str] = set()
    for thing in assets:
        if "kind" in tags[thing]:
            identity = tags[thing].text("id") or thing.element.attributes.get("gid", "")
            if not identity.strip() or identity in used:
                problem = "a node has no gid." if not identity.strip() else f"two nodes have the id {shown(identity)}."
                document.findings.add("case-syntax", problem, line=thing.element.line)
            found[thing] = identity
            used.add(identity)
    for count, thing in enumerate(assets, 1):
        if thing not in found:
            found[thing] = next(name for name in _names(thing, count) if name not in used)
            used.add(found[thing])
    return {thing: found[thing] for thing in assets}


def _names(thing: Thing, count: int) -> Iterator[str]:
    attributes = thing.element.attributes
    called = worded(thing.element, "name")
    said = worded(thing.element, "description", "content")
    if _NAME.fullmatch(called) and (said or any(map(str.isdigit, called))):
        yield called
    yield from filter(str.strip, (attributes.get(name, "") for name in ("gid", "xmi:id", "id")))
    while True:
        yield f"{thing.type}-{count}"
        count += 1


def refused(document: Document, thing: Thing, error: Refused) -> None:
    """Put a refusal to its line."""
    document.findings.add(error.code, error.text, line=thing.element.line, hint=error.hint)
