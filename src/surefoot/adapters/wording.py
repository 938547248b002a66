"""How errors that come from a user's code are put into messages."""

from __future__ import annotations

import os
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path

from surefoot.documents import printable

OURS = os.path.dirname(__file__)
LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})


def is_unicode(text: str) -> bool:
    """Whether text can be written as UTF-8; names of files may hold other bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def explained(error: BaseException, folder: Path | None = None) -> str:
    """An exception in one line: its type, its message, and the last place in the user's code."""
    place = _place(error, folder)
    message = _message(error)
    return printable(f"{type(error).__name__}{f': {message}' if message else ''}") + (f" ({place})" if place else "")


def _message(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())
    except Exception:
        return "an error without a message that can be read"


def _place(error: BaseException, folder: Path | None) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{printable(os.path.basename(error.filename))}:{error.lineno}"
    frames = list(_users_frames(error, folder))
    if not frames:
        return ""
    last = frames[-1]
    return f"{printable(_relative(last.filename, folder))}:{last.lineno} in {printable(last.name)}"


def _users_frames(error: BaseException, folder: Path | None) -> Iterator[traceback.FrameSummary]:
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith((OURS, "<frozen", *LIBRARIES)):
            yield frame


def _relative(filename: str, folder: Path | None) -> str:
    if folder is not None and Path(filename).is_relative_to(folder.absolute()):
        return str(Path(filename).relative_to(folder.absolute()))
    return os.path.basename(filename)
