"""A case from the elements of a SACM file."""

from __future__ import annotations

from collections.abc import Mapping

from surefoot.case.case import Case, Module
from surefoot.case.formats import noted
from surefoot.case.formats.judgements import policy
from surefoot.case.formats.sacm_document import Document, Thing, document
from surefoot.case.formats.sacm_linking import Places, apart, read_relations
from surefoot.case.formats.sacm_nodes import Reading, identities, refused
from surefoot.case.formats.sacm_relations import links
from surefoot.case.formats.sacm_wording import Tags, worded
from surefoot.case.formats.sacm_words import FORMAT
from surefoot.case.formats.values import made, texts
from surefoot.case.node import Node
from surefoot.case.policy import Policy
from surefoot.documents import Findings, Refused, shown
from surefoot.documents.xml import Element


def case_of(root: Element, findings: Findings) -> noted.Reading:
    """The case, and notes on what was not taken over; problems are raised together."""
    found = document(root, findings)
    tags = _all_tags(found)
    ids = identities(found, tags)
    relations, copies = apart(read_relations(found, ids), ids.values())
    modules = _keys(found, tags)
    public = {each for thing in found.things if thing.is_shown for each in found.referred(thing, "citedElement")}
    reading = Reading(found, tags, ids, modules, links(relations), Places.of(relations), public)
    nodes = _nodes(reading, copies)
    case = _case(found, tags, modules, nodes)
    found.findings.raise_if_any()
    return noted.Reading(case, tuple(found.notes))


def _all_tags(found: Document) -> dict[Thing, Tags]:
    tags = {}
    for thing in found.things:
        if thing.meaning.role != "relation":
            try:
                tags[thing] = Tags(thing.element)
            except Refused as error:
                refused(found, thing, error)
    return tags


def _nodes(reading: Reading, copies: Mapping[str, str]) -> dict[str, Node]:
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
            found[key] = Module(name, brief, said.text("extends"))
    return found


def _ordered(nodes: dict[str, Node], said: Tags) -> dict[str, Node]:
    if "order" not in said:
        return nodes
    place = {identity: count for count, identity in enumerate(texts(said.data("order")))}
    return dict(sorted(nodes.items(), key=lambda item: place.get(item[0], len(place))))
