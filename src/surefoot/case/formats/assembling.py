"""A case from its file and the files of its modules."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from surefoot.case.case import Case, Module
from surefoot.case.formats.documents import draft_of, parsed, places_in
from surefoot.case.formats.draft import Draft, NamedFile
from surefoot.case.formats.fields import CASE, VALUE
from surefoot.case.node import Node
from surefoot.case.policy import Policy
from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.documents import Document, Findings, Refused, shown

MOST_FILES = 1000


def assembled(path: Path, document: Document, findings: Findings) -> Case:
    """The case that the document begins; problems of all files are in one error."""
    assembly = Assembly(path)
    assembly.whole(document, findings)
    DiagnosticsError.raise_if_any(assembly.errors)
    first, modules = assembly.first, assembly.modules
    return Case(assembly.nodes, first.name, first.description, modules, first.notation, first.policy)


@dataclass
class Assembly:
    """What was read so far, file by file."""

    path: Path
    first: Draft = field(default_factory=Draft)
    nodes: dict[str, Node] = field(default_factory=dict)
    modules: dict[str, Module] = field(default_factory=dict)
    errors: list[Diagnostic] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    """Where each node stands."""
    module_of: dict[Path, str] = field(default_factory=dict)

    def whole(self, document: Document, findings: Findings) -> None:
        """Take over the first file and those it names, those they name, and so on."""
        self.module_of[_real(self.path)] = ""
        self.first = self._taken(document, findings, "")
        waiting = [(self.path, named) for named in reversed(self.first.files)]
        while waiting:
            waiting.extend((path, named) for path, named in reversed(list(self._follow(*waiting.pop()))))

    def _follow(self, within: Path, named: NamedFile) -> Iterator[tuple[Path, NamedFile]]:
        try:
            path = inside(self.path, within, named.file)
            self._once(path, named)
            findings = Findings(_shown_path(path, self.path), CASE)
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
        draft = draft_of(document, findings)
        place = places_in(document, findings)
        for identity, node in draft.nodes.items():
            if identity in self.nodes:
                text = f"a node {shown(identity)} is written at {self.written[identity]} too."
                findings.add("duplicate-key", text, where=place(draft.paths[identity]), hint="Rename one of them.")
                continue
            self.nodes[identity] = replace(node, module=module) if module and not node.module else node
        self._remember_places(draft, place)
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


def _shown_path(path: Path, main: Path) -> str:
    return os.path.relpath(path, main.parent)


def _all_of(findings: Findings) -> list[Diagnostic]:
    try:
        findings.raise_if_any()
    except DiagnosticsError as error:
        return list(error.diagnostics)
    return []
