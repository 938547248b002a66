"""Which format a file has, by its suffix or, where that says nothing, by its content."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.core.whole_file import write_whole
from surefoot.faulttree.formats.findings import Findings, Refused, shown
from surefoot.faulttree.formats.plain import MARK
from surefoot.faulttree.formats.source import decoded, read_bytes

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
Format = Literal["mef", "yaml", "json", "galileo", "aralia"]

SUFFIXES: dict[str, Format] = {
    ".xml": "mef",
    ".opsa": "mef",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".dft": "galileo",
    ".galileo": "galileo",
    ".aralia": "aralia",
    ".dag": "aralia",
}
WRITABLE = "Use .xml (Open-PSA), .yaml or .json."
ENOUGH_TO_SNIFF = 100_000
_GALILEO = re.compile(r'^[^\S\n]*toplevel\b|"[^"\n]*"\s+(?:and|or|\d+of\d+|\w+\s*=)', re.MULTILINE | re.IGNORECASE)


def read(paths: Paths, *, top: str | None = None, mission_time: float | None = None) -> FaultTree:
    """Read a fault tree; every problem of the file is in the error, with its line.

    Several paths are the files of one Open-PSA model. ``top`` names the top event where the file does not, or another
    one. ``mission_time`` is for files that ask for one and give none, as all Galileo files with rates do.
    """
    if not isinstance(paths, str | os.PathLike):
        places = [Path(path) for path in paths]
        return _with_time(_read_model(places, top), places[0].name, mission_time)
    place = Path(paths)
    kind = SUFFIXES.get(place.suffix.lower())
    content = b"" if kind == "mef" else read_bytes(place)
    if kind == "mef" or (kind is None and content.removeprefix(BOM_UTF8).lstrip().startswith(b"<")):
        return _with_time(_read_model([place], top), place.name, mission_time)
    text = decoded(content, place)
    kind = kind or sniffed(text)
    tree = _read_text(text, kind, Findings(place.name), top, mission_time)
    return tree if kind == "galileo" else _with_time(tree, place.name, mission_time)


def write(tree: FaultTree, path: str | os.PathLike[str]) -> None:
    """Write a fault tree in the format of the suffix; the file is complete or stays as it was."""
    place = Path(path)
    write_whole(place, _text_of(tree, written_format(place), place.name), code="tree-unsupported")


def written_format(path: Path) -> Format:
    """The format that a file of that name gets."""
    kind = SUFFIXES.get(path.suffix.lower())
    if kind in (None, "galileo", "aralia"):
        found = repr(path.suffix) if path.suffix else "a file without suffix"
        raise DiagnosticsError.of(
            "tree-unsupported", f"no tree can be written as {found}.", where=str(path), hint=WRITABLE
        )
    return kind


def sniffed(text: str) -> Format:
    """The format that text, which is no XML, seems to have."""
    text = text[:ENOUGH_TO_SNIFF]
    if text.lstrip().startswith("{"):
        return "json"
    if re.search(rf"^{MARK}\s*:", text, re.MULTILINE):
        return "yaml"
    if ":=" not in text and _GALILEO.search(text):
        return "galileo"
    return "aralia"


def _with_time(tree: FaultTree, name: str, mission_time: float | None) -> FaultTree:
    """The tree with its mission time; nobody shall believe that one had an effect which nothing asks for."""
    if mission_time is None:
        return tree
    from surefoot.faulttree.quantities import Fixed
    from surefoot.faulttree.quantities.leaves import MISSION_TIME

    known = [*tree.events.values(), *tree.parameters.values()]
    grouped = [quantity for group in tree.groups for quantity in group.quantities.values()]
    if not any(MISSION_TIME in quantity.references() for quantity in (*known, *grouped) if quantity is not None):
        text = "a mission time is given, and nothing in the tree depends on one."
        raise DiagnosticsError.of("tree-unsupported", text, where=name, hint="Leave the mission time out.")
    return replace(tree, parameters={**tree.parameters, MISSION_TIME: Fixed(mission_time)})


def _read_text(text: str, kind: Format, findings: Findings, top: str | None, mission_time: float | None) -> FaultTree:
    if kind == "galileo":
        from surefoot.faulttree.formats.galileo import read_galileo

        return read_galileo(text, findings, top=top, mission_time=mission_time)
    if kind == "aralia":
        from surefoot.faulttree.formats.aralia_text import read_aralia

        return read_aralia(text, findings, top=top)
    return _read_plain(text, kind, findings, top)


def _read_plain(text: str, kind: Format, findings: Findings, top: str | None) -> FaultTree:
    from surefoot.faulttree.formats.reading import read_plain

    if kind == "json":
        from surefoot.faulttree.formats.json_text import JsonDocument

        return read_plain(JsonDocument(text, findings), findings, top=top)
    from surefoot.faulttree.formats.yaml_text import YamlDocument

    return read_plain(YamlDocument(text, findings), findings, top=top)


def _read_model(paths: list[Path], top: str | None) -> FaultTree:
    from surefoot.faulttree.formats.mef import read_mef

    others = [path for path in paths if SUFFIXES.get(path.suffix.lower(), "mef") != "mef"]
    if len(paths) > 1 and others:
        text = f"several files are read as one Open-PSA model, and {shown(others[0].name)} is no XML."
        raise DiagnosticsError.of("tree-unsupported", text, where=str(others[0]), hint="Name one file.")
    return read_mef(paths, top=top)


def _text_of(tree: FaultTree, kind: Format, name: str) -> str:
    if kind == "mef":
        from surefoot.faulttree.formats.mef import write_mef

        return write_mef(tree)
    from surefoot.faulttree.formats.layout import as_json, as_yaml
    from surefoot.faulttree.formats.plain import plain_data

    try:
        data = plain_data(tree)
    except Refused as error:
        raise DiagnosticsError.of(error.code, error.text, where=name, hint=error.hint) from error
    return as_json(data) if kind == "json" else as_yaml(data)
