"""The parts of a workbook: a zip archive that may be damaged, locked or out to exhaust the memory."""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import NoReturn

from surefoot.documents import Findings

LARGEST_UNPACKED = 200_000_000
MOST_PARTS = 10_000
_OLDER = b"\xd0\xcf\x11\xe0"
_ZIP = b"PK"
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, IndexError, struct.error)


@dataclass
class Package:
    """An archive whose parts together unpack to at most ``LARGEST_UNPACKED`` bytes."""

    archive: zipfile.ZipFile
    findings: Findings

    @classmethod
    def of(cls, content: bytes, findings: Findings) -> Package:
        """Open the content of a file."""
        _refuse_others(content, findings)
        try:
            archive = zipfile.ZipFile(io.BytesIO(content))
        except (*_BROKEN, NotImplementedError) as error:
            _damaged(findings, error)
        _refuse_bombs(archive, findings)
        return cls(archive, findings)

    def has(self, name: str) -> bool:
        """Whether there is such a part."""
        return name in self.archive.NameToInfo

    def part(self, name: str) -> bytes:
        """The content of a part."""
        if not self.has(name):
            text = f"the workbook lacks its part {name!r}."
            self.findings.stop("hazop-syntax", text, hint="Save it again as .xlsx.")
        try:
            return self.archive.read(name)
        except _BROKEN as error:
            _damaged(self.findings, error)

    def path(self, target: str, base: str) -> str:
        """The name of a part that another part in the folder ``base`` refers to."""
        return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(base, target))


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
        findings.stop("hazop-syntax", f"{text}{LARGEST_UNPACKED:,} bytes are read.", hint=hint)
    if any(part.flag_bits & 1 for part in parts):
        findings.stop("file-unreadable", "parts of the workbook are encrypted.", hint="Save it without a password.")
    if any(part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for part in parts):
        findings.stop("file-unreadable", "parts are packed in a way that XLSX does not know.", hint="Save it again.")


def _damaged(findings: Findings, error: BaseException) -> NoReturn:
    findings.stop("file-unreadable", f"the workbook is damaged: {error}.", hint="Save it again, or take a copy of it.")
