"""What files of gsn2x say of their modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surefoot.case.formats import values
from surefoot.case.formats.gsn2x_elements import key_of
from surefoot.case.formats.gsn2x_files import GsnFile
from surefoot.case.formats.gsn2x_words import ABOUT_MODULE, MODULE, OURS
from surefoot.case.formats.noted import lost
from surefoot.case.formats.plain import filled
from surefoot.core.diagnostics import Diagnostic
from surefoot.documents import Refused, shown
from surefoot.documents.yaml import is_nothing

ABOUT = {"name": True, "description": True, "notation": True, "confidence": False, "modules": False}
"""What is said of a case besides its nodes, and whether it is a text."""


def about_case(files: Sequence[GsnFile]) -> dict[str, Any]:
    """Plain data of the whole: the main module gives its name, attributes of ours say the rest."""
    main = files[0].about
    named = {"name": main.get("name", ""), "description": main.get("brief", "")}
    modules = {file.key: _module(file.about) for file in files[1:]}
    found = derived_about(named, modules, _extended(main))
    for attribute, given in main.items():
        if attribute.startswith(OURS):
            found.pop(key_of(attribute), None)
            if not is_nothing(given) and given != "":
                found[key_of(attribute)] = given
    return found


def derived_about(named: Mapping[str, Any], modules: Mapping[str, Any], extends: str) -> dict[str, Any]:
    """What the words of gsn2x alone say of a case."""
    first = {"": filled({"name": named["name"], "extends": extends})} if extends else {}
    return filled({**named, "notation": "gsn", "modules": {**first, **modules}})


def extensions(file: GsnFile) -> Iterator[tuple[str, list[str]]]:
    """Elements of other modules that this one develops, and by which of its own."""
    for each in _extends(file.about):
        for identity, ids in values.mapping(each.get("develops", {})).items():
            yield identity, list(values.texts(ids))


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


def module_notes(file: GsnFile) -> Iterator[Diagnostic]:
    """What is said of a module that a case has no word for."""
    others = [key for key in file.about if key not in ABOUT_MODULE and not key.startswith(OURS)]
    if others:
        yield lost(f"of the module, {', '.join(others)} is left out.", file.place((MODULE, others[0])))
    named = [str(each.get("module", "")) for each in _extends(file.about)]
    if len(named) > 1:
        text = f"the module extends {', '.join(named)}; a case keeps the first as what it is a version of."
        yield lost(text, file.place((MODULE, "extends")))


def _module(about: Mapping[str, Any]) -> dict[str, Any]:
    return filled({"brief": about.get("brief", ""), "extends": _extended(about)})


def _extended(about: Mapping[str, Any]) -> str:
    return next((values.text(each.get("module", "")) for each in _extends(about)), "")


def _extends(about: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    given = about.get("extends", [])
    if is_nothing(given):
        return []
    if not isinstance(given, list):
        raise values.unfit(given, "a list of modules", "Write - module: and its name.")
    return [values.mapping(each) for each in given]
