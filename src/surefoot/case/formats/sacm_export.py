"""A case as the packages of SACM 2: modules, their interfaces and contracts, and what evidence refers to.

The structure is that of SACM 2.3 as far as the Ecore files of the EMF implementation (2.2, namespaces
``http://omg.sacm/2.2/...``) have it too: AssuranceCasePackage, ArgumentPackage (a module) with its
ArgumentPackageInterface (public nodes) and ArgumentPackageBinding (contracts), Claim with ``assertionDeclaration``,
ArgumentReasoning, ArtifactReference, Artifact, AssertedInference, AssertedEvidence, AssertedContext,
AssertedArtifactSupport and AssertedArtifactContext with ``source`` (what supports), ``target`` and ``reasoning``,
``isCounter`` for challenges. Text stands in ``description``, the id of a node in ``gid``, and what SACM has no word for
in tagged values ``surefoot.*``, so that reading gives the same case back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from surefoot.case.extensions import Module
from surefoot.case.formats.native import module_to_dict, node_to_dict, policy_to_dict
from surefoot.case.formats.sacm_document import (
    FORMAT,
    JSON,
    NAMESPACES,
    OWN,
    REFERENCES,
    STRUCTURED,
    XMI,
    XSI,
    Links,
    Relation,
    encoded,
    links,
    relations,
)
from surefoot.case.model import Case, Node
from surefoot.documents import json
from surefoot.documents.xml import element, opened


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
