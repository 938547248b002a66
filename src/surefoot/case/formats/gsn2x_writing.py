"""A case as files of gsn2x, one for each module; what gsn2x has no word for is kept in attributes of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path
from typing import Any

from surefoot.case.case import Case, Module
from surefoot.case.formats.fields import MARK, VALUE
from surefoot.case.formats.gsn2x_elements import ours
from surefoot.case.formats.gsn2x_export import Export
from surefoot.case.formats.gsn2x_files import INDEX
from surefoot.case.formats.gsn2x_modules import ABOUT, derived_about
from surefoot.case.formats.gsn2x_words import MODULE, OURS
from surefoot.case.formats.keepable import refuse_long_keys, write_text
from surefoot.case.formats.noted import lost
from surefoot.case.formats.plain import case_to_dict, filled
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
        about = _main(case, list(names.values())[1:]) if not module else _about(module, case.modules.get(module))
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
    extends = case.modules[""].extends if "" in case.modules else ""
    others = {key: filled({"brief": each.brief, "extends": each.extends}) for key, each in _others(case).items()}
    wanted = {key: value for key, value in case_to_dict(case).items() if key in ABOUT} | {"notation": case.notation}
    named = {"name": case.name, "description": case.description}
    if derived_about(named, others, extends) == wanted and not (uses or extends or case.name or case.description):
        return {}
    named["name"] = case.name or "main"
    derived = derived_about(named, others, extends)
    about = _about(named["name"], Module(named["name"], case.description, extends))
    return about | ({"uses": uses} if uses else {}) | ours(derived, wanted, ABOUT)


def _about(name: str, module: Module | None) -> dict[str, Any]:
    brief, extends = ("", "") if module is None else (module.brief, module.extends)
    extended = [{"module": extends, "develops": {}}] if extends else []
    return {"name": name, **filled({"brief": brief, "extends": extended})}


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
