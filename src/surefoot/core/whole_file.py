"""A file that is written whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from surefoot.core.diagnostics import DiagnosticsError


def write_whole(path: Path, content: str | bytes, *, code: str = "wrong-value") -> None:
    """Write beside the place and move there once complete; an older file stays until then.

    ``code`` is that of the error for half of a surrogate pair, which is no text.
    """
    content = _encoded(content, path, code) if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    part = target.with_name(f".surefoot-{secrets.token_hex(8)}")
    try:
        with open(part, "xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, target)
    except OSError as error:
        problem = f"the file cannot be written: {error.strerror or error}."
        hint = "Check that the folder exists and may be written to."
        raise DiagnosticsError.of("store-unwritable", problem, where=str(path), hint=hint) from error
    finally:
        with suppress(OSError):
            part.unlink()


def _encoded(text: str, path: Path, code: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        problem = f"{text[max(error.start - 20, 0) : error.end]!a} holds half of a surrogate pair, which is no text."
        raise DiagnosticsError.of(code, problem, where=str(path), hint="Write the character out.") from error
