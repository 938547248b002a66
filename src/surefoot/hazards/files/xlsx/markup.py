"""XML parts read event by event; a document type, with which attacks begin, ends the reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.parsers import expat

from surefoot.documents import Findings

_BUFFER = 1 << 20


class Handler:
    """What is done at each element; names come without their prefix."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, text: str) -> None:
        """Text between tags."""


def parse(content: bytes, handler: Handler, part: str, findings: Findings) -> None:
    """Hand the elements and texts of a part to the handler."""
    parser = expat.ParserCreate()
    parser.buffer_text, parser.buffer_size = True, _BUFFER
    parser.StartDoctypeDeclHandler = _refuse_doctype(part, findings)
    parser.StartElementHandler, parser.EndElementHandler = _without_prefixes(handler)
    parser.CharacterDataHandler = handler.text
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        text = f"the part {part!r} of the workbook is not valid XML: {error}."
        findings.stop("hazop-syntax", text, hint="Save the workbook again.")


def local(name: str) -> str:
    """A name without its prefix."""
    return name.rpartition(":")[2]


def attribute(attributes: dict[str, str], name: str) -> str:
    """An attribute with or without a prefix, empty where it is not there."""
    return attributes.get(name) or next((value for key, value in attributes.items() if local(key) == name), "")


def _without_prefixes(handler: Handler) -> tuple[Callable[[str, dict[str, str]], None], Callable[[str], None]]:
    begin, finish = handler.start, handler.end

    def start(name: str, attributes: dict[str, str]) -> None:
        begin(local(name) if ":" in name else name, attributes)

    def end(name: str) -> None:
        finish(local(name) if ":" in name else name)

    return start, end


def _refuse_doctype(part: str, findings: Findings) -> Callable[..., None]:
    def refuse(*_: Any) -> None:
        text = f"the part {part!r} of the workbook declares a document type, which no workbook needs."
        findings.stop("hazop-syntax", text, hint="Do not trust this file; ask who made it.")

    return refuse
