"""What was learnt from a stream, in a file: plain JSON that is written at once or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from surefoot.core import DiagnosticsError
from surefoot.core.canonical import thaw
from surefoot.documents import json
from surefoot.project.store import write_atomically

LARGEST = 1 << 28
SPECIAL = "$float"


def write_state(state: Mapping[str, Any], path: Path) -> None:
    """Keep a state."""
    write_atomically(path, json.dumps(thaw(state), separators=(",", ":"), ensure_ascii=True).encode())


def read_state(path: Path) -> dict[str, Any]:
    """A state that was kept; nothing in it is run."""
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError("it is too large")
        found = json.loads(path.read_bytes(), _special)
    except OSError as error:
        raise DiagnosticsError.of("file-unreadable", f"{error.strerror}.", where=str(path)) from error
    except ValueError as error:
        raise damaged(path, str(error)) from error
    if not isinstance(found, dict) or found.get("surefoot-watch") != 1:
        raise damaged(path, "it was not written by surefoot watch")
    return found


def damaged(path: Path, why: str) -> DiagnosticsError:
    """The error of a file that holds no state."""
    text, hint = f"this is no state that can be read: {why[:200]}.", "Remove the file to start anew."
    return DiagnosticsError.of("watch-state", text, where=str(path), hint=hint)


def _special(found: dict[str, Any]) -> Any:
    return float(found[SPECIAL]) if set(found) == {SPECIAL} else found
