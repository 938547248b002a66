"""Files of gsn2x to a case; what a case has no word for is kept as attributes, so that it comes back when written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from surefoot.case.formats import fields as values
from surefoot.case.formats.fields import CASE, FIELDS, SYNTAX, TEXTS, VALUE
from surefoot.case.formats.native import (
    MOST_FILES,
    Draft,
    DraftReader,
    NodeReader,
    Place,
    Reading,
    filled,
    inside,
    lost,
    parsed,
    places_in,
)
from surefoot.case.model import KINDS, Case, Kind, Node
from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.documents import Document, Findings, Keys, Refused, closest, did_you_mean, shown
from surefoot.documents.yaml import is_nothing

# Words of gsn2x YAML: types of elements, their prefixes, attributes, and which of ours each is.

MODULE = "module"
OURS = "surefoot-"
"""Attributes that begin so say what gsn2x has no word for; it keeps additional attributes and does not draw them."""
PREFIXES = {
    "CG": "CounterGoal",
    "CSn": "CounterSolution",
    "Sn": "Solution",
    "G": "Goal",
    "S": "Strategy",
    "C": "Context",
    "A": "Assumption",
    "J": "Justification",
}
KIND_OF: dict[str, Kind] = {
    "Goal": "claim",
    "Strategy": "argument",
    "Solution": "evidence",
    "Context": "context",
    "Assumption": "side-claim",
    "Justification": "justification",
    "CounterGoal": "defeater",
    "CounterSolution": "evidence",
}
TYPE_OF: dict[Kind, str] = {
    "claim": "Goal",
    "argument": "Strategy",
    "evidence": "Solution",
    "side-claim": "Assumption",
    "justification": "Justification",
    "context": "Context",
    "sub-case": "Goal",
    "contract": "Goal",
    "defeater": "CounterGoal",
}
ATTRIBUTES = {
    "supportedBy": "supported by",
    "inContextOf": "in context of",
    "challenges": "challenges",
    "undeveloped": "undeveloped",
    "defeated": "defeated",
    "url": "url",
    "defeatedRelation": "defeated relations",
    "acp": "claim points",
}
"""What gsn2x and we have words for, besides the text and the type."""
LAYOUT = ("rankIncrement", "horizontalIndex", "charWrap", "wordWrap", "level", "classes")
"""How gsn2x draws an element, which says nothing of the argument."""
KNOWN = ("text", "nodeType", *ATTRIBUTES)
ABOUT_MODULE = ("name", "brief", "extends", "uses")


def type_by_prefix(identity: str) -> str | None:
    """The type that an id begins with.

    >>> [type_by_prefix(identity) for identity in ("G1", "Sn2", "S3", "CSn1", "X")]
    ['Goal', 'Solution', 'Strategy', 'CounterSolution', None]
    """
    return next((word for prefix, word in PREFIXES.items() if identity.startswith(prefix)), None)


def is_gsn2x(data: Any) -> bool:
    """Whether data without our mark look like elements of gsn2x."""
    if not isinstance(data, Mapping):
        return False
    elements = [each for key, each in data.items() if key != MODULE]
    return any(isinstance(each, Mapping) and (not each or any(key in each for key in KNOWN)) for each in elements) or (
        isinstance(data.get(MODULE), Mapping) and not elements
    )


def away_id(module: str, identity: str, seen_from: str) -> str:
    """The id of the sub-case that stands, in one module, for an element of another."""
    return f"{module}/{identity} in {seen_from}" if seen_from else f"{module}/{identity}"


def linked(references: list[Any], module: str, owners: Mapping[str, str]) -> list[Any]:
    """References of an element; those to another module as the sub-cases that stand for them."""
    return [
        away_id(owners[each], each, module) if isinstance(each, str) and owners.get(each, module) != module else each
        for each in references
    ]


_ATTRIBUTE_OF: dict[str, str] = {key: attribute for attribute, key in ATTRIBUTES.items()}
_ATTRIBUTE_OF |= dict.fromkeys(KINDS, "text")
_SUPPORTED = "supported by"


def read_gsn2x(paths: Sequence[Path], document: Document | None = None, findings: Findings | None = None) -> Reading:
    """The case that the files make, the first of them its main module."""
    loading = loaded(paths, document, findings)
    for file in loading.files:
        check_module(file)
    _raise_all(loading.files, loading.errors)
    importing = _Import(loading.files)
    draft = importing.draft()
    _raise_all(loading.files)
    case = Case(importing.nodes, draft.name, draft.description, draft.modules, draft.notation, draft.policy)
    # In gsn2x every element is public; here those are that another module refers to.
    public = [case[each] for each in abroad(case) if each in importing.owners and each not in importing.hidden]
    case = case.with_nodes(replace(node, public=True) for node in public)
    return Reading(case, tuple(importing.notes()))


def abroad(case: Case) -> list[str]:
    """Ids of nodes that something of another module refers to, by itself or through a sub-case."""
    found: dict[str, None] = {}
    for node in case:
        referred = (*node.below, *((case.resolved(node.id),) if node.kind == "sub-case" and "/" in node.of else ()))
        found |= dict.fromkeys(each for each in referred if each in case and case[each].module != node.module)
    return list(found)


@dataclass
class _Import:
    files: Sequence[GsnFile]
    owners: dict[str, str] = field(default_factory=dict)
    """The module of each element."""
    plain: dict[str, dict[str, Any]] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    away: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For each sub-case that is needed the element it stands for, and the module that refers to it."""
    hidden: set[str] = field(default_factory=set)
    """Elements whose files say themselves whether they are public."""

    def draft(self) -> Draft:
        for file in self.files:
            for identity, fields in self._elements(file):
                self._own(file, identity, fields)
        for file in self.files:
            self._develop(file)
        for file in self.files:
            self._read(file)
        self._stand_ins()
        found = Draft()
        DraftReader(about_case(self.files), self.files[0].findings, lambda path: self.files[0].place((MODULE,))).about(
            found
        )
        return found

    def _elements(self, file: GsnFile) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for identity, fields in file.elements.items():
            if is_nothing(fields):
                yield identity, {}
            elif isinstance(fields, Mapping):
                yield identity, fields

    def _own(self, file: GsnFile, identity: str, fields: Mapping[str, Any]) -> None:
        if identity in self.owners:
            text = f"an element {shown(identity)} is in another module too."
            file.findings.add("duplicate-key", text, where=file.place((identity,)), hint="Rename one of them.")
            return
        self.owners[identity] = file.key
        if f"{OURS}public" in fields:
            self.hidden.add(identity)
        try:
            self.plain[identity] = plain_of(identity, fields)
        except Refused as refused:
            place = file.place((identity,))
            file.findings.add(refused.code, f"{shown(identity)}: {refused.text}", where=place, hint=refused.hint)

    def _develop(self, file: GsnFile) -> None:
        """Put what this module develops an element with below it; whether it may is for the checks."""
        for _, identity, ids in extensions(file):
            if identity in self.plain:
                known = [each for each in ids if each in self.owners]
                plain = self.plain[identity]
                plain[_SUPPORTED] = list(dict.fromkeys([*plain.get(_SUPPORTED, ()), *known]))
                if known:
                    plain.pop("undeveloped", None)

    def _read(self, file: GsnFile) -> None:
        reader = NodeReader(file.findings, _placed(file.place), self.nodes)
        for identity, fields in file.elements.items():
            if not (is_nothing(fields) or isinstance(fields, Mapping)):
                text = f"{shown(identity)}: expected attributes, found {shown(fields)}."
                file.findings.add(VALUE, text, where=file.place((identity,)), hint="Write text: and what it says.")
            elif identity in self.plain and self.owners[identity] == file.key and identity not in self.nodes:
                self._read_one(reader, file, identity, {} if is_nothing(fields) else fields)

    def _read_one(self, reader: NodeReader, file: GsnFile, identity: str, fields: Mapping[str, Any]) -> None:
        plain = self.plain[identity]
        if _SUPPORTED in plain and f"{OURS}supported-by" not in fields:
            written, plain[_SUPPORTED] = plain[_SUPPORTED], linked(plain[_SUPPORTED], file.key, self.owners)
            for each, stand_in in zip(written, plain[_SUPPORTED], strict=True):
                if stand_in != each:
                    self.away[stand_in] = each, file.key
        try:
            plain = with_ours(plain | ({"module": file.key} if file.key else {}), fields)
        except Refused as refused:
            reader.add(refused.code, f"{shown(identity)}: {refused.text}", (identity,), refused.hint)
            return
        reader.read(identity, plain, (identity,))

    def _stand_ins(self) -> None:
        """Sub-cases for elements of other modules that something rests on."""
        for stand_in, (identity, module) in self.away.items():
            target = self.nodes.get(identity)
            if target is not None and stand_in not in self.nodes:
                of = f"{target.module}/{identity}"
                self.nodes[stand_in] = Node(stand_in, "sub-case", target.text, module=module, of=of)

    def notes(self) -> Iterator[Diagnostic]:
        for file in self.files:
            for identity, fields in self._elements(file):
                yield from _misspelt(file, identity, fields)


def _misspelt(file: GsnFile, identity: str, fields: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Words that were perhaps meant as others; what nobody knows is a layer, which gsn2x allows."""
    for key in fields:
        if key not in (*KNOWN, *LAYOUT) and not key.startswith(OURS):
            meant = closest(key, KNOWN, cutoff=0.8)
            if meant:
                text = f"{shown(key)} of {identity} is kept as an attribute, and means nothing here."
                yield lost(text, file.place((identity, key)), f"Did you mean {meant!r}?")


def _placed(place: Place) -> Place:
    """Where the attribute of gsn2x stands that a field comes from."""

    def where(path: Keys) -> str:
        if len(path) < 2:
            return place(path)
        key = str(path[1])
        return place((path[0], _ATTRIBUTE_OF.get(key, f"{OURS}{key.replace(' ', '-')}")))

    return where


def _raise_all(files: Sequence[GsnFile], others: Sequence[Diagnostic] = ()) -> None:
    found = list(others)
    for file in files:
        try:
            file.findings.raise_if_any()
        except DiagnosticsError as error:
            found.extend(error.diagnostics)
    DiagnosticsError.raise_if_any(found)


# One element of gsn2x as the plain fields of a node.

_LISTS = ("supportedBy", "inContextOf", "challenges", "defeatedRelation")
_KIND = f"{OURS}kind"


def plain_of(identity: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What gsn2x itself says, without attributes of ours; references as they are written."""
    plain: dict[str, Any] = {KIND_OF[_type(identity, fields)]: fields.get("text", "")}
    for attribute, key in ATTRIBUTES.items():
        if attribute in fields and not is_nothing(fields[attribute]):
            given = fields[attribute]
            plain[key] = list(values.texts(given)) if attribute in _LISTS else given
    if isinstance(points := plain.get("claim points"), Mapping):
        plain["claim points"] = {name: list(values.texts(each)) for name, each in points.items()}
    kept = {key: given for key, given in fields.items() if key not in KNOWN and not key.startswith(OURS)}
    return plain | ({"attributes": kept} if kept else {})


def with_ours(plain: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with what attributes of ours say instead; one that says nothing stands for a field left out."""
    found = dict(plain)
    if _KIND in fields:
        found = _as_kind(found, fields[_KIND])
    for attribute, given in fields.items():
        if not attribute.startswith(OURS) or attribute == _KIND:
            continue
        key = key_of(attribute)
        if key not in FIELDS:
            hint = did_you_mean(attribute, [f"{OURS}{each.replace(' ', '-')}" for each in FIELDS])
            raise Refused("unknown-key", f"{shown(attribute)} is not known here.", hint)
        found.pop(key, None)
        if not is_nothing(given) and not (key in TEXTS and given == ""):
            found[key] = given
    return found


def ours(derived: Mapping[str, Any], wanted: Mapping[str, Any], keys: Mapping[str, bool]) -> dict[str, Any]:
    """Attributes of ours: what is wanted where gsn2x alone would say something else; ``keys`` says which are texts."""
    return {
        f"{OURS}{key.replace(' ', '-')}": wanted.get(key, "" if is_text else None)
        for key, is_text in keys.items()
        if derived.get(key) != wanted.get(key)
    }


def key_of(attribute: str) -> str:
    """The field that an attribute of ours is for."""
    return attribute.removeprefix(OURS).replace("-", " ")


def _type(identity: str, fields: Mapping[str, Any]) -> str:
    given = fields.get("nodeType")
    found = type_by_prefix(identity) if given is None or is_nothing(given) else values.text(given)
    if found is None:
        hint = "Begin ids with G, S, Sn, C, A, J, CG or CSn, or give a nodeType."
        raise Refused(VALUE, f"{shown(identity)} has no known type.", hint)
    if found not in KIND_OF:
        raise Refused(VALUE, f"{shown(found)} is no nodeType.", did_you_mean(found, KIND_OF))
    return found


def _as_kind(plain: dict[str, Any], given: Any) -> dict[str, Any]:
    kind = values.said(given)
    if kind not in KINDS:
        raise Refused(VALUE, f"{shown(kind)} is no kind of node.", did_you_mean(kind, KINDS))
    (_, text), *rest = plain.items()
    return {kind: text, **dict(rest)}


# Files of gsn2x: one module each, named together or by the ``uses`` of another.

ENDINGS = (".gsn.yaml", ".gsn.yml")
INDEX = "index.gsn.yaml"


@dataclass
class GsnFile:
    """One module: what its file says, and its name in the case, which is empty for the first."""

    name: str
    data: Mapping[str, Any]
    findings: Findings
    place: Place
    about: Mapping[str, Any] = field(default_factory=dict)
    """What is said of the module itself."""
    key: str = ""

    @property
    def elements(self) -> Mapping[str, Any]:
        """Elements by id."""
        return {identity: fields for identity, fields in self.data.items() if identity != MODULE}

    @property
    def uses(self) -> tuple[str, ...]:
        """Names of files that it uses; none where they cannot be read."""
        try:
            return values.texts(self.about.get("uses", []))
        except Refused:
            return ()

    def instances(self) -> list[tuple[str, str, list[str]]]:
        """What it develops of others, as ``extensions``; nothing where that cannot be read."""
        try:
            return list(extensions(self))
        except Refused:
            return []


@dataclass
class Loading:
    """Files in the order they are named, each once."""

    main: Path
    files: list[GsnFile] = field(default_factory=list)
    errors: list[Diagnostic] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    waiting: list[Path] = field(default_factory=list)

    def take(self, path: Path, document: Document, findings: Findings) -> None:
        """A file that is parsed, and the names of those it uses."""
        self.seen.add(os.path.realpath(path))
        data = document.data
        if not isinstance(data, Mapping):
            text = f"expected elements, found {shown(data)}."
            findings.stop(SYNTAX, text, line=1, hint="Write ids with their text, as G1: {text: ...}.")
        file = GsnFile(path.name, data, findings, places_in(document, findings))
        self.files.append(file)
        try:
            file.about = values.mapping(data.get(MODULE, {}))
            used = values.texts(file.about.get("uses", []))
        except Refused as refused:
            findings.add(refused.code, f"{MODULE}: {refused.text}", where=file.place((MODULE,)), hint=refused.hint)
            return
        for name in used:
            self._use(path, name, file)

    def rest(self) -> None:
        """Read everything that is still waiting."""
        while self.waiting:
            path = self.waiting.pop(0)
            if os.path.realpath(path) in self.seen:
                continue
            try:
                findings = Findings(path.name, CASE)
                self.take(path, parsed(path, findings), findings)
            except DiagnosticsError as error:
                self.errors.extend(error.diagnostics)
                self.seen.add(os.path.realpath(path))

    def _use(self, within: Path, name: str, file: GsnFile) -> None:
        try:
            if len(self.seen) + len(self.waiting) >= MOST_FILES:
                raise Refused(VALUE, f"a case has at most {MOST_FILES:,} files.", "Put modules together.")
            self.waiting.append(inside(self.main, within, name))
        except Refused as refused:
            place = file.place((MODULE, "uses"))
            file.findings.add(refused.code, refused.text, where=place, hint=refused.hint)


def loaded(paths: Sequence[Path], document: Document | None = None, findings: Findings | None = None) -> Loading:
    """All files of the case; the first may be parsed already. The first is the main module."""
    folder = os.path.commonpath([os.path.abspath(path.parent) for path in paths])
    loading = Loading(Path(folder) / paths[0].name)
    several = len(paths) > 1
    if document is not None and findings is not None:
        loading.take(paths[0], document, findings)
        paths = paths[1:]
    loading.waiting[:0] = paths
    loading.rest()
    if several and loading.files:
        main = _main_of(loading.files)
        loading.files.sort(key=lambda file: file is not main)
    _name_modules(loading.files)
    return loading


def _main_of(files: Sequence[GsnFile]) -> GsnFile:
    """The main module among files in any order: the index, one that uses others, or the one whose top goal leads on."""
    used = {name.rpartition("/")[2] for file in files for name in file.uses}
    leads = {identity: list(_references(fields)) for file in files for identity, fields in file.elements.items()}
    for file in files:
        for _, identity, ids in file.instances():
            leads.setdefault(identity, []).extend(ids)
    referred = {each for ids in leads.values() for each in ids}

    def reach(file: GsnFile) -> int:
        found = [each for each in file.elements if each not in referred and type_by_prefix(each) == "Goal"]
        seen = set(found)
        for each in found:
            new = [below for below in leads.get(each, ()) if below not in seen]
            seen.update(new)
            found += new
        return len(found)

    def rank(file: GsnFile) -> tuple[bool, bool, int]:
        return file.name == INDEX, bool(file.uses) and file.name not in used, reach(file)

    return max(files, key=rank)


def _references(fields: Any) -> Iterator[str]:
    for key in ("supportedBy", "inContextOf"):
        given = fields.get(key, ()) if isinstance(fields, Mapping) else ()
        yield from map(str, given if isinstance(given, list) else [given] if isinstance(given, str) else ())


def files_in(folder: Path) -> list[Path]:
    """The files of gsn2x in a folder: the index, which uses the others, or all of them where there is none."""
    if (folder / INDEX).is_file():
        return [folder / INDEX]
    return sorted(path for path in folder.iterdir() if path.name.lower().endswith(ENDINGS))


def _name_modules(files: Sequence[GsnFile]) -> None:
    taken = {""}
    for file in files[1:]:
        name = file.about.get("name", "") if isinstance(file.about.get("name", ""), str) else ""
        file.key = str(name) or file.name.removesuffix(".yaml").removesuffix(".yml").removesuffix(".gsn")
        if file.key in taken:
            text = f"there is a module {shown(file.key)} already."
            file.findings.add("duplicate-key", text, where=file.place((MODULE, "name")), hint="Rename one of them.")
        taken.add(file.key)


# What files of gsn2x say of their modules.

ABOUT = {"name": True, "description": True, "notation": True, "confidence": False, "modules": False}
"""What is said of a case besides its nodes, and whether it is a text."""


def about_case(files: Sequence[GsnFile]) -> dict[str, Any]:
    """Plain data of the whole: the main module gives its name, attributes of ours say the rest."""
    main = files[0].about
    named = {"name": main.get("name", ""), "description": main.get("brief", "")}
    found = derived_about(named, {file.key: of_module(file.about) for file in files})
    for attribute, given in main.items():
        if attribute.startswith(OURS):
            found.pop(key_of(attribute), None)
            if not is_nothing(given) and given != "":
                found[key_of(attribute)] = given
    return found


def derived_about(named: Mapping[str, Any], modules: Mapping[str, Any]) -> dict[str, Any]:
    """What the words of gsn2x alone say of a case; ``modules`` begins with the main one."""
    others = dict(modules)
    more = {key: value for key, value in others.pop("", {}).items() if key != "brief"}
    first = {"": filled({"name": named["name"]}) | more} if more else {}
    return filled({**named, "notation": "gsn", "modules": {**first, **others}})


def of_module(about: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of a module, as the fields of one."""
    extended = [values.text(each.get("module", "")) for each in _extends(about)]
    first = extended[0] if extended else ""
    developed = {
        identity if module == first else f"{module}/{identity}": ids for module, identity, ids in _developed(about)
    }
    kept = {key: given for key, given in about.items() if key not in ABOUT_MODULE and not key.startswith(OURS)}
    brief = about.get("brief", "")
    return filled({"brief": brief, "extends": first, "develops": developed, "attributes": kept})


def extensions(file: GsnFile) -> Iterator[tuple[str, str, list[str]]]:
    """Elements of other modules that this one develops: the module, the element, and by which of its own."""
    return _developed(file.about)


def _developed(about: Mapping[str, Any]) -> Iterator[tuple[str, str, list[str]]]:
    for each in _extends(about):
        module = values.text(each.get("module", ""))
        for identity, ids in values.mapping(each.get("develops", {})).items():
            yield module, identity, list(values.texts(ids))


def check_module(file: GsnFile) -> None:
    """Find what is wrong with what is said of a module, before anything is taken from it."""
    try:
        for key in ("name", "brief"):
            values.text(file.about.get(key, ""))
        list(extensions(file))
        strange = next((key for key in file.about if key.startswith(OURS) and key_of(key) not in ABOUT), None)
        if strange is not None:
            raise Refused("unknown-key", f"{shown(strange)} is not known here.")
    except Refused as refused:
        place = file.place((MODULE,))
        file.findings.add(refused.code, f"{MODULE}: {refused.text}", where=place, hint=refused.hint)


def _extends(about: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    given = about.get("extends", [])
    if is_nothing(given):
        return []
    if not isinstance(given, list):
        raise values.unfit(given, "a list of modules", "Write - module: and its name.")
    return [values.mapping(each) for each in given]
