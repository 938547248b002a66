"""A case as files of gsn2x, one for each module; what gsn2x has no word for is kept in attributes of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import Any

from surefoot.case.extensions import Module
from surefoot.case.formats.fields import FIELDS, MARK, TEXTS, VALUE
from surefoot.case.formats.gsn2x_import import (
    ABOUT,
    ABOUT_MODULE,
    INDEX,
    KIND_OF,
    KNOWN,
    MODULE,
    OURS,
    TYPE_OF,
    abroad,
    away_id,
    derived_about,
    linked,
    of_module,
    ours,
    plain_of,
    type_by_prefix,
)
from surefoot.case.formats.native import case_to_dict, filled, lost, node_to_dict, refuse_long_keys, write_text
from surefoot.case.model import Case, Node
from surefoot.core.canonical import thaw
from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.documents import as_yaml, listed, shown

LONGEST_NAME = 60


def write_gsn2x(case: Case, path: Path) -> Path:
    """Write one file, or for a case with modules a folder with one file each; the place that was written to."""
    refuse_long_keys(case, path)
    _refuse_reserved(case, path)
    texts = gsn2x_texts(case)
    if len(texts) == 1 and path.suffix.lower() != ".gsn":
        write_text(path, texts[INDEX])
        return path
    folder = path.with_suffix("") if path.suffix.lower() in (".yaml", ".yml") else path
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"the folder cannot be made: {error.strerror or error}."
        hint = "Check that nothing of that name is there."
        raise DiagnosticsError.of("store-unwritable", problem, where=str(folder), hint=hint) from error
    for name, text in texts.items():
        write_text(folder / name, text)
    return folder


def gsn2x_texts(case: Case) -> dict[str, str]:
    """The text of each file by its name; the first is the main module, which uses the others."""
    names = _file_names(case)
    export = Export(case)
    found: dict[str, dict[str, Any]] = {name: {} for name in names.values()}
    for module, name in names.items():
        about = (
            _main(case, list(names.values())[1:]) if not module else _about(module, case.modules.get(module, Module()))
        )
        if about:
            found[name][MODULE] = about
    for node in case:
        if node.id not in export.stand_ins:
            found[names[node.module]][node.id] = export.element(node)
    return {name: as_yaml(data, blocks=2) if data else "{}\n" for name, data in found.items()}


def unsaid(case: Case) -> list[Diagnostic]:
    """A note for each attribute that files of gsn2x keep for us and gsn2x does not draw."""
    export = Export(case)
    of: dict[str, list[str]] = {}
    for node in case:
        for attribute in export.element(node) if node.id not in export.stand_ins else ():
            if attribute.startswith(OURS):
                of.setdefault(attribute, []).append(node.id)
    return [lost(f"{key} of {listed(ids, 3)} is kept, and gsn2x does not draw it.", "gsn2x") for key, ids in of.items()]


def _main(case: Case, uses: list[str]) -> dict[str, Any]:
    main = case.modules.get("", Module())
    of_files = {"": _fields(main), **{key: _fields(each) for key, each in _others(case).items()}}
    wanted = {key: value for key, value in case_to_dict(case).items() if key in ABOUT} | {"notation": case.notation}
    named = {"name": case.name, "description": case.description}
    more = uses or _fields(main) or case.name or case.description
    if derived_about(named, of_files) == wanted and not more:
        return {}
    named["name"] = case.name or "main"
    derived = derived_about(named, of_files)
    about = _about(named["name"], replace(main, brief=case.description))
    return about | ({"uses": uses} if uses else {}) | ours(derived, wanted, ABOUT)


def _about(name: str, module: Module) -> dict[str, Any]:
    """What a file says of its module; what it develops stands under the module that has it."""
    extended: dict[str, dict[str, list[str]]] = {module.extends: {}} if module.extends else {}
    for of, identity, ids in module.instances():
        extended.setdefault(of, {})[identity] = list(ids)
    extends = [{"module": of, "develops": developed} for of, developed in extended.items()]
    kept = {key: value for key, value in thaw(module.attributes).items() if key not in ABOUT_MODULE}
    foreign = {key: value for key, value in kept.items() if not key.startswith(OURS)}
    return {"name": name, **filled({"brief": module.brief, "extends": extends}), **foreign}


def _fields(module: Module) -> dict[str, Any]:
    """The same as reading makes of it."""
    return of_module(_about("", module))


def _others(case: Case) -> dict[str, Module]:
    """Modules that get a file of their own: those that are listed, and those that nodes are in."""
    named = dict.fromkeys((*case.modules, *(node.module for node in case)))
    return {key: case.modules.get(key, Module(key)) for key in named if key}


def _file_names(case: Case) -> dict[str, str]:
    return {"": INDEX, **dict(zip(_others(case), _distinct(_others(case)), strict=True))}


def _distinct(modules: dict[str, Module]) -> Iterator[str]:
    taken = {"index"}
    for key in modules:
        word = re.sub(r"[^\w-]+", "-", key, flags=re.ASCII).strip("-")[:LONGEST_NAME] or "module"
        stem = next(each for each in chain([word], (f"{word}-{n}" for n in count(2))) if each.casefold() not in taken)
        taken.add(stem.casefold())
        yield f"{stem}.gsn.yaml"


def _refuse_reserved(case: Case, path: Path) -> None:
    reserved = next((word for word in (MODULE, MARK) if word in case), None)
    if reserved is not None:
        text = f"the id {shown(reserved)} has another meaning in files of gsn2x."
        raise DiagnosticsError.of(VALUE, text, where=str(path), hint="Rename the node.")


# Nodes as elements of gsn2x, drawn as GSN has it and read back as they were.

_KEYS = {key: key in TEXTS for key in FIELDS}


class Export:
    """What a node becomes depends on the others: on their modules, and on what rests on it."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.owners = {node.id: node.module for node in case}
        self.public = set(abroad(case))
        self.developed: dict[str, list[str]] = {}
        for module in case.modules.values():
            for _, identity, ids in module.instances():
                known = [each for each in ids if each in case]
                if known:
                    self.developed.setdefault(identity, []).extend(known)
        self.counters = self._counters()

    @cached_property
    def stand_ins(self) -> Mapping[str, str]:
        """Sub-cases that need no element, since reading makes them anew from a reference to another module."""
        possible = self._possible()
        made: set[str] = set()
        for node in self.case:
            links = self._drawn(node, possible)["supportedBy"]
            if self._read_back(node, links) == list(node.supported_by):
                made.update(node.supported_by)
        return {identity: target for identity, target in possible.items() if identity in made}

    def element(self, node: Node) -> dict[str, Any]:
        """Attributes of gsn2x, then ours for what they do not say."""
        drawn = self._drawn(node, self.stand_ins)
        kind = self._type(node)
        attributes = {"nodeType": "" if kind == type_by_prefix(node.id) else kind, "text": node.text}
        attributes = filled(attributes | drawn | {"defeated": node.defeated, "url": node.url} | _extensions(node))
        attributes |= {key: value for key, value in thaw(node.attributes).items() if _is_foreign(key)}
        derived = plain_of(node.id, attributes)
        if supported := self._read_back(node, derived.get("supported by", [])):
            derived["supported by"] = supported
        if node.id in self.developed:
            derived.pop("undeveloped", None)
        wanted = node_to_dict(node)
        wanted.pop("module", None)
        if node.id in self.public:
            derived["public"] = True
        other = {} if KIND_OF[kind] == node.kind else {f"{OURS}kind": node.kind}
        return attributes | other | ours(derived, wanted, _KEYS)

    def _read_back(self, node: Node, links: list[str]) -> list[str]:
        """What holds a node up when its element is read, with what other modules develop it by."""
        together = list(dict.fromkeys([*links, *self.developed.get(node.id, ())]))
        return linked(together if node.id in self.developed else links, node.module, self.owners)

    def _drawn(self, node: Node, stand_ins: Mapping[str, str]) -> dict[str, Any]:
        """Relations as gsn2x draws them: a side-warrant that is argued for is a goal below, as GSN has it."""
        argued = [each for each in node.in_context_of if self._is_argued(each)]
        below = [stand_ins.get(each, each) for each in (*node.supported_by, *argued)]
        undeveloped = node.undeveloped
        if developed := self.developed.get(node.id):
            below = [each for each in below if each not in developed]
            undeveloped = not below
        if node.kind == "sub-case" and not below:
            target = self._targets.get(node.of)
            below = [target.id] if target is not None and target.id != node.id else []
            undeveloped = undeveloped or not below
        return {
            "supportedBy": below,
            "inContextOf": [each for each in node.in_context_of if each not in argued],
            "challenges": next(iter(node.challenges), ""),
            "undeveloped": undeveloped,
        }

    def _type(self, node: Node) -> str:
        if node.kind == "side-claim" and self._is_argued(node.id):
            return "Goal"
        if node.challenges and node.kind in ("claim", "sub-case", "contract"):
            return "CounterGoal"
        if node.kind == "evidence" and (node.challenges or node.id in self.counters):
            return "CounterSolution"
        return TYPE_OF[node.kind]

    def _is_argued(self, identity: str) -> bool:
        node = self.case.nodes.get(identity)
        return node is not None and node.kind == "side-claim" and bool(node.supported_by or node.undeveloped)

    def _possible(self) -> dict[str, str]:
        """Sub-cases that say no more than what they stand for, and that only nodes of their module rest on."""
        named = {each for node in self.case for each in (*node.in_context_of, *node.challenges)}
        abroad = {each for node in self.case for each in node.supported_by if self.owners.get(each) != node.module}
        found = {}
        for node in self.case:
            target = self._targets.get(node.of) if node.kind == "sub-case" and node.of else None
            if target is None or target.kind == "sub-case" or target.module == node.module:
                continue
            same = node_to_dict(node) == node_to_dict(_stand_in(target, node.module))
            if same and node.id == away_id(target.module, target.id, node.module) and node.id not in named | abroad:
                found[node.id] = target.id
        return found

    @cached_property
    def _targets(self) -> Mapping[str, Node]:
        return {f"{node.module}/{node.id}": node for node in self.case}

    def _counters(self) -> set[str]:
        """Evidence that holds up defeaters and nothing else."""
        under = {each for node in self.case if node.kind == "defeater" for each in node.supported_by}
        elsewhere = {each for node in self.case if node.kind != "defeater" for each in node.supported_by}
        return under - elsewhere


def _extensions(node: Node) -> dict[str, Any]:
    """Claim points and defeated relations in the words of gsn2x, which takes a text for a list of one."""
    points = {name: _one_or_more(each.on or (node.id,)) for name, each in node.claim_points.items()}
    return {"acp": points, "defeatedRelation": _one_or_more(node.defeated_relations)}


def _one_or_more(ids: Sequence[str]) -> str | list[str]:
    return ids[0] if len(ids) == 1 else list(ids)


def _is_foreign(key: str) -> bool:
    """Whether an attribute may stand beside those of gsn2x and ours."""
    return key not in KNOWN and not key.startswith(OURS)


def _stand_in(target: Node, module: str) -> Node:
    identity = away_id(target.module, target.id, module)
    return Node(identity, "sub-case", target.text, module=module, of=f"{target.module}/{target.id}")
