"""XML from strangers, read in pieces: no document types, no entities, no inclusion, bounded depth and size."""

from __future__ import annotations

from collections.abc import Iterable
from sys import intern
from typing import NoReturn, Protocol
from xml.parsers import expat

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.faulttree.formats.mef.elements import ATTRIBUTES, CONTAINERS, DEFINITIONS, REFERENCES, Element

MOST_BYTES = 200_000_000
MOST_DEPTH = 250
_SAFE = "Only elements and attributes are read; remove the declaration."


class Sink(Protocol):
    """Takes definitions as they are complete, so that a large file is never held as a whole."""

    mentions: dict[str, set[str]]
    """Names that formulas of the open container refer to, by kind."""

    def enter(self, element: Element) -> None:
        """A container opens."""

    def define(self, element: Element) -> None:
        """A definition is complete."""

    def leave(self, element: Element) -> None:
        """A container closes."""

    def pass_over(self, tag: str, attributes: set[str], line: int) -> None:
        """An element has attributes that the format does not give it."""

    def finish(self, outside: Element) -> None:
        """The file ends; ``outside`` holds what stood in no container."""


def parse(pieces: Iterable[bytes], sink: Sink, *, source: str, encoding: str | None = None) -> None:
    """Hand the definitions of a file to ``sink``; what is not well-formed raises ``DiagnosticsError``."""
    reader = _Reader(sink, source, encoding)
    size, begun = 0, b""
    try:
        for piece in pieces:
            size += len(piece)
            if size > MOST_BYTES:
                reader.stop(f"the file is larger than {MOST_BYTES // 1_000_000} MB.", "Split it, or leave data out.")
            if not begun:
                begun = piece.lstrip()[:1]
            reader.parser.Parse(piece, False)
        reader.parser.Parse(b"", True)
        sink.finish(reader.outside)
    except expat.ExpatError as error:
        if not size:
            _refuse("the file is empty.", source, "Export the tree again.")
        found = expat.ErrorString(error.code)
        _refuse(f"the file is not well-formed XML: {found}.", f"{source}:{error.lineno}", _hint(begun))
    except (ValueError, LookupError) as error:
        _refuse(f"the file cannot be decoded: {error}.", source, "Save it as UTF-8.")


class _Reader:
    """Builds elements from what the parser meets."""

    def __init__(self, sink: Sink, source: str, encoding: str | None) -> None:
        self.source, self.sink = source, sink
        self.parser = parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        self.outside = Element("", {}, 0)
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = parser.SkippedEntityHandler = self._entity
        self._listen()

    def stop(self, text: str, hint: str = "") -> NoReturn:
        """Give up at the line where the parser stands."""
        _refuse(text, f"{self.source}:{self.parser.CurrentLineNumber}", hint)

    def _doctype(self, _name: str, _system: str | None, _public: str | None, has_subset: bool) -> None:
        if has_subset:
            self.stop("the file declares a document type of its own.", _SAFE)

    def _entity(self, *_: object) -> None:
        self.stop("the file uses entities.", _SAFE)

    def _listen(self) -> None:
        """The functions that meet every element; local names make them twice as fast."""
        parser, sink, mentions = self.parser, self.sink, self.sink.mentions
        stack = [self.outside]
        children = self.outside.children
        inside = ""
        known, none = ATTRIBUTES, frozenset[str]()

        def start(tag: str, attributes: dict[str, str]) -> None:
            nonlocal inside, children, mentions
            if inside:
                self.stop(f"<{tag}> has no place inside <{inside}>.")
            if attributes and not (attributes.keys() <= known.get(tag, none)):
                sink.pass_over(tag, attributes.keys() - known.get(tag, none), parser.CurrentLineNumber)
            if tag in REFERENCES and "name" in attributes:
                inside = tag
                name = intern(attributes["name"])
                children.append(name)
                mentions[attributes.get("type", tag)].add(name)
                return
            element = Element(tag, attributes, parser.CurrentLineNumber)
            stack.append(element)
            children = element.children
            if tag in CONTAINERS:
                sink.enter(element)
                mentions = sink.mentions
            elif len(stack) > MOST_DEPTH:
                self.stop(f"elements are nested deeper than {MOST_DEPTH}.", "Define gates instead of nesting formulas.")
            elif tag == "label":
                parser.CharacterDataHandler = children.append

        def end(tag: str) -> None:
            nonlocal inside, children, mentions
            if inside:
                inside = ""
                return
            element = stack.pop()
            children = stack[-1].children
            if tag in DEFINITIONS:
                sink.define(element)
            elif tag in CONTAINERS:
                sink.leave(element)
                mentions = sink.mentions
            else:
                children.append(element)
                if tag == "label":
                    parser.CharacterDataHandler = None

        parser.StartElementHandler, parser.EndElementHandler = start, end


def _hint(begun: bytes) -> str:
    """What does not even begin like XML, or with the mark of an encoding, is another format."""
    if begun not in (b"<", b"\xef", b"\xfe", b"\xff"):
        return "Name other formats as such: .yaml, .json, .dag (Aralia) or .dft (Galileo)."
    return "Mend this line, or export the model again."


def _refuse(text: str, where: str, hint: str = "") -> NoReturn:
    raise DiagnosticsError.of("tree-syntax", text, where=where, hint=hint)
