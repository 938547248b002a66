"""The format of our own: a case as plain data, the same for YAML and JSON, and as files.

Strict: problems are collected, each with a code and its line, and what could be taken over stays usable, so that one
reading tells all of them. A case may be written in several files, one a module.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from surefoot.case.extensions import Choice, Module
from surefoot.case.formats import fields as values
from surefoot.case.formats.fields import (
    ATTACH,
    BELOW,
    CASE,
    CONVENTIONS,
    FIELDS,
    FRAGMENT,
    LINKS,
    LISTS,
    MARK,
    MODULE_KEYS,
    NODE_KEYS,
    SECTIONS,
    SYNTAX,
    TEXTS,
    TRUTHS,
    VALUE,
    VERSION,
    choices,
    claim_points_to_dict,
    claimed,
    number_to_dict,
    opinion_to_dict,
    policy,
    stated,
    stated_to_dict,
)
from surefoot.case.model import GSN, KINDS, NOTATIONS, Case, Kind, Node, Notation, Policy
from surefoot.case.standards import clause_of
from surefoot.core.canonical import thaw
from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.core.errors import InvalidInput
from surefoot.documents import Document, Findings, Keys, Refused, json, read_text, scalar, shown, write_whole, yaml
from surefoot.documents.yaml import LONGEST_KEY, is_nothing

Taken = TypeVar("Taken")
BEGINNING = f"The first line of a case is '{MARK}: {VERSION}'."
ID = "id"
_TAKERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(TEXTS, values.text),
    **dict.fromkeys(TRUTHS, values.truth),
    "tags": values.texts,
    "number": claimed,
    "stated": stated,
    "multiplicity": values.texts_by_name,
    "choice": choices,
    "defeated relations": values.texts,
    "claim points": values.claim_points,
    "attributes": values.attributes,
}
_NESTING = ("supported by", "in context of")
_FROM_GSN: dict[str, Kind] = {word: kind for kind in KINDS if (word := GSN[kind]) not in NODE_KEYS}


def case_from_dict(data: Mapping[str, Any]) -> Case:
    """Read back what ``case_to_dict`` wrote; all problems are in one error, each with its keys."""
    findings = Findings("case", CASE)
    draft = DraftReader(data, findings, lambda path: ".".join(map(str, path)) or "case").draft()
    for named in draft.files:
        hint = "Read the file that names it."
        findings.add(VALUE, "data in memory cannot name a file.", where=named.place, hint=hint)
    findings.raise_if_any()
    about = (draft.name, draft.description, draft.modules, draft.notation, draft.policy)
    return Case(draft.nodes, *about)


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
    developed = {identity: list(ids) for identity, ids in module.develops.items()}
    said = {"brief": module.brief, "extends": module.extends, "develops": developed}
    return named | filled(said | {"attributes": thaw(module.attributes)})


def policy_to_dict(policy: Policy) -> dict[str, Any]:
    """What differs from the usual conventions."""
    usual = Policy()
    found: dict[str, Any] = {}
    for name in (*CONVENTIONS, "discounting"):
        value = getattr(policy, name)
        if value != getattr(usual, name):
            found[name] = opinion_to_dict(value) if name in CONVENTIONS else value
    return found


def filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value}


def _plain(key: str, value: Any) -> Any:
    if key in LISTS:
        return list(value)
    if key in TEXTS or key in TRUTHS:
        return value
    if key == "number":
        return number_to_dict(value)
    if key == "stated":
        return stated_to_dict(value)
    if key == "claim points":
        return claim_points_to_dict(value)
    if key == "attributes":
        return thaw(value)
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


# A case from its file and the files of its modules.

MOST_FILES = 1000


def assembled(path: Path, document: Document, findings: Findings) -> Reading:
    """The case that the document begins; problems of all files are in one error."""
    assembly = Assembly(path)
    assembly.whole(document, findings)
    DiagnosticsError.raise_if_any(assembly.errors)
    first, modules = assembly.first, assembly.modules
    case = Case(assembly.nodes, first.name, first.description, modules, first.notation, first.policy)
    return Reading(case, attached=assembly.attached)


def together(files: Sequence[tuple[Path, Document, Findings]]) -> Case:
    """One case from files in any order: the one that names others, or has the top claim, says what is said of all."""
    by_name = sorted(files, key=lambda file: file[0].name)
    named = {_real(path.parent / other) for path, document, _ in by_name for other in _files_named(document.data)}
    nodes = [_nodes_in(document.data) for _, document, _ in by_name]
    referred = {each for found in nodes for fields in found.values() for each in _referred(fields)}

    def rank(number: int) -> tuple[bool, bool, bool, int]:
        path, document, _ = by_name[number]
        tops = any("claim" in fields and identity not in referred for identity, fields in nodes[number].items())
        return _real(path) not in named, bool(_files_named(document.data)), tops, -number

    first = max(range(len(by_name)), key=rank)
    folder = Path(os.path.commonpath([os.path.abspath(path.parent) for path, _, _ in by_name]))
    assembly = Assembly(by_name[first][0], folder)
    assembly.whole(by_name[first][1], by_name[first][2])
    for path, document, findings in by_name:
        if _real(path) not in assembly.module_of:
            assembly.add(path, document, findings)
    DiagnosticsError.raise_if_any(assembly.errors)
    about = assembly.first
    return Case(assembly.nodes, about.name, about.description, assembly.modules, about.notation, about.policy)


def _files_named(data: Any) -> list[str]:
    """Files of modules that a file names, as far as it is in order."""
    modules = data.get("modules") if isinstance(data, Mapping) else None
    fields = modules.values() if isinstance(modules, Mapping) else ()
    return [str(each["file"]) for each in fields if isinstance(each, Mapping) and isinstance(each.get("file"), str)]


def _nodes_in(data: Any) -> dict[str, Mapping[str, Any]]:
    nodes = data.get("nodes") if isinstance(data, Mapping) else None
    found = nodes.items() if isinstance(nodes, Mapping) else ()
    return {str(identity): fields for identity, fields in found if isinstance(fields, Mapping)}


def _referred(fields: Mapping[str, Any]) -> Iterator[str]:
    for key in _NESTING:
        given = fields.get(key, ())
        yield from (str(each) for each in (given if isinstance(given, list) else [given]) if isinstance(each, str))


@dataclass
class Assembly:
    """What was read so far, file by file."""

    path: Path
    folder: Path | None = None
    """Where all files have to lie, if that is not the folder of the first."""
    first: Draft = field(default_factory=Draft)
    nodes: dict[str, Node] = field(default_factory=dict)
    modules: dict[str, Module] = field(default_factory=dict)
    errors: list[Diagnostic] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    """Where each node stands."""
    attached: dict[tuple[str, str], str] = field(default_factory=dict)
    """Where a node names a fragment."""
    module_of: dict[Path, str] = field(default_factory=dict)

    def whole(self, document: Document, findings: Findings) -> None:
        """Take over the first file and those it names, those they name, and so on."""
        self.module_of[_real(self.path)] = ""
        self.first = self._taken(document, findings, "")
        waiting = [(self.path, named) for named in reversed(self.first.files)]
        while waiting:
            waiting.extend((path, named) for path, named in reversed(list(self._follow(*waiting.pop()))))

    def add(self, path: Path, document: Document, findings: Findings) -> None:
        """Take over a further file, which no other names: its nodes are of the modules that they say."""
        self.module_of[_real(path)] = ""
        draft = self._taken(document, findings, "")
        waiting = [(path, named) for named in reversed(draft.files)]
        while waiting:
            waiting.extend((inner, named) for inner, named in reversed(list(self._follow(*waiting.pop()))))

    def _follow(self, within: Path, named: NamedFile) -> Iterator[tuple[Path, NamedFile]]:
        try:
            path = inside(self.path if self.folder is None else self.folder / "case", within, named.file)
            self._once(path, named)
            findings = Findings(os.path.relpath(path, self.path.parent), CASE)
            draft = self._taken(parsed(path, findings), findings, named.module)
        except Refused as refused:
            self.errors.append(Diagnostic(refused.code, refused.text, "error", named.place, refused.hint))
            return
        except DiagnosticsError as error:
            self.errors.extend(error.diagnostics)
            return
        self.modules[named.module] = named.about or Module(draft.name or named.module, draft.description)
        if draft.policy not in (self.first.policy, Policy()):
            text = f"{findings.file} has conventions of confidence that differ from those of the whole case."
            self.errors.append(Diagnostic(VALUE, text, "error", named.place, "Keep one of them."))
        yield from ((path, inner) for inner in draft.files)

    def _once(self, path: Path, named: NamedFile) -> None:
        real = _real(path)
        if real in self.module_of:
            text = f"{shown(named.file)} is part of the case already."
            raise Refused(VALUE, text, "A file is one module; name it once.")
        if len(self.module_of) >= MOST_FILES:
            raise Refused(VALUE, f"a case has at most {MOST_FILES:,} files.", "Put modules together.")
        if named.module in self.modules:
            raise Refused("duplicate-key", f"there is a module {shown(named.module)} already.", "Rename one.")
        self.module_of[real] = named.module

    def _taken(self, document: Document, findings: Findings, module: str) -> Draft:
        place = places_in(document, findings)
        draft = DraftReader(document.data, findings, place).draft()
        for identity, node in draft.nodes.items():
            if identity in self.nodes:
                text = f"a node {shown(identity)} is written at {self.written[identity]} too."
                findings.add("duplicate-key", text, where=place(draft.paths[identity]), hint="Rename one of them.")
                continue
            self.nodes[identity] = replace(node, module=module) if module and not node.module else node
            self.attached |= _attachments(node, draft.paths[identity], place)
        self._remember_places(draft, place)
        _check_tags(draft, findings, place)
        for name, about in draft.modules.items():
            if name in self.modules:
                text = f"there is a module {shown(name)} already."
                findings.add("duplicate-key", text, where=place(("modules", name)), hint="Rename one of them.")
            self.modules[name] = about
        self.errors.extend(_all_of(findings))
        return draft

    def _remember_places(self, draft: Draft, place: Callable[[tuple[str | int, ...]], str]) -> None:
        """Only where other files follow, whose nodes may have the same ids."""
        if draft.files or self.first.files:
            for identity, path in draft.paths.items():
                self.written.setdefault(identity, place(path))


def _check_tags(draft: Draft, findings: Findings, place: Place) -> None:
    """Refuse clauses that a standard does not have, where somebody wrote them."""
    for identity, node in draft.nodes.items():
        for index, tag in enumerate(node.tags):
            try:
                clause_of(tag)
            except InvalidInput as error:
                where = place((*draft.paths[identity], "tags", index))
                text = f"tags of {shown(identity)}: {error.problem}."
                findings.add("case-tag-unknown", text, where=where, hint=error.remedy)


def _attachments(node: Node, path: Keys, place: Place) -> dict[tuple[str, str], str]:
    """Where a node names fragments."""
    return {
        (node.id, reference): place((*path, key, index))
        for key, attribute in LINKS.items()
        for index, reference in enumerate(getattr(node, attribute))
        if reference.startswith(FRAGMENT)
    }


def inside(main: Path, within: Path, file: str) -> Path:
    """The file that ``file`` names in ``within``: in the folder of the main file or below it, nowhere else."""
    if "\0" in file or not file.strip() or os.path.isabs(file):
        raise Refused(VALUE, f"{shown(file)} is no relative path.", "Name a file beside this one or in a folder there.")
    path = within.parent / file
    if not _real(path).is_relative_to(_real(main.parent)):
        text = f"{shown(file)} leaves the folder of the case."
        raise Refused(VALUE, text, "Keep all files of a case in one folder or below it.")
    if not _is_file(path):
        raise Refused("file-missing", f"there is no file {shown(file)}.", "Check the path.")
    return path


def _real(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise Refused(VALUE, f"{shown(str(path))} is no path.", "Check it.") from error


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _all_of(findings: Findings) -> list[Diagnostic]:
    try:
        findings.raise_if_any()
    except DiagnosticsError as error:
        return list(error.diagnostics)
    return []


def parsed(path: Path, findings: Findings) -> Document:
    """What a file says, words without quotes as they are written; JSON by its suffix or first character, else YAML."""
    text, ending = read_text(path, findings), path.suffix.lower()
    if ending == ".json" or (ending not in (".yaml", ".yml") and text.lstrip()[:1] == "{"):
        return json.parse(text, findings)
    return yaml.parse(text, findings, meaning=yaml.as_written)


def places_in(document: Document, findings: Findings) -> Place:
    """Where keys stand, as ``file:line``."""
    return lambda path: findings.place(document.line(path))


# What one file says: the whole, and its nodes.


@dataclass
class DraftReader:
    """Takes over what plain data say; problems go to ``findings``."""

    data: Any
    findings: Findings
    place: Place

    def draft(self) -> Draft:
        """What the data say, as far as it can be taken over."""
        if not isinstance(self.data, Mapping) or MARK not in self.data:
            self.findings.stop(SYNTAX, "this is no case.", where=self.place(()), hint=BEGINNING)
        self._check_version(self.data[MARK])
        for key in self.data:
            if key not in SECTIONS:
                hint = self.findings.suggestion(str(key), SECTIONS)
                self._add("unknown-key", f"{shown(key)} is not known here.", (key,), hint)
        found = Draft()
        self.about(found)
        reader = NodeReader(self.findings, self.place)
        for identity, fields in self._section("nodes").items():
            reader.read(identity, fields, ("nodes", identity))
        found.nodes = reader.nodes
        found.paths = reader.paths
        return found

    def about(self, found: Draft) -> None:
        """Everything but the nodes."""
        found.name = self._taken(values.text, "name", found.name)
        found.description = self._taken(values.text, "description", found.description)
        found.notation = self._taken(_notation, "notation", found.notation)
        found.policy = self._taken(policy, "confidence", found.policy)
        for name, fields in self._section("modules").items():
            self._module(found, name, fields)

    def _check_version(self, given: Any) -> None:
        try:
            version = values.number(given)
        except Refused:
            version = -1.0
        if version != VERSION:
            text = f"the format has version {shown(given)}; this Surefoot reads version {VERSION}."
            hint = "Use a newer Surefoot." if version > VERSION else f"Write {MARK}: {VERSION}."
            self.findings.stop("unsupported-version", text, where=self.place((MARK,)), hint=hint)

    def _section(self, section: str) -> Mapping[str, Any]:
        nothing: Mapping[str, Any] = {}
        return self._taken(values.mapping, section, nothing)

    def _module(self, found: Draft, name: str, fields: Any) -> None:
        path: Keys = ("modules", name)
        try:
            said = {key: _taker_of(key)(each) for key, each in _module_fields(fields)}
        except Refused as refused:
            self._add(refused.code, f"module {shown(name)}: {refused.text}", path, refused.hint)
            return
        file = said.pop("file", None)
        about = Module(said.pop("name", name), **said)
        if file is None:
            found.modules[name] = about
        else:
            place = self.place((*path, "file"))
            found.files.append(NamedFile(name, file, place, about if fields.keys() - {"file"} else None))

    def _taken(self, take: Callable[[Any], Taken], section: str, otherwise: Taken) -> Taken:
        if section not in self.data or is_nothing(self.data[section]):
            return otherwise
        try:
            return take(self.data[section])
        except Refused as refused:
            self._add(refused.code, f"{section}: {refused.text}", (section,), refused.hint)
            return otherwise

    def _add(self, code: str, text: str, path: Keys, hint: str) -> None:
        self.findings.add(code, text, where=self.place(path), hint=hint)


def _taker_of(key: str) -> Callable[[Any], Any]:
    """What reads a field of a module."""
    return {"develops": values.lists_by_name, "attributes": values.attributes}.get(key, values.text)


def _module_fields(fields: Any) -> Iterator[tuple[str, Any]]:
    yield from ((key, each) for key, each in values.mapping(fields, MODULE_KEYS).items() if not is_nothing(each))


def _notation(given: Any) -> Notation:
    found = values.said(given)
    for notation in NOTATIONS:
        if found == notation:
            return notation
    raise Refused(VALUE, f"{shown(found)} is no notation.", f"Known are {', '.join(NOTATIONS)}.")


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
        if ATTACH in fields and not is_nothing(fields[ATTACH]):
            taken |= self._attached(fields[ATTACH], taken, (*path, ATTACH))
        if kind is None:
            return
        text = self._taken(values.text, fields.get(kind, ""), (*path, kind)) or ""
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
            elif key not in (*KINDS, ATTACH) and not (key == ID and len(path) > 2):
                self._refuse(key, (*path, key))

    def _attached(self, given: Any, taken: Mapping[str, Any], path: Keys) -> dict[str, Any]:
        """Fragments below or beside the node, each where its kind belongs."""
        named = self._taken(values.texts, given, path) or ()
        for name in named:
            if not name.startswith(FRAGMENT):
                text = f"attach: {shown(name)} names no fragment."
                self.add(VALUE, text, path, 'Write for example "@target NAME"; nodes stand in supported by.')
        below = [each for each in named if each.startswith(BELOW)]
        parts = {"supported_by": below, "in_context_of": [each for each in named if each not in below]}
        return {name: (*taken.get(name, ()), *more) for name, more in parts.items() if more}

    def _links(self, key: str, given: Any, path: Keys, inner: list[tuple[str, Any, Keys]]) -> tuple[str, ...]:
        if type(given) is list and all(type(item) is str for item in given):
            return tuple(given)
        found: list[str] = []
        items = list(enumerate(given)) if isinstance(given, list | tuple) else [(None, given)]
        for index, item in items:
            place = path if index is None else (*path, index)
            nested = isinstance(item, Mapping) and key in _NESTING
            identity = self._inner(item, place, inner) if nested else self._taken(values.said, item, place)
            if identity is not None:
                found.append(identity)
        return tuple(found)

    def _inner(self, fields: Mapping[str, Any], path: Keys, inner: list[tuple[str, Any, Keys]]) -> str | None:
        if ID not in fields:
            self.add("missing-key", "a node that is written here needs its id.", path, "Write id: and then its fields.")
            return None
        identity = self._taken(values.said, fields[ID], (*path, ID))
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


LOST = "case-lost"


@dataclass(frozen=True)
class Reading:
    """The case, and a note for each thing that was left out or kept in another form."""

    case: Case
    notes: tuple[Diagnostic, ...] = ()
    attached: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Where nodes name fragments of a project: the place, by the id of the node and the name."""


def lost(text: str, where: str, hint: str = "") -> Diagnostic:
    """A note that something was left out or kept in another form."""
    return Diagnostic(LOST, text, "note", where, hint)


# What cannot be written to a file is refused before anything is.


def write_text(path: Path, text: str) -> None:
    """Write the file whole or not at all; half of a surrogate pair is no text."""
    write_whole(path, text, code=VALUE)


def refuse_long_keys(case: Case, path: Path) -> None:
    """Ids and names of modules that YAML cannot have as keys."""
    keys = [*case.nodes, *case.modules, *(key for node in case for key in node.multiplicity)]
    long = next((key for key in keys if len(scalar(key)) > LONGEST_KEY), None)
    if long is not None:
        text = f"the id {shown(long)} has {len(long):,} characters; YAML takes {LONGEST_KEY:,} at most."
        raise DiagnosticsError.of(VALUE, text, where=str(path), hint="Shorten it, and use the text.")
