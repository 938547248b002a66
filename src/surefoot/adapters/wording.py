"""How names and errors that come from a user's files are put into messages."""

from __future__ import annotations

import os
import sysconfig
import traceback
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from pathlib import Path

LONGEST = 500
MOST_NAMES = 12
OURS = os.path.dirname(__file__)
LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})


def shown(text: object, longest: int = LONGEST) -> str:
    """Printable text of bounded length; bytes that are no UTF-8 and control characters become escapes."""
    raw = str(text)
    short = raw if len(raw) <= longest else f"{raw[: longest - 3]}..."
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in short)


def is_unicode(text: str) -> bool:
    """Whether text can be written as UTF-8; names of files may hold other bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def quoted(text: object, longest: int = LONGEST) -> str:
    """``shown`` text in quotation marks."""
    return f"'{shown(text, longest)}'"


def listed(names: Collection[object]) -> str:
    """A few names with commas; of many, the first ones and a count."""
    few = [shown(name, 60) for name in list(names)[:MOST_NAMES]]
    return ", ".join(few) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def suggestion(name: str, known: Collection[str]) -> str:
    """What may have been meant, or what there is."""
    close = get_close_matches(name, list(known), n=1)
    if close:
        return f"Did you mean {quoted(close[0], 60)}?"
    return f"There are: {listed(known)}." if known else ""


def explained(error: BaseException, folder: Path | None = None) -> str:
    """An exception in one line: its type, its message, and the last place in the user's code."""
    place = _place(error, folder)
    message = _message(error)
    return shown(f"{type(error).__name__}{f': {message}' if message else ''}") + (f" ({place})" if place else "")


def _message(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())
    except Exception:
        return "an error without a message that can be read"


def _place(error: BaseException, folder: Path | None) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{shown(os.path.basename(error.filename))}:{error.lineno}"
    frames = list(_users_frames(error, folder))
    if not frames:
        return ""
    last = frames[-1]
    return f"{shown(_relative(last.filename, folder))}:{last.lineno} in {shown(last.name)}"


def _users_frames(error: BaseException, folder: Path | None) -> Iterator[traceback.FrameSummary]:
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith((OURS, "<frozen", *LIBRARIES)):
            yield frame


def _relative(filename: str, folder: Path | None) -> str:
    if folder is not None and Path(filename).is_relative_to(folder.absolute()):
        return str(Path(filename).relative_to(folder.absolute()))
    return os.path.basename(filename)
