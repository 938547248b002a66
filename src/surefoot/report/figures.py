"""Artefacts of evidence as parts of the page: SVG cleaned and inlined, PNG as data, everything else named."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from surefoot.core import Artefact, InvalidInput
from surefoot.draw import clean_svg

MOST_PNG_BYTES = 300_000
PNG_START = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Shown:
    """Exactly one of: markup that is fit for the page, the address of a picture, a note why there is neither."""

    markup: str = ""
    source: str = ""
    note: str = ""


def shown(artefact: Artefact, prefix: str) -> Shown:
    """What of an artefact can stand in the page."""
    if not artefact.content:
        return Shown(note="figure left out: it is no part of the data that this page was made from")
    if artefact.media_type == "image/svg+xml":
        return _svg(artefact.content, prefix)
    if artefact.media_type == "image/png":
        return _png(artefact.content)
    size = f"{len(artefact.content):,} bytes of {artefact.media_type}"
    return Shown(note=f"{size}, not shown here; surefoot evidence export writes it.")


def _svg(content: bytes, prefix: str) -> Shown:
    try:
        return Shown(markup=clean_svg(content, prefix))
    except InvalidInput as error:
        return Shown(note=str(error))


def _png(content: bytes) -> Shown:
    if not content.startswith(PNG_START):
        return Shown(note="figure left out: it is no PNG")
    if len(content) > MOST_PNG_BYTES:
        return Shown(note=f"figure left out: it is larger than {MOST_PNG_BYTES // 1000} kB")
    return Shown(source=f"data:image/png;base64,{base64.b64encode(content).decode()}")
