"""Trees from files and to files: the format is told by the suffix or, where that says nothing, by the content."""

from __future__ import annotations

import os
import re
import warnings
from codecs import BOM_UTF8
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import Findings, Refused, decoded, read_bytes, refuse_controls, shown, write_whole
from surefoot.faulttree.formats.assembly import MARK, TREE
from surefoot.faulttree.quantities import MISSION_TIME, Fixed

if TYPE_CHECKING:
    from surefoot.faulttree.formats.assembly import Parts
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


class PartLeftOut(UserWarning):
    """A part of a file is left out of the tree that was read, so that its number is not what the file means.

    See Also
    --------
    FaultTree.read : Warns so, and lists the parts in ``left_out``.

    """


def read(paths: Paths, *, top: str | None = None, mission_time: float | None = None) -> FaultTree:
    """Read a fault tree; every problem of the file is in the error, with its line.

    Several paths are the files of one Open-PSA model. ``top`` names the top event where the file does not, or another
    one; where the file has several and none is named, the error names them. ``mission_time`` is for files that ask for
    one and give none, as all Galileo files with rates do.
    """
    [tree] = _read(paths, top, mission_time, only=True).values()
    return tree


def read_all(paths: Paths, *, top: str | None = None, mission_time: float | None = None) -> dict[str, FaultTree]:
    """All top events of a file with their trees, by the names that ``top`` of ``read`` takes.

    They are the one that the file names, or else every gate that is no input of another one and every sequence of an
    event tree, each in every phase of an alignment. ``top`` keeps those that it may mean.
    """
    return _read(paths, top, mission_time, only=False)


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


def _read(paths: Paths, top: str | None, mission_time: float | None, *, only: bool) -> dict[str, FaultTree]:
    """The trees of a file; with ``only`` there is one, or an error."""
    places = [Path(paths)] if isinstance(paths, str | os.PathLike) else [Path(path) for path in paths]
    kind = SUFFIXES.get(places[0].suffix.lower())
    content = b"" if kind == "mef" or len(places) > 1 else read_bytes(places[0], TREE.largest)
    if kind == "mef" or len(places) > 1 or (kind is None and content.removeprefix(BOM_UTF8).lstrip().startswith(b"<")):
        found, timed = _read_model(places, top, only), False
    else:
        findings = Findings(places[0].name, TREE)
        text = decoded(content, findings)
        kind = kind or sniffed(text)
        parts, timed = _read_text(text, kind, findings, top, mission_time), kind == "galileo"
        found = {tree.top: tree for tree in [parts.tree()]} if only else parts.trees()
    if not timed and mission_time is not None:
        found = _with_time(found, places[0].name, mission_time)
    for text in dict.fromkeys(text for tree in found.values() for text in tree.left_out):
        warnings.warn(f"left out of the tree: {text}", PartLeftOut, stacklevel=4)
    return found


def _with_time(trees: dict[str, FaultTree], name: str, mission_time: float) -> dict[str, FaultTree]:
    """Trees with their mission time; nobody shall believe that one had an effect which nothing asks for."""
    timed = {top for top, tree in trees.items() if _asks_for_time(tree)}
    if not timed:
        text = "a mission time is given, and nothing in the tree depends on one."
        raise DiagnosticsError.of("tree-unsupported", text, where=name, hint="Leave the mission time out.")
    given = {MISSION_TIME: Fixed(mission_time)}
    return {
        top: replace(tree, parameters={**tree.parameters, **given}) if top in timed else tree
        for top, tree in trees.items()
    }


def _asks_for_time(tree: FaultTree) -> bool:
    known = [*tree.events.values(), *tree.parameters.values()]
    grouped = [quantity for group in tree.groups for quantity in group.quantities.values()]
    return any(MISSION_TIME in quantity.references() for quantity in (*known, *grouped) if quantity is not None)


def _read_text(text: str, kind: Format, findings: Findings, top: str | None, mission_time: float | None) -> Parts:
    if kind in ("galileo", "aralia"):
        refuse_controls(text, findings)
    if kind == "galileo":
        from surefoot.faulttree.formats.galileo import read_galileo

        return read_galileo(text, findings, top=top, mission_time=mission_time)
    if kind == "aralia":
        from surefoot.faulttree.formats.aralia import read_aralia

        return read_aralia(text, findings, top=top)
    from surefoot.documents import json, yaml
    from surefoot.faulttree.formats.native import read_plain

    document = json.parse(text, findings) if kind == "json" else yaml.parse(text, findings)
    return read_plain(document, findings, top=top)


def _read_model(paths: list[Path], top: str | None, only: bool) -> dict[str, FaultTree]:
    from surefoot.faulttree.formats.mef.reader import read_mef, read_mef_all

    others = [path for path in paths if SUFFIXES.get(path.suffix.lower(), "mef") != "mef"]
    if len(paths) > 1 and others:
        text = f"several files are read as one Open-PSA model, and {shown(others[0].name)} is no XML."
        raise DiagnosticsError.of("tree-unsupported", text, where=str(others[0]), hint="Name one file.")
    if not only:
        return read_mef_all(paths, top=top)
    tree = read_mef(paths, top=top)
    return {tree.top: tree}


def _text_of(tree: FaultTree, kind: Format, name: str) -> str:
    if kind == "mef":
        from surefoot.faulttree.formats.mef.writer import write_mef

        return write_mef(tree)
    from surefoot.documents import as_json, as_yaml
    from surefoot.faulttree.formats.native import plain_data

    try:
        data = plain_data(tree)
    except Refused as error:
        raise DiagnosticsError.of(error.code, error.text, where=name, hint=error.hint) from error
    return as_json(data) if kind == "json" else as_yaml(data)
