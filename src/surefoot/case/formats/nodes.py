"""Fields of a file to nodes; nodes may be written inside those that rest on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from surefoot.case.formats import judgements
from surefoot.case.formats.judgements import (
    CONVENTIONS,
    FIELDS,
    LINKS,
    MARK,
    NODE_KEYS,
    TEXTS,
    TRUTHS,
    VALUE,
    VERSION,
    choices,
    claimed,
    number_to_dict,
    opinion_to_dict,
    stated,
    stated_to_dict,
)
from surefoot.case.model import GSN, KINDS, Case, Choice, Kind, Module, Node, Notation, Policy
from surefoot.core.errors import InvalidInput
from surefoot.documents import Findings, Keys, Refused, shown
from surefoot.documents.yaml import is_nothing

ID = "id"
_TAKERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(TEXTS, judgements.text),
    **dict.fromkeys(TRUTHS, judgements.truth),
    "tags": judgements.texts,
    "number": claimed,
    "stated": stated,
    "multiplicity": judgements.texts_by_name,
    "choice": choices,
}
_NESTING = ("supported by", "in context of")
_FROM_GSN: dict[str, Kind] = {word: kind for kind in KINDS if (word := GSN[kind]) not in NODE_KEYS}


@dataclass
class NodeReader:
    """Takes over nodes one by one; problems go to ``findings``, and what was taken stays usable."""

    findings: Findings
    place: Place
    nodes: dict[str, Node] = field(default_factory=dict)
    paths: dict[str, Keys] = field(default_factory=dict)

    def read(self, identity: str, fields: Any, path: Keys) -> None:
        """A node and those written inside it, in the order they are written."""
        waiting: list[tuple[str, Any, Keys]] = [(identity, fields, path)]
        while waiting:
            identity, fields, path = waiting.pop()
            inner: list[tuple[str, Any, Keys]] = []
            self._read_one(identity, fields, path, inner)
            waiting.extend(reversed(inner))

    def _read_one(self, identity: str, fields: Any, path: Keys, inner: list[tuple[str, Any, Keys]]) -> None:
        if not identity.strip():
            self.add("missing-key", "a node needs an id.", path, "Write for example C1.")
            return
        if identity in self.nodes:
            text = f"a node {shown(identity)} is written at {self.place(self.paths[identity])} too."
            self.add("duplicate-key", text, path, "Give each node an id of its own.")
            return
        if not isinstance(fields, Mapping):
            text = f"{shown(identity)}: expected fields, found {shown(fields)}."
            self.add(VALUE, text, path, "Write for example claim: and what is claimed.")
            return
        kind = self._kind(identity, fields, path)
        taken = dict(self._fields(fields, path, inner))
        if kind is None:
            return
        text = self._taken(judgements.text, fields.get(kind, ""), (*path, kind)) or ""
        try:
            self.nodes[identity] = Node(identity, kind, text, **taken)
            self.paths[identity] = path
        except InvalidInput as error:
            self.add(VALUE, f"{shown(identity)}: {error.problem}; found {error.found}.", path, error.remedy)

    def _kind(self, identity: str, fields: Mapping[str, Any], path: Keys) -> Kind | None:
        found = [kind for kind in KINDS if kind in fields]
        if not found and any(word in fields for word in _FROM_GSN):
            return None
        if not found:
            text = f"{shown(identity)} does not say what it is."
            self.add("missing-key", text, path, f"Give it one of {', '.join(KINDS)}, and there its text.")
        elif len(found) > 1:
            text = f"{shown(identity)} is {found[0]} and {found[1]}."
            self.add(VALUE, text, (*path, found[1]), "Keep one of them.")
        return found[0] if found else None

    def _fields(
        self, fields: Mapping[str, Any], path: Keys, inner: list[tuple[str, Any, Keys]]
    ) -> Iterator[tuple[str, Any]]:
        for key, given in fields.items():
            if key in LINKS:
                if not is_nothing(given):
                    yield LINKS[key], self._links(key, given, (*path, key), inner)
            elif key in _TAKERS:
                taken = None if is_nothing(given) else self._taken(_TAKERS[key], given, (*path, key))
                if taken is not None:
                    yield FIELDS[key], taken
            elif key not in KINDS and not (key == ID and len(path) > 2):
                self._refuse(key, (*path, key))

    def _links(self, key: str, given: Any, path: Keys, inner: list[tuple[str, Any, Keys]]) -> tuple[str, ...]:
        if type(given) is list and all(type(item) is str for item in given):
            return tuple(given)
        found: list[str] = []
        items = list(enumerate(given)) if isinstance(given, list | tuple) else [(None, given)]
        for index, item in items:
            place = path if index is None else (*path, index)
            nested = isinstance(item, Mapping) and key in _NESTING
            identity = self._inner(item, place, inner) if nested else self._taken(judgements.said, item, place)
            if identity is not None:
                found.append(identity)
        return tuple(found)

    def _inner(self, fields: Mapping[str, Any], path: Keys, inner: list[tuple[str, Any, Keys]]) -> str | None:
        if ID not in fields:
            self.add("missing-key", "a node that is written here needs its id.", path, "Write id: and then its fields.")
            return None
        identity = self._taken(judgements.said, fields[ID], (*path, ID))
        if identity is not None:
            inner.append((identity, fields, path))
        return identity

    def _refuse(self, key: str, path: Keys) -> None:
        meant = _FROM_GSN.get(key)
        hint = f"A {key} is written as {meant!r} here." if meant else self.findings.suggestion(key, NODE_KEYS)
        self.add("unknown-key", f"{shown(key)} is not known here.", path, hint)

    def _taken(self, take: Callable[[Any], Any], given: Any, path: Keys) -> Any:
        try:
            return take(given)
        except Refused as refused:
            self.add(refused.code, f"{path[-1]}: {refused.text}", path, refused.hint)
            return None

    def add(self, code: str, text: str, path: Keys, hint: str) -> None:
        """One more problem, where that key stands."""
        self.findings.add(code, text, where=self.place(path), hint=hint)


# A case as plain data, the same for YAML, JSON and results; what is as usual is left out.

_USUAL = {"combining": "all"}


def case_to_dict(case: Case) -> dict[str, Any]:
    """Everything the case says, as mappings, lists, texts and numbers.

    >>> from surefoot.case.model import Node
    >>> case_to_dict(Case.of([Node("C1", "claim", "It stops", undeveloped=True)], name="brake"))["nodes"]
    {'C1': {'claim': 'It stops', 'undeveloped': True}}
    """
    about = {
        "name": case.name,
        "description": case.description,
        "notation": "" if case.notation == "cae" else case.notation,
        "confidence": policy_to_dict(case.policy),
        "modules": {key: module_to_dict(key, module) for key, module in case.modules.items()},
    }
    nodes = {identity: node_to_dict(node) for identity, node in case.nodes.items()}
    return {MARK: VERSION, **filled(about), "nodes": nodes}


def node_to_dict(node: Node) -> dict[str, Any]:
    """Kind and text first, then what else is said, in a fixed order."""
    found: dict[str, Any] = {node.kind: node.text}
    for key, attribute in FIELDS.items():
        value = getattr(node, attribute)
        if value and value != _USUAL.get(key):
            found[key] = _plain(key, value)
    return found


def module_to_dict(key: str, module: Module) -> dict[str, Any]:
    """A module; its name is left out where it is the one that nodes use."""
    named = {} if module.name == key else {"name": module.name}
    return named | filled({"brief": module.brief, "extends": module.extends})


def policy_to_dict(policy: Policy) -> dict[str, Any]:
    """What differs from the usual conventions."""
    usual = Policy()
    found: dict[str, Any] = {}
    for name in (*CONVENTIONS, "discounting", "disagreement"):
        value = getattr(policy, name)
        if value != getattr(usual, name):
            found[name] = opinion_to_dict(value) if name in CONVENTIONS else value
    return found


def filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value}


def _plain(key: str, value: Any) -> Any:
    if key in LINKS or key == "tags":
        return list(value)
    if key in TEXTS or key in TRUTHS:
        return value
    if key == "number":
        return number_to_dict(value)
    if key == "stated":
        return stated_to_dict(value)
    return dict(value) if key == "multiplicity" else [_choice(each) for each in value]


def _choice(choice: Choice) -> dict[str, Any]:
    amounts = {name: getattr(choice, name) for name in ("least", "most") if getattr(choice, name) != 1}
    return {"among": list(choice.among), **amounts}


# What one file says, before files are put together.

Place = Callable[[Keys], str]
"""Where a key stands, as a message says it."""


@dataclass(frozen=True)
class NamedFile:
    """A module that is written in another file."""

    module: str
    file: str
    place: str
    about: Module | None
    """What is said of the module here; None where its own file shall say it."""


@dataclass
class Draft:
    """Nodes with their places, and what is said of the whole."""

    name: str = ""
    description: str = ""
    notation: Notation = "cae"
    policy: Policy = field(default_factory=Policy)
    modules: dict[str, Module] = field(default_factory=dict)
    files: list[NamedFile] = field(default_factory=list)
    nodes: dict[str, Node] = field(default_factory=dict)
    paths: dict[str, Keys] = field(default_factory=dict)
    """The keys under which each node is written."""
