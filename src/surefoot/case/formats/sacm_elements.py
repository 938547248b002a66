"""Nodes and relations of a case as elements of SACM's argumentation package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from surefoot.case.case import Case
from surefoot.case.formats import sacm_lines as lines
from surefoot.case.formats.plain import node_to_dict
from surefoot.case.formats.sacm_relations import Links, Relation, links, relations
from surefoot.case.formats.sacm_words import REFERENCES, STRUCTURED, encoded
from surefoot.case.node import Node
from surefoot.documents.xml import element

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
        "referencedArtifactElement": bound or writing.artifacts.get(node.id, ""),
    }
    inner = [lines.name(node.id), *lines.worded("description", node.text), *lines.worded("note", node.note)]
    return element("argumentationElement", attributes, [*inner, *lines.tagged(_tags(writing, node, declared))])


def relation_lines(found: Iterable[Relation]) -> Iterator[str]:
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
            "source": " ".join(encoded("n", source) for source in relation.sources),
            "target": encoded("n", relation.target),
            "reasoning": encoded("n", relation.reasoning) if relation.reasoning else "",
        }
        yield from element("argumentationElement", attributes, [lines.name(identity)])


def _tags(writing: Writing, node: Node, declared: str) -> Iterator[lines.Tag]:
    """What SACM has no word for."""
    yield "kind", node.kind
    said = {"block": node.block or "", "assumption": node.assumption}
    said["combining"] = "" if node.combining == "all" else node.combining
    if node.id not in writing.artifacts:
        said |= {"rests_on": node.rests_on, "digest": node.digest, "url": node.url}
    if not writing.cited(node) and not writing.binds(node):
        said["of"] = node.of
    said |= {flag: "true" for flag in _FLAGS.values() if getattr(node, flag) and _FLAGS.get(declared) != flag}
    yield from lines.said(said)
    yield from (("tag", tag) for tag in node.tags)
    yield from ((name, data) for name, data in node_to_dict(node).items() if name in STRUCTURED)
    linked = writing.linked.get(node.id, Links())
    for name in ("supported_by", "in_context_of", "challenges"):
        if getattr(node, name) != tuple(getattr(linked, name)):
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
