"""The archive of a workbook, looked through before anything reads it: it may be damaged, locked or made to harm.

The library that reads the cells believes what a workbook says of itself and ends the process where that needs more
memory than there is. So each part it is given was unpacked and parsed here, strictly, and the archive around them is
new: there is nothing in it that was not looked at.
"""

from __future__ import annotations

import codecs
import io
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NoReturn

from surefoot.core.validate import shown
from surefoot.documents import xml
from surefoot.documents.document import Findings

LARGEST_UNPACKED = 200_000_000
MOST_PARTS = 10_000
MOST_TEXTS = 5_000_000
_OLDER, _ZIP = b"\xd0\xcf\x11\xe0", b"PK"
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, IndexError, struct.error)
_DECLARATION = re.compile(r"\A\ufeff?<\?xml[^>]*\?>")
_TEXT = re.compile(rb"<(?:[\w.-]+:)?si[\s/>]")
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/package/2006/relationships"


@dataclass
class Package:
    """An archive whose parts together unpack to at most ``LARGEST_UNPACKED`` bytes."""

    archive: zipfile.ZipFile
    findings: Findings
    sheets: dict[str, str] = field(default_factory=dict)
    """Parts of the sheets by name, in order."""
    epoch_1904: bool = False
    texts: bytes = b""
    """The part with the texts that cells refer to."""
    styles: bytes = b""

    @classmethod
    def of(cls, content: bytes, findings: Findings) -> Package:
        """Open the content of a file, and read what all sheets share."""
        _refuse_others(content, findings)
        try:
            archive = zipfile.ZipFile(io.BytesIO(content))
        except (*_BROKEN, NotImplementedError) as error:
            _damaged(findings, error)
        _refuse_bombs(archive, findings)
        package = cls(archive, findings)
        package._open()
        return package

    @cached_property
    def text_count(self) -> int:
        """How many texts cells may refer to."""
        return len(_TEXT.findall(self.texts))

    def part(self, name: str) -> bytes:
        """The content of a part."""
        if name not in self.archive.NameToInfo:
            text = f"the workbook lacks its part {name!r}."
            self.findings.unparsable(text, hint="Save it again as .xlsx.")
        try:
            return self.archive.read(name)
        except _BROKEN as error:
            _damaged(self.findings, error)

    def reader(self, name: str) -> xml.Reader:
        """A parser of a part, without any document type; control characters are found in the cells."""
        reader = xml.Reader(self.inside(name), controls=True)

        def refuse(*_: object) -> None:
            hint = "Do not trust this file; ask who made it."
            reader.findings.refuse("the part declares a document type, which no workbook needs.", hint=hint)

        reader.parser.StartDoctypeDeclHandler = refuse
        return reader

    def inside(self, name: str) -> Findings:
        """The findings, at places of a part."""
        kind = replace(self.findings.kind, largest=LARGEST_UNPACKED)
        return Findings(f"{self.findings.file}, {name}", kind, self.findings.errors)

    def looked_through(self, name: str, start: Callable[[str, dict[str, str]], None] | None = None) -> bytes:
        """A part that is well-formed, in UTF-8; ``start`` is told of its elements."""
        content, reader = self.part(name), self.reader(name)
        if start is not None:
            reader.parser.StartElementHandler = start
        reader.read([content], hint="Save the workbook again.")
        return as_utf8(content)

    def packed(self, sheets: list[bytes]) -> bytes:
        """A new archive with these sheets, called by their positions, and what they refer to."""
        numbers = range(len(sheets))
        listed = "".join(f'<sheet name="{at}" sheetId="{at + 1}" r:id="rId{at}"/>' for at in numbers)
        inner = f'<workbookPr date1904="{int(self.epoch_1904)}"/><sheets>{listed}</sheets>'
        related = [("worksheet", f"worksheets/sheet{at}.xml") for at in numbers]
        related += [("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml")]
        parts: dict[str, bytes | str] = {
            "_rels/.rels": _relationships([("officeDocument", "xl/workbook.xml")]),
            "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">{inner}</workbook>',
            "xl/_rels/workbook.xml.rels": _relationships(related),
            "xl/styles.xml": self.styles or f'<styleSheet xmlns="{_MAIN}"/>',
            "xl/sharedStrings.xml": self.texts or f'<sst xmlns="{_MAIN}"/>',
        }
        parts |= {f"xl/worksheets/sheet{at}.xml": sheet for at, sheet in enumerate(sheets)}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, content in parts.items():
                archive.writestr(name, content)
        return packed.getvalue()

    def _open(self) -> None:
        main = self._main_part()
        related, folder = self._related(main), posixpath.dirname(main)
        for element in self._parsed(main).children:
            if element.tag == "workbookPr":
                self.epoch_1904 = element.attributes.get("date1904", "") in ("1", "true")
            for sheet in element.named("sheet"):
                kind, target = related.get(sheet.attributes.get("r:id", ""), ("", ""))
                if kind == "worksheet":
                    self.sheets[sheet.attributes.get("name", "")] = _path(target, folder)
        for kind, target in related.values():
            if kind == "sharedStrings":
                self.texts = self.looked_through(_path(target, folder), self._refuse_many_texts)
            elif kind == "styles":
                self.styles = self.looked_through(_path(target, folder))

    def _refuse_many_texts(self, name: str, attributes: dict[str, str]) -> None:
        """More texts than there can be, for which the library would reserve memory."""
        said = attributes.get("uniqueCount", "") if attributes and name.endswith("sst") else ""
        if said and not (said.isascii() and said.isdigit() and len(said) < 10 and int(said) <= MOST_TEXTS):
            text = f"the workbook says that it has {shown(said)} texts; at most {MOST_TEXTS:,} are read."
            self.findings.unparsable(text, hint="Save it again.")

    def _main_part(self) -> str:
        kinds = dict(self._related("").values())
        main = _path(kinds.get("officeDocument", "xl/workbook.xml"), "")
        if main not in self.archive.NameToInfo or not main.endswith(".xml"):
            hint = "Save it as .xlsx, not as .xlsb or .ods."
            self.findings.stop("file-unreadable", "the archive holds no workbook.", hint=hint)
        return main

    def _related(self, part: str) -> dict[str, tuple[str, str]]:
        """Kind and place of the parts that a part refers to, by key."""
        folder, name = posixpath.split(part)
        place = posixpath.join(folder, "_rels", f"{name}.rels")
        if place not in self.archive.NameToInfo:
            return {}
        said = [each.attributes for each in self._parsed(place).named("Relationship")]
        return {each.get("Id", ""): (each.get("Type", "").rpartition("/")[2], each.get("Target", "")) for each in said}

    def _parsed(self, name: str) -> xml.Element:
        """A small part as a whole."""
        self.looked_through(name)
        return xml.parse(self.part(name), self.inside(name), {"relationships": "r"})


def _relationships(targets: list[tuple[str, str]]) -> str:
    inner = "".join(
        f'<Relationship Id="rId{at}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for at, (kind, target) in enumerate(targets)
    )
    return f'<Relationships xmlns="{_RELATED}">{inner}</Relationships>'


def as_utf8(content: bytes) -> bytes:
    """A part in the encoding that the library reads."""
    if content.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)):
        with suppress(UnicodeError):
            return _DECLARATION.sub("", content.decode("utf-16")).encode()
    return content


def _path(target: str, folder: str) -> str:
    """The name of a part that another part in a folder refers to."""
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))


def _refuse_others(content: bytes, findings: Findings) -> None:
    if not content:
        findings.stop("file-unreadable", "the file is empty.", hint="Save it again.")
    if content.startswith(_OLDER):
        text = "the workbook is locked with a password, or it is an older .xls file."
        findings.stop("file-unreadable", text, hint="Open it, remove the password, and save it as .xlsx.")
    if not content.startswith(_ZIP):
        findings.stop("file-unreadable", "this is no XLSX workbook.", hint="Save it as .xlsx.")


def _refuse_bombs(archive: zipfile.ZipFile, findings: Findings) -> None:
    parts = archive.infolist()
    size = sum(part.file_size for part in parts)
    if size > LARGEST_UNPACKED or len(parts) > MOST_PARTS:
        text = f"the workbook unpacks to {len(parts):,} parts with {size:,} bytes; at most {MOST_PARTS:,} with "
        hint = "Split it, or remove pictures and sheets that are not needed."
        findings.unparsable(f"{text}{LARGEST_UNPACKED:,} bytes are read.", hint=hint)
    if any(part.flag_bits & 1 for part in parts):
        findings.stop("file-unreadable", "parts of the workbook are encrypted.", hint="Save it without a password.")
    if any(part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for part in parts):
        findings.stop("file-unreadable", "parts are packed in a way that XLSX does not know.", hint="Save it again.")


def _damaged(findings: Findings, error: BaseException) -> NoReturn:
    findings.stop("file-unreadable", f"the workbook is damaged: {error}.", hint="Save it again, or take a copy of it.")
