"""Ctrl-C at any instant: a message and exit code 130, never a traceback.

It is taken over before anything heavy is imported, so that this file imports nothing but the standard library.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

STOPPED = 130
STOPPED_TEXT = "Stopped."
_IMPORTING = "<frozen importlib._bootstrap"
_working: list[bool] = []


def take_over() -> None:
    """Answer Ctrl-C here from now on."""
    signal.signal(signal.SIGINT, _answer)


@contextmanager
def working() -> Iterator[None]:
    """Inside, Ctrl-C raises ``KeyboardInterrupt``, so that the work can tidy up."""
    _working.append(True)
    try:
        yield
    finally:
        _working.pop()


def _answer(_signal: int, frame: FrameType | None) -> NoReturn:
    """An import that is cut short fails in ways of its own, and nothing is worth tidying up before the work began."""
    if _working and not _is_importing(frame):
        raise KeyboardInterrupt
    os.write(2, f"{STOPPED_TEXT}\n".encode())
    os._exit(STOPPED)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(_IMPORTING):
            return True
        frame = frame.f_back
    return False
