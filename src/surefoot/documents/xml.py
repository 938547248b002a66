"""XML from strangers, read in pieces: no document types, no entities, nothing from outside the file, and its lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from surefoot.documents.document import Findings, Place
from surefoot.documents.files import FORBIDDEN, character

INDENT = "  "
_SAFE = "Only elements and attributes are read; remove the declaration."
_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)""")
_REFERENCE = re.compile(rb"&#(?:x([0-9a-fA-F]{1,8})|([0-9]{1,9}));")
_LONGEST_REFERENCE = 14
_SPECIAL = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


@dataclass(slots=True)
class Element:
    """An element with its line; names are without their namespaces, attributes with the prefix of a known one."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What stands between its tags, besides elements."""
        return "".join(self.pieces).strip()

    def named(self, *tags: str) -> Iterator[Element]:
        """The children with one of these tags."""
        return (child for child in self.children if child.tag in tags)


def parse(content: bytes, findings: Findings, prefixes: Mapping[str, str]) -> Element:
    """The outermost element of a file.

    ``prefixes`` are those of attributes, by a part of the address of their namespace; all others are ``other``.
    """
    reader = Reader(findings, namespaces=True)
    outside = Element("", {}, 0)
    stack = [outside]

    def prefixed(name: str) -> str:
        namespace, _, local = name.rpartition(" ")
        known = next((prefix for part, prefix in prefixes.items() if part in namespace), "other")
        return f"{known}:{local}" if namespace else local

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > findings.kind.deepest:
            findings.refuse(f"elements are nested deeper than {findings.kind.deepest}.", line=reader.place)
        said = {prefixed(name): value for name, value in attributes.items()}
        element = Element(tag.rpartition(" ")[2], said, reader.parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    reader.parser.StartElementHandler = start
    reader.parser.EndElementHandler = lambda _tag: stack.pop()
    reader.parser.CharacterDataHandler = lambda text: stack[-1].pieces.append(text)
    reader.read([content])
    return outside.children[0]


class Reader:
    """The parser, to which handlers of elements and text are given; what is not safe stops it with a finding.

    With ``controls``, whoever takes the text looks for control characters, and can say better where they are.
    """

    def __init__(self, findings: Findings, *, namespaces: bool = False, controls: bool = False) -> None:
        self.findings, self.controls = findings, controls
        self.parser = parser = expat.ParserCreate(None, " " if namespaces else None)
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = parser.SkippedEntityHandler = self._entity

    @property
    def place(self) -> Place:
        """Where the parser stands."""
        return self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1

    def read(self, pieces: Iterable[bytes], *, hint: str = "Correct the file there, or export it again.") -> None:
        """Hand the whole file to the handlers, piece by piece; ``hint`` is for what is not well-formed."""
        size, largest = 0, self.findings.kind.largest
        characters = _Characters()
        try:
            for piece in pieces:
                size += len(piece)
                if size > largest:
                    problem = f"the file is larger than {largest // 1_000_000} MB."
                    self.findings.unparsable(problem, line=self.place, hint="Split it, or leave data out.")
                self.parser.Parse(piece, False)
                strange = "" if self.controls else characters.forbidden(piece)
                if strange:
                    text = f"the file holds {character(strange)}."
                    self.findings.unparsable(text, line=self.place, hint="Remove it.")
            self.parser.Parse(b"", True)
        except expat.ExpatError as error:
            if not size:
                kind = self.findings.kind
                self.findings.stop(kind.empty or kind.syntax, "the file is empty.", hint=kind.beginning)
            problem = f"the file is not well-formed XML: {expat.ErrorString(error.code)}."
            self.findings.unparsable(problem, line=(error.lineno, error.offset + 1), hint=hint)
        except (ValueError, LookupError) as error:
            self.findings.unparsable(f"the file cannot be decoded: {error}.", hint="Save it as UTF-8.")

    def _doctype(self, _name: str, system: str | None, public: str | None, has_subset: bool) -> None:
        """The name of a document type alone says nothing; what declares something, here or elsewhere, is refused."""
        if system or public or has_subset:
            self.findings.refuse("the file declares a document type.", line=self.place, hint=_SAFE)

    def _entity(self, *_: object) -> None:
        self.findings.refuse("the file uses entities.", line=self.place, hint=_SAFE)


class _Characters:
    """Looks for what XML allows and no document of ours holds; what XML does not allow the parser refuses itself."""

    def __init__(self) -> None:
        self.encoding: str | None = None
        self.decoder: codecs.IncrementalDecoder | None = None
        self.tail = b""

    def forbidden(self, piece: bytes) -> str:
        if self.encoding is None:
            self.encoding = _encoding(piece)
        if piece.isascii() and self.decoder is None and self.encoding == "utf-8":
            raw = "\x7f" if b"\x7f" in piece else ""
        else:
            self.decoder = self.decoder or codecs.getincrementaldecoder(self.encoding)(errors="replace")
            found = FORBIDDEN.search(self.decoder.decode(piece))
            raw = found[0] if found else ""
        return raw or self._referred(piece)

    def _referred(self, piece: bytes) -> str:
        """Characters that are written by their numbers, also those that two pieces share."""
        whole = self.tail + piece
        self.tail = whole[-_LONGEST_REFERENCE:]
        if b"&#" not in whole:
            return ""
        numbers = (int(hexa, 16) if hexa else int(digits) for hexa, digits in _REFERENCE.findall(whole))
        return next((chr(each) for each in numbers if each < 0x110000 and FORBIDDEN.match(chr(each))), "")


def _encoding(piece: bytes) -> str:
    if piece.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)):
        return "utf-16"
    said = _ENCODING.match(piece.removeprefix(codecs.BOM_UTF8))
    return said[1].decode().lower() if said else "utf-8"


def opened(tag: str, attributes: Mapping[str, str], *, closed: bool = False) -> str:
    """The beginning of an element, or a whole one that is empty; attributes without a value are left out."""
    said = "".join(f" {name}={_quoted(value)}" for name, value in attributes.items() if value)
    return f"<{tag}{said}{'/' if closed else ''}>"


def element(tag: str, attributes: Mapping[str, str], inner: Iterable[str] = ()) -> list[str]:
    """The lines of an element around the lines inside it."""
    lines = [f"{INDENT}{line}" for line in inner]
    return [opened(tag, attributes), *lines, f"</{tag}>"] if lines else [opened(tag, attributes, closed=True)]


def _quoted(value: str) -> str:
    """In single quotes where that saves escaping, as for JSON."""
    escaped = value.translate(_SPECIAL)
    if "'" in value or '"' not in value:
        return f'"{escaped}"'
    single = escaped.replace("&quot;", '"')
    return f"'{single}'"
