"""A case as the packages of SACM: modules, their interfaces and contracts, and what evidence refers to."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.case.case import Case, Module
from surefoot.case.formats import sacm_lines as lines
from surefoot.case.formats.plain import policy_to_dict
from surefoot.case.formats.sacm_elements import Writing, node_lines, relation_lines, type_of, typed
from surefoot.case.formats.sacm_words import FORMAT, NAMESPACES, XMI, XSI, encoded
from surefoot.case.node import Node
from surefoot.documents.xml import element


def written(case: Case) -> str:
    """The whole file."""
    writing = Writing(case)
    attributes = {"xmi:version": "2.0", "xmlns:xmi": XMI, "xmlns:xsi": XSI}
    attributes |= {f"xmlns:{package}": uri for package, uri in NAMESPACES.items()} | {"xmi:id": "case"}
    inner = [lines.name(case.name), *lines.worded("description", case.description), *lines.tagged(_case_tags(writing))]
    inner += _artifacts(writing)
    inner += [line for module in writing.modules for line in _module(writing, module)]
    inner += [line for node in case if writing.binds(node) for line in _binding(writing, node)]
    text = element("assurancecase:AssuranceCasePackage", attributes, inner)
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *text, ""])


def _case_tags(writing: Writing) -> Iterator[lines.Tag]:
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
    return element("artifactPackage", {"xmi:id": "artifacts"}, [lines.name("Evidence"), *inner]) if inner else []


def _artifact(node: Node, identity: str) -> list[str]:
    attributes = {"xsi:type": "artifact:Artifact", "xmi:id": identity, "version": node.digest}
    tags = lines.said({"rests_on": node.rests_on, "digest": node.digest, "url": node.url})
    return element("artifactElement", attributes, [lines.name(node.rests_on or node.id), *lines.tagged(tags)])


def _module(writing: Writing, key: str) -> list[str]:
    """A module, and the interface that shows what others may refer to."""
    nodes, listed = writing.modules[key], writing.case.modules.get(key)
    module = listed or Module(key)
    called = module.name or key or "main"
    inner = [lines.name(called), *lines.worded("description", module.brief)]
    inner += lines.tagged(_module_tags(key, listed))
    inner += [line for node in nodes for line in node_lines(writing, node)]
    inner += relation_lines(writing.related.get(key, ()))
    text = element("argumentPackage", {"xmi:id": writing.places[key]}, inner)
    if public := [node for node in nodes if node.public]:
        attributes = typed("ArgumentPackageInterface", encoded("i", key)) | {"implements": writing.places[key]}
        shown = [lines.name(f"{called} interface"), *(line for node in public for line in _citation(node))]
        text += element("argumentPackage", attributes, shown)
    return text


def _module_tags(key: str, module: Module | None) -> Iterator[lines.Tag]:
    yield "module", key
    if module is None:
        yield "unlisted", "true"
        return
    if module.name != key:
        yield "name", module.name
    yield from lines.said({"extends": module.extends})


def _citation(node: Node) -> list[str]:
    cited = {"isCitation": "true", "citedElement": encoded("n", node.id)}
    return element("argumentationElement", typed(type_of(node), encoded("p", node.id)) | cited, [lines.name(node.id)])


def _binding(writing: Writing, node: Node) -> list[str]:
    """Of a contract between modules: the package that binds them."""
    bound = {"participantPackage": f"{writing.places[node.module]} {writing.places[node.of]}"}
    attributes = typed("ArgumentPackageBinding", encoded("b", node.id)) | bound
    return element("argumentPackage", attributes, [lines.name(node.id)])
