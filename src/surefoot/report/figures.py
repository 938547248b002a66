"""Artefacts of evidence as parts of the page: SVG cleaned and inlined, PNG as data, everything else named."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass

from surefoot.core import Artefact, Evidence, InvalidInput
from surefoot.documents import sentence, visible
from surefoot.drawing import clean_svg

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
