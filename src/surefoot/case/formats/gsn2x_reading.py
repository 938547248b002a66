"""Files of gsn2x to a case; what they say of drawing only is left out and named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surefoot.case.case import Case
from surefoot.case.formats.draft import Draft, Place
from surefoot.case.formats.fields import VALUE
from surefoot.case.formats.gsn2x_elements import left_out, plain_of, with_ours
from surefoot.case.formats.gsn2x_files import GsnFile, loaded
from surefoot.case.formats.gsn2x_modules import about_case, check_module, extensions, module_notes
from surefoot.case.formats.gsn2x_words import ATTRIBUTES, KNOWN, MODULE, OURS, linked
from surefoot.case.formats.node_reading import NodeReader
from surefoot.case.formats.noted import Reading, lost
from surefoot.case.formats.reading import DraftReader
from surefoot.case.node import KINDS, Node
from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.documents import Document, Findings, Keys, Refused, closest, listed, shown
from surefoot.documents.yaml import is_nothing

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
    return Reading(case, tuple(importing.notes()))


@dataclass
class _Import:
    files: Sequence[GsnFile]
    owners: dict[str, str] = field(default_factory=dict)
    """The module of each element."""
    plain: dict[str, dict[str, Any]] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    away: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For each sub-case that is needed the element it stands for, and the module that refers to it."""
    unknown: list[str] = field(default_factory=list)
    """Elements that are to be developed and are not there."""

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
        try:
            self.plain[identity] = plain_of(identity, fields)
        except Refused as refused:
            place = file.place((identity,))
            file.findings.add(refused.code, f"{shown(identity)}: {refused.text}", where=place, hint=refused.hint)

    def _develop(self, file: GsnFile) -> None:
        for identity, ids in extensions(file):
            if identity in self.plain:
                self.plain[identity][_SUPPORTED] = ids
                self.plain[identity].pop("undeveloped", None)
            else:
                self.unknown.append(identity)

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
            yield from module_notes(file)
            yield from _layout_notes(file, list(self._elements(file)))
        if self.unknown:
            text = f"{listed(self.unknown, 3)} shall be developed by another module and is not there."
            yield lost(text, self.files[0].name)


def _layout_notes(file: GsnFile, elements: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[Diagnostic]:
    """How elements are drawn, and words that were perhaps meant as others."""
    of: dict[str, list[str]] = {}
    for identity, fields in elements:
        for key in left_out(fields):
            of.setdefault(key, []).append(identity)
        for key in fields:
            if key not in KNOWN and not key.startswith(OURS):
                meant = closest(key, KNOWN, cutoff=0.8)
                hint = f"Did you mean {meant!r}?" if meant else ""
                yield lost(f"{shown(key)} of {identity} is kept as a note.", file.place((identity, key)), hint)
    for key, ids in of.items():
        yield lost(f"{key} of {listed(ids, 3)} says how gsn2x draws and is left out.", file.place((ids[0], key)))


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
