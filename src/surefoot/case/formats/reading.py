"""Plain data of one file to a draft, or of a whole case to the case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from surefoot.case.case import Case, Module
from surefoot.case.formats import values
from surefoot.case.formats.draft import Draft, NamedFile, Place
from surefoot.case.formats.fields import CASE, MARK, MODULE_KEYS, SECTIONS, SYNTAX, VALUE, VERSION
from surefoot.case.formats.judgements import policy
from surefoot.case.formats.node_reading import NodeReader
from surefoot.case.notation import NOTATIONS, Notation
from surefoot.documents import Findings, Keys, Refused, shown
from surefoot.documents.yaml import is_nothing

Taken = TypeVar("Taken")
BEGINNING = f"The first line of a case is '{MARK}: {VERSION}'."


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
            said = {key: values.text(each) for key, each in values.mapping(fields, MODULE_KEYS).items()}
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


def _notation(given: Any) -> Notation:
    found = values.said(given)
    for notation in NOTATIONS:
        if found == notation:
            return notation
    raise Refused(VALUE, f"{shown(found)} is no notation.", f"Known are {', '.join(NOTATIONS)}.")
