"""Which format a file has, by its suffix or, where that says nothing, by its content."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.faulttree.formats.findings import Findings, Refused
from surefoot.faulttree.formats.plain import MARK
from surefoot.faulttree.formats.source import decoded, read_bytes
from surefoot.faulttree.formats.whole_file import write_whole

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree

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


def read(path: str | os.PathLike[str], *, top: str | None = None, mission_time: float | None = None) -> FaultTree:
    """Read a fault tree; every problem of the file is in the error, with its line.

    ``top`` names the top event where the file does not, or another one. ``mission_time`` is for Galileo files, which
    give rates and no time.
    """
    place = Path(path)
    kind = SUFFIXES.get(place.suffix.lower())
    if kind == "mef":
        return _read_mef(place, top)
    content = read_bytes(place)
    if kind is None and content.removeprefix(BOM_UTF8).lstrip().startswith(b"<"):
        return _read_mef(place, top)
    text = decoded(content, place)
    return _read_text(text, kind or sniffed(text), Findings(place.name), top, mission_time)


def write(tree: FaultTree, path: str | os.PathLike[str]) -> None:
    """Write a fault tree in the format of the suffix; the file is complete or stays as it was."""
    place = Path(path)
    kind = SUFFIXES.get(place.suffix.lower())
    if kind in (None, "galileo", "aralia"):
        text = f"no tree can be written as {place.suffix or 'a file without suffix'!r}."
        raise DiagnosticsError.of("tree-unsupported", text, where=str(path), hint=WRITABLE)
    write_whole(place, _text_of(tree, kind, place.name))


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


def _read_mef(path: Path, top: str | None) -> FaultTree:
    from surefoot.faulttree.formats.mef import read_mef

    return read_mef(path, top=top)


def _text_of(tree: FaultTree, kind: Format | None, name: str) -> str:
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
