"""The text of a file, or a coded problem."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from surefoot.core.diagnostics import DiagnosticsError

LARGEST_FILE = 20_000_000


def decoded(content: bytes, path: Path) -> str:
    """The content of a file as text; what is no text is an error with a place."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"the file is not UTF-8 text (byte 0x{content[error.start]:02x})."
        _refuse(f"{path.name}:{line}", problem, "Save it with the encoding UTF-8.", error)
    zero = text.find("\0")
    if zero >= 0:
        line = text.count("\n", 0, zero) + 1
        _refuse(f"{path.name}:{line}", "the file holds zero bytes, so it is not text.", "Export it as text.")
    if not text.strip():
        _refuse(path.name, "the file is empty.", "Export it again.")
    return text


def read_bytes(path: Path) -> bytes:
    """At most ``LARGEST_FILE`` bytes; a pipe or a device, which could block for ever, is refused."""
    if not path.exists():
        text = f"there is no file {path.name!r}."
        raise DiagnosticsError.of("file-missing", text, where=str(path), hint="Check the path.")
    if not path.is_file():
        _refuse(str(path), "it is not a plain file.", "Name a file.")
    try:
        with open(path, "rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        _refuse(str(path), f"the file cannot be read: {error.strerror or error}.", "Check its permissions.", error)
    if len(content) > LARGEST_FILE:
        size = f"{os.path.getsize(path):,}"
        problem = f"the file has {size} bytes; at most {LARGEST_FILE:,} are read."
        _refuse(path.name, problem, "Split it into several files.")
    return content


def _refuse(where: str, problem: str, hint: str, cause: BaseException | None = None) -> NoReturn:
    raise DiagnosticsError.of("file-unreadable", problem, where=where, hint=hint) from cause
