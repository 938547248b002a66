"""What went wrong with a file, in words, and what to do about it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from surefoot.core import Diagnostic, DiagnosticsError, SurefootError
from surefoot.core.diagnostics import Severity

AGAIN = "Assess again: what is damaged or missing is computed anew."
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


class Damaged(SurefootError):
    """A file of the store is not what was written; ``where`` is its name in the store."""


def shown(path: str | Path) -> str:
    """A path as text that can be printed, whatever bytes it has."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def damage(text: str, where: str, *, severity: Severity = "error", hint: str = "") -> Diagnostic:
    """A finding about a file of a store."""
    return Diagnostic("store-damaged", text, severity, where, hint)


@contextmanager
def writing(where: str) -> Iterator[None]:
    """Turn whatever the system raises while something is written into a coded error."""
    try:
        yield
    except OSError as error:
        cause, hint = CAUSES.get(error.errno or 0, (_reason(error), "Choose another place."))
        raise DiagnosticsError.of(
            "store-unwritable", f"nothing could be written: {cause}.", where=where, hint=hint
        ) from error


@contextmanager
def reading_file(location: str, name: str) -> Iterator[None]:
    """Tell a file that may not be read (an error) from one that is missing or broken (``Damaged``)."""
    try:
        yield
    except PermissionError as error:
        raise unreadable(f"{location}/{name}", error) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Damaged("the file is missing", where=name) from error
    except OSError as error:
        raise Damaged(f"the file cannot be read: {_reason(error)}", where=name) from error


@contextmanager
def undamaged(location: str, hint: str) -> Iterator[None]:
    """Turn damage into a coded error, for those who must know when something is missing."""
    try:
        yield
    except Damaged as error:
        raise DiagnosticsError.of("store-damaged", f"{error}.", where=location, hint=hint) from error


def unreadable(where: str, error: OSError) -> DiagnosticsError:
    """The error of a file or folder that is there and cannot be read."""
    hint = "Give yourself permission to read it, or choose another place."
    return DiagnosticsError.of("file-unreadable", f"it cannot be read: {_reason(error)}.", where=where, hint=hint)


def _reason(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__
