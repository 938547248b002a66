"""Files of gsn2x: one module each, named together or by the ``uses`` of another."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surefoot.case.formats import values
from surefoot.case.formats.assembling import MOST_FILES, inside
from surefoot.case.formats.documents import parsed, places_in
from surefoot.case.formats.draft import Place
from surefoot.case.formats.fields import CASE, SYNTAX, VALUE
from surefoot.case.formats.gsn2x_words import MODULE, is_gsn2x
from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.documents import Document, Findings, Refused, shown

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
    loading = Loading(paths[0])
    if document is not None and findings is not None:
        loading.take(paths[0], document, findings)
        paths = paths[1:]
    loading.waiting[:0] = paths
    loading.rest()
    _name_modules(loading.files)
    return loading


def files_in(folder: Path) -> list[Path]:
    """The files of gsn2x in a folder: the index, which uses the others, or all of them where there is none."""
    if (folder / INDEX).is_file():
        return [folder / INDEX]
    found = sorted(path for path in folder.iterdir() if path.name.lower().endswith(ENDINGS))
    if not found:
        text = f"there are no files of gsn2x in {shown(folder.name)}."
        raise DiagnosticsError.of("file-missing", text, where=str(folder), hint=f"Their names end in {ENDINGS[0]}.")
    return found


def looks_like(document: Document) -> bool:
    """Whether a document without our mark is one of gsn2x."""
    return is_gsn2x(document.data)


def _name_modules(files: Sequence[GsnFile]) -> None:
    taken = {""}
    for file in files[1:]:
        name = file.about.get("name", "") if isinstance(file.about.get("name", ""), str) else ""
        file.key = str(name) or file.name.removesuffix(".yaml").removesuffix(".yml").removesuffix(".gsn")
        if file.key in taken:
            text = f"there is a module {shown(file.key)} already."
            file.findings.add("duplicate-key", text, where=file.place((MODULE, "name")), hint="Rename one of them.")
        taken.add(file.key)
