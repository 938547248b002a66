"""Seals as text: strict JSON, written in one way only, so that every changed byte is noticed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from surefoot.core import DiagnosticsError
from surefoot.documents import json

LARGEST = 100_000_000
HINT = "Give a file that surefoot case seal wrote."


def written(data: Mapping[str, Any]) -> str:
    """The one text of a seal."""
    text = json.dumps(data, indent=1) + "\n"
    text.encode()
    return text


def file_text(path: str | Path) -> str:
    """The text of a file; line ends as Windows writes them are taken as one, which changes no content."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise ValueError("it is too large")
        return content.decode().replace("\r\n", "\n")
    except FileNotFoundError as error:
        raise DiagnosticsError.of("file-missing", "there is no file", where=str(path), hint=HINT) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text, or too large"
        raise DiagnosticsError.of(
            "file-unreadable", f"it cannot be read: {why}.", where=str(path), hint=HINT
        ) from error


def parsed(text: str, path: str | Path) -> Any:
    """JSON without repeated keys, NaN and infinities."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise broken(path, f"it is no valid JSON ({type(error).__name__}: {str(error)[:120]})") from error


def broken(path: str | Path, why: str) -> DiagnosticsError:
    """The error of a seal that was altered."""
    hint = "Take the seal from where it was kept, or seal anew."
    return DiagnosticsError.of("seal-broken", f"The seal is broken: {why}.", where=str(path), hint=hint)
