"""A SACM file as it stands: its elements with their texts and tagged values, and the relations between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from surefoot.case.formats.native import lost
from surefoot.case.model import Case, Kind, Node
from surefoot.core import Diagnostic
from surefoot.documents import Findings, Refused, json, shown
from surefoot.documents.files import FORBIDDEN
from surefoot.documents.xml import Element

# Names of SACM 2: namespaces, types and identifiers.
#
# Structure and names follow the EMOF model of SACM 2.3 and the Ecore files of its EMF implementation (2.2), as far as
# the two agree. The standard itself gives no namespace for files; these are those of the Ecore files.

XMI = "http://www.omg.org/XMI"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
PACKAGES = ("assurancecase", "argumentation", "artifact", "base")
NAMESPACES = {package: f"http://omg.sacm/2.2/{package}" for package in PACKAGES}

Role = Literal["claim", "reasoning", "reference", "relation", "package", "interface", "binding", "case", "ignored"]
FORMAT = "1"
STRUCTURED = ("number", "stated", "multiplicity", "choice", "defeated relations", "claim points", "attributes")
DATA = (*STRUCTURED, "develops", "supported_by", "in_context_of", "challenges", "policy", "order")
"""Tagged values that are no texts."""
OWN = "surefoot."
JSON = ".json"
"""Tagged values that begin with ``surefoot.`` hold what SACM has no word for; with ``.json`` as JSON."""


@dataclass(frozen=True)
class Type:
    """What an element of this type is for a case."""

    role: Role
    kind: Kind | None = None
    """Of a type of GSN: what it is in any place."""
    turned: bool = False
    """Relations of GSN point from what is supported to what supports it, those of SACM the other way."""
    context: bool = False
    cited: bool = False


TYPES: dict[str, Type] = {
    "AssuranceCasePackage": Type("case"),
    "AssuranceCasePackageInterface": Type("ignored"),
    "AssuranceCasePackageBinding": Type("case"),
    "ArgumentPackage": Type("package"),
    "ArgumentPackageInterface": Type("interface"),
    "ArgumentPackageBinding": Type("binding"),
    "ArgumentGroup": Type("ignored"),
    "Claim": Type("claim"),
    "ArgumentReasoning": Type("reasoning"),
    "ArtifactReference": Type("reference"),
    "AssertedInference": Type("relation"),
    "AssertedEvidence": Type("relation"),
    "AssertedArtifactSupport": Type("relation"),
    "AssertedContext": Type("relation", context=True),
    "AssertedArtifactContext": Type("relation", context=True),
    "Module": Type("package"),
    "ContractModule": Type("binding"),
    "Goal": Type("claim", "claim"),
    "AwayGoal": Type("claim", "sub-case", cited=True),
    "Assumption": Type("claim", "side-claim"),
    "AwayAssumption": Type("claim", "side-claim", cited=True),
    "Justification": Type("claim", "justification"),
    "AwayJustification": Type("claim", "justification", cited=True),
    "Strategy": Type("reasoning", "argument"),
    "Solution": Type("reference", "evidence"),
    "AwaySolution": Type("reference", "evidence", cited=True),
    "Context": Type("reference", "context"),
    "AwayContext": Type("reference", "context", cited=True),
    "ModuleReference": Type("reference", "sub-case"),
    "ContractModuleReference": Type("reference", "contract"),
    "SupportedBy": Type("relation", turned=True),
    "InContextOf": Type("relation", turned=True, context=True),
}
"""Types of the argumentation package, and those that the GSN metamodel derives from them."""

ARTIFACTS = ("Artifact", "Property", "Technique", "Participant", "Activity", "Event", "Resource")
REFERENCES: tuple[Kind, ...] = ("evidence", "context", "contract")
"""Kinds that are written as ArtifactReference; arguments are ArgumentReasoning, all others Claim."""

_NOT_KEPT = re.compile("[^A-Za-z0-9-]")


def encoded(prefix: str, *names: str) -> str:
    """An XML id that holds names of any characters; different names give different ids.

    >>> encoded("n", "G_1"), encoded("n", "module 2")
    ('n.G__1', 'n.module_x20_2')
    """
    return ".".join([prefix, *(_NOT_KEPT.sub(_escape, name) for name in names)])


def _escape(found: re.Match[str]) -> str:
    return "__" if found[0] == "_" else f"_x{ord(found[0]):x}_"


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


# Texts and tagged values of an element, in whichever of its forms a tool writes them.

TRUE = ("true", "1")


def text_of(element: Element) -> str:
    """The text of a LangString, a MultiLangString, a description or a note; English where there are several."""
    while "content" not in element.attributes:
        inner = list(element.named("content", "value"))
        if not inner:
            return element.attributes.get("value", element.text)
        element = next((each for each in inner if each.attributes.get("lang", "en").startswith("en")), inner[0])
    return element.attributes["content"]


def worded(element: Element, *names: str) -> str:
    """What is said under the first of these names, as an attribute or as elements."""
    for name in names:
        if name in element.attributes:
            return element.attributes[name]
        found = [text_of(each) for each in element.named(name)]
        if found:
            return "\n".join(text for text in found if text)
    return ""


def is_true(element: Element, *names: str) -> bool:
    """Whether one of these attributes is set."""
    return any(element.attributes.get(name, "").strip().lower() in TRUE for name in names)


class Tags:
    """Tagged values of an element: those of Surefoot by name, others as ``key: value``."""

    def __init__(self, element: Element) -> None:
        self.own: dict[str, list[Any]] = {}
        self.foreign: list[str] = []
        for tagged in element.named("taggedValue"):
            key, value = worded(tagged, "key"), _value(tagged)
            if not key.startswith(OWN):
                self.foreign.append(f"{key}: {value}" if value else key)
            elif key.endswith(JSON):
                name = key[len(OWN) : -len(JSON)]
                self.own.setdefault(name, []).append(_data(key, value, is_text=name not in DATA))
            else:
                self.own.setdefault(key[len(OWN) :], []).append(value)

    def __contains__(self, name: str) -> bool:
        return name in self.own

    def data(self, name: str) -> Any:
        """The first value of that name, or None."""
        return self.own[name][0] if name in self.own else None

    def text(self, name: str, otherwise: str = "") -> str:
        """The first value of that name as text."""
        return str(self.own[name][0]) if name in self.own else otherwise

    def texts(self, name: str) -> tuple[str, ...]:
        """All values of that name."""
        return tuple(map(str, self.own.get(name, ())))


def _value(tagged: Element) -> str:
    return next((text_of(each) for each in tagged.named("content", "value")), worded(tagged, "content", "value"))


def _data(key: str, value: str, *, is_text: bool) -> Any:
    try:
        data = json.loads(value)
        controls = FORBIDDEN.search(json.written(data))
    except ValueError:
        raise Refused("case-syntax", f"the tagged value {key} is no JSON: {shown(value)}.") from None
    if controls:
        raise Refused("wrong-value", f"the tagged value {key} holds a control character.", "Remove it.")
    if is_text and not isinstance(data, str):
        raise Refused("case-syntax", f"the tagged value {key} is no text: {shown(data)}.")
    return data


# Relations of SACM, and the links between nodes that they stand for.
#
# SACM relates sources (what supports) to a target (what is supported); an argument is the reasoning of such a relation.
# An argument without anything below it, or in an unusual place, is itself source or target, as GSN files have it.


@dataclass(frozen=True)
class Relation:
    """``sources`` support, give context to, or (``counter``) speak against ``target``."""

    type: str
    sources: tuple[str, ...]
    target: str
    reasoning: str = ""
    counter: bool = False
    context: bool = False
    defeated: bool = False


@dataclass
class Links:
    """Ids that one node refers to, in order."""

    supported_by: dict[str, None] = field(default_factory=dict)
    in_context_of: dict[str, None] = field(default_factory=dict)
    challenges: dict[str, None] = field(default_factory=dict)
    defeated: dict[str, None] = field(default_factory=dict)


def links(relations: Iterable[Relation]) -> dict[str, Links]:
    """What relations say of each node."""
    found: dict[str, Links] = {}

    def of(identity: str) -> Links:
        return found.setdefault(identity, Links())

    for relation in relations:
        sources = dict.fromkeys(relation.sources)
        if relation.defeated and not relation.counter:
            of(relation.target).defeated.update({relation.reasoning: None} if relation.reasoning else sources)
        if relation.counter:
            for source in sources:
                of(source).challenges[relation.target] = None
        elif relation.context:
            of(relation.target).in_context_of.update(sources)
        elif relation.reasoning:
            of(relation.target).supported_by[relation.reasoning] = None
            of(relation.reasoning).supported_by.update(sources)
        else:
            of(relation.target).supported_by.update(sources)
    return found


def relations(case: Case) -> list[Relation]:
    """The relations of a case, by what they support; links to nodes that are not there are left out."""
    reasoned = _reasoned(case)
    return [relation for node in case for relation in _of_node(case, node, reasoned)]


def _reasoned(case: Case) -> set[str]:
    """Arguments that are the reasoning of a relation: under something else, and over something else."""
    over = {node.id for node in case if node.kind == "argument" and _premises(case, node)}
    placed = {below for node in case if node.kind != "argument" for below in node.supported_by}
    return over & placed


def _of_node(case: Case, node: Node, reasoned: set[str]) -> Iterator[Relation]:
    below = _known(case, node.supported_by)
    if node.kind != "argument":
        for argument in (case[each] for each in below if each in reasoned):
            yield from _supports(case, _premises(case, argument), node, argument.id, legs=argument.combining == "legs")
        rest = [each for each in below if each not in reasoned]
    else:
        rest = [each for each in below if node.id not in reasoned or case[each].kind == "argument"]
    yield from _supports(case, rest, node, "", legs=node.combining == "legs")
    for kind, sources in _by_type(case, _known(case, node.in_context_of), node, context=True).items():
        yield Relation(kind, tuple(sources), node.id, context=True)
    for challenged in _known(case, node.challenges):
        yield Relation(_type(node, case[challenged], context=False), (node.id,), challenged, counter=True)


def _supports(case: Case, sources: Sequence[str], target: Node, reasoning: str, *, legs: bool) -> Iterator[Relation]:
    """One relation for premises that are needed together, one each for independent legs."""
    for kind, alike in _by_type(case, sources, target, context=False).items():
        for together in [(each,) for each in alike] if legs else [tuple(alike)]:
            yield Relation(kind, together, target.id, reasoning)


def _by_type(case: Case, sources: Sequence[str], target: Node, *, context: bool) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for source in sources:
        found.setdefault(_type(case[source], target, context=context), []).append(source)
    return found


def _type(source: Node, target: Node, *, context: bool) -> str:
    from_artifact, to_artifact = source.kind in REFERENCES, target.kind in REFERENCES
    if context:
        return "AssertedArtifactContext" if from_artifact and to_artifact else "AssertedContext"
    if from_artifact:
        return "AssertedArtifactSupport" if to_artifact else "AssertedEvidence"
    return "AssertedInference"


def _premises(case: Case, argument: Node) -> list[str]:
    return [each for each in _known(case, argument.supported_by) if case[each].kind != "argument"]


def _known(case: Case, identities: Iterable[str]) -> list[str]:
    return [each for each in dict.fromkeys(identities) if each in case.nodes]


# Relations of a SACM file as links between the nodes of a case.


@dataclass
class Places:
    """Which nodes support, give context or speak against; it tells what an element is for."""

    supporting: set[str] = field(default_factory=set)
    supported: set[str] = field(default_factory=set)
    contextual: set[str] = field(default_factory=set)
    countering: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, relations: Iterable[Relation]) -> Places:
        """The places of all nodes."""
        found = cls()
        for relation in relations:
            if relation.counter:
                found.countering.update(relation.sources)
            elif relation.context:
                found.contextual.update(relation.sources)
            else:
                found.supporting.update(relation.sources)
                found.supported.add(relation.target)
        return found


def read_relations(document: Document, ids: Mapping[Thing, str]) -> list[Relation]:
    """All relations between nodes; ends that are no nodes are noted."""
    found: list[Relation] = []
    for thing in document.things:
        if thing.meaning.role == "relation":
            found += _relation(document, thing, ids)
        if thing.meaning.role in ("relation", "claim"):
            found += _about(document, thing, ids)
    return found


def _relation(document: Document, thing: Thing, ids: Mapping[Thing, str]) -> list[Relation]:
    sources, targets = (document.referred(thing, name) for name in ("source", "target"))
    if thing.meaning.turned:
        sources, targets = targets, sources
    counter = is_true(thing.element, "isCounter")
    if counter:
        targets = [each for target in targets for each in _undercut(document, target)]
    known = _nodes(document, thing, sources, ids)
    reasoning = _nodes(document, thing, document.referred(thing, "reasoning"), ids)[:1]
    ends = _nodes(document, thing, targets, ids)
    if not known or not ends:
        document.note(thing.element, f"<{thing.type}> has no source or no target among the nodes and is not read.")
        return []
    argument = "" if thing.meaning.context or counter else "".join(reasoning)
    beside, defeated = thing.meaning.context, worded(thing.element, "assertionDeclaration") == "defeated"
    return [Relation(thing.type, tuple(known), end, argument, counter, beside, defeated) for end in ends]


def _undercut(document: Document, target: Thing) -> list[Thing]:
    """A challenge to an inference speaks against its reasoning, or where that is not given, against what it shows."""
    if target.meaning.role != "relation":
        return [target]
    reasoning = document.referred(target, "reasoning")
    return reasoning or document.referred(target, "source" if target.meaning.turned else "target")


def _about(document: Document, thing: Thing, ids: Mapping[Thing, str]) -> list[Relation]:
    """Claims about an assertion stand beside it, or beside the reasoning of an inference."""
    claims = _nodes(document, thing, document.referred(thing, "metaClaim"), ids)
    if not claims:
        return []
    ends = [thing] if thing.meaning.role == "claim" else _undercut(document, thing)
    return [Relation("metaClaim", tuple(claims), end, context=True) for end in _nodes(document, thing, ends, ids)]


def _nodes(document: Document, thing: Thing, found: Iterable[Thing], ids: Mapping[Thing, str]) -> list[str]:
    nodes = []
    for each in found:
        actual = next(iter(document.referred(each, "citedElement")), each) if each.is_shown else each
        if actual in ids:
            nodes.append(ids[actual])
        else:
            document.note(thing.element, f"<{thing.type}> refers to <{each.type}>, which is no node of a case.")
    return nodes


def apart(relations: list[Relation], used: Iterable[str]) -> tuple[list[Relation], dict[str, str]]:
    """A reasoning that leads from different premises to different targets becomes several arguments.

    The ids of the further ones are given with the id they are copies of.
    """
    premises: dict[tuple[str, str], dict[str, None]] = {}
    for relation in relations:
        if relation.reasoning:
            premises.setdefault((relation.reasoning, relation.target), {}).update(dict.fromkeys(relation.sources))
    taken, copies = set(used), {}
    named: dict[tuple[str, frozenset[str]], str] = {}
    first: set[str] = set()
    for (reasoning, _), sources in premises.items():
        key = (reasoning, frozenset(sources))
        if key not in named:
            named[key] = reasoning if reasoning not in first else _new(reasoning, taken)
            if reasoning in first:
                copies[named[key]] = reasoning
            first.add(reasoning)
    return [_renamed(relation, premises, named) for relation in relations], copies


def _renamed(
    relation: Relation,
    premises: Mapping[tuple[str, str], dict[str, None]],
    named: Mapping[tuple[str, frozenset[str]], str],
) -> Relation:
    if not relation.reasoning:
        return relation
    sources = frozenset(premises[relation.reasoning, relation.target])
    return replace(relation, reasoning=named[relation.reasoning, sources])


def _new(name: str, taken: set[str]) -> str:
    count = 2
    while f"{name}-{count}" in taken:
        count += 1
    taken.add(f"{name}-{count}")
    return f"{name}-{count}"
