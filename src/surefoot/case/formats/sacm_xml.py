"""XML of other tools, read with care, and the lines of our own.

No document types, no entities, nothing from outside the file, bounded depth; names are taken without their prefixes,
since tools do not agree on the namespaces of SACM.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat

from surefoot.core.diagnostics import DiagnosticsError

MOST_DEPTH = 100
_SAFE = "Only elements and attributes are read; remove the declaration."
_SPECIAL = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INDENT = "  "


@dataclass(slots=True)
class Element:
    """An element with its line; ``attributes`` have ``xmi:`` or ``xsi:`` in front where those namespaces stand."""

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


def parse(content: bytes, source: str) -> Element:
    """The outermost element of a file; what is not well-formed raises ``DiagnosticsError``."""
    builder = _Builder(source)
    try:
        builder.parser.Parse(content, True)
    except expat.ExpatError as error:
        found = expat.ErrorString(error.code)
        _refuse(f"the file is not well-formed XML: {found}.", f"{source}:{error.lineno}", "Export the case again.")
    except (ValueError, LookupError) as error:
        _refuse(f"the file cannot be decoded: {error}.", source, "Save it as UTF-8.")
    return builder.outside.children[0]


class _Builder:
    """Builds elements from what the parser meets."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        self.outside = Element("", {}, 0)
        self._open = [self.outside]
        parser.StartDoctypeDeclHandler = self._declared
        parser.EntityDeclHandler = parser.SkippedEntityHandler = self._declared
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._text

    def _declared(self, *_: object) -> None:
        self._stop("the file declares a document type or entities.", _SAFE)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._open) > MOST_DEPTH:
            self._stop(f"elements are nested deeper than {MOST_DEPTH}.", "No case needs that.")
        said = {_prefixed(name): value for name, value in attributes.items()}
        element = Element(tag.rpartition(" ")[2], said, self.parser.CurrentLineNumber)
        self._open[-1].children.append(element)
        self._open.append(element)

    def _end(self, _tag: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        self._open[-1].pieces.append(text)

    def _stop(self, text: str, hint: str) -> NoReturn:
        _refuse(text, f"{self.source}:{self.parser.CurrentLineNumber}", hint)


def _prefixed(name: str) -> str:
    namespace, _, local = name.rpartition(" ")
    if not namespace:
        return local
    known = "xsi" if "XMLSchema-instance" in namespace else "xmi" if "XMI" in namespace else "other"
    return f"{known}:{local}"


def _refuse(text: str, where: str, hint: str) -> NoReturn:
    raise DiagnosticsError.of("case-syntax", text, where=where, hint=hint)


def is_writable(text: str) -> bool:
    """Whether XML can hold the text at all."""
    return not _NOT_XML.search(text)


def as_json(value: Any) -> str:
    """JSON in ASCII, which XML keeps as it is."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, sort_keys=True)


def opened(tag: str, attributes: Mapping[str, str], *, closed: bool = False) -> str:
    """The beginning of an element, or a whole one that is empty; attributes without a value are left out."""
    said = "".join(f" {name}={_quoted(value)}" for name, value in attributes.items() if value)
    return f"<{tag}{said}{'/' if closed else ''}>"


def element(tag: str, attributes: Mapping[str, str], inner: Iterable[str] = ()) -> list[str]:
    """The lines of an element around the lines inside it."""
    lines = [f"{_INDENT}{line}" for line in inner]
    if not lines:
        return [opened(tag, attributes, closed=True)]
    return [opened(tag, attributes), *lines, f"</{tag}>"]


def _quoted(value: str) -> str:
    """In single quotes where that saves escaping, as for JSON."""
    escaped = value.translate(_SPECIAL)
    if "'" in value or '"' not in value:
        return f'"{escaped}"'
    single = escaped.replace("&quot;", '"')
    return f"'{single}'"
