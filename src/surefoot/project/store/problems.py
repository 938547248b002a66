"""What went wrong with a file, in words, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from surefoot.core import Diagnostic, DiagnosticsError, SurefootError
from surefoot.core.diagnostics import Severity
from surefoot.documents.whole_file import reason

AGAIN = "Assess again: what is damaged or missing is computed anew."


class Damaged(SurefootError):
    """A file of the store is not what was written; ``where`` is its name in the store."""


def damage(text: str, where: str, *, severity: Severity = "error", hint: str = "") -> Diagnostic:
    """A finding about a file of a store."""
    return Diagnostic("store-damaged", text, severity, where, hint)


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
        raise Damaged(f"the file cannot be read: {reason(error)}", where=name) from error


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
    return DiagnosticsError.of("file-unreadable", f"it cannot be read: {reason(error)}.", where=where, hint=hint)
