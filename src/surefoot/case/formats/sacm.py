"""Cases from and as SACM files (Structured Assurance Case Metamodel 2, Object Management Group).

Of other tools are read: one namespace or several, ``xsi:type`` or ``xmi:type``, ``argumentElement`` or
``argumentationElement``, references by id, href or EMF path, and the types of the GSN metamodel (Goal, Strategy,
Solution, SupportedBy and others), whose relations point the other way.

The structure is that of SACM 2.3 as far as the Ecore files of the EMF implementation (2.2, namespaces
``http://omg.sacm/2.2/...``) have it too: AssuranceCasePackage, ArgumentPackage (a module) with its
ArgumentPackageInterface (public nodes) and ArgumentPackageBinding (contracts), Claim with ``assertionDeclaration``,
ArgumentReasoning, ArtifactReference, Artifact, AssertedInference, AssertedEvidence, AssertedContext,
AssertedArtifactSupport and AssertedArtifactContext with ``source`` (what supports), ``target`` and ``reasoning``,
``isCounter`` for challenges. Text stands in ``description``, the id of a node in ``gid``, and what SACM has no word for
in tagged values ``surefoot.*``, so that reading gives the same case back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
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
from surefoot.case.formats.native import Reading, module_to_dict, node_to_dict, policy_to_dict
from surefoot.case.formats.sacm_document import (
    ARTIFACTS,
    FORMAT,
    JSON,
    NAMESPACES,
    OWN,
    REFERENCES,
    STRUCTURED,
    XMI,
    XSI,
    Document,
    Links,
    Places,
    Relation,
    Tags,
    Thing,
    apart,
    document,
    encoded,
    is_true,
    links,
    read_relations,
    relations,
)
from surefoot.case.formats.sacm_document import worded as sacm_document_worded
from surefoot.case.model import Case, Kind, Node, Policy
from surefoot.documents import Findings, Refused, json, read_bytes, shown, xml
from surefoot.documents.xml import Element, element, opened

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
        called = "" if alone else sacm_document_worded(thing.element, "name") or f"module {count}"
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
                name=said.text("name") or sacm_document_worded(first.element, "name"),
                description=said.text("description") or sacm_document_worded(first.element, "description"),
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
            name = said.text("name", key if own else sacm_document_worded(thing.element, "name"))
            brief = said.text("brief") or sacm_document_worded(thing.element, "description")
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
        declared = sacm_document_worded(thing.element, "assertionDeclaration")
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
        return thing.meaning.kind or self._kind_of_claim(
            identity, sacm_document_worded(thing.element, "assertionDeclaration")
        )

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
        declared = sacm_document_worded(thing.element, "assertionDeclaration") == "asCited"
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
        said = tags.text("text") or sacm_document_worded(thing.element, "description", "content")
        if said or "kind" in tags:
            return said
        cited = (
            sacm_document_worded(each.element, "description", "content", "name")
            for each in self.document.referred(thing, "citedElement")
        )
        return sacm_document_worded(thing.element, "name") or next(cited, "")

    def _note(self, thing: Thing, tags: Tags) -> str:
        """Its notes, and a name that says more than an id."""
        said, called = sacm_document_worded(thing.element, "note"), sacm_document_worded(thing.element, "name")
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
    called = sacm_document_worded(thing.element, "name")
    said = sacm_document_worded(thing.element, "description", "content")
    if _NAME.fullmatch(called) and (said or any(map(str.isdigit, called))):
        yield called
    yield from filter(str.strip, (attributes.get(name, "") for name in ("gid", "xmi:id", "id")))
    while True:
        yield f"{thing.type}-{count}"
        count += 1


def refused(document: Document, thing: Thing, error: Refused) -> None:
    """Put a refusal to its line."""
    document.findings.add(error.code, error.text, line=thing.element.line, hint=error.hint)


def sacm_text(case: Case) -> str:
    """The case as XMI, with ids that stay the same as long as those of the nodes do."""
    writing = Writing(case)
    attributes = {"xmi:version": "2.0", "xmlns:xmi": XMI, "xmlns:xsi": XSI}
    attributes |= {f"xmlns:{package}": uri for package, uri in NAMESPACES.items()} | {"xmi:id": "case"}
    inner = [name(case.name), *worded("description", case.description), *tagged(_case_tags(writing))]
    inner += _artifacts(writing)
    inner += [line for module in writing.modules for line in _module(writing, module)]
    inner += [line for node in case if writing.binds(node) for line in _binding(writing, node)]
    text = element("assurancecase:AssuranceCasePackage", attributes, inner)
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *text, ""])


def _case_tags(writing: Writing) -> Iterator[Tag]:
    case = writing.case
    yield "format", FORMAT
    yield "notation", case.notation
    if policy := policy_to_dict(case.policy):
        yield "policy", policy
    grouped = [node.id for nodes in writing.modules.values() for node in nodes]
    if grouped != list(case.nodes):
        yield "order", list(case.nodes)


def _artifacts(writing: Writing) -> list[str]:
    """Each result that evidence rests on, once."""
    first: dict[tuple[str, ...], str] = {}
    inner = []
    for node in writing.case:
        key = (node.rests_on, node.digest, node.url)
        if node.kind == "evidence" and any(key):
            if key not in first:
                first[key] = encoded("a", node.id)
                inner += _artifact(node, first[key])
            writing.artifacts[node.id] = first[key]
    return element("artifactPackage", {"xmi:id": "artifacts"}, [name("Evidence"), *inner]) if inner else []


def _artifact(node: Node, identity: str) -> list[str]:
    attributes = {"xsi:type": "artifact:Artifact", "xmi:id": identity, "version": node.digest}
    tags = said_lines({"rests_on": node.rests_on, "digest": node.digest, "url": node.url})
    return element("artifactElement", attributes, [name(node.rests_on or node.id), *tagged(tags)])


def _module(writing: Writing, key: str) -> list[str]:
    """A module, and the interface that shows what others may refer to."""
    nodes, listed = writing.modules[key], writing.case.modules.get(key)
    module = listed or Module(key)
    called = module.name or key or "main"
    inner = [name(called), *worded("description", module.brief)]
    inner += tagged(_module_tags(key, listed))
    inner += [line for node in nodes for line in node_lines(writing, node)]
    inner += relation_lines(writing, writing.related.get(key, ()))
    text = element("argumentPackage", {"xmi:id": writing.places[key]}, inner)
    if public := [node for node in nodes if node.public]:
        attributes = typed("ArgumentPackageInterface", encoded("i", key)) | {"implements": writing.places[key]}
        shown = [name(f"{called} interface"), *(line for node in public for line in _citation(node))]
        text += element("argumentPackage", attributes, shown)
    return text


def _module_tags(key: str, module: Module | None) -> Iterator[Tag]:
    yield "module", key
    if module is None:
        yield "unlisted", "true"
        return
    if module.name != key:
        yield "name", module.name
    yield from said_lines({"extends": module.extends})
    told = module_to_dict(key, module)
    yield from ((name, told[name]) for name in ("develops", "attributes") if name in told)


def _citation(node: Node) -> list[str]:
    cited = {"isCitation": "true", "citedElement": encoded("n", node.id)}
    return element("argumentationElement", typed(type_of(node), encoded("p", node.id)) | cited, [name(node.id)])


def _binding(writing: Writing, node: Node) -> list[str]:
    """Of a contract between modules: the package that binds them."""
    bound = {"participantPackage": f"{writing.places[node.module]} {writing.places[node.of]}"}
    attributes = typed("ArgumentPackageBinding", encoded("b", node.id)) | bound
    return element("argumentPackage", attributes, [name(node.id)])


# Nodes and relations of a case as elements of SACM's argumentation package.

_FLAGS = {"needsSupport": "undeveloped", "defeated": "defeated"}


@dataclass
class Writing:
    """What the elements of a case need to know of each other."""

    case: Case
    modules: dict[str, list[Node]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    """XMI ids by what a sub-case calls them: ``module/id`` or a module."""
    artifacts: dict[str, str] = field(default_factory=dict)
    """XMI ids of artifacts by the id of the evidence that refers to them."""
    linked: Mapping[str, Links] = field(default_factory=dict)
    related: dict[str, list[Relation]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in self.case:
            self.modules.setdefault(node.module, []).append(node)
        for module in self.case.modules:
            self.modules.setdefault(module, [])
        self.places = {module: encoded("m", module) for module in self.modules}
        self.places |= {f"{node.module}/{node.id}": encoded("n", node.id) for node in self.case}
        for relation in relations(self.case):
            self.related.setdefault(self.case[relation.target].module, []).append(relation)
        in_file = (relation for module in self.modules for relation in self.related.get(module, ()))
        self.linked = links(in_file)

    def binds(self, node: Node) -> bool:
        """Whether the node is a contract between modules that are both here."""
        return node.kind == "contract" and node.of in self.modules and node.of != node.module

    def cited(self, node: Node) -> str:
        """The XMI id of what a sub-case stands for, if it is here."""
        return self.places.get(node.of, "") if node.kind == "sub-case" and node.of else ""


def typed(name: str, identity: str) -> dict[str, str]:
    """The attributes that every element of the argumentation package has."""
    return {"xsi:type": f"argumentation:{name}", "xmi:id": identity}


def type_of(node: Node) -> str:
    """The class of SACM that a node is written as."""
    if node.kind == "argument":
        return "ArgumentReasoning"
    return "ArtifactReference" if node.kind in REFERENCES else "Claim"


def node_lines(writing: Writing, node: Node) -> list[str]:
    """One node."""
    cited, declared = writing.cited(node), _declared(node)
    bound = encoded("b", node.id) if writing.binds(node) else ""
    attributes = typed(type_of(node), encoded("n", node.id)) | {
        "gid": node.id,
        "isCitation": "true" if cited else "",
        "isAbstract": "true" if node.uninstantiated else "",
        "citedElement": cited,
        "assertionDeclaration": declared,
        "metaClaim": " ".join(encoded("n", each) for each in sorted(node.confidence) if each in writing.case)
        if type_of(node) == "Claim"
        else "",
        "referencedArtifactElement": bound or writing.artifacts.get(node.id, ""),
    }
    inner = [name(node.id), *worded("description", node.text), *worded("note", node.note)]
    return element("argumentationElement", attributes, [*inner, *tagged(_tags(writing, node, declared))])


def relation_lines(writing: Writing, found: Iterable[Relation]) -> Iterator[str]:
    """All relations whose targets are in one package."""
    used: set[str] = set()
    for relation in found:
        identity = encoded(relation.type, *filter(None, (relation.target, relation.reasoning)))
        if identity in used:
            identity = encoded(relation.type, relation.target, relation.reasoning, *relation.sources)
        while identity in used:
            identity += "-"
        used.add(identity)
        attributes = typed(relation.type, identity) | {
            "isCounter": "true" if relation.counter else "",
            "assertionDeclaration": "defeated" if _is_defeated(writing, relation) else "",
            "source": " ".join(encoded("n", source) for source in relation.sources),
            "target": encoded("n", relation.target),
            "reasoning": encoded("n", relation.reasoning) if relation.reasoning else "",
        }
        yield from element("argumentationElement", attributes, [name(identity)])


def _is_defeated(writing: Writing, relation: Relation) -> bool:
    ends = (relation.reasoning,) if relation.reasoning else relation.sources
    return not relation.counter and set(ends) <= set(writing.case[relation.target].defeated_relations)


def _tags(writing: Writing, node: Node, declared: str) -> Iterator[Tag]:
    """What SACM has no word for."""
    yield "kind", node.kind
    said = {"block": node.block or "", "assumption": node.assumption}
    said["combining"] = "" if node.combining == "all" else node.combining
    if node.id not in writing.artifacts:
        said |= {"rests_on": node.rests_on, "digest": node.digest, "url": node.url}
    if not writing.cited(node) and not writing.binds(node):
        said["of"] = node.of
    said["by_contract"] = "true" if node.by_contract else ""
    said |= {flag: "true" for flag in _FLAGS.values() if getattr(node, flag) and _FLAGS.get(declared) != flag}
    yield from said_lines(said)
    yield from (("tag", tag) for tag in node.tags)
    yield from ((name, data) for name, data in node_to_dict(node).items() if name in STRUCTURED)
    linked = writing.linked.get(node.id, Links())
    twice = set(node.in_context_of) & set(node.confidence)
    for name in ("supported_by", "in_context_of", "challenges"):
        # What stands beside a node and also argues its claim point would be read as the latter alone.
        if getattr(node, name) != tuple(getattr(linked, name)) or (twice and name == "in_context_of"):
            yield name, list(getattr(node, name))


def _declared(node: Node) -> str:
    """How a claim is asserted; other elements have no such mark."""
    if type_of(node) != "Claim":
        return ""
    if node.defeated:
        return "defeated"
    if node.kind == "sub-case":
        return "asCited"
    if node.undeveloped:
        return "needsSupport"
    if node.kind == "justification":
        return "axiomatic"
    return "assumed" if node.kind == "side-claim" and not node.supported_by else "asserted"


# Lines of SACM elements: names, descriptions, notes and tagged values.

Tag = tuple[str, Any]
"""A name, and a text or plain data."""


def name(text: str) -> str:
    """How people call an element."""
    return opened("name", {"content": text}, closed=True)


def worded(tag: str, text: str) -> list[str]:
    """A description or a note, unless it is empty."""
    return [f"<{tag}>{_content('content', text)}</{tag}>"] if text else []


def tagged(tags: Iterable[Tag]) -> list[str]:
    """Tagged values; data as JSON."""
    return [_tagged(key, value) for key, value in tags]


def said_lines(texts: Mapping[str, str]) -> list[Tag]:
    """Those texts that are not empty."""
    return [(key, text) for key, text in texts.items() if text]


def _tagged(key: str, value: Any) -> str:
    plain = isinstance(value, str)
    full = f"{OWN}{key}{'' if plain else JSON}"
    text = value if plain else json.written(value, ascii_only=True, sort_keys=True)
    return f"<taggedValue>{_content('key', full)}{_content('content', text)}</taggedValue>"


def _content(tag: str, text: str) -> str:
    return f"<{tag}>{opened('value', {'content': text}, closed=True)}</{tag}>"
