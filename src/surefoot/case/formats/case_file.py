"""Cases as files: which format one has, by its name and its content, read, written, and drawn for people."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from typing import Literal

from surefoot.case.drawings import pdf, png, svg
from surefoot.case.evaluation import Evaluation, Measurements
from surefoot.case.formats.fields import CASE, MARK, SYNTAX, VALUE
from surefoot.case.formats.native import (
    BEGINNING,
    Reading,
    assembled,
    case_to_dict,
    parsed,
    refuse_long_keys,
    together,
    write_text,
)
from surefoot.case.model import NOTATIONS, Case, Notation
from surefoot.case.parts import Part, deepest, part, tagged
from surefoot.core import validate
from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import Document, Findings, as_json, as_yaml, did_you_mean, shown, visible, write_whole
from surefoot.drawing import Theme

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
Format = Literal["yaml", "json", "gsn2x", "sacm"]
SUFFIXES: dict[str, Format] = {
    ".gsn": "gsn2x",
    ".gsn.yaml": "gsn2x",
    ".gsn.yml": "gsn2x",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".xmi": "sacm",
    ".xml": "sacm",
}
LOOKED_AT = 1_000_000
WRITABLE = "Use .yaml, .json, .gsn.yaml (gsn2x) or .xmi (SACM)."


def read(paths: Paths) -> Case:
    """A case from a file, from a folder of gsn2x files, or from several of them; every problem is in one error."""
    return read_noted(paths).case


def read_noted(paths: Paths) -> Reading:
    """A case with notes on what its files say and a case has no word for."""
    places = [Path(paths)] if isinstance(paths, str | os.PathLike) else [Path(path) for path in paths]
    if len(places) == 1 and places[0].is_dir():
        places = files_of_a_case(places[0]) or [places[0]]
    if len(places) != 1:
        return _read_several(places)
    place = places[0]
    if place.is_dir():
        text = f"there are no files of a case in {shown(place.name)}."
        hint = f"They begin with {MARK}, or their names end in .gsn.yaml."
        raise DiagnosticsError.of("file-missing", text, where=str(place), hint=hint)
    if written_as(place) == "sacm" or (written_as(place) is None and _begins_as_xml(place)):
        from surefoot.case.formats.sacm import read_sacm_noted

        return read_sacm_noted(place)
    findings = Findings(place.name, CASE)
    document = parsed(place, findings)
    if _is_gsn2x(document, place):
        return _read_gsn2x([place], document, findings)
    _refuse_other(document, findings)
    return assembled(place, document, findings)


def files_of_a_case(folder: Path) -> list[Path]:
    """The files of one case in a folder: those of gsn2x, of which the index may name the others, or those of ours."""
    from surefoot.case.formats.gsn2x_import import files_in

    if found := files_in(folder):
        return found
    endings = (".yaml", ".yml", ".json")
    return sorted(path for path in folder.iterdir() if path.name.lower().endswith(endings) and _begins_as_ours(path))


def _begins_as_ours(path: Path) -> bool:
    try:
        with open(path, "rb") as stream:
            return (
                re.search(rb"""^[\s{\xef\xbb\xbf]*["']?%s["']?\s*:""" % MARK.encode(), stream.read(LOOKED_AT), re.M)
                is not None
            )
    except OSError:
        return False


def _read_several(places: list[Path]) -> Reading:
    """A case in several files of one format, in any order."""
    if not places:
        raise DiagnosticsError.of("file-missing", "no file is named.", hint="Name the file of a case.")
    for missing in (place for place in places if not place.is_file()):
        parsed(missing, Findings(missing.name, CASE))
    ours = [place for place in places if _begins_as_ours(place)]
    other = next((place for place in places if written_as(place) == "sacm" or _begins_as_xml(place)), None)
    if other is not None or 0 < len(ours) < len(places):
        odd = other or next(place for place in places if place not in ours)
        text = "files of several formats, or of SACM, are not read together."
        hint = "Name files of one format; surefoot case convert writes them in another one."
        raise DiagnosticsError.of(VALUE, text, where=str(odd), hint=hint)
    if not ours:
        return _read_gsn2x(places)
    documents = []
    for place in places:
        findings = Findings(place.name, CASE)
        documents.append((place, parsed(place, findings), findings))
    return Reading(together(documents))


def write(case: Case, path: str | os.PathLike[str]) -> Path:
    """Write a case in the format of the suffix; a file is complete or stays as it was.

    A case with modules becomes a folder of gsn2x files, whose name is without ``.yaml``; the place is returned.
    """
    place = Path(path)
    kind = written_as(place)
    if kind is None:
        found = repr(place.suffix) if place.suffix else "a file without suffix"
        raise DiagnosticsError.of(VALUE, f"no case can be written as {found}.", where=str(place), hint=WRITABLE)
    if kind == "gsn2x":
        from surefoot.case.formats.gsn2x_export import write_gsn2x

        return write_gsn2x(case, place)
    if kind == "yaml":
        refuse_long_keys(case, place)
    write_text(place, text(case, kind))
    return place


def written_as(path: Path) -> Format | None:
    """The format that a file of that name has; the longest ending decides."""
    name = path.name.lower()
    return next((kind for ending, kind in SUFFIXES.items() if name.endswith(ending)), None)


def text(case: Case, kind: Literal["yaml", "json", "sacm"]) -> str:
    """The case as the text of one file; of gsn2x, which may be several, see ``gsn2x_texts``."""
    if kind == "json":
        return as_json(case_to_dict(case))
    if kind == "yaml":
        return as_yaml(case_to_dict(case), blocks=3)
    from surefoot.case.formats.sacm import sacm_text

    return sacm_text(case)


def _read_gsn2x(paths: list[Path], document: Document | None = None, findings: Findings | None = None) -> Reading:
    from surefoot.case.formats.gsn2x_import import read_gsn2x

    return read_gsn2x(paths, document, findings)


def _begins_as_xml(path: Path) -> bool:
    try:
        with open(path, "rb") as stream:
            return stream.read(100).removeprefix(BOM_UTF8).lstrip().startswith(b"<")
    except OSError:
        return False


def _is_gsn2x(document: Document, path: Path) -> bool:
    data = document.data
    if isinstance(data, dict) and MARK in data:
        return False
    from surefoot.case.formats.gsn2x_import import ENDINGS, is_gsn2x

    return is_gsn2x(data) or path.name.lower().endswith(ENDINGS)


def _refuse_other(document: Document, findings: Findings) -> None:
    """Say so at once where a file is something else, or its mark is misspelt."""
    data = document.data
    if isinstance(data, dict) and MARK not in data:
        close = did_you_mean(str(next(iter(data), "")), [MARK])
        hint = f"{close} {BEGINNING}" if close.startswith("Did") else BEGINNING
        findings.stop(SYNTAX, f"this is no case: it begins with {shown(next(iter(data), None))}.", line=1, hint=hint)


# What people look at, written to a file: pictures, outlines and pages, by the ending of its name.

Content = Callable[[Part, Evaluation | None, Notation, Theme | None], str | bytes]
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>:root{{color-scheme:light dark}}body{{margin:0}}@media print{{svg{{width:100%;height:auto}}}}</style>
</head><body>
{drawing}</body></html>
"""


def render(
    case: Case,
    path: str | Path,
    *,
    evidence: Measurements | None = None,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    module: str | None = None,
    node: str | None = None,
    depth: int | None = None,
    theme: Theme | None = None,
) -> Path:
    """Write the case as .svg, .pdf, .png, .html, .md, .mmd (Mermaid), or as a file that can be read again.

    With ``evidence``, or an ``evaluation`` that was made already, every node shows how it stands. With a ``tag`` only
    nodes that carry it are shown, and those above them; ``module``, ``node`` and ``depth`` show one part, as ``part``
    finds it, and say how much was cut. A picture of too many nodes is refused before any work is done. Unless a
    ``theme`` is given, SVG and HTML follow the setting of the reader, and PDF and PNG are for print. The file is
    complete, or as it was.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in CONTENTS and written_as(target) is None:
        known = ", ".join((*CONTENTS, *SUFFIXES))
        problem = f"a case cannot be written as {ending or 'a file without an ending'}."
        raise DiagnosticsError.of("wrong-value", problem, where=str(path), hint=f"Use one of {known}.")
    chosen: Notation = case.notation
    if notation is not None:
        validate.choice(notation, NOTATIONS, where="render", name="notation")
        chosen = notation
    shown = part(case if tag is None else tagged(case, tag), module=module, node=node, depth=depth)
    if ending not in CONTENTS:
        return shown.case.write(target)
    refuse_large(shown.case, target)
    if evaluation is None and evidence is not None:
        evaluation = case.evaluate(evidence)
    write_whole(target, CONTENTS[ending](shown, evaluation, chosen, theme))
    return target


MOST_DRAWN = 20_000
"""Nodes of one picture or page; more take minutes, and nobody can look at them."""


def refuse_large(case: Case, path: Path) -> None:
    """Say at once, and what to do instead, where a case is too large to be drawn; outlines may have any size."""
    if len(case) <= MOST_DRAWN or path.suffix.lower() not in (".svg", ".pdf", ".png", ".html"):
        return
    depth, count = deepest(case, MOST_DRAWN)
    text = f"{len(case):,} nodes are too many for one picture; at most {MOST_DRAWN:,} are drawn."
    hint = (
        f"Draw a part of it: --depth {depth} ({count:,} nodes), --module, --node or --tag; or write an outline (.md)."
    )
    raise DiagnosticsError.of("case-too-large", text, where=str(path), hint=hint)


def _svg(shown: Part, evaluation: Evaluation | None, notation: Notation, theme: Theme | None) -> str:
    return svg(shown.case, evaluation=evaluation, notation=notation, cut=shown.cut, theme=theme or "auto")


def _pdf(shown: Part, evaluation: Evaluation | None, notation: Notation, theme: Theme | None) -> bytes:
    return pdf(shown.case, evaluation=evaluation, notation=notation, cut=shown.cut, theme=theme or "print")


def _png(shown: Part, evaluation: Evaluation | None, notation: Notation, theme: Theme | None) -> bytes:
    return png(shown.case, evaluation=evaluation, notation=notation, cut=shown.cut, theme=theme or "print")


def _html(shown: Part, evaluation: Evaluation | None, notation: Notation, theme: Theme | None) -> str:
    drawing = _svg(shown, evaluation, notation, theme)
    return PAGE.format(title=escape(visible(shown.case.name or "Assurance case")), drawing=drawing)


def _markdown(shown: Part, evaluation: Evaluation | None, notation: Notation, _: Theme | None) -> str:
    from surefoot.case.formats.markdown_mermaid import markdown

    return markdown(shown.case, evaluation=evaluation, notation=notation, cut=shown.cut)


def _mermaid(shown: Part, evaluation: Evaluation | None, notation: Notation, _: Theme | None) -> str:
    from surefoot.case.formats.markdown_mermaid import mermaid

    return mermaid(shown.case, evaluation=evaluation, notation=notation, cut=shown.cut)


CONTENTS: dict[str, Content] = {
    ".svg": _svg,
    ".pdf": _pdf,
    ".png": _png,
    ".html": _html,
    ".md": _markdown,
    ".mmd": _mermaid,
    ".mermaid": _mermaid,
}
