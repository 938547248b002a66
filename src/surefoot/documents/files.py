"""Text of files: read up to a size, and checked to be text."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import NoReturn

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.core.validate import printable
from surefoot.documents.document import Findings, Place

FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
"""What no document holds, however it is written: controls other than tab and line breaks, halves of surrogate pairs."""


BROKEN_ARRAYS = (
    *(OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RuntimeError),
    *(SyntaxError, TokenError, zipfile.BadZipFile, zlib.error, struct.error),
)
"""What numpy raises where an .npy or .npz file is damaged, depending on which of its bytes are."""


def read_text(path: Path, findings: Findings) -> str:
    """The text of a file; what is no text, too large or empty is an error with a place.

    Parameters
    ----------
    path
        The file.
    findings
        Where problems go, and how large such a file may be.

    Returns
    -------
    str
        Its text, without a byte order mark.

    Raises
    ------
    DiagnosticsError
        Where it cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from surefoot.documents import write_whole
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.yaml")
    ...     write_whole(file, "target: 0.05")
    ...     read_text(file, Findings("a.yaml"))
    'target: 0.05'

    """
    return decoded(read_bytes(path, findings.kind.largest), findings)


def read_bytes(path: Path, largest: int) -> bytes:
    """The content of a plain file; a pipe or a device, which could block for ever, is refused.

    Parameters
    ----------
    path
        The file.
    largest
        How many bytes it may have.

    Returns
    -------
    bytes
        All of it.

    Raises
    ------
    DiagnosticsError
        Where it is missing, too large or cannot be read.

    See Also
    --------
    read_text

    """
    where = printable(path)
    if not path.exists():
        text = f"there is no file {printable(path.name)!r}."
        raise DiagnosticsError.of("file-missing", text, where=where, hint="Check the path.")
    if not path.is_file():
        _unreadable(where, "it is not a plain file.", "Name a file.")
    try:
        with open(path, "rb") as stream:
            content = stream.read(largest + 1)
    except OSError as error:
        _unreadable(where, f"the file cannot be read: {error.strerror or error}.", "Check its permissions.", error)
    if len(content) > largest:
        problem = f"the file is larger than {largest:,} bytes."
        _unreadable(printable(path.name), problem, "Keep data in files of their own.")
    return content


def decoded(content: bytes, findings: Findings) -> str:
    """Bytes as text, which is UTF-8 with or without a byte order mark.

    Parameters
    ----------
    content
        What was read.
    findings
        Where problems go.

    Returns
    -------
    str
        Text that is not empty.

    Examples
    --------
    >>> decoded("Tür".encode("utf-8-sig"), Findings("a.yaml"))
    'Tür'

    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"the file is not UTF-8 text (byte 0x{content[error.start]:02x})."
        _unreadable(f"{findings.file}:{line}", problem, "Save it with the encoding UTF-8.", error)
    zero = text.find("\0")
    if zero >= 0:
        where = f"{findings.file}:{text.count(chr(10), 0, zero) + 1}"
        _unreadable(where, "the file holds zero bytes, so it is not text.", "Export it as text.")
    if not text.strip():
        findings.stop(findings.kind.empty or "file-unreadable", "the file is empty.", hint=findings.kind.beginning)
    return text


def refuse_controls(text: str, findings: Findings) -> None:
    """Stop at a character that no document holds.

    Parameters
    ----------
    text
        Of a file.
    findings
        Where the problem goes.

    Examples
    --------
    >>> refuse_controls("plain text", Findings("a.yaml"))

    """
    found = FORBIDDEN.search(text)
    if found:
        where = place_of(text, found.start())
        findings.unparsable(f"the file holds {character(found[0])}.", line=where, hint="Remove it.")


def character(found: str) -> str:
    """A character that no document holds, in words."""
    return "half of a surrogate pair" if "\ud800" <= found <= "\udfff" else f"the control character {found!a}"


def place_of(text: str, index: int) -> Place:
    """Line and column of a character of a text."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _unreadable(where: str, problem: str, hint: str, cause: BaseException | None = None) -> NoReturn:
    raise DiagnosticsError.of("file-unreadable", problem, where=where, hint=hint) from cause
