"""The whole result inside the page, as data: complete numbers, without what the page shows as pictures.

Pictures are left out (their digest and size stay), tables keep the rows that are shown, and what occurs several times,
such as the draws behind a distribution and both its bounds, is written once. The data are JSON, deflated and written in
Base64, in which no text can become markup.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from surefoot.case.templates.builder import Results
from surefoot.core import Artefact, Evidence, InvalidInput, digest
from surefoot.documents import json, sentence, visible
from surefoot.drawing import clean_svg
from surefoot.project.interchange import condensed, expanded, inflate
from surefoot.project.result import Result

NEVER_CUT = ("importance",)
"""Tables that other parts of the page compute with, of which a small page holds as many rows as a large one."""
PAGE = "page"
SCRIPT = '<script type="application/json;deflate;base64" id="surefoot-result">'
_EMBEDDED = re.compile(re.escape(SCRIPT) + r"([A-Za-z0-9+/=]*)</script>")


def embedded(result: Result, outside: Outside) -> str:
    """The element that holds the result."""
    data = result.to_dict()
    data["evidence"] = {
        name: _cut(item, outside.figures[name], outside.most_rows) for name, item in data["evidence"].items()
    }
    data[PAGE] = {"digest": outside.digest, "steps": dict(outside.steps), "rows": outside.most_rows}
    packed = base64.b64encode(zlib.compress(_text(condensed(data)).encode(), 9))
    return f"{SCRIPT}{packed.decode()}</script>"


def extracted(page: str) -> dict[str, Any] | None:
    """The result inside a page, or None where there is none."""
    found = _inflated(page)
    data = None if found is None else json.loads(found)
    if not isinstance(data, dict):
        return None
    data.pop(PAGE, None)
    return expanded(data) if "evidence" in data and "answers" in data else data


def about(page: str) -> dict[str, Any]:
    """Digests that the data record of the whole from which they were taken."""
    return dict(json.loads(_inflated(page) or "{}")[PAGE])


def canonical(page: str) -> bool:
    """Whether the data stand in the page exactly as they are written, so that nothing hides between them."""
    found = _inflated(page)
    return found is not None and _text(json.loads(found)) == found


def without_data(page: str) -> str:
    """A page with an empty element where the data stood, so that they cannot be moved into a rule or a comment."""
    return _EMBEDDED.sub(f"{SCRIPT}</script>", page, count=1)


def _inflated(page: str) -> str | None:
    found = _EMBEDDED.search(page)
    if found is None:
        return None
    return inflate(found[1]).decode()


def _text(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=True)


def _cut(evidence: Mapping[str, Any], figures: Mapping[str, Shown], most_rows: int) -> dict[str, Any]:
    artefacts = {name: _named(item, figures[name]) for name, item in evidence["artefacts"].items()}
    tables = {
        name: _first_rows(item, MOST_ROWS if name in NEVER_CUT else most_rows)
        for name, item in evidence["tables"].items()
    }
    return {**evidence, "artefacts": artefacts, "tables": tables}


def _named(artefact: Mapping[str, str], shown: Shown) -> dict[str, Any]:
    left_out = {
        "digest": digest(artefact),
        "characters": len(artefact["content"]),
        "sha256": shown.sha256,
        "note": shown.note,
    }
    return {"media_type": artefact["media_type"], "content": "", "left_out": left_out}


def _first_rows(table: Mapping[str, Any], most: int) -> dict[str, Any]:
    left_out = len(table["rows"]) - most
    return dict(table) if left_out <= 0 else {**table, "rows": table["rows"][:most], "left_out": left_out}


# What a page shows and the data inside it do not hold: pictures, the rest of long tables, digests of the whole.

MOST_ROWS = 50
PICTURE = '<div class="light" data-sha256="'
_PICTURES = re.compile(re.escape(PICTURE) + r'[0-9a-f]*">(.*?)</div>', re.DOTALL)


@dataclass(frozen=True)
class Outside:
    """Known from the result itself when a page is made, and from the page when it is compared."""

    digest: str
    steps: Mapping[str, str]
    """Digest of the evidence of each step."""
    rows: Mapping[str, Mapping[str, int]]
    """How many rows each table of each step has."""
    figures: Figures
    most_rows: int = MOST_ROWS
    """How many rows of a table the page shows and holds."""

    @classmethod
    def of(cls, result: Result) -> Outside:
        """All of it from a complete result."""
        return cls(
            result.digest,
            {step: item.digest for step, item in result.evidence.items()},
            {
                step: {name: len(table.rows) for name, table in item.tables.items()}
                for step, item in result.evidence.items()
            },
            figures(result.evidence),
        )

    @classmethod
    def recorded(cls, data: Mapping[str, Any], about: Mapping[str, Any], page: str) -> Outside:
        """All of it from a page: pictures only where they have the digest that its data record."""
        known = {picture.sha256: picture for picture in map(Shown, _PICTURES.findall(page))}
        rows = {
            step: {name: len(table["rows"]) + table.get("left_out", 0) for name, table in item["tables"].items()}
            for step, item in data["evidence"].items()
        }
        pictures = {
            step: {name: _picture(artefact["left_out"], known) for name, artefact in item["artefacts"].items()}
            for step, item in data["evidence"].items()
        }
        return cls(about["digest"], about["steps"], rows, pictures, about["rows"])


def _picture(left_out: Mapping[str, Any], known: Mapping[str, Shown]) -> Shown:
    if left_out["sha256"]:
        return known.get(left_out["sha256"], Shown(note="figure missing"))
    return Shown(note=left_out["note"])


# How large a page may be, and what it leaves out to stay so: pictures first, then rows of tables.
#
# Verdicts, case, assumptions and the page to sign are never cut.

MOST_PICTURES = 12
MOST_BYTES = 1_000_000
BYTES_A_NODE = 1_000
FEWER_ROWS = (20, 5)

Picture = tuple[str, str]
"""Names of a step and of its figure."""


def most_bytes(result: Result) -> int:
    """How large the page of a result may be."""
    return MOST_BYTES + BYTES_A_NODE * len(result.case)


def few_pictures(result: Result, outside: Outside) -> Outside:
    """What there is outside the data, with the most important pictures and no others."""
    return replace(outside, figures=_only(outside.figures, ranked(result, outside.figures)[:MOST_PICTURES]))


def smaller(result: Result, outside: Outside, excess: int) -> Iterator[Outside]:
    """Less and less outside the data, for a page that is too large by so many bytes."""
    kept = ranked(result, outside.figures)
    while kept and excess > 0:
        step, name = kept.pop()
        excess -= len(outside.figures[step][name].markup.encode())
    outside = replace(outside, figures=_only(outside.figures, kept))
    yield outside
    if kept:
        outside = replace(outside, figures=_only(outside.figures, ()))
    for rows in FEWER_ROWS:
        yield replace(outside, most_rows=rows)


def ranked(result: Result, figures: Figures) -> list[Picture]:
    """Pictures that can be shown, the important ones first.

    The first picture of each step comes before the second of any; what targets ask about before what is behind it, and
    that before the rest.
    """
    asked = {answer.reference: None for answer in result.answers}
    direct = {reference.partition(".")[0] for reference in asked}
    behind = {reference.partition(".")[0] for reference in Results(result.evidence).behind(asked)}
    found = [
        (place, 0 if step in direct else 1 if step in behind else 2, (step, name))
        for step, pictures in figures.items()
        for place, name in enumerate(name for name, picture in pictures.items() if picture.markup)
    ]
    return [picture for *_, picture in sorted(found, key=lambda each: each[:2])]


def _only(figures: Figures, kept: Collection[Picture]) -> Figures:
    return {
        step: {
            name: picture if not picture.markup or (step, name) in kept else Shown(note=OMITTED)
            for name, picture in pictures.items()
        }
        for step, pictures in figures.items()
    }


# Artefacts of evidence as parts of the page: SVG cleaned and inlined, PNG as data, everything else named.

MOST_PNG_BYTES = 300_000
OMITTED = "figure left out to keep this page small"
PNG_START = b"\x89PNG\r\n\x1a\n"
_TAG = re.compile(r"<[a-zA-Z]+ [^<>]*>")
_STYLE = re.compile(r'(?<= style=")[^"]*(?=")')
_FINE = re.compile(r'(?<= [xy]=")(-?\d+\.\d\d)\d+(?=")')
_EMPTY = re.compile(r"></(?:circle|ellipse|image|line|path|polygon|polyline|rect|use)>")
_SAID = re.compile(r"<svg[^>]*>\s*<(title|desc)>(.*?)</\1>", re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """Markup that is fit for the page, or a note why there is none."""

    markup: str = ""
    note: str = ""

    @property
    def sha256(self) -> str:
        """Digest of the markup, by which a page can be compared with what it was made from."""
        return hashlib.sha256(self.markup.encode()).hexdigest() if self.markup else ""

    @property
    def omitted(self) -> bool:
        """Whether it could be shown, and the page would have too many or be too large."""
        return self.note == OMITTED

    def caption(self, name: str) -> str:
        """A sentence: the name of the figure, and what the figure says of itself."""
        said = _SAID.match(self.markup)
        words = html.unescape(said[2]).strip() if said else ""
        readable = name.replace("_", " ")
        if words.casefold().startswith(readable.casefold()):
            return sentence(words)
        return sentence(f"{readable}: {words}" if words else readable)


Figures = Mapping[str, Mapping[str, Shown]]


def figures(evidence: Mapping[str, Evidence]) -> Figures:
    """Every artefact of every step; one that several steps share is shown once."""
    first: dict[Artefact, str] = {}
    return {
        step: {
            name: _once(artefact, first, step, f"step-{place}-{number}", name)
            for number, (name, artefact) in enumerate(item.artefacts.items(), start=1)
        }
        for place, (step, item) in enumerate(evidence.items(), start=1)
    }


def _once(artefact: Artefact, first: dict[Artefact, str], step: str, prefix: str, name: str) -> Shown:
    if artefact.content and artefact in first:
        return Shown(note=f"the same figure as under {first[artefact]}")
    first[artefact] = step
    return shown(artefact, prefix, name)


def shown(artefact: Artefact, prefix: str, name: str) -> Shown:
    """What of an artefact can stand in the page."""
    if not artefact.content:
        return Shown(note="figure left out: it is no part of the data that this page was made from")
    if artefact.media_type == "image/svg+xml":
        return _svg(artefact.content, prefix)
    if artefact.media_type == "image/png":
        return _png(artefact.content, name)
    size = f"{len(artefact.content):,} bytes of {artefact.media_type}"
    return Shown(note=f"{size}, not shown here; surefoot evidence export writes it.")


def _svg(content: bytes, prefix: str) -> Shown:
    try:
        return Shown(markup=compact(clean_svg(content, prefix)))
    except InvalidInput as error:
        return Shown(note=str(error))


def compact(markup: str) -> str:
    """The same drawing in fewer characters; what is between tags stays as it is."""
    return _EMPTY.sub("/>", _TAG.sub(lambda tag: _STYLE.sub(_close, _FINE.sub(r"\1", tag[0])), markup))


def _close(style: re.Match[str]) -> str:
    return style[0].replace("; ", ";").replace(": ", ":")


def _png(content: bytes, name: str) -> Shown:
    if not content.startswith(PNG_START):
        return Shown(note="figure left out: it is no PNG")
    if len(content) > MOST_PNG_BYTES:
        return Shown(note=f"figure left out: it is larger than {MOST_PNG_BYTES // 1000} kB")
    source = f"data:image/png;base64,{base64.b64encode(content).decode()}"
    return Shown(markup=f'<img src="{source}" alt="{html.escape(visible(name))}">')
