"""Open-PSA files read in pieces: definitions are handed on as they are complete."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from sys import intern
from typing import Protocol

from surefoot.documents import Findings
from surefoot.documents.xml import Reader
from surefoot.faulttree.formats.mef.elements import ATTRIBUTES, CONTAINERS, DEFINITIONS, REFERENCES, Element
from surefoot.faulttree.formats.plain import TREE

MODEL = replace(
    TREE,
    largest=200_000_000,
    deepest=250,
    empty=TREE.syntax,
    beginning="Export the tree again.",
    flatter="Define gates instead of nesting formulas.",
)


class Sink(Protocol):
    """Takes definitions as they are complete, so that a large file is never held as a whole."""

    findings: Findings
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


def parse(pieces: Iterable[bytes], sink: Sink) -> None:
    """Hand the definitions of a file to ``sink``; what is not well-formed raises ``DiagnosticsError``."""
    reader, outside = Reader(sink.findings), Element("", {}, 0)
    _listen(reader, sink, outside)
    whole = iter(pieces)
    begun = next(whole, b"")
    reader.read(chain([begun], whole), hint=_hint(begun.lstrip()[:1]))
    sink.finish(outside)


def _listen(reader: Reader, sink: Sink, outside: Element) -> None:
    """Set the functions that meet every element; local names make them twice as fast."""
    deepest = MODEL.deepest
    parser, mentions = reader.parser, sink.mentions
    stack = [outside]
    children = outside.children
    inside = ""
    known, none = ATTRIBUTES, frozenset[str]()

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal inside, children, mentions
        if inside:
            sink.findings.unparsable(f"<{tag}> has no place inside <{inside}>.", line=reader.place)
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
        elif len(stack) > deepest:
            sink.findings.refuse(f"elements are nested deeper than {deepest}.", line=reader.place, hint=MODEL.flatter)
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
