"""Files of this machine: text read up to a size and checked to be text, and files written whole or not at all.

A file comes into being under another name, is flushed to the disk, and only then moved to its place, which replaces an
older file in one step; the folder is flushed last. Whoever is killed in between leaves the older file, or none.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tokenize import TokenError
from typing import NoReturn, Protocol

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


PREFIX = ".surefoot-"
STALE_AFTER_SECONDS = 24 * 3600
_FREE_SPACE = "Make room and run again; what is stored already stays."
_PERMISSION = "Give yourself permission to write there, or choose another place."
_IN_THE_WAY = "Move the file or folder that is in the way, or choose another place."
CAUSES = {
    errno.ENOSPC: ("the disk is full", _FREE_SPACE),
    errno.EDQUOT: ("your quota of disk space is used up", _FREE_SPACE),
    errno.EFBIG: ("the file would be larger than the system allows", "Raise the limit (ulimit -f), and run again."),
    errno.EROFS: ("the file system is read-only", _PERMISSION),
    errno.EACCES: ("permission is denied", _PERMISSION),
    errno.EPERM: ("permission is denied", _PERMISSION),
    errno.ENOTDIR: ("a file stands where a folder should be", _IN_THE_WAY),
    errno.EEXIST: ("a file stands where a folder should be", _IN_THE_WAY),
    errno.EISDIR: ("a folder stands where a file should be", _IN_THE_WAY),
}


class Writable(Protocol):
    """What content is written to."""

    def write(self, content: bytes, /) -> object:
        """Append the content."""
        ...


Fill = Callable[[Writable], object]


def write_whole(path: Path, content: str | bytes, *, code: str = "wrong-value") -> None:
    """Write a document into a folder that is there, whole or not at all; an older file stays until it is complete.

    Parameters
    ----------
    path
        The file.
    content
        Text or bytes. Text that holds what no reader takes, a control character or half of a surrogate pair, is an
        error.
    code
        The code of that error.

    Raises
    ------
    DiagnosticsError
        Where it cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a.txt"), "said")
    ...     Path(folder, "a.txt").read_text()
    'said'

    """
    said = _encoded(content, path, code) if isinstance(content, str) else content
    with writing(shown(path)):
        if not path.resolve().parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "there is no such folder")
    write_atomically(path, said)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, and its folder where there is none; what cannot be written is a coded error.

    Parameters
    ----------
    path
        The file.
    content
        All of it.

    Raises
    ------
    DiagnosticsError
        Where it cannot be written.

    See Also
    --------
    write_whole

    """
    fill_atomically(path, lambda stream: stream.write(content))


def fill_atomically(path: Path, fill: Fill) -> None:
    """As ``write_atomically``, for content that is made while it is written.

    A link stays, and the file it leads to is replaced; a pipe or a device is written to as it is.
    """
    with writing(shown(path)):
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as stream:
                fill(stream)
        else:
            target = Path(os.path.realpath(path))
            sweep(target.parent)
            fill_through(target, fill, through=target.parent)


def fill_through(path: Path, fill: Fill, *, through: Path) -> None:
    """Write a new file in the folder ``through`` and move it to ``path`` once it is complete and on the disk."""
    make_folder(through)
    make_folder(path.parent)
    part = through / unfinished_name()
    try:
        with part.open("xb") as stream:
            fill(stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    sync_folder(path.parent)


def move_whole(source: Path, path: Path, *, through: Path) -> None:
    """Move a complete file to ``path``, which may lie on another disk."""
    with source.open("rb") as stream:
        os.fsync(stream.fileno())
        if source.is_symlink() or not _moved(source, path):
            fill_through(path, lambda copy: shutil.copyfileobj(stream, copy), through=through)
            source.unlink()


def _moved(source: Path, path: Path) -> bool:
    make_folder(path.parent)
    try:
        os.replace(source, path)
    except OSError as error:
        if error.errno == errno.EXDEV:
            return False
        raise
    sync_folder(path.parent)
    return True


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, each entered for good into the one above."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir()
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Flush the entries of a folder to the disk, where the file system can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def unfinished_name() -> str:
    """A new name for something unfinished; ``sweep`` knows it again."""
    return f"{PREFIX}{secrets.token_hex(8)}"


def sweep(folder: Path) -> None:
    """Remove what an interrupted run left unfinished in a folder more than a day ago."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.name.startswith(PREFIX) and time.time() - _last_change(path) > STALE_AFTER_SECONDS:
                _remove(path)


def _last_change(path: Path) -> float:
    return max(part.lstat().st_mtime for part in (path, *path.rglob("*")))


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _encoded(text: str, path: Path, code: str) -> bytes:
    found = FORBIDDEN.search(text)
    if found:
        around = text[max(found.start() - 20, 0) : found.end()]
        problem = f"{around!a} holds {character(found[0])}, which no document may."
        raise DiagnosticsError.of(code, problem, where=str(path), hint="Remove it.")
    return text.encode()


@contextmanager
def writing(where: str) -> Iterator[None]:
    """Turn whatever the system raises while something is written into a coded error."""
    try:
        yield
    except OSError as error:
        cause, hint = CAUSES.get(error.errno or 0, (reason(error), "Choose another place."))
        raise DiagnosticsError.of(
            "store-unwritable", f"nothing could be written: {cause}.", where=where, hint=hint
        ) from error


def shown(path: str | Path) -> str:
    """A path as text that can be printed, whatever bytes it has."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def reason(error: OSError) -> str:
    """Why the system refused something."""
    return error.strerror or str(error) or type(error).__name__
